"""Unroll the innermost loop of a single work-item kernel."""

from collections.abc import Iterable
from functools import partial

from burstline_model.facts import Access, Loop
from burstline_model.parallelism.alias import may_alias
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.reasons import Obstacle, Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    in_front_of,
    line_end,
)

MAX_FACTOR = 64
MIN_FACTOR = 2


class Unroll(Rewrite):
    """``#pragma unroll N`` with the smallest N whose request is a whole memory word.

    Offered where a unit asks for too few bytes a cycle and its innermost loop has no pragma yet, holds no other loop,
    no channel and no way out but its end, and hands nothing from one iteration to the next: a sum or a dependence
    through memory would be a chain that unrolling only makes longer. No result changes; N divides a known trip count.
    """

    name = "unroll"
    codes = ("BL106",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each loop around a narrow unit that no pragma unrolls yet."""
        facts = kernel.facts
        if facts.model != "single_work_item":
            return
        for number, accesses in narrow_accesses(assessment, kernel).items():
            loop = facts.loops[number]
            if loop.unroll is None:
                yield Candidate(
                    Title("unroll", (loop.variable,)),
                    (loop.span, *(a.span for a, _ in accesses)),
                    partial(_offer, assessment, kernel, loop, accesses),
                )


def _offer(assessment: Assessment, kernel: KernelAssessment, loop: Loop, accesses: list[tuple[Access, int]]) -> Offer:
    if why := why_not_widened(kernel, loop):
        raise NotOfferedError(why)
    factor = _dividing(loop, min(max(f for _, f in accesses), MAX_FACTOR))
    place = in_front_of(assessment.source.original, loop.span.start)
    if factor < MIN_FACTOR:
        trips = loop.trip.constant if loop.trip is not None else None
        raise NotOfferedError("no_divisor", trips or 0)
    if place is None:
        raise NotOfferedError("no_line_for_pragma")
    start, indent = place
    pragma = f"{indent}#pragma unroll {factor}{line_end(assessment.source.original)}"
    return Offer(
        title=Title("unroll_by", (loop.variable, factor)),
        kind="proved",
        kernel=kernel.facts.name,
        edits=(TextEdit(start, start, pragma),),
        spans=(loop.span, *(a.span for a, _ in accesses)),
        codes=Unroll.codes,
    )


def narrow_accesses(assessment: Assessment, kernel: KernelAssessment) -> dict[int, list[tuple[Access, int]]]:
    """Accesses whose units ask for too few bytes a cycle, by innermost loop, with the factor to a whole word."""
    found: dict[int, list[tuple[Access, int]]] = {}
    for unit in kernel.estimate.units:
        if any(o.number == 0 for o in unit.observations):
            access = kernel.facts.accesses[unit.lsu.members[0]]
            factor = assessment.board.memory.word_bytes * 8 // max(unit.lsu.width_bits, 8)
            if access.loops:
                found.setdefault(access.loops[-1], []).append((access, factor))
    return found


def why_not_widened(kernel: KernelAssessment, loop: Loop) -> Obstacle | None:
    """Why copies of a loop's body cannot run side by side as they are; None when they can."""
    facts = kernel.facts
    if loop.unroll is not None or loop.coalesce is not None:
        return Obstacle("pragma_says")
    if loop.kind != "for" or loop.span.file is not None:
        return Obstacle("not_a_for_loop")
    if any(o.parent == loop.id for o in facts.loops):
        return Obstacle("holds_loop")
    if any(loop.id in c.loops for c in facts.channels):
        return Obstacle("has_channel")
    if loop.early_exit:
        return Obstacle("early_exit")
    if any(loop.id in a.loops and a.call_chain for a in facts.accesses):
        return Obstacle("in_helper")
    if loop.carries:
        return Obstacle("carries", (loop.carries,))
    if _depends(kernel, loop):
        return Obstacle("iterations_meet")
    return None


def _depends(kernel: KernelAssessment, loop: Loop) -> bool:
    """Whether a load of the loop may read what another iteration stores."""
    facts = kernel.facts
    inside = [a for a in facts.accesses_in(loop) if a.space != "constant"]
    return any(
        may_alias(facts, store, other) and not _same_place(store, other, loop)
        for store in inside
        if store.op != "load"
        for other in inside
        if other.id != store.id
    )


def _same_place(a: Access, b: Access, loop: Loop) -> bool:
    """Whether two accesses meet in each iteration, and in no other."""
    known = a.offset is not None and loop.counter in a.offset.symbols
    return known and (a.pointer, a.offset) == (b.pointer, b.offset)


def _dividing(loop: Loop, most: int) -> int:
    """The largest power of two up to `most` that divides the trip count, as far as that is a number."""
    trip = loop.trip.constant if loop.trip is not None else None
    factor = 1
    while factor * 2 <= most and (trip is None or trip % (factor * 2) == 0):
        factor *= 2
    return factor
