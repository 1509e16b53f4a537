"""Keep in a shift register what an iteration a few ahead would read back from memory."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from burstline_model.facts import Access, Loop
from burstline_model.pipeline.dependence import Dependence, dependences
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.forward_through_register import Carried
from burstline_server.rewrites.legality.exact_places import require_exact
from burstline_server.rewrites.legality.heads import Head
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    after_comment,
    in_front_of,
    line_end,
)
from burstline_server.rewrites.syntax import SourceNode, braced, free_name

MAX_DISTANCE = 8
"""Most iterations between a store and the load that reads it."""


class ShiftRegister(Rewrite):
    """A register for each value on its way from the iteration that stores it to the one, 2 to 8 later, that loads it.

    Offered where each iteration certainly loads, before it stores, just what one a fixed distance before stored: one
    unconditional store to the buffer in the innermost loop. The first values are loaded before the loop, each under
    the loop's own condition. No result changes.
    """

    name = "shift register"
    codes = ("BL401",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each loop that waits for such a dependence."""
        facts = kernel.facts
        for one in kernel.estimate.loops:
            if one.store is None or (one.ii or 1) <= 1 or one.serial:
                continue
            loop = facts.loops[one.loop]
            near = [d for d in dependences(facts, loop) if d.proven and d.space == "global" and (d.distance or 0) > 1]
            if near:
                yield Candidate(
                    Title("shift_register", (facts.accesses[near[0].store].pointer,)),
                    (loop.span,),
                    partial(_offer, assessment, kernel, loop, near),
                )


def _pair(kernel: KernelAssessment, loop: Loop, near: list[Dependence]) -> tuple[Access, list[Access], int]:
    """The store, the loads that read it, and how many iterations later."""
    facts = kernel.facts
    found = dependences(facts, loop)
    proven = [d for d in found if d.proven and d.space == "global"]
    distance = near[0].distance or 0
    if len({(d.distance, d.store) for d in proven}) != 1 or distance > MAX_DISTANCE:
        raise NotOfferedError("distances_differ", MAX_DISTANCE)
    store, loads = facts.accesses[near[0].store], [facts.accesses[d.load] for d in near]
    if any(d.store != store.id for d in found if d.load in {a.id for a in loads}) or store.loops[-1] != loop.id:
        raise NotOfferedError("another_store", store.pointer)
    return store, loads, distance


def _offer(assessment: Assessment, kernel: KernelAssessment, loop: Loop, near: list[Dependence]) -> Offer:
    source = assessment.source
    store, loads, distance = _pair(kernel, loop, near)
    require_exact(source, kernel.facts, kernel.facts.accesses_in(loop))
    carried = Carried(assessment, kernel, loop, store, loads)
    head = carried.head
    if head.step is None:
        raise NotOfferedError("no_fixed_step")
    register = free_name(source.original, f"{store.pointer}_before")
    shifting = _after(carried.assignment, [f"{register}[{i}] = {register}[{i + 1}];" for i in range(distance)])
    if shifting is None:
        raise NotOfferedError("store_not_alone")
    end, indent = line_end(source.original), carried.indent
    lines = [f"{store.type} {register}[{distance + 1}];"]
    for i, (value, runs) in enumerate(_iterations(head, distance)):
        loaded = f"{store.pointer}[{carried.index_at(value)}]"
        reached = loop.trip is not None and (loop.trip.constant or 0) > i
        lines.append(f"{register}[{i}] = {loaded if reached else f'{runs} ? {loaded} : 0'};")
    edits = [*carried.braces, *shifting]
    edits.append(TextEdit(carried.line, carried.line, "".join(f"{indent}{one}{end}" for one in lines)))
    edits += [TextEdit(carried.right.start, carried.right.start, f"{register}[{distance}] = ")]
    edits += [TextEdit(node.start, node.end, f"{register}[0]") for node in carried.nodes]
    return Offer(
        title=Title("shift_register_for", (f"{store.pointer}[{store.index}]", distance)),
        kind="proved",
        kernel=kernel.facts.name,
        edits=tuple(edits),
        spans=(loop.span, store.span, *(a.span for a in loads)),
        codes=ShiftRegister.codes,
    )


def _iterations(head: Head, count: int) -> Iterable[tuple[str, str]]:
    """The counter's first values, and for each the condition under which the loop reaches it."""
    step, before = head.step or 0, list[str]()
    for i in range(count):
        value = head.value if not i else f"({head.value} {'+' if step > 0 else '-'} {abs(step) * i})"
        if i and not head.steady:
            value = f"({head.type}){value}"
        before.append(head.runs(value))
        runs = [before[-1]] if head.ends_once else before
        yield value, runs[0] if len(runs) == 1 else " && ".join(f"({one})" for one in runs)


def _after(assignment: SourceNode, lines: list[str]) -> tuple[TextEdit, ...] | None:
    """Lines put after the statement that an assignment is, and after the comment behind it; None where it is more."""
    statement = assignment.up("expression_statement")
    if statement is None or statement.start != assignment.start:
        return None
    text = statement.source.original
    own = in_front_of(text, statement.start)
    at = after_comment(text, statement.end)
    if own is None:
        return None
    end = line_end(text)
    inserted = "".join(f"{end}{own[1]}{line}" for line in lines)
    if statement.in_block:
        return (TextEdit(at, at, inserted),)
    around = braced(statement)
    return (around[0], TextEdit(at, at, inserted + around[1].text)) if around is not None else None
