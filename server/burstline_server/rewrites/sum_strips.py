"""Add up several terms of a sum at a time, each strip into the next of several partial sums."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from burstline_model.body_operations import Recurrence
from burstline_model.facts import Loop
from burstline_model.parallelism.loop_copies import constant_trips, effective_unroll, fully_unrolled
from burstline_model.pipeline.waits import Carried
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide
from burstline_server.interpreter.promises import Promise
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.legality.heads import counts_up
from burstline_server.rewrites.legality.reductions import REALS, reduction_of
from burstline_server.rewrites.partial_sums import Parts, asserted, count_of, waiting
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
    moved_in,
    step_in,
)
from burstline_server.rewrites.syntax import above_pragmas, alone, declared_types, every, free_name, loop_at
from burstline_server.rewrites.unroll import narrow_accesses
from burstline_server.rewrites.vectorise import COUNTERS, bounds_alike

MAX_TERMS = 16


class SumStrips(Rewrite):
    """A sum (or product) in strips: an unrolled loop adds up N terms, one addition takes them into a shift register.

    Offered for the loop of a single work-item kernel around a unit that asks for too few bytes a cycle, or that waits
    for its own sum, with the smallest N whose request is a whole memory word, 16 at most. The loop counts up by one,
    has no way out but its end and no channel, and its sums are such as partial sums are offered for. What is left over
    at the end is added by the loop as it was. For reals the same is asserted as for partial sums, and tried in the
    same way; for whole numbers no result changes.
    """

    name = "sum strips"
    codes = ("BL401", "BL106")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each loop with a sum that is narrow, or waits."""
        facts = kernel.facts
        if facts.model == "ndrange":
            return
        narrow = narrow_accesses(assessment, kernel)
        waits = {one.loop for one in kernel.estimate.loops if isinstance(one.serialised_by, Carried)}
        for number in dict.fromkeys((*narrow, *sorted(waits))):
            loop = facts.loops[number]
            found = waiting(kernel, loop) if loop.unroll is None else []
            terms = _terms(assessment, kernel, loop)
            if found and terms > 1:
                spans = (loop.span, *(a.span for a, _ in narrow.get(number, [])))
                names = tuple(r.names[0] for r in found)
                yield Candidate(
                    Title("sum_strips", (names,)), spans, partial(_offer, assessment, kernel, loop, found, terms)
                )


def _terms(assessment: Assessment, kernel: KernelAssessment, loop: Loop) -> int:
    """How many terms fill a memory word with the narrowest load that moves along, as far as the loop has them."""
    widths = [
        unit.lsu.width_bits
        for unit in kernel.estimate.units
        for access in [kernel.facts.accesses[unit.lsu.members[0]]]
        if access.op == "load" and access.loops[-1:] == (loop.id,) and unit.lsu.stride == 1
    ]
    trips, most = constant_trips(loop), assessment.board.memory.word_bytes * 8 // max(min(widths, default=0), 8)
    terms = 1
    while widths and terms * 2 <= min(most, MAX_TERMS) and (trips is None or terms * 4 <= trips):
        terms *= 2
    return terms


def _offer(
    assessment: Assessment, kernel: KernelAssessment, loop: Loop, found: Sequence[Recurrence], terms: int
) -> Offer:  # fmt: skip
    source, facts, copies = assessment.source, kernel.facts, effective_unroll(kernel.facts)
    if not facts.span.start <= loop.span.start < facts.span.end:
        raise NotOfferedError("in_helper")
    if any(o.parent == loop.id and not fully_unrolled(o, copies) for o in facts.loops):
        raise NotOfferedError("holds_loop")
    if any(loop.id in c.loops for c in facts.channels):
        raise NotOfferedError("has_channel")
    count = counts_up(Effects(source), loop_at(source, loop.span), within=(facts, loop))
    head, limit, at = count.loop, count.bound, source.offset_of(loop.span.start)
    if count.type not in COUNTERS or limit is None or at is None:
        raise NotOfferedError("does_not_count_up")
    place = in_front_of(source.original, head.start)
    if place is None or not head.in_block:
        raise NotOfferedError("no_line_for_remainder")
    if loop.coalesce is not None or above_pragmas(source, place[0]) != place[0]:
        raise NotOfferedError("pragma_says")
    if loop.early_exit:
        raise NotOfferedError("early_exit")
    if any(n.type in {"goto_statement", "labeled_statement"} for n in every(head.node)):
        raise NotOfferedError("has_jumps")  # the edit has the body twice
    if not bounds_alike(count.type, (count.first, limit), declared_types(source, head.node)):
        raise NotOfferedError("bounds_of_other_type")
    sums = tuple(reduction_of(source, head.node, r.names[0]) for r in found)
    unit = step_in(source.original, place[1])
    number = count_of(kernel, loop, found, sums, apart=True)
    parts = Parts(source.original, sums, number, apart=True, unit=unit)
    strip, whole = free_name(source.original, "strip"), free_name(source.original, "whole")
    end = line_end(source.original)
    edits = [TextEdit(n.start, n.end, parts.inside[s.name]) for s in sums for n in s.uses]
    edits.append(TextEdit(count.first.start, count.first.end, strip))
    edits.append(TextEdit(limit.start, limit.end, f"{strip} + {terms}"))
    inner = edited(source.original[head.start : head.end], edits, head.start).decode("utf-8", "replace")
    first, bound = count.first.text, limit.text
    trips = alone(bound) if count.first.expanded == "0" else f"({bound} - {alone(first)})"
    exact = constant_trips(loop) is not None and (constant_trips(loop) or 0) % terms == 0
    some = f"{bound} - {trips} % {terms}"
    if not exact and count.first.expanded != "0":
        if not count.first.expanded.rstrip("uU").isdecimal():
            raise NotOfferedError("first_not_constant")  # from there to the bound may be more than its type holds
        some = f"{first} < {bound} ? {some} : {first}"
    limits = [] if exact else [f"const {count.type} {whole} = {some};"]
    ends = bound if exact else whole
    lines = [
        *parts.before(),
        *limits,
        f"for ({count.type} {strip} = {first}; {strip} < {ends}; {strip} += {terms}) {{",
        *(unit + line for line in parts.first()),
        f"{unit}#pragma unroll",
        unit + moved_in(inner, unit),
        *(unit + line for line in parts.last()),
        "}",
        *parts.after(),
    ]
    text = f"{end}{place[1]}".join(lines)
    reals = tuple(s for s in sums if s.type in REALS)
    promises = tuple(Promise("exact_terms", frozenset(), at, frozenset(s.terms)) for s in reals)
    made = (
        (TextEdit(head.start, head.end, text),)
        if exact
        else (
            TextEdit(head.start, head.start, f"{text}{end}{place[1]}"),
            TextEdit(count.first.start, count.first.end, whole),
        )
    )
    return Offer(
        title=Title("sum_strips_of", (tuple(s.name for s in sums), terms, parts.count), asserted(reals)),
        kind="assertion" if reals else "proved",
        kernel=facts.name,
        edits=made,
        spans=(loop.span,),
        codes=SumStrips.codes,
        host_side=HostSide(promises=promises) if reals else None,
    )
