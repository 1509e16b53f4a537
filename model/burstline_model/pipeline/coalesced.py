"""Loops that a pragma makes one of, and the loops around one that are left."""

from __future__ import annotations

from collections.abc import Mapping

from burstline_model.facts import KernelFacts, Loop
from burstline_model.parallelism.loop_copies import fully_unrolled
from burstline_model.target import Target

SIDE_EFFECTS_SINCE = (19, 0, 0)
"""From this version on, what a loop of a nest stores after its inner loop keeps that one apart, too.

Vendor reports say "Fail to coalesce loop due to outer loop side-effecting instructions": 17.1 of a store before the
inner loop (vkhristenko/test-regression), where it coalesces a nest that stores after it; 20.2 of stores after it, too
(MartinKarp/Nekbone), where the loops further out become one.
"""


def merged_loops(facts: KernelFacts, copies: Mapping[int, int], target: Target) -> dict[int, int]:
    """The loops that a pragma coalesces into one further out.

    Down to the first whose body stores outside the next one; earlier compilers leave such a nest alone.
    """
    into: dict[int, int] = {}
    later = target.aoc_version >= SIDE_EFFECTS_SINCE
    for loop in facts.loops:
        if loop.coalesce is None:
            continue
        levels = [[loop.id]]
        for _ in range(min(loop.coalesce or len(facts.loops), len(facts.loops)) - 1):
            levels.append([o.id for o in facts.loops if o.parent in levels[-1] and not fully_unrolled(o, copies)])
        aside = [any(_stores_aside(facts, i, copies, after=later) for i in level) for level in levels]
        kept = (aside.index(True) if later else 0) if any(aside) else len(levels)
        into.update({one: loop.id for level in levels[1 : kept + 1] for one in level if one not in into})
    return into


def _stores_aside(facts: KernelFacts, loop: int, copies: Mapping[int, int], *, after: bool) -> bool:
    """Whether the body of a loop stores before one of the loops that are left in it, or, if asked, after one."""
    left = [o.id for o in facts.loops if o.parent == loop and not fully_unrolled(o, copies)]
    own = [*facts.loops[loop].stores_before]
    for other in facts.loops:
        if fully_unrolled(other, copies) and nearest_left(facts, other, copies) == loop:
            own += other.stores_before
    return any(begun <= one or after for one in left for begun in own)


def nearest_left(facts: KernelFacts, loop: Loop, copies: Mapping[int, int]) -> int | None:
    """The innermost loop around one that is still a loop in hardware."""
    around = facts.loops_around(loop.id)
    return next((i for i in reversed(around) if not fully_unrolled(facts.loops[i], copies)), None)
