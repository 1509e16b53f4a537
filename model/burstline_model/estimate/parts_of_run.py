"""What units and loops take in a kernel that runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from burstline_model.estimate.assembly import Assembled, Assembly
from burstline_model.estimate.changes import WiderItems
from burstline_model.estimate.kernel_estimate import (
    AssumedSizes,
    KernelEstimate,
    LeastTime,
    Lever,
    LoopEstimate,
    UnitEstimate,
)
from burstline_model.facts import KernelFacts
from burstline_model.launch import Launch
from burstline_model.lsu import Confidence, Lsu, guards_of
from burstline_model.memory.memory_units import MemoryUnit, UnitTime
from burstline_model.memory.placement import Placement
from burstline_model.parallelism.extent import Extent
from burstline_model.parallelism.loop_copies import still_loops
from burstline_model.pipeline.at_run import ii_at_run
from burstline_model.pipeline.interval import Interval
from burstline_model.walk.walk import Walk

_ORDER: tuple[Confidence, ...] = ("low", "medium", "high")
PROBE_BYTES = 1e6
"""Every time is proportional to the bytes: so many give each unit's cost per byte."""


def sized(probes: Sequence[MemoryUnit], sizes: Sequence[float | None]) -> list[MemoryUnit] | None:
    """The units with what they move; None while that of one is not known."""
    known = [s for s in sizes if s is not None]
    if len(known) < len(sizes):
        return None
    return [unit.model_copy(update={"bytes": size}) for unit, size in zip(probes, known, strict=True)]


def rows(assembly: Assembly, done: Assembled) -> list[UnitTime | None]:
    """What each unit on the external memory takes in the company of the others; None where a size is not known.

    In the framework's own memory part a unit's row is its share of what the framework gives its block.
    """
    external = [u for u in assembly.lsus if u.space == "global"]
    if done.memory is None:
        return [None] * len(external)
    scale = 1.0
    if assembly.extent.launch.memory_part == "wang" and done.total_s is not None:
        together = sum(u.time_s for u in done.memory.units)
        scale = min(1.0, done.total_s / together) if together else 1.0
    return [replace(u, t_ideal_s=u.t_ideal_s * scale, t_ovh_s=u.t_ovh_s * scale) for u in done.memory.units]


def unit_estimate(
    facts: KernelFacts, lsu: Lsu, cost: UnitTime, size: float | None, row: UnitTime | None, extent: Extent,
    placement: Placement, walk: Walk | None,
) -> UnitEstimate:  # fmt: skip
    """What a unit on the external memory takes; `row`: in the company of the others, where all sizes are known."""
    moved_item, per = item_bytes(facts, lsu, extent, walk)
    access = facts.accesses[lsu.members[0]]
    possible = not cost.impossible
    ideal, ovh = cost.t_ideal_s / PROBE_BYTES, cost.t_ovh_s / PROBE_BYTES
    speed = 1 / (ideal + ovh) if possible and ideal + ovh else None
    own_ideal, own_ovh = (ideal * size, ovh * size) if size is not None and possible else (None, None)
    if row is not None and size:
        # In a launch whose sizes are known, units that move next to nothing do not disturb the others.
        own_ideal, own_ovh = row.t_ideal_s, row.t_ovh_s
        speed = size / row.time_s if row.time_s else None
    time = own_ideal + own_ovh if own_ideal is not None and own_ovh is not None else None
    moved = cost.transferred_bytes / PROBE_BYTES
    conditional = guards_of(facts, lsu) or access.hint
    confidence = _weakest(lsu.confidence, "medium" if conditional else "high")
    return UnitEstimate(
        lsu=lsu,
        banks=placement.banks.get(access.pointer, (0,)),
        bytes=size,
        t_ideal_s=own_ideal,
        t_ovh_s=own_ovh,
        time_s=time,
        per=per if size is None else "launch",
        t_ideal_item_s=ideal * moved_item if possible else None,
        t_ovh_item_s=ovh * moved_item if possible else None,
        time_item_s=(ideal + ovh) * moved_item if possible else None,
        share=None,
        saturated=cost.saturated if possible else None,
        f_min_hz=cost.f_min_hz if possible else None,
        bandwidth_bytes_s=speed * moved if speed else None,
        useful_bytes_s=speed,
        walk=walk,
        confidence=confidence,
        reasons=lsu.reasons,
    )


