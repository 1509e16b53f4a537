"""Nests of few iterations in which the counters around a loop give its length: a triangle that copies can unroll."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from burstline_model.facts import KernelFacts, Loop
from burstline_model.parallelism.loop_copies import constant_trips

MOST_COPIES = 256
"""Copies of a nest's innermost body, at most, those without an iteration included: pairs of 16 elements."""


def triangles_of(facts: KernelFacts) -> Iterator[dict[int, int]]:
    """The loops of each triangle by id, the outermost first, with the most iterations of each.

    Each copy of the outer loop has a number for the loops in it. None of the loops ends early, or is in a function that
    is called several times; a pragma may ask for some of them to be unrolled whole already, not for all.
    """
    outermost = dict.fromkeys(around[0] for loop in facts.loops if (around := _counted_by(facts, loop)))
    for loop in outermost:
        most = _most_of(facts, loop) if outermost.keys().isdisjoint(facts.loops_around(loop)) else None
        if most is None or all(facts.loops[i].unroll is not None for i in most):
            continue
        if all(prod(most[i] for i in _nest(facts, most, one)) <= MOST_COPIES for one in most):
            yield most


def _nest(facts: KernelFacts, loops: Mapping[int, int], loop: int) -> list[int]:
    """A loop, and those of `loops` around it."""
    return [i for i in (*facts.loops_around(loop), loop) if i in loops]


def _counted_by(facts: KernelFacts, loop: Loop) -> tuple[int, ...]:
    """The loops whose counters a loop's length follows from, the outermost first; empty where it is a number."""
    if loop.trip is None or constant_trips(loop) is not None:
        return ()
    return tuple(i for i in facts.loops_around(loop.id) if facts.loops[i].counter in loop.trip.symbols)


def _most_of(facts: KernelFacts, outermost: int) -> dict[int, int] | None:
    """The most iterations of a loop and of those in it, by id; None where one of them cannot be unrolled whole."""
    found: dict[int, int] = {}
    for loop in facts.loops:
        if loop.id != outermost and outermost not in facts.loops_around(loop.id):
            continue
        most = _most_trips(facts, loop, found)
        alone = sum(one.span == loop.span for one in facts.loops) == 1
        if not alone or most is None or most <= 0 or loop.kind != "for" or loop.unroll or loop.early_exit:
            return None
        found[loop.id] = most
    return found


def _most_trips(facts: KernelFacts, loop: Loop, around: Mapping[int, int]) -> int | None:
    """The most iterations of a loop, by those of the loops around it; None where others decide."""
    if loop.trip is None or loop.trip_limits:
        return None
    most = loop.trip.offset
    counters = {facts.loops[i].counter: n for i, n in around.items()}
    for name in loop.trip.symbols:
        step = loop.trip.coefficient(name)
        if name not in counters or step is None or step.constant is None:
            return None
        most += max(step.constant * (counters[name] - 1), 0)
    return most
