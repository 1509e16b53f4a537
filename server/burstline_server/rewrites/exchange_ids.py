"""Dimensions 0 and 1 of the work-items in each other's place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from tree_sitter import Node

from burstline_model.estimate.changes import ExchangeIds as Exchanged
from burstline_model.facts import KernelFacts, Span
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.config.comments import sizes_in
from burstline_server.interpreter.host_side import HostSide
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Rewrite, TextEdit
from burstline_server.rewrites.syntax import kernel_body, written
from burstline_server.source.source import Source

_OF_DIMENSION = frozenset(
    {
        "get_global_id", "get_local_id", "get_group_id", "get_global_size", "get_local_size",
        "get_enqueued_local_size", "get_num_groups", "get_global_offset",
    }
)  # fmt: skip
_OTHER = {0: 1, 1: 0, 2: 2}
_GROUP = re.compile(rb"\w*work_group_size\w*\s*\(\s*(?P<first>\w+)\s*,\s*(?P<second>\w+)\s*[,)]")
_CONDITION = re.compile(rb"^[ \t]*#[ \t]*(?:if|el|end)", re.MULTILINE)


class ExchangeIds(Rewrite):
    """Dimensions 0 and 1 of an NDRange kernel in each other's place, so that neighbours move neighbouring elements.

    Work-items follow each other along dimension 0. Offered where no access to global memory lies in order along it and
    those that move do along dimension 1. Each question for an id, a size or an offset asks for the other dimension, the
    sizes of ``reqd_work_group_size`` change places, and so do those that a comment gives the kernel. The host swaps
    the global and the local size, and the offset. Groups keep their work-items, and with them what they share in local
    memory and wait for. Refused with channels, lanes, linear ids, and where a function that the kernel calls asks for
    its work-item. No result changes.
    """

    name = "exchange ids"
    codes = ("BL102",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterator[Candidate]:
        """One edit for a kernel whose accesses are said to lie in order with the dimensions exchanged."""
        facts = kernel.facts
        units = (kernel.at_assumed or kernel).estimate.units
        changes = [o.change for u in units for o in u.observations if isinstance(o.change, Exchanged)]
        first = next((change for change in changes if change.other == 1), None)
        if first is not None:
            found = [u for u in units if any(o.change == first for o in u.observations)]
            spans = (facts.name_span, *(facts.accesses[u.lsu.members[0]].span for u in found))
            title = Title("exchange_ids_in_groups" if first.in_groups else "exchange_ids")
            yield Candidate(title, spans, partial(_offer, assessment, kernel, title, spans))


def _offer(assessment: Assessment, kernel: KernelAssessment, title: Title, spans: tuple[Span, ...]) -> Offer:
    facts, source = kernel.facts, assessment.source
    if facts.channels:
        raise NotOfferedError("has_channel")
    if facts.simd > 1 or facts.model != "ndrange":
        raise NotOfferedError("attributes_name_groups")
    body = kernel_body(source, facts.name_span)
    if body is None or facts.span.file is not None:
        raise NotOfferedError("macro_in_text")
    # What another build has in their place would have to be exchanged as well.
    if _CONDITION.search(source.original[facts.span.start : facts.span.end]) is not None:
        raise NotOfferedError("has_directives")
    return Offer(
        title=title,
        kind="host",
        kernel=facts.name,
        edits=(*_questions(source, body), *_groups(source, facts, body), *_sizes(assessment, kernel)),
        spans=spans,
        codes=ExchangeIds.codes,
        host=_host(kernel),
        host_side=HostSide(exchanged=True),
        launch={key: ",".join(sizes) for key, sizes in _exchanged(kernel).items()},
    )


def _questions(source: Source, body: Node) -> Iterator[TextEdit]:
    """Each question about a dimension, about the other one; refuses what is asked of both, or elsewhere."""
    effects, asked = Effects(source), 0
    for call, name in effects.calls(body):
        arguments = call.child_by_field_name("arguments")
        given = [c for c in arguments.named_children if c.type != "comment"] if arguments is not None else []
        if name in _OF_DIMENSION and len(given) == 1:
            number = effects.text(given[0]).rstrip("uUlL") if given[0].type == "number_literal" else ""
            place = written(source, given[0])
            if number not in {"0", "1", "2"}:
                raise NotOfferedError("dimension_not_number", effects.text(call))
            if place is None or written(source, call) is None:
                raise NotOfferedError("macro_in_it")
            asked += 1
            other = _OTHER[int(number)]
            if other != int(number):
                yield TextEdit(place.start, place.end, str(other))
        elif name != "get_work_dim" and (asks := effects.asks_for_work_item(name)) is not None:
            if asks == name:
                raise NotOfferedError("asks_in_order", asks)
            raise NotOfferedError("calls_what_asks", name, asks)
    named = [n for n in inside(body) if n.type == "identifier" and effects.asks_for_work_item(effects.text(n))]
    if len([n for n in named if effects.text(n) != "get_work_dim"]) > asked:
        raise NotOfferedError("asks_indirectly")


def _groups(source: Source, facts: KernelFacts, body: Node) -> Iterator[TextEdit]:
    """The first two sizes of each attribute that names work-groups."""
    function = body.parent
    before = function.prev_sibling if function is not None else None
    start = before.end_byte if before is not None else 0
    found = 0
    for note in source.notes_in(start, body.start_byte):
        if note.kind != "attribute" or "work_group_size" not in note.text:
            continue
        place = source.origin(note.start, note.end)
        sizes = _GROUP.search(source.original, place.start, place.end) if place.file is None else None
        if sizes is None:
            raise NotOfferedError("macro_in_declaration")
        found += 1
        yield TextEdit(*sizes.span("first"), sizes["second"].decode())
        yield TextEdit(*sizes.span("second"), sizes["first"].decode())
    if facts.work_group_size is not None and not found:
        raise NotOfferedError("macro_in_declaration")


def _sizes(assessment: Assessment, kernel: KernelAssessment) -> Iterator[TextEdit]:
    """The sizes that comments give this kernel alone."""
    for start, end, sizes in sizes_in(assessment.source, [k.placed for k in assessment.kernels], kernel.facts.name):
        yield TextEdit(start, end, f"({','.join(_swapped(sizes))})")


def _swapped(sizes: Sequence[object]) -> list[str]:
    first, second, *rest = map(str, (*sizes, 1) if len(sizes) == 1 else sizes)
    return [second, first, *rest]


def _exchanged(kernel: KernelAssessment) -> dict[str, list[str]]:
    """The sizes of the launch that the host makes after the edit, by setting; those that are known."""
    given = {"global_size": kernel.launch.global_size, "local_size": kernel.launch.local_size}
    return {key: _swapped(sizes) for key, sizes in given.items() if sizes is not None}


def _host(kernel: KernelAssessment) -> str:
    known = [f"size_t {key}[] = {{{', '.join(sizes)}}};\n" for key, sizes in _exchanged(kernel).items()]
    return (
        f"/* Launch of {kernel.facts.name}: the first two global sizes change places, and so do the first two local "
        f"sizes and offsets. */\n{''.join(known)}"
    )