def item_bytes(
    facts: KernelFacts, lsu: Lsu, extent: Extent, walk: Walk | None
) -> tuple[float, Literal["work-item", "iteration"]]:
    """What a unit moves in one work-item; in one iteration where that is not known, or there are no work-items."""
    if facts.model != "ndrange":
        return float(lsu.useful_bytes), "iteration"
    if walk is not None:
        found = walk.item_bytes
    else:
        executions = extent.per_item(lsu)
        found = float(executions * lsu.useful_bytes) if executions is not None else None
    return (float(lsu.useful_bytes), "iteration") if found is None else (found, "work-item")


def on_chip(lsu: Lsu) -> UnitEstimate:
    """A unit that is on no external memory."""
    return UnitEstimate(
        lsu=lsu, banks=(), bytes=None, t_ideal_s=None, t_ovh_s=None, time_s=None, per="launch",
        t_ideal_item_s=None, t_ovh_item_s=None, time_item_s=None, share=None, saturated=None, f_min_hz=None,
        bandwidth_bytes_s=None, useful_bytes_s=None, confidence=lsu.confidence, reasons=lsu.reasons,
    )  # fmt: skip


def _weakest(*values: Confidence) -> Confidence:
    return min(values, key=_ORDER.index)


def loop_estimate(
    one: Interval, extent: Extent, copies: Mapping[int, int], round_trip: float, turns: float
) -> LoopEstimate:
    """A loop as it runs; `turns`: the cycles that an iteration takes at the ports of memory on the chip."""
    trips = extent.trips[one.loop]
    return LoopEstimate(
        loop=one.loop,
        trip=float(trips) if trips is not None else None,
        ii=one.ii,
        ii_at_run=ii_at_run(one, round_trip) if one.ii is not None else None,
        unroll=copies.get(one.loop, 1),
        interleaved=one.interleaved,
        turns=turns,
        pipelined=one.pipelined,
        serialised_by=one.serialised_by,
        serial=one.serial,
        store=one.dependence.store if one.dependence is not None else None,
        load=one.dependence.load if one.dependence is not None else None,
        proven=one.dependence.proven if one.dependence is not None else None,
    )


Gains = tuple[Sequence[UnitEstimate], Sequence[LoopEstimate], tuple[Lever, ...]]
"""Units and loops with what changes of them would save, and what to do first."""


def without_times(likely: Gains | None, own: Sequence[UnitEstimate], now: Sequence[LoopEstimate]) -> Gains | None:
    """For a kernel of unknown time: units and loops with what matters at assumed sizes, times left out."""
    if likely is None:
        return None
    units, loops, levers = likely
    pairs = zip(own, units, strict=True)
    observed = [replace(u, observations=tuple(replace(o, after_s=None) for o in p.observations)) for u, p in pairs]
    freed = [o.model_copy(update={"gain": p.gain}) for o, p in zip(now, loops, strict=True)]
    return observed, freed, tuple(o.model_copy(update={"after_s": None}) for o in levers)


ITERATIONS = 1 << 16
"""So many iterations of a loop are costed where nothing counts them: filling the pipeline is no part of each."""


def endless_loop(facts: KernelFacts, loops: Sequence[int]) -> int | None:
    """The loop, of some that nothing counts, that is all of a single work-item kernel; None where there is none.

    One that works off what channels bring never ends, where data end others.
    """
    asking = [i for i in loops if any(i in one.loops for one in facts.channels)]
    outer = asking or [i for i in loops if facts.loops[i].parent is None]
    alone = len(outer) == 1 and facts.loops[outer[0]].parent is None and facts.model != "ndrange"
    return outer[0] if alone else None


def run_so_often(launch: Launch, trips: Mapping[int, int]) -> Launch:
    """A launch in which some loops run so often."""
    return launch.model_copy(update={"trips": {**launch.trips, **trips}})


