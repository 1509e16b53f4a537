"""Move a buffer's data so that a constant offset meets a memory word."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from burstline_model.facts import Argument, KernelFacts
from burstline_model.lsu import Lsu
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide, Moved
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Rewrite, TextEdit
from burstline_server.rewrites.small_tables import places_of
from burstline_server.rewrites.syntax import SourceNode, kernel_body


class Pad(Rewrite):
    """Unused elements in front of a buffer's data, where a constant in the index keeps wide requests off word bounds.

    Every index of the buffer in the kernel grows by their number. Offered where all non-aligned units lack the same to
    a multiple of their width, and every aligned unit stays on a multiple of its own. Needs the host to make the buffer
    that much longer and to put the data behind the padding.
    """

    name = "pad"
    codes = ("BL101",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each buffer with requests that start off memory words."""
        facts = kernel.facts
        for argument in facts.arguments:
            units = [u.lsu for u in kernel.estimate.units if facts.accesses[u.lsu.members[0]].pointer == argument.name]
            if any("non-aligned" in u.style for u in units):
                accesses = [a for a in facts.accesses if a.pointer == argument.name]
                yield Candidate(
                    Title("pad", (argument.name,)),
                    (argument.span, *(a.span for a in accesses)),
                    partial(_offer, assessment, kernel, argument, units),
                )


def _offer(assessment: Assessment, kernel: KernelAssessment, argument: Argument, units: list[Lsu]) -> Offer:
    facts, body = kernel.facts, kernel_body(assessment.source, kernel.facts.name_span)
    accesses = [a for a in facts.accesses if a.pointer == argument.name]
    needed = {_padding(facts, u) for u in units if "non-aligned" in u.style}
    padding = needed.pop()
    if needed or not padding or not argument.element_bytes or padding % argument.element_bytes:
        raise NotOfferedError("no_padding_fits")
    # What is padded for one request must not take another one off its word.
    aligned = [u for u in units if u.style.startswith("Burst-coalesced") and "non-aligned" not in u.style]
    if any(padding % max(u.width_bits // 8, 1) for u in aligned):
        raise NotOfferedError("padding_shifts_others", argument.name, padding // argument.element_bytes)
    places = places_of(assessment, accesses, argument.name, body) if body is not None else None
    if places is None or argument.span.file is not None:
        raise NotOfferedError("not_one_element")
    elements = padding // argument.element_bytes
    indexes = [index for place in places if (index := place.child("index")) is not None]
    return Offer(
        title=Title("pad_by", (argument.name, elements)),
        kind="host",
        kernel=facts.name,
        edits=tuple(_grown(i, elements) for i in indexes),
        spans=(argument.span, *(a.span for a in accesses)),
        codes=Pad.codes,
        host=_host_text(argument.name, padding, {a.op for a in accesses}),
        host_side=HostSide(moved=(Moved(argument.name, argument.name, ahead=elements),)),
    )


def _host_text(name: str, padding: int, ops: set[str]) -> str:
    """What the host does: what a kernel stores to is read back from behind the padding as well."""
    text = (
        f"/* {name} is created {padding} bytes longer; its data lie behind them for all that uses the buffer:\n"
        f"   copies, and any other kernel, whose indexes need the same edit. */\n"
        f"clEnqueueWriteBuffer(queue, {name}, CL_TRUE, {padding}, bytes, data, 0, NULL, NULL);\n"
    )
    last = text.splitlines(keepends=True)[-1]
    return text if ops == {"load"} else text + last.replace("WriteBuffer", "ReadBuffer")


def _padding(facts: KernelFacts, unit: Lsu) -> int:
    """Bytes by which a unit's constant offset falls short of a multiple of its width."""
    offsets = [o.offset for m in unit.members if (o := facts.accesses[m].offset) is not None]
    return -min(offsets, default=0) % (unit.width_bits // 8)


def _grown(index: SourceNode, by: int) -> TextEdit:
    """The edit of an index that lies so many elements further on."""
    right, operator = index.child("right"), index.node.child_by_field_name("operator")
    if index.node.type == "binary_expression" and operator is not None and operator.type == "+" and right is not None:
        number = right.text
        if number == "0" or (number.isdecimal() and not number.startswith("0")):  # no octal one
            return TextEdit(right.start, right.end, str(int(number) + by))
    sums = {"identifier", "number_literal", "call_expression", "parenthesized_expression"}
    products = {"+", "-", "*", "/", "%"}
    plain = index.node.type in sums or (operator is not None and operator.type in products)
    return TextEdit(index.start, index.end, f"{index.text if plain else f'({index.text})'} + {by}")
