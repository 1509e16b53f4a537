"""The range of each unit's time, at the ends of the range of the kernel's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from burstline_model.estimate.assembly import Assembly
from burstline_model.estimate.kernel_estimate import UnitEstimate
from burstline_model.estimate.parts_of_run import rows
from burstline_model.estimate.time_range import TimeRange
from burstline_model.facts import KernelFacts
from burstline_model.lsu import Lsu
from burstline_model.memory.memory_units import MemoryUnit, UnitTime
from burstline_model.memory.traffic import least_and_most
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
    ends = (walk.low_bytes, walk.high_bytes) if walk is not None else ()
    fetched = walk.fetched_bytes if walk is not None else None
    ends_s = [time_s * (end / fetched) for end in ends if end is not None] if fetched else []
    return replace(unit, time_low_s=min([time_s, *ends_s]), time_high_s=max([time_s, *ends_s]))


def by_data_of(
    facts: KernelFacts, lsus: Sequence[Lsu], walks: Sequence[Walk | None], units: Sequence[MemoryUnit]
) -> tuple[str, ...]:
    """The buffers of which data decide how much the units on the external memory fetch; none where that is unknown."""
    ends = zip(*least_and_most(units, walks), lsus, strict=True) if units else ()
    return tuple(sorted({facts.accesses[u.members[0]].pointer for least, most, u in ends if least != most}))


def within(units: Sequence[UnitEstimate], least_s: float) -> tuple[UnitEstimate, ...]:
    """The units of a kernel that may take as little as `least_s` seconds: then none of them takes more."""
    return tuple(
        u if u.time_low_s is None or u.time_low_s <= least_s else replace(u, time_low_s=least_s) for u in units
    )
