"""A loop over what were work-items."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tree_sitter import Node

from burstline_server.assess import Assessment
from burstline_server.costing import KernelAssessment
from burstline_server.rewrites.rewrite import Offer, Refusal, Rewrite, TextEdit, in_front_of, line_end
from burstline_server.rewrites.syntax import Written, every, free_name, function_at

TITLE = "Make it one work-item that loops"
_LOOPS = {"for_statement", "while_statement", "do_statement"}
_ASKS = re.compile(r"get_(?:global|local|group|num|work|enqueued|sub)\w*|(?:sub|work)_group_\w+|async_work_group_\w+")
_ID = re.compile(r"get_global_(?P<what>id|size)\s*\(\s*(?P<dimension>[012])\s*\)")


class CannotLoopError(Exception):
    """Why a kernel stays an NDRange."""


class SingleItem(Rewrite):
    """An NDRange kernel becomes a single work-item one: loops over ``get_global_id``, their bounds as new arguments.

    The host launches it as a task, and gives it the sizes it launched before; no offset. A return becomes a continue.
    Offered without barriers, local memory and work-groups' ids or sizes; work-items then run in one of the orders that
    they could have run in before. Iterations may then hand values on, share loads, and be split into kernels.
    """

    name = "single work-item"
    codes = ("BL403",)

    def offers(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Offer]:
        """One edit for the kernel."""
        try:
            yield _offer(assessment, kernel)
        except CannotLoopError:
            return

    def refusals(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Refusal]:
        """Kernels with too few work-items that synchronise or ask for their work-group."""
        if kernel.facts.model == "ndrange" and kernel.estimate.bound == "work_items":
            try:
                _offer(assessment, kernel)
            except CannotLoopError as error:
                yield Refusal(TITLE, str(error), (kernel.facts.name_span,))


def _offer(assessment: Assessment, kernel: KernelAssessment) -> Offer:
    facts, text = kernel.facts, assessment.source.original
    if facts.model != "ndrange":
        raise CannotLoopError("it is one work-item already")
    local = any(a.space == "local" for a in facts.arguments) or any(a.space == "local" for a in facts.arrays)
    if facts.barriers or local:
        raise CannotLoopError("its work-items share local memory or wait for each other")
    if facts.work_group_size is not None or facts.simd > 1 or facts.compute_units > 1:
        raise CannotLoopError("its attributes speak of work-groups")
    if not facts.arguments:
        raise CannotLoopError("it takes no arguments")
    whole = function_at(assessment.source, facts.name_span)
    body = whole.child("body") if whole is not None else None
    words = list(re.finditer(rb"\b(?:__kernel|kernel)\b", text[: facts.name_span.start]))
    place = in_front_of(text, words[-1].start()) if words else None
    head = text[place[0] : body.start].decode("utf-8", "replace") if place is not None and body is not None else ""
    if body is None or place is None or not head.rstrip().endswith(")"):
        raise CannotLoopError("macros or includes make up a part of its text")
    _refuse_other_questions(text, body)
    asked = list(_ID.finditer(body.text))
    dimensions = sorted({int(m["dimension"]) for m in asked})
    if not dimensions:
        raise CannotLoopError("nothing in it tells its work-items apart")
    axes = {d: "" if dimensions == [0] else f"_{'xyz'[d]}" for d in range(dimensions[-1] + 1)}
    names = {
        d: {"id": free_name(text, f"item{axis}"), "size": free_name(text, f"items{axis}")} for d, axis in axes.items()
    }
    edits = [TextEdit(place[0], place[0], f"{place[1]}__attribute__((max_global_work_dim(0))){line_end(text)}")]
    last = body.start - (len(head) - len(head.rstrip())) - 1
    edits.append(TextEdit(last, last, "".join(f", const int {n['size']}" for n in names.values())))
    for m in asked:
        start = body.start + len(body.text[: m.start()].encode())
        edits.append(TextEdit(start, start + len(m[0].encode()), names[int(m["dimension"])][m["what"]]))
    edits += _continues(body)
    loops = [f"for (size_t {n['id']} = 0; {n['id']} < {n['size']}; {n['id']}++)" for n in reversed(names.values())]
    edits += _around(text, body, loops)
    sizes = kernel.launch.global_size or ()
    known = {n["size"]: sizes[d] for d, n in names.items() if d < len(sizes)}
    return Offer(
        title=f"{TITLE} over {', '.join(n['size'] for n in names.values())} (needs a host change: launch it as a task)",
        kind="host",
        kernel=facts.name,
        edits=tuple(edits),
        spans=(facts.name_span,),
        codes=SingleItem.codes,
        host=_host(facts.name, len(facts.arguments), [n["size"] for n in names.values()]),
        arguments=known,
    )


def _refuse_other_questions(text: bytes, body: Written) -> None:
    plain = re.sub(r"//[^\n]*|/\*.*?(?:\*/|\Z)", "", body.text, flags=re.DOTALL)
    others = sorted({m[0] for m in _ASKS.finditer(_ID.sub("", plain))})
    if others:
        raise CannotLoopError(f"it asks {others[0]}, which only work-items have")
    calls = {name.encode() for name in re.findall(r"([A-Za-z_]\w*)\s*\(", plain)}
    for name in calls:
        helper = re.search(rb"^\w[\w \t*]*\b" + name + rb"\s*\([^;{}]*\)\s*\{(.*?)^\}", text, re.DOTALL | re.MULTILINE)
        if helper is not None and _ASKS.search(helper[1].decode("utf-8", "replace")):
            raise CannotLoopError(f"{name.decode()}() asks which work-item it runs for")


def _continues(body: Written) -> Iterable[TextEdit]:
    """Every return as the end of an iteration; refuses one that stands in a loop of the kernel's own."""
    for node in every(body.node):
        if node.type == "return_statement":
            at: Node | None = node.parent
            while at is not None and at.id != body.node.id:
                if at.type in _LOOPS:
                    raise CannotLoopError("a return leaves a loop of its own")
                at = at.parent
            yield TextEdit(node.start_byte + body.shift, node.end_byte + body.shift, "continue;")


def _around(text: bytes, body: Written, loops: list[str]) -> Iterable[TextEdit]:
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
    told = "\n".join(f"clSetKernelArg({name}, {given + i}, sizeof(cl_int), &{s});" for i, s in enumerate(sizes))
    return (
        f"/* In place of clEnqueueNDRangeKernel for {name}: the sizes are arguments. */\n{told}\n"
        f"clEnqueueTask(queue, {name}, 0, NULL, NULL);\n"
    )
