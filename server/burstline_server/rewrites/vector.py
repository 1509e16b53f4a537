"""Load, compute and store several neighbours at once."""

from __future__ import annotations

import re
from collections.abc import Iterable

from burstline_model.compiler.lanes import multiple_of
from burstline_model.facts import Loop
from burstline_server.assess import Assessment, KernelAssessment
from burstline_server.rewrites.bounds import bounds
from burstline_server.rewrites.rewrite import Offer, Rewrite, TextEdit, edited, in_front_of, line_end
from burstline_server.rewrites.syntax import Counted, Written, alone, counted, declared_types, free_name, loop_at
from burstline_server.rewrites.unroll import narrow_accesses, why_not_widened
from burstline_server.rewrites.widened import NotElementwiseError, Widened

MAX_LANES = 16
_SIGNED = {"int", "long"}
_COUNTERS = _SIGNED | {"uint", "ulong", "size_t"}


class Vector(Rewrite):
    """A loop over neighbours becomes a loop over vectors, with ``vloadN`` and ``vstoreN``.

    Offered with the smallest N whose request is a whole memory word, where a loop of a single work-item kernel counts
    up by one, its body is declarations and assignments, every place that moves moves to the next element of one type,
    and all operations and calls work on each element by itself. Where the trip count is not known to be a multiple of
    N, the loop as it was does the rest. Vectors need no alignment beyond their elements'. No result changes.
    """

    name = "vector"
    codes = ("BL106",)

    def offers(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Offer]:
        """One edit for each loop around a narrow unit."""
        facts = kernel.facts
        if facts.model != "single_work_item":
            return
        for number, accesses in narrow_accesses(assessment, kernel).items():
            loop = facts.loops[number]
            head = loop_at(assessment.source, loop.span)
            count = counted(head) if head is not None else None
            if head is None or count is None or _has_pragma(loop) or why_not_widened(kernel, loop):
                continue
            lanes = _lanes(kernel, loop, max(factor for _, factor in accesses))
            try:
                edits = _edits(assessment, kernel, loop, head, count, lanes)
            except NotElementwiseError:
                continue
            type_ = next(a.type for a, _ in accesses)
            yield Offer(
                title=f"Compute {lanes} neighbours at once in the loop over {count.name} ({type_}{lanes})",
                kind="proved",
                kernel=facts.name,
                edits=edits,
                spans=(loop.span, *(a.span for a, _ in accesses)),
                codes=Vector.codes,
            )


def _has_pragma(loop: Loop) -> bool:
    asked = (loop.ivdep, loop.initiation_interval, loop.max_concurrency)
    return not loop.pipelined or any(one is not None for one in asked)


def _lanes(kernel: KernelAssessment, loop: Loop, wanted: int) -> int:
    """The most lanes up to `wanted` that the loop fills at least once; one where it is what vectors have left over."""
    most = bounds(kernel.facts, loop.trip)[1] if loop.trip is not None else None
    lanes = 1
    while lanes * 2 <= min(wanted, MAX_LANES) and (most is None or lanes * 2 <= most):
        lanes *= 2
    rest = loop.trip is not None and loop.trip.constant is None and most is not None and most < 2 * lanes
    return 1 if rest else lanes


def _edits(
    assessment: Assessment, kernel: KernelAssessment, loop: Loop, head: Written, count: Counted, lanes: int
) -> tuple[TextEdit, ...]:
    source, facts = assessment.source, kernel.facts
    types = declared_types(source, head.node)
    body = head.child("body")
    if body is None or lanes < 2 or count.type not in _COUNTERS:
        raise NotElementwiseError
    inside = Widened(kernel, loop, body, types, lanes, count.name).edits()
    step = TextEdit(count.update.start, count.update.end, f"{count.name} += {lanes}")
    if loop.trip is not None and loop.trip.terms and multiple_of(facts, loop.trip, {}) % lanes == 0:
        return (step, *inside)
    place = in_front_of(source.original, head.start)
    if place is None or not head.in_block or not _bounds_alike(count, types):
        raise NotElementwiseError
    _, indent = place
    end = line_end(source.original)
    name = free_name(source.original, "whole")
    first, bound = count.first.text, count.bound.text
    trips = alone(bound) if count.first.meant == "0" else f"({bound} - {alone(first)})"
    edits = [*inside, step, TextEdit(count.bound.start, count.bound.end, name)]
    vectors = edited(source.original[head.start : head.end], edits, head.start).decode("utf-8", "replace")
    lines = f"const {count.type} {name} = {bound} - {trips} % {lanes};{end}{indent}{vectors}{end}{indent}"
    return (TextEdit(head.start, head.start, lines), TextEdit(count.first.start, count.first.end, name))


def _bounds_alike(count: Counted, types: dict[str, str]) -> bool:
    """Whether counting whole vectors first cannot overflow or change sign: bounds of the counter's own type."""
    if count.first.meant != "0" and count.type not in _SIGNED:
        return False
    return all(
        word.isdigit() or types.get(word) == count.type
        for one in (count.first, count.bound)
        for word in re.findall(r"\w+", one.meant)
    )
