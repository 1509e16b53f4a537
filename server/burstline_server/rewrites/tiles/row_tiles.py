"""Load a loop's elements together with the work-group, in the order of addresses."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from math import prod

from burstline_model.facts import Guard, KernelFacts, Loop, Span
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.legality.expression_types import canonical, type_of
from burstline_server.rewrites.legality.heads import Head, counts_up
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Rewrite
from burstline_server.rewrites.syntax import declared_types
from burstline_server.rewrites.tiles.layout import Group, tile_of
from burstline_server.rewrites.tiles.limits import limits_of
from burstline_server.rewrites.tiles.shared import holds_together, runs_together
from burstline_server.rewrites.tiles.staged import Staged, Walk, is_apart, loads_of, staged_of
from burstline_server.rewrites.tiles.tile_groups import (
    MOST_BYTES,
    SHORTEST,
    SIDE,
    TILE_BYTES,
    dimensions_of,
    group_of,
    require_group,
    require_structured,
    shared_out,
)
from burstline_server.rewrites.tiles.tiled_loop import COPIES, Blocks, Plan
from burstline_server.rewrites.tiles.windows import loop_used


class RowTiles(Rewrite):
    """Elements of a loop of an NDRange kernel, loaded by the work-group together into a tile in local memory.

    Offered where neighbouring work-items walk through rows of their own (``x[id * n + k]``), or where work-items of a
    group of two dimensions load the same elements (the blocked matrix product). The loop runs in blocks. In each the
    group loads a block of every row, neighbours side by side; after a barrier each work-item computes from the tile, in
    the order as before, so that no result changes. The last block is shorter where the trips are no multiple. Loops of
    constant trips inside may walk through a window of each row (pooling, convolutions). Needed are trips that are the
    same for the whole group, conditions that are the same or limits of ids (``if (id < n)``, which then no longer
    guards the barrier), and that no store may reach the buffer. Where the kernel does not fix the size of its
    work-groups, ``reqd_work_group_size`` is added, and the host launches it so,
    as it may do already.
    """

    name = "row tiles"
    codes = ("BL102", "BL101", "BL106", "BL402")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each loop."""
        facts = kernel.facts
        if facts.model != "ndrange":
            return
        seen = set[int]()
        for loop in facts.loops:
            loads = [load for load in loads_of(facts, loop, dimensions_of(facts)) if load.access.id not in seen]
            # What is unrolled completely is one request already.
            if loads and loop.unroll != 0:
                seen |= {load.access.id for load in loads}
                names = tuple(dict.fromkeys(load.access.pointer for load in loads))
                spans = (*dict.fromkeys(load.access.span for load in loads), loop.span, facts.name_span)
                yield Candidate(
                    Title("row_tiles", (names,)), spans, partial(_offer, assessment, kernel, loop, loads, spans)
                )


def _offer(
    assessment: Assessment, kernel: KernelAssessment, loop: Loop, loads: list[Walk], spans: tuple[Span, ...]
) -> Offer:
    facts, effects = kernel.facts, Effects(assessment.source)
    require_structured(effects, facts)
    guard = _require_together(effects, facts, loop)
    head = counts_up(effects, loop_used(assessment.source, loop.span))
    if not head.steady:
        raise NotOfferedError("counter_may_wrap", head.name)
    if guard is not None and canonical(head.type) in {"uint", "ulong"} and not _is_unsigned(head):
        raise NotOfferedError("counter_may_wrap", head.name)  # work-items behind the guard would run it as well
    staged = staged_of(facts, effects, loads)
    dimensions = dimensions_of(facts)
    groups = group_of(
        assessment,
        kernel,
        effects,
        dimensions,
        [one.access.element_bytes * prod(trips for _, trips in one.window.rows) for one in staged],
    )
    require_group(groups.size)
    plan = _plan(facts, loop, staged, groups.size)
    edits = Blocks(assessment, facts, effects, head, plan, guard).edits()
    return shared_out(
        assessment, facts, groups, dimensions, edits, kinds=("row_tiles_kept", "row_tiles_groups"),
        spans=spans, codes=RowTiles.codes,
        names=tuple(dict.fromkeys(one.access.pointer for one in plan.staged)),
        bytes_=sum(t.elements * s.access.element_bytes for t, s in zip(plan.tiles, plan.staged, strict=True)),
    )  # fmt: skip


def _is_unsigned(head: Head) -> bool:
    """Whether a loop's bound is unsigned: a negative one becomes a large number next to an unsigned counter."""
    source, bound = head.loop.source, head.bound
    types = declared_types(source, head.loop.node)
    return bound is not None and type_of(bound.node, source.text, types) in {"uint", "ulong"}


def _require_together(effects: Effects, facts: KernelFacts, loop: Loop) -> Guard | None:
    """The one condition that keeps work-items from a loop, None where all of a group reach it equally often.

    Raises `NotOfferedError` where more than a limit of ids decides whether, or how often, they come.
    """
    around = (*facts.loops_around(loop.id), loop.id)
    if not runs_together(facts, loop):
        raise NotOfferedError("trips_differ")
    guards = dict.fromkeys(guard for i in around for guard in facts.loops[i].guards)
    apart = [guard for guard in guards if not holds_together(facts, guard, around)]
    if len(apart) > 1 or (apart and facts.barriers):
        raise NotOfferedError("condition_differs")
    if apart:
        limits_of(effects, facts, apart[0])
    if facts.channels or any(loop.id in b.loops for b in facts.barriers):
        raise NotOfferedError("has_channels")
    if any(a.op == "atomic" for a in facts.accesses_in(loop)):
        raise NotOfferedError("has_atomics")
    return apart[0] if apart else None


def _plan(facts: KernelFacts, loop: Loop, staged: list[Staged], group: Group) -> Plan:
    """The tiles, with blocks of as many iterations as fit."""
    trips = loop.trip.constant if loop.trip is not None else None
    block, windows = group[0], [one.window for one in staged if not one.window.is_plain]
    if windows:
        block = min(trips or block, *(window.most(group[0]) for window in windows))
    while block > SHORTEST and trips is not None and block > trips:
        block = block // 2 if block % 2 == 0 else block - 1
    while block > SIDE and block % 2 == 0 and not _fits(staged, group, block):
        block //= 2
    if trips is not None and trips < block:
        raise NotOfferedError("few_trips", trips)
    kept = [(one, tile) for one in staged if (tile := tile_of(one.steps, one.window.extents(group, block))) is not None]
    if not kept:
        raise NotOfferedError("nothing_in_order")
    if sum(t.elements * s.access.element_bytes for s, t in kept) > MOST_BYTES:
        raise NotOfferedError("tile_too_large", MOST_BYTES // 1024)
    own = {a.id for one, _ in kept for a in facts.accesses_in(loop) if a.offset == one.access.offset}
    left = any(a.space == "global" and a.id not in own for a in facts.accesses_in(loop))
    nested = any(one.parent == loop.id for one in facts.loops)
    rows = any(is_apart(one.steps) for one, _ in kept) and group[1] == 1
    computing = COPIES if rows or left else block
    copies = 0 if loop.unroll is not None or nested else computing
    shorter = trips is None or trips % block != 0
    return Plan(tuple(s for s, _ in kept), tuple(t for _, t in kept), group, block, shorter, copies)


def _fits(staged: list[Staged], group: Group, block: int) -> bool:
    tiles = ((one, tile_of(one.steps, one.window.extents(group, block))) for one in staged)
    return sum(t.elements * s.access.element_bytes for s, t in tiles if t is not None) <= TILE_BYTES
