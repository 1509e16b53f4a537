"""Which kernels the compiler can run with several work-items side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.parallelism.loop_copies import constant_trips, effective_unroll, fully_unrolled
from burstline_model.record import small

MAX_LANES = 16
_IDS = {"global_id", "local_id", "group_id"}
_OF_ITEMS = {"global_id", "local_id", "loaded"}
"""Kinds of symbols that may differ between the work-items of a group."""


def are_built(lanes: int) -> bool:
    """Whether kernels are built with that many lanes.

    Powers of two up to 16 are; others are accepted and have no effect (vendor's developer guide, oneAPI 2023 to 2025,
    num_simd_work_items).
    """
    return 1 <= lanes <= MAX_LANES and not lanes & (lanes - 1)


def diverging_loop(facts: KernelFacts, copies: Mapping[int, int]) -> Loop | None:
    """A loop that some work-items of a group pass by, or leave sooner than others; one that is left in hardware.

    Conditions without loops in them become bits that enable operations. Around a loop they stay branches, and the
    compiler warns that branching depends on the thread's id and that it cannot vectorise (Best Practices Guide 3.9;
    Spector's transforms, aoc 14.1: designs with loops behind an early return are alike in logic, clock and time
    whatever lanes are asked for, those without loops are not).
    """
    kept = (one for one in facts.loops if is_kept(one, copies))
    return next((one for one in kept if diverges(facts, one) or _differs(facts, one)), None)


def is_kept(loop: Loop, copies: Mapping[int, int]) -> bool:
    """Whether a loop of the text is one of the hardware."""
    once = constant_trips(loop) in {0, 1} or fully_unrolled(loop, copies)
    return loop.kind != "copy" and not once


def diverges(facts: KernelFacts, loop: Loop, *, leaving: bool = False) -> bool:
    """Whether the work-items of a group may differ in coming to a loop; `leaving`: because some have returned."""
    guards = [g for g in loop.guards if g.early_return or not leaving]
    named = {s for g in guards for s in g.depends_on}
    kinds = {facts.symbols[s].kind for s in named if s in facts.symbols}
    return bool(kinds & _OF_ITEMS) or any(g.loaded for g in guards)


def parts_group(facts: KernelFacts, loop: Loop, group: Sequence[int] | None) -> bool:
    """Whether the conditions around a loop hold for some work-items of a group and not for others.

    An id is the same for all of them along a dimension where the group has one work-item.
    """
    size = (*group, 1, 1)[:3] if group is not None else None
    named = {s for g in loop.guards for s in g.depends_on if s in facts.symbols}
    named |= {d for s in named for d in facts.symbols[s].depends_on if d in facts.symbols}
    ids = (s for n in named if (s := facts.symbols[n]).kind in {"global_id", "local_id"})
    return any(g.loaded for g in loop.guards) or any(size is None or size[s.dimension] > 1 for s in ids)


def _differs(facts: KernelFacts, loop: Loop) -> bool:
    """Whether the trips of a loop follow from the work-item."""
    symbols = [facts.symbols[s] for s in (loop.trip.symbols if loop.trip is not None else ()) if s in facts.symbols]
    sources = [facts.symbols[d] for s in symbols for d in s.depends_on if d in facts.symbols]
    return bool({s.kind for s in (*symbols, *sources)} & _OF_ITEMS)


@small
class ApartInLoop:
    """Work-items differ in coming to a loop (its variable, empty where it has none), in leaving it, or in its trips."""

    how: Literal["coming", "leaving", "trips"]
    loop: str


KeptApart = Literal["one_item", "channel", "one_by_one"] | ApartInLoop
"""Why work-items cannot run side by side: there is one; a channel, or an access, serves one at a time; a loop."""


def why_not_simd(facts: KernelFacts) -> KeptApart | None:
    """Why work-items cannot run side by side; None when all do the same steps and nothing keeps them apart."""
    if facts.model != "ndrange":
        return "one_item"
    if facts.channels:
        return "channel"
    if any(a.op == "atomic" or a.hint for a in facts.accesses):
        return "one_by_one"
    apart = diverging_loop(facts, effective_unroll(facts))
    if apart is not None and diverges(facts, apart):
        return ApartInLoop(how="coming", loop=apart.variable or "")
    for loop in facts.loops:
        if loop.trip is None or loop.early_exit:
            return ApartInLoop(how="leaving", loop=loop.variable or "")
        used = [facts.symbols[s] for s in loop.trip.symbols if s in facts.symbols]
        sources = [facts.symbols[d] for s in used for d in s.depends_on if d in facts.symbols]
        if {s.kind for s in (*used, *sources)} & (_IDS | {"loaded", "carried"}):
            return ApartInLoop(how="trips", loop=loop.variable or "")
    return None


def one_is_enough(facts: KernelFacts) -> bool:
    """Whether all work-items store to the same places, so that what the last of them stores is all that stays.

    No id, nor what is read by one, is in the address of a store or in a condition around it.
    """
    stores = [a for a in facts.accesses if a.op != "load" and a.space in {"global", "constant"}]
    if facts.model != "ndrange" or facts.channels or not stores:
        return False
    return all(a.op == "store" and a.offset is not None and _is_same_for_all(facts, a) for a in stores)


def _is_same_for_all(facts: KernelFacts, store: Access) -> bool:
    named = {*(store.offset.symbols if store.offset is not None else ())}
    named |= {s for g in store.guards for s in g.depends_on}
    for loop in (facts.loops[i] for i in store.loops):
        if loop.trip is None or loop.early_exit:
            return False
        named |= {*loop.trip.symbols, *(s for g in loop.guards for s in g.depends_on)}
    if any(g.loaded or g.condition is None for g in store.guards) or not named <= facts.symbols.keys():
        return False
    named |= {d for s in named for d in facts.symbols[s].depends_on}
    kinds = {facts.symbols[s].kind for s in named if s in facts.symbols and not facts.symbols[s].operation}
    return kinds <= {"loop", "argument", "global_size", "local_size", "num_groups"}
