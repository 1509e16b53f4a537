"""The range of each unit's time, at the ends of the range of the kernel's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from burstline_model.estimate.assembly import Assembly
from burstline_model.estimate.kernel_estimate import UnitEstimate
from burstline_model.estimate.parts_of_run import rows
from burstline_model.estimate.time_range import TimeRange
from burstline_model.memory.memory_units import UnitTime
from burstline_model.walk.walk import Walk


def with_ranges(units: Sequence[UnitEstimate], assembly: Assembly, between: TimeRange) -> list[UnitEstimate]:
    """The units on the external memory with the least and the most that they take where the kernel takes so long.

    Where the bytes of another unit are not known, each is by itself. None where a unit's time is not known.
    """
    if all(unit.time_s is None for unit in units):
        return list(units)
    least, most = (rows(assembly, end) for end in between.ends)
    return [_between(*one) for one in zip(units, least, most, strict=True)]


def _between(unit: UnitEstimate, least: UnitTime | None, most: UnitTime | None) -> UnitEstimate:
    time_s, walk = unit.time_s, unit.walk
    if time_s is None:
        return unit
    if least is not None and most is not None:
        return replace(unit, time_low_s=min(time_s, least.time_s), time_high_s=max(time_s, most.time_s))
    alone = replace(unit, time_low_s=time_s, time_high_s=time_s)
    return alone if walk is None else of_bytes(alone, walk, None)


def within(units: Sequence[UnitEstimate], least_s: float) -> tuple[UnitEstimate, ...]:
    """The units of a kernel that may take as little as `least_s` seconds: then none of them takes more."""
    return tuple(
        u if u.time_low_s is None or u.time_low_s <= least_s else replace(u, time_low_s=least_s) for u in units
    )


def of_bytes(unit: UnitEstimate, walk: Walk, most_s: float | None) -> UnitEstimate:
    """A unit that fetches what this walk says, at least and at most, in a kernel that takes `most_s` seconds at most.

    Its time is taken as proportional to the bytes.
    """
    time_s, low_s, high_s = unit.time_s, unit.time_low_s, unit.time_high_s
    if time_s is None or low_s is None or high_s is None or not walk.fetched_bytes:
        return replace(unit, walk=walk)
    ends_s = [time_s * (b / walk.fetched_bytes) for b in (walk.low_bytes, walk.high_bytes) if b is not None]
    highest_s = max([high_s, *ends_s])
    if most_s is not None:
        highest_s = max(high_s, min(highest_s, most_s))
    return replace(unit, walk=walk, time_low_s=min([low_s, *ends_s]), time_high_s=highest_s)
