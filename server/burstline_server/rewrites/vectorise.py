"""Load, compute and store several neighbours at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial

from burstline_model.facts import Access, Loop, Span
from burstline_model.parallelism.lanes import multiple_of
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.index_bounds import bounds
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.legality.expression_types import canonical, type_of
from burstline_server.rewrites.legality.heads import counts_up
from burstline_server.rewrites.pragma_line import require_no_pragmas
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    edited,
    in_front_of,
    line_end,
)
from burstline_server.rewrites.syntax import SourceNode, alone, declared_types, free_name, loop_at
from burstline_server.rewrites.unroll import narrow_accesses, why_not_widened
from burstline_server.rewrites.widened import Streams, Widened

MAX_LANES = 16
_SIGNED = {"int", "long"}
COUNTERS = _SIGNED | {"uint", "ulong", "size_t"}


class Vectorise(Rewrite):
    """A loop over neighbours becomes a loop over vectors, with ``vloadN`` and ``vstoreN``.

    Offered with the smallest N whose request is a whole memory word, where a loop of a single work-item kernel counts
    up by one, its body is declarations and assignments, every place that moves moves to the next element of one type,
    and all operations and calls work on each element by itself. Where the trip count is not known to be a multiple of
    N, the loop as it was does the rest. Vectors need no alignment beyond their elements'. No result changes.
    """

    name = "vectorise"
    codes = ("BL106",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each loop around a narrow unit."""
        return self._of_width(assessment, kernel, MAX_LANES)

    def of_width(self, assessment: Assessment, kernel: KernelAssessment, most: int) -> Iterator[Offer]:
        """The edits with at most so many lanes."""
        for candidate in self._of_width(assessment, kernel, most):
            with suppress(NotOfferedError):
                yield self.made(candidate, kernel.facts, assessment)

    @staticmethod
    def _of_width(assessment: Assessment, kernel: KernelAssessment, most: int) -> Iterator[Candidate]:
        for loop, accesses, enough in _loops(assessment, kernel):
            lanes, spans = min(enough, most), (loop.span, *(a.span for a, _ in accesses))
            type_ = next(a.type for a, _ in accesses)
            yield Candidate(
                Title("vectorise", (loop.variable,)),
                spans,
                partial(_offer, assessment, kernel, loop, lanes, spans, type_),
            )


def _offer(
    assessment: Assessment, kernel: KernelAssessment, loop: Loop, lanes: int, spans: tuple[Span, ...], type_: str
) -> Offer:
    return Offer(
        title=Title("vectorise_by", (loop.variable, lanes, f"{type_}{lanes}")),
        kind="proved",
        kernel=kernel.facts.name,
        edits=vector_edits(assessment, kernel, loop, lanes),
        spans=spans,
        codes=Vectorise.codes,
    )


def _loops(assessment: Assessment, kernel: KernelAssessment) -> Iterator[tuple[Loop, list[tuple[Access, int]], int]]:
    """The loops around narrow units of a single work-item kernel that run often enough, with the lanes to a word."""
    if kernel.facts.model != "single_work_item":
        return
    for number, accesses in narrow_accesses(assessment, kernel).items():
        loop = kernel.facts.loops[number]
        lanes = lanes_that_fill(kernel, loop, max(factor for _, factor in accesses))
        if lanes > 1:
            yield loop, accesses, lanes


def _has_pragma(loop: Loop) -> bool:
    asked = (loop.ivdep, loop.initiation_interval, loop.max_concurrency)
    return not loop.pipelined or any(one is not None for one in asked)


def lanes_that_fill(kernel: KernelAssessment, loop: Loop, asked: int) -> int:
    """The most lanes up to `asked` that the loop fills at least once; one where it is what vectors have left over."""
    most = bounds(kernel.facts, loop.trip)[1] if loop.trip is not None else None
    lanes = 1
    while lanes * 2 <= min(asked, MAX_LANES) and (most is None or lanes * 2 <= most):
        lanes *= 2
    rest = loop.trip is not None and loop.trip.constant is None and most is not None and most < 2 * lanes
    return 1 if rest else lanes


def vector_edits(
    assessment: Assessment, kernel: KernelAssessment, loop: Loop, lanes: int, streams: Streams | None = None
) -> tuple[TextEdit, ...]:
    """The edits; raises `NotOfferedError` with the reason where vectors would not compute the same.

    `streams`: the channels that carry vectors with it.
    """
    source, facts = assessment.source, kernel.facts
    if why := why_not_widened(kernel, loop, items=streams is not None, shared=True):
        raise NotOfferedError(why)
    count = counts_up(Effects(source), loop_at(source, loop.span), within=(facts, loop))
    body = count.loop.child("body")
    if body is None or count.type not in COUNTERS:
        raise NotOfferedError("counter_may_wrap", count.name)
    if _has_pragma(loop):
        raise NotOfferedError("pragma_says")
    require_no_pragmas(count.loop)
    types = declared_types(source, count.loop.node)
    widened = Widened(kernel, loop, body, types, lanes, count.name, streams)
    inside = widened.edits()
    step = TextEdit(count.update.start, count.update.end, f"{count.name} += {lanes}")
    if loop.trip is not None and loop.trip.terms and multiple_of(facts, loop.trip, {}) % lanes == 0:
        return (step, *inside)
    head, limit = count.loop, count.bound
    place = in_front_of(source.original, head.start)
    if place is None or not head.in_block or limit is None:
        raise NotOfferedError("no_line_for_remainder")
    bounds_ = count.first, limit
    if not (bounds_alike(count.type, bounds_, types) or _counts_below(count.type, bounds_, types)):
        raise NotOfferedError("bounds_of_other_type")
    _, indent = place
    end = line_end(source.original)
    name = free_name(source.original, "whole")
    first, bound = count.first.text, limit.text
    trips = alone(bound) if count.first.expanded == "0" else f"({bound} - {alone(first)})"
    edits = [*inside, step, TextEdit(limit.start, limit.end, name)]
    vectors = edited(source.original[head.start : head.end], edits, head.start).decode("utf-8", "replace")
    lines = f"const {count.type} {name} = {bound} - {trips} % {lanes};{end}{indent}{vectors}{end}{indent}"
    begin = (TextEdit(head.start, head.start, lines), TextEdit(count.first.start, count.first.end, name))
    return (*begin, *widened.one_by_one)


def _counts_below(counter: str, bounds: tuple[SourceNode, SourceNode], types: dict[str, str]) -> bool:
    """Whether a signed counter goes from 0 to a bound without a sign: it can only reach what its own type holds."""
    first, limit = bounds
    own = type_of(limit.node, limit.source.text, types)
    return counter in _SIGNED and first.expanded == "0" and own in {"uchar", "ushort", "uint", "ulong"}


def bounds_alike(counter: str, bounds: tuple[SourceNode, SourceNode], types: dict[str, str]) -> bool:
    """Whether counting whole vectors first cannot overflow or change sign: bounds of the counter's own type."""
    first, limit = bounds
    if first.expanded != "0" and counter not in _SIGNED:
        return False
    whole = [type_of(one.node, one.source.text, types) for one in bounds]
    return all(
        own == canonical(counter) or (one.node.type == "number_literal" and own == "int")
        for one, own in zip((first, limit), whole, strict=True)
    )
