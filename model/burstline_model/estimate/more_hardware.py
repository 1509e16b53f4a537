"""What more copies of a loop's body, or more compute units, would save."""

from __future__ import annotations

from burstline_model.estimate.after_change import MOST_LANES, WORTH_REPORTING, WhatIf
from burstline_model.parallelism.loop_copies import constant_trips
from burstline_model.pipeline.barriers import Barriers


def whole_factors(what_if: WhatIf, loop: int) -> list[int]:
    """By how much more a loop can be unrolled and leave no iterations over: powers of two where the count may vary."""
    if what_if.assembly.facts.loops[loop].trip is None:
        return []  # nothing counts it: whether another iteration follows is known at the end of one
    count = constant_trips(what_if.assembly.facts.loops[loop])
    own, trips = what_if.copies.get(loop, 1), what_if.assembly.extent.trips[loop]
    if count is not None:
        return [n for n in range(2, MOST_LANES + 1) if count % (own * n) == 0]
    return [n for n in (2, 4, 8, 16) if trips is None or n <= trips]


def unrolled(what_if: WhatIf, loop: int) -> tuple[int, float]:
    """The copies of a loop's body that pay most, and the kernel's time with them in seconds.

    None pay where a barrier keeps the passes of a loop apart: it does so for its copies as well.
    """
    if loop in Barriers(what_if.assembly.facts).loops:
        return 1, what_if.total_s
    own = what_if.copies.get(loop, 1)
    best, after = 1, what_if.total_s
    for factor in whole_factors(what_if, loop):
        if factor > what_if.room:
            break
        tried = what_if.after_s(copies={**what_if.copies, loop: own * factor})
        if tried >= after * (1 - WORTH_REPORTING):
            break
        best, after = factor, tried
    if best > 1:
        after = what_if.built_with(what_if.assembly.facts.simd, {loop: own * best}, 1) or after
        best = best if after < what_if.total_s * (1 - WORTH_REPORTING) else 1
    return best, after


def more_units(what_if: WhatIf) -> tuple[int, float]:
    """How many times the compute units pay most, and the kernel's time with them in seconds; 1 where none pay."""
    best, after = 1, what_if.total_s
    for factor in (2, 4, 8, 16):
        tried = what_if.built_with(what_if.assembly.facts.simd, {}, factor) if factor <= what_if.room else None
        if tried is None or tried >= after * (1 - WORTH_REPORTING):
            break
        best, after = factor, tried
    return best, after