def least_time(
    time_s: float, loops: Sequence[int], around: int | None, sizes: AssumedSizes | None, estimate: KernelEstimate
) -> LeastTime | None:
    """What a kernel takes at least, or in an iteration; None where nothing but the memory's first answer takes time.

    Wider items are no advice for such a loop: the kernels at the other ends may be slower.
    """
    if around is not None and estimate.time_s is not None:
        estimate = _of_one(estimate, around)
        time_s = estimate.time_s or 0.0
    found = LeastTime(time_s=time_s, loops=tuple(loops), endless=around, assumed=sizes, estimate=estimate)
    return found if estimate.limit != "latency" else None


def _of_one(estimate: KernelEstimate, around: int) -> KernelEstimate:
    """What one of the `ITERATIONS` of a loop around all of a kernel takes and moves."""

    def each(whole: float | None) -> float | None:
        return whole / ITERATIONS if whole is not None else None

    units = tuple(
        replace(
            one, bytes=each(one.bytes), t_ideal_s=each(one.t_ideal_s), t_ovh_s=each(one.t_ovh_s),
            time_s=each(one.time_s), time_low_s=each(one.time_low_s), time_high_s=each(one.time_high_s),
        )
        for one in estimate.units
    )  # fmt: skip
    own = (one for one in estimate.levers if not isinstance(one.change, WiderItems))
    by_data = estimate.time_by_data_s
    update = {
        "time_s": each(estimate.time_s),
        "time_low_s": each(estimate.time_low_s),
        "time_high_s": each(estimate.time_high_s),
        "time_by_data_s": (by_data[0] / ITERATIONS, by_data[1] / ITERATIONS) if by_data is not None else None,
        "by_data_at_clocks_s": None,
        "launch_s": 0.0,
        "moving_s": each(estimate.moving_s),
        "compute_s": each(estimate.compute_s),
        "units": units,
        "terms": tuple(replace(one, time_s=one.time_s / ITERATIONS) for one in estimate.terms),
        "loops": tuple(
            one.model_copy(update={"trip": 1.0}) if one.loop == around else one for one in estimate.loops
        ),
        "levers": tuple(one.model_copy(update={"after_s": each(one.after_s)}) for one in own),
    }  # fmt: skip
    return estimate.model_copy(update=update)


def with_least(answer: KernelEstimate, least: LeastTime | None) -> KernelEstimate:
    """An answer of unknown time with the least one, and what would shorten an iteration of an endless loop."""
    shorter = least.estimate.levers if least is not None else ()
    levers = tuple(one.model_copy(update={"after_s": None}) for one in shorter) or answer.levers
    return answer.model_copy(update={"least": least, "levers": levers})


def item_time(
    assembly: Assembly, external: Sequence[Lsu], walks: Sequence[Walk | None], probes: Sequence[MemoryUnit],
    loops: Sequence[LoopEstimate], copies: Mapping[int, int], f_max_hz: float,
) -> float | None:  # fmt: skip
    """Time per work-item; per iteration in a single work-item kernel whose accesses share their loops.

    An iteration takes no less than the initiation interval of its loop, when that is rolled. Where nobody counts a loop
    of an NDRange kernel, that of a work-item is not known. What is outside the loops of a single work-item kernel is
    done once, not in each iteration.
    """
    facts, extent = assembly.facts, assembly.extent
    moved = [item_bytes(facts, u, extent, walk) for u, walk in zip(external, walks, strict=True)]
    rolled = still_loops(facts, [loop.id for loop in facts.loops], copies)
    if facts.model == "ndrange":
        if any(per == "iteration" for _, per in moved) or any(extent.trips[i] is None for i in rolled):
            return None
    elif len({facts.accesses[u.members[0]].loops for u in external}) > 1:
        return None
    asked = sized(probes, [size for size, _ in moved])
    one = assembly.memory_time(asked, f_max_hz) if asked else None
    if one is None or facts.model == "ndrange":
        return one.t_est_s if one is not None else None
    own = facts.accesses[external[0].members[0]].loops
    if rolled and not set(own) & set(rolled):
        return None
    if not own or facts.loops[own[-1]].unroll is not None:
        return one.t_est_s
    return max(one.t_est_s, (loops[own[-1]].ii_at_run or 1.0) / f_max_hz)
