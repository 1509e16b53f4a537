"""How many copies of each loop's body the compiler builds."""

from collections.abc import Container, Mapping, Sequence
from math import prod

from burstline_model.facts import Access, ChannelOperation, KernelFacts, Loop
from burstline_model.unasked import Unasked

MAX_AUTOMATIC_TRIPS = 12
"""Longest loop of known trip count that is unrolled unasked (vendor reports: 10 and 12 trips are, 16 are not)."""
MAX_AUTOMATIC_COPIES = 64
"""Most copies of memory accesses that unrolling without being asked may make."""
MAX_AUTOMATIC_NEST = 16
"""The same for a loop around loops; one of two trips is unrolled whatever is in it.

Measured on Spector's matrix products (Stratix V, aoc 14.1): the loop over 2 or 4 sub-blocks around the unrolled product
doubles or quadruples what is done in a cycle, that over 8 does not.
"""
MAX_AUTOMATIC_OPERATIONS = 80
"""Most operations that unrolling without being asked may make of a loop that reaches no buffer or local array.

Spector's transforms (Stratix V, aoc 14.1, measured): 8 trips of 8 operations are unrolled; 8 of 11, which work on
vectors, and two transforms of 57, over private arrays, stay loops. Reports of vkhristenko/test-regression (17.1): 10
trips of 6 are unrolled, 10 of 9 are not.
"""
MAX_COPIES = 4096
_PLACING = {"int add", "int scale"}
"""What computes addresses; where nothing is carried, a loop of these alone only moves words."""


def effective_unroll(facts: KernelFacts) -> dict[int, int]:
    """Copies of each loop's body by loop id: 1 is rolled, the trip count is fully unrolled."""
    children: dict[int | None, list[Loop]] = {}
    for loop in facts.loops:
        children.setdefault(loop.parent, []).append(loop)
    copies: dict[int, int] = {}
    rolled: set[int] = set()
    """Loops of which iterations are left, and those around such."""
    for loop in reversed(facts.loops):
        trips = constant_trips(loop)
        asked = loop.unroll
        if asked is None:
            inner = children.get(loop.id, [])
            small = (
                facts.unasked is not None
                and trips is not None
                and 0 < trips <= _most_trips(facts, loop, inner, facts.unasked)
                and _is_small(facts, loop, inner, copies, rolled, facts.unasked)
            )
            waits = any(loop.id in c.loops for c in facts.channels) or any(loop.id in b.loops for b in facts.barriers)
            coalesced = facts.model == "ndrange" and _is_coalesced(facts, loop, children)
            merged = _is_merged(facts, loop)
            automatic = small and not (loop.early_exit or waits or coalesced or merged)
            copies[loop.id] = trips if automatic and trips is not None else 1
        elif asked_channels(facts, loop):
            # A channel has one place that writes it: reports show such loops rolled, whatever a pragma asks.
            copies[loop.id] = 1
        elif asked == 0:
            copies[loop.id] = trips or 1
        else:
            copies[loop.id] = min(asked, trips or asked, MAX_COPIES)
        if not fully_unrolled(loop, copies) or any(one.id in rolled for one in children.get(loop.id, ())):
            rolled.add(loop.id)
    return copies


def asked_channels(facts: KernelFacts, loop: Loop) -> tuple[ChannelOperation, ...]:
    """The operations on a channel that all copies of a loop's body would ask: it carries one item a cycle."""
    return tuple(c for c in facts.channels if loop.id in c.loops and loop.id not in c.turns)


def _is_coalesced(facts: KernelFacts, loop: Loop, children: Mapping[int | None, list[Loop]]) -> bool:
    """Whether work-items run a loop and the one around it as one: that one's trips vary, and no other loop is in it."""
    if loop.parent is None or len(children[loop.parent]) > 1:
        return False
    return constant_trips(facts.loops[loop.parent]) is None


def _is_merged(facts: KernelFacts, loop: Loop) -> bool:
    """Whether a loop_coalesce pragma makes one loop of it and others: it is theirs then, and not unrolled unasked."""
    levels, at = 1, loop
    while True:
        if at.coalesce is not None and (not at.coalesce or levels <= at.coalesce):
            return True
        if at.parent is None:
            return False
        levels, at = levels + 1, facts.loops[at.parent]


