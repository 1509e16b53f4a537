"""A loop over what were work-items."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tree_sitter import Node

from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Refusal,
    Rewrite,
    TextEdit,
    in_front_of,
    line_end,
)
from burstline_server.rewrites.syntax import SourceNode, every, free_name, function_at

_KNOWN = {"get_global_id": "id", "get_global_size": "size"}
_LOOPS = {"for_statement", "while_statement", "do_statement"}


class SingleWorkItem(Rewrite):
    """An NDRange kernel becomes a single work-item one: loops over ``get_global_id``, their bounds as new arguments.

    The host launches it as a task, and gives it the sizes it launched before; no offset. A return becomes a continue.
    Offered without barriers, local memory and work-groups' ids or sizes; work-items then run in one of the orders that
    they could have run in before. Iterations may then hand values on, share loads, and be split into kernels.
    """

    name = "single work-item"
    codes = ("BL403",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for the kernel."""
        if kernel.facts.model == "ndrange":
            yield Candidate(Title("single_work_item"), (kernel.facts.name_span,), lambda: _offer(assessment, kernel))

    def refusals(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Refusal]:
        """Kernels with too few work-items that synchronise or ask for their work-group."""
        return super().refusals(assessment, kernel) if kernel.estimate.bound == "work_items" else ()


def _offer(assessment: Assessment, kernel: KernelAssessment) -> Offer:
    facts, text = kernel.facts, assessment.source.original
    local = any(a.space == "local" for a in facts.arguments) or any(a.space == "local" for a in facts.arrays)
    if facts.barriers or local:
        raise NotOfferedError("items_share")
    if facts.work_group_size is not None or facts.simd > 1 or facts.compute_units > 1:
        raise NotOfferedError("attributes_name_groups")
    if not facts.arguments:
        raise NotOfferedError("no_arguments")
    whole = function_at(assessment.source, facts.name_span)
    body = whole.child("body") if whole is not None else None
    words = list(re.finditer(rb"\b(?:__kernel|kernel)\b", text[: facts.name_span.start]))
    place = in_front_of(text, words[-1].start()) if words else None
    head = text[place[0] : body.start].decode("utf-8", "replace") if place is not None and body is not None else ""
    if body is None or place is None or not head.rstrip().endswith(")"):
        raise NotOfferedError("macro_in_text")
    effects = Effects(assessment.source)
    kept = effects.reassigned(body.node) & {a.name for a in facts.arguments}
    if kept:
        raise NotOfferedError("argument_changes", min(kept))
    asked = _questions(effects, body, {a.name for a in facts.arguments})
    dimensions = sorted({dimension for _, _, dimension in asked})
    if not dimensions:
        raise NotOfferedError("items_alike")
    axes = {d: "" if dimensions == [0] else f"_{'xyz'[d]}" for d in range(dimensions[-1] + 1)}
    names = {
        d: {"id": free_name(text, f"item{axis}"), "size": free_name(text, f"items{axis}")} for d, axis in axes.items()
    }
    edits = [TextEdit(place[0], place[0], f"{place[1]}__attribute__((max_global_work_dim(0))){line_end(text)}")]
    last = body.start - (len(head) - len(head.rstrip())) - 1
    edits.append(TextEdit(last, last, "".join(f", const int {n['size']}" for n in names.values())))
    for call, what, dimension in asked:
        # The sizes are arguments of type int; what is asked for is a size_t.
        counter = names[dimension][what] if what == "id" else f"(size_t){names[dimension][what]}"
        edits.append(TextEdit(call.start_byte + body.shift, call.end_byte + body.shift, counter))
    edits += _continues(body)
    loops = [f"for (size_t {n['id']} = 0; {n['id']} < {n['size']}; {n['id']}++)" for n in reversed(names.values())]
    edits += _around(text, body, loops)
    sizes = kernel.launch.global_size or ()
    known = {n["size"]: sizes[d] for d, n in names.items() if d < len(sizes)}
    return Offer(
        title=Title("single_work_item_over", (tuple(n["size"] for n in names.values()),)),
        kind="host",
        kernel=facts.name,
        edits=tuple(edits),
        spans=(facts.name_span,),
        codes=SingleWorkItem.codes,
        host=_host(facts.name, len(facts.arguments), [n["size"] for n in names.values()]),
        arguments=known,
        host_side=HostSide(sizes=tuple(n["size"] for n in names.values())),
    )


def _questions(effects: Effects, body: SourceNode, own: set[str]) -> list[tuple[Node, str, int]]:
    """The calls that ask for a global id or size, with their dimension; refuses any other question."""
    found = []
    for call, name in effects.calls(body.node):
        arguments = call.child_by_field_name("arguments")
        given = [effects.text(c) for c in arguments.named_children if c.type != "comment"] if arguments else []
        if name in _KNOWN and len(given) == 1 and given[0] in {"0", "1", "2"}:
            found.append((call, _KNOWN[name], int(given[0])))
        elif (asks := effects.asks_for_work_item(name)) is not None:
            if asks == name:
                raise NotOfferedError("asks_for_work_item", asks)
            raise NotOfferedError("calls_what_asks", name, asks)
    declared = {name for n in inside(body.node) if n.type == "declaration" for name in effects.sets(n)} | own
    named = [
        n
        for n in inside(body.node)
        if n.type == "identifier" and effects.text(n) not in declared and effects.asks_for_work_item(effects.text(n))
    ]
    if len(named) > len(found):
        raise NotOfferedError("asks_indirectly")
    return found


def _continues(body: SourceNode) -> Iterable[TextEdit]:
    """Every return as the end of an iteration; refuses one that is in a loop of the kernel's own."""
    for node in every(body.node):
        if node.type == "return_statement":
            at: Node | None = node.parent
            while at is not None and at.id != body.node.id:
                if at.type in _LOOPS:
                    raise NotOfferedError("return_in_loop")
                at = at.parent
            yield TextEdit(node.start_byte + body.shift, node.end_byte + body.shift, "continue;")


def _around(text: bytes, body: SourceNode, loops: list[str]) -> Iterable[TextEdit]:
    """The loops around the statements of a body, which move to the right."""
    end = line_end(text)
    inner = text[body.start + 1 : body.end - 1]
    first = re.search(rb"\n([ \t]*)[^\s#]", inner)
    if first is None:
        yield TextEdit(body.start + 1, body.start + 1, "".join(f" {loop}" for loop in loops) + " {")
        yield TextEdit(body.end - 1, body.end - 1, "} ")
        return
    indent = first[1].decode()
    step = indent or "    "
    head = "".join(f"{end}{indent}{step * depth}{loop}" for depth, loop in enumerate(loops))
    yield TextEdit(body.start + 1, body.start + 1, f"{head} {{")
    for m in re.finditer(rb"\n(?=[ \t]*[^\s])", inner):
        at = body.start + 1 + m.end()
        yield TextEdit(at, at, step * len(loops))
    close = f"{indent}{step * (len(loops) - 1)}}}{end}"
    start = text.rfind(b"\n", 0, body.end - 1) + 1
    before = text[start : body.end - 1].decode("utf-8", "replace")
    yield TextEdit(body.end - 1, body.end - 1, close if not before.strip() else f"{end}{close}")


def _host(name: str, given: int, sizes: list[str]) -> str:
    calls = "\n".join(f"clSetKernelArg({name}, {given + i}, sizeof(cl_int), &{s});" for i, s in enumerate(sizes))
    return (
        f"/* In place of clEnqueueNDRangeKernel for {name}: the sizes are arguments. */\n{calls}\n"
        f"clEnqueueTask(queue, {name}, 0, NULL, NULL);\n"
    )