def _most_trips(facts: KernelFacts, loop: Loop, inner: Sequence[Loop], unasked: Unasked) -> int:
    """The most trips of a loop that is unrolled unasked."""
    if inner or loop.recurrences or any(loop.id in o.loops and o.operation not in _PLACING for o in facts.operations):
        return MAX_AUTOMATIC_TRIPS
    return unasked.moving_trips


def _is_small(
    facts: KernelFacts,
    loop: Loop,
    inner: list[Loop],
    copies: Mapping[int, int],
    rolled: Container[int],
    unasked: Unasked,
) -> bool:
    """Whether a loop is unrolled without being asked, if its trips are few.

    What is not known stays rolled: loops that reach local memory alone are (lud, aoc 16.1, measured; a report of 17.1).
    A loop of one trip is no loop in hardware, but the loops in it are: two of two trips around such a one stay rolled
    where a build's messages name the loops that are unrolled unasked (microcredencial-ai-accelerators, Cyclone V).
    """
    inside, trips = facts.accesses_in(loop), constant_trips(loop) or 1
    if (
        not {a.space for a in inside} - {"constant"}
        and trips * sum(o.count for o in facts.operations if loop.id in o.loops) > MAX_AUTOMATIC_OPERATIONS
    ):
        return False
    weight = sum(prod(copies.get(i, 1) for i in a.loops if i != loop.id) for a in inside)
    spaces = {a.space for a in inside}
    if any(one.id in rolled for one in inner) or (inner and spaces == {"local"}):
        return spaces == {"local"} and (trips == SHORTEST or trips * weight <= MAX_AUTOMATIC_NEST)
    touched = "global" in spaces if inner else spaces != {"local"}
    return touched and trips * weight <= (unasked.nest_copies if inner else MAX_AUTOMATIC_COPIES)


SHORTEST = 2


def constant_trips(loop: Loop) -> int | None:
    """The trip count where the source fixes it."""
    return loop.trip.constant if loop.trip is not None else None


def asked_whole(loop: Loop) -> bool:
    """Whether a pragma asks for a loop to be unrolled whole whose trips are no constant: it stays a loop.

    The vendor's Programming Guide (Unrolling a Loop): the compiler tries where it understands the trip count, and warns
    where it cannot do what is asked.
    """
    return loop.unroll == 0 and constant_trips(loop) is None


def fully_unrolled(loop: Loop, copies: Mapping[int, int]) -> bool:
    """Whether no iteration is left of the loop."""
    trips = constant_trips(loop)
    return trips is not None and copies.get(loop.id, 1) >= max(trips, 1)


def still_loops(facts: KernelFacts, loops: Sequence[int], copies: Mapping[int, int]) -> tuple[int, ...]:
    """Those of some loops, by their ids, of which iterations are left."""
    known: list[tuple[int | None, ...]] = facts.kept.setdefault(still_loops, [])
    if not known:
        known.append(tuple(map(constant_trips, facts.loops)))
    fixed = known[0]
    return tuple([i for i in loops if (trips := fixed[i]) is None or copies.get(i, 1) < max(trips, 1)])


def unrolled_nests(facts: KernelFacts, copies: Mapping[int, int]) -> dict[int, int]:
    """The copies of each unrolled loop with a loop in it that is still a loop in hardware: every copy has its own."""
    around = {
        i
        for loop in facts.loops
        if not fully_unrolled(loop, copies) and loop.kind != "copy"
        for i in facts.loops_around(loop.id)
    }
    return {i: copies[i] for i in around if copies.get(i, 1) > 1}


def copies_apart(facts: KernelFacts, copies: Mapping[int, int]) -> dict[int, int]:
    """The copies of each unrolled loop that share no request: each has a hardware loop of its own, or a barrier.

    A barrier ends a block of the pipeline: what is behind it is not asked for before all work-items have come.
    """
    parted = {i for barrier in facts.barriers for i in barrier.loops} if facts.model == "ndrange" else set[int]()
    return unrolled_nests(facts, copies) | {i: copies[i] for i in parted if copies.get(i, 1) > 1}


def has_barrier(facts: KernelFacts, loop: int) -> bool:
    """Whether work-items wait for each other in a loop."""
    return facts.model == "ndrange" and any(loop in barrier.loops for barrier in facts.barriers)


def rolled_loops(facts: KernelFacts, access: Access, copies: Mapping[int, int]) -> tuple[Loop, ...]:
    """The loops around an access that are still loops in hardware, outermost first."""
    return tuple(facts.loops[i] for i in still_loops(facts, access.loops, copies))
