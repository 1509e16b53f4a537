"""A kernel's cost on a board under a launch: the memory model run over its load/store units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from burstline_model.boards.board import Board
from burstline_model.compiler.infer import infer
from burstline_model.compiler.lsu_rules.rule import NEWEST_SEEN, is_beyond_rules
from burstline_model.devices.cost_tables import cost_table
from burstline_model.estimate.after_change import WhatIf
from burstline_model.estimate.assembly import Assembled, Assembly
from burstline_model.estimate.assumed_sizes import assumed_launch, assumed_sizes
from burstline_model.estimate.decision import bound_of, cause_of, limit_of, share_of, terms_of
from burstline_model.estimate.kernel_estimate import (
    AtAssumed,
    KernelEstimate,
    Lever,
    LoopEstimate,
    Potentials,
    UnitEstimate,
    hidden_by_launch,
)
from burstline_model.estimate.levers import levers_of
from burstline_model.estimate.observations import observe
from burstline_model.estimate.overfull import FillingArrays, filling_arrays, to_fit
from burstline_model.estimate.pipeline import Schedule, block_estimates, loop_intervals
from burstline_model.estimate.potentials import advice_of, b_mem
from burstline_model.estimate.remark_kinds import Remark, UnseenCompiler
from burstline_model.estimate.remarks import (
    assumptions_of,
    beyond_constant_cache,
    ended_by_data,
    launch_s,
    of_usual_groups,
    remarks_of,
    too_large,
)
from burstline_model.estimate.waiting_loops import all_without_waiting
from burstline_model.facts import KernelFacts
from burstline_model.launch import Launch
from burstline_model.lsu import Confidence, Lsu, guards_of
from burstline_model.memory.estimate import estimate_memories
from burstline_model.memory.memory_units import MemoryUnit, UnitTime, options_for
from burstline_model.memory.placement import Placement, place
from burstline_model.memory.traffic import least_and_most, memory_unit, units_in_step, useful_bytes, walks_of
from burstline_model.parallelism.extent import Extent
from burstline_model.parallelism.knobs import exchanged, exchanged_launch, varied
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_model.pipeline.blocks import Blocks
from burstline_model.pipeline.interval import Interval, ii_at_run, with_trips
from burstline_model.pipeline.latencies import operation_table
from burstline_model.pipeline.paths import hardware_loops
from burstline_model.resources import ResourceUse, resources_of
from burstline_model.resources.clock_source import clock_of
from burstline_model.target import Target
from burstline_model.walk.walk import Walk

_ORDER: tuple[Confidence, ...] = ("low", "medium", "high")
_PROBE_BYTES = 1e6


def estimate(
    facts: KernelFacts,
    lsus: Sequence[Lsu],
    board: Board,
    launch: Launch,
    schedules: Mapping[int, Schedule] = MappingProxyType({}),
    target: Target | None = None,
    resources: ResourceUse | None = None,
) -> KernelEstimate:
    """Times, shares, bound and observations of a kernel. What is not known stays None.

    `schedules` is what a report says of loops, by their ids, `resources` what it says the kernel takes; `target` is
    what the kernel is built for, the board's own without it.
    """
    built = _built(facts, lsus, board, target or board.target, schedules, resources)
    run = _Run(built, launch)
    if run.gains is not None or (assumed := assumed_launch(run.extent)) is None:
        return _answer(run, run.gains)
    guess = _Run(built, assumed)
    answer = _answer(run, _without_times(guess.gains, run))
    sizes = assumed_sizes(run.extent, guess.extent) if answer.time_s is None and guess.gains is not None else None
    if sizes is None:
        return answer
    at_assumed = AtAssumed(sizes=sizes, launch=assumed, estimate=_answer(guess, guess.gains))
    each = answer.time_item_s
    if each is not None and facts.model == "ndrange" and not sizes.trips:
        each = at_assumed.estimate.time_item_s  # of many work-items, in the pipeline as well as in the memory
    return answer.model_copy(update={"at_assumed": at_assumed, "time_item_s": each})


def _answer(run: _Run, found: Gains | None) -> KernelEstimate:
    """The answer for a run, with what changes would save where that was `found`."""
    built, launch, done, clock, external = run.built, run.extent.launch, run.done, run.clock, run.external
    facts, board, resources = built.blocks.facts, built.board, built.resources
    total, pipeline, f_max_hz = done.total_s, done.pipeline, clock.hz
    fast, slow = run.range_s
    units, loops, levers = found or (run.units, run.loops, ())
    by_lsu = {id(u): e for u, e in zip(external, units, strict=True)}
    every = tuple(by_lsu.get(id(u)) or _on_chip(u) for u in built.blocks.lsus)
    items = run.extent.work_items if facts.model == "ndrange" else None
    moved = sum(u.bandwidth_bytes_s * u.time_s for u in units if u.bandwidth_bytes_s and u.time_s)
    used = {b for u in units for b in u.banks}
    peak = sum(board.memory_of(bank).bandwidth_bytes_s for bank in used or (0,))
    limit, terms = run.limit, run.terms
    nested, single = launch.memory_part == "wang", facts.model != "ndrange"
    bound = bound_of(limit, cause_of(terms, limit), done, external, nested=nested, single=single)
    each = total / items if total is not None and items else _item_time(run)
    potentials = Potentials(
        b_mem=b_mem(external), b_comp=resources.b_comp, b_balance=pipeline.b_balance, b_itpp=pipeline.b_itpp
    )
    return KernelEstimate(
        kernel=facts.name,
        time_s=total,
        time_low_s=fast,
        time_high_s=slow,
        time_item_s=each,
        launch_s=launch_s(facts, board, launch),
        limit=limit,
        terms=terms,
        bound=bound,
        bandwidth_bytes_s=moved / total if total else None,
        bandwidth_share=moved / total / peak if total and moved <= total * peak * (1 + 1e-9) else None,
        f_max_hz=f_max_hz,
        f_max_from=clock.provenance,
        moving_s=done.memory.t_est_s if done.memory is not None else None,
        compute_s=pipeline.compute / f_max_hz if pipeline.compute is not None else None,
        units=every,
        loops=tuple(loops),
        blocks=block_estimates(pipeline, f_max_hz),
        potentials=potentials,
        advice=() if run.hidden else advice_of(potentials, bound),
        levers=levers,
        resources=resources,
        assumptions=assumptions_of(facts, board, launch, run.extent, clock),
        remarks=(
            *too_large(resources, built.filling),
            *remarks_of(facts, board, run.placement, run.costs, external, run.walks, units),
            *beyond_constant_cache(facts, run.extent),
            *ended_by_data(facts, launch),
            *of_usual_groups(facts, run.extent),
            *_of_run(run),
        ),
    )


def _of_run(run: _Run) -> list[Remark]:
    """That the launch hides the kernel, or that the rules are those of an older compiler."""
    found: list[Remark] = ["hidden_by_launch"] if run.hidden else []
    target = run.built.target
    if is_beyond_rules(target):
        found.append(UnseenCompiler(newest=NEWEST_SEEN[:2], used=target.aoc_version[:2]))
    return found


@dataclass(frozen=True)
class _Built:
    """What no launch changes of a kernel: the board it is built for, and how it is built."""

    board: Board
    target: Target
    copies: Mapping[int, int]
    resources: ResourceUse
    blocks: Blocks
    intervals: Sequence[Interval]
    reported: bool
    """Whether a report says how it was built, in part: then nothing is known of it built in another way."""

    @cached_property
    def filling(self) -> FillingArrays | None:
        """The arrays that fill the device."""
        return filling_arrays(self.resources, cost_table(self.target.family).memory.ram_bits)


def _built(
    facts: KernelFacts, lsus: Sequence[Lsu], board: Board, target: Target,
    schedules: Mapping[int, Schedule] = MappingProxyType({}), resources: ResourceUse | None = None,
) -> _Built:  # fmt: skip
    copies = effective_unroll(facts)
    used = resources or resources_of(facts, lsus, copies, target, board)
    blocks = Blocks(facts, lsus, operation_table(target.family, target.aoc_version), relaxed=target.relaxed)
    intervals = loop_intervals(facts, target, copies, schedules)
    return _Built(board, target, copies, used, blocks, intervals, bool(schedules) or resources is not None)


Gains = tuple[Sequence[UnitEstimate], Sequence[LoopEstimate], tuple[Lever, ...]]
"""Units and loops with what changes of them would save, and what to do first."""


class _Run:
    """A built kernel under a launch."""

    def __init__(self, built: _Built, launch: Launch, like: Extent | None = None) -> None:
        """`like`: the extent of the same kernel under the same launch with other copies, which has counted already."""
        board, blocks, copies = built.board, built.blocks, built.copies
        facts = blocks.facts
        self.built = built
        self.clock = clock_of(launch, board, built.resources, built.target.family)
        self.extent = like.with_copies(facts, copies) if like is not None else Extent(facts, launch, copies)
        self.placement = place(facts, board, launch)
        self.external = [u for u in blocks.lsus if u.space == "global"]
        self.walks = walks_of(self.extent, self.external, board, self.placement)
        sizes = [useful_bytes(self.extent, u, walk) for u, walk in zip(self.external, self.walks, strict=True)]
        in_step = units_in_step(facts, self.external, sizes, board, self.placement)
        self.probes = [
            memory_unit(facts, u, self.placement, _PROBE_BYTES, walk, in_step=together)
            for u, walk, together in zip(self.external, self.walks, in_step, strict=True)
        ]
        self.assembly = Assembly(blocks, board, self.extent, options_for(launch.mode, board))
        # Every time is proportional to the bytes: one probe gives each unit's cost per byte.
        self.costs = estimate_memories(self.probes, board, self.clock.hz, self.assembly.options).units
        self.real = _sized(self.probes, sizes)
        self.intervals = with_trips(facts, built.intervals, copies, self.extent.trips)
        self.done = self.assembly.at(self.real, self.clock.hz, copies, self.intervals)
        self.terms = terms_of(self.assembly, self.done, self.real or (), copies, self.intervals)
        self.limit = limit_of(self.terms)
        round_trip = board.memory.latency_ns * 1e-9 * self.clock.hz
        self.loops = [_loop(one, self.extent, copies, round_trip) for one in self.intervals]
        self._places = [i for i, u in enumerate(blocks.lsus) if u.space == "global"]
        self.units = self._units(sizes)

    def _units(self, sizes: Sequence[float | None]) -> list[UnitEstimate]:
        every = zip(self.external, self.costs, sizes, _rows(self.assembly, self.done), self.walks, strict=True)
        facts = self.assembly.facts
        units = [_unit(facts, u, cost, size, row, self.extent, self.placement, w) for u, cost, size, row, w in every]
        if self.done.total_s is None:
            return units
        return [replace(u, share=share_of(self.terms, i)) for u, i in zip(units, self._places, strict=True)]

    @property
    def range_s(self) -> tuple[float | None, float | None]:
        """The kernel's time at its highest clock, with the least that data may make it fetch; and the other way."""
        total = self.done.total_s
        if total is None or self.real is None:
            return total, total
        least, most = least_and_most(self.real, self.walks)

        def at(units: Sequence[MemoryUnit], hz: float) -> float | None:
            if hz == self.clock.hz and units == self.real:
                return total
            return self.assembly.at(units, hz, self.built.copies, self.intervals).total_s

        low, high = at(least, self.clock.high_hz), at(most, self.clock.low_hz)
        # What is fetched less of one buffer can leave more units to share a bank in step.
        return min(low or total, total), max(high or total, total)

    @property
    def hidden(self) -> bool:
        """Whether the launch takes so much longer than the kernel that no change of the kernel shows."""
        built, total = self.built, self.done.total_s
        return total is not None and hidden_by_launch(
            total, launch_s(built.blocks.facts, built.board, self.extent.launch)
        )

    @cached_property
    def gains(self) -> Gains | None:
        """What changes would save; None where no time is known."""
        if not self.done.total_s or self.real is None:
            return None
        if self.hidden:
            return self.units, self.loops, ()
        built = self.built
        room = built.resources.copies_that_fit(1.0) // built.resources.compute_units
        what_if = WhatIf(
            self.assembly, self.done, self._places, self.real, built.copies, self.intervals, self.terms, room,
            self._built_with, self._clock_with, self._exchanged, to_fit(built.resources, built.filling),
        )  # fmt: skip
        observed = observe(self.units, what_if)
        freed = all_without_waiting(what_if, self.loops)
        return observed, freed, levers_of(what_if, observed, freed, self.limit, cause_of(self.terms, self.limit))

    def _clock_with(self, copies: Mapping[int, int], lsus: Sequence[Lsu]) -> float:
        """The clock with so many copies of loops and these units, in Hz."""
        built = self.built
        if built.reported:
            return self.clock.hz
        own, target = built.blocks.facts, built.target
        used = resources_of(own, lsus, copies, target, built.board)
        return clock_of(self.extent.launch, built.board, used, target.family).hz

    def _built_with(self, simd: int, unroll: Mapping[int, int], more_units: int) -> float | None:
        """The time with these lanes, loops unrolled so and so many times the compute units, all inferred again."""
        built = self.built
        if built.reported:
            return None
        own = built.blocks.facts
        return self._rebuilt(varied(own, simd, own.compute_units * more_units, unroll), self.extent.launch, self.extent)

    def _exchanged(self, other: int) -> float | None:
        """The time with dimensions 0 and another one of the work-items in each other's place."""
        if self.built.reported:
            return None
        return self._rebuilt(exchanged(self.built.blocks.facts, other), exchanged_launch(self.extent.launch, other))

    def _rebuilt(self, facts: KernelFacts, launch: Launch, like: Extent | None = None) -> float | None:
        """The time of another form of the kernel; `like`: this one's extent where loops and launch are the same."""
        built = self.built
        return _Run(_built(facts, infer(facts, built.target), built.board, built.target), launch, like).done.total_s


def _without_times(likely: Gains | None, run: _Run) -> Gains | None:
    """For a kernel of unknown time: units and loops with what matters at assumed sizes, times left out."""
    if likely is None:
        return None
    units, loops, levers = likely
    pairs = zip(run.units, units, strict=True)
    observed = [replace(u, observations=tuple(replace(o, after_s=None) for o in p.observations)) for u, p in pairs]
    freed = [o.model_copy(update={"gain": p.gain}) for o, p in zip(run.loops, loops, strict=True)]
    return observed, freed, tuple(o.model_copy(update={"after_s": None}) for o in levers)


def _sized(probes: Sequence[MemoryUnit], sizes: Sequence[float | None]) -> list[MemoryUnit] | None:
    """The units with what they move; None while that of one is not known."""
    known = [s for s in sizes if s is not None]
    if len(known) < len(sizes):
        return None
    return [unit.model_copy(update={"bytes": size}) for unit, size in zip(probes, known, strict=True)]


def _rows(assembly: Assembly, done: Assembled) -> list[UnitTime | None]:
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
    return [
        u.model_copy(update={"t_ideal_s": u.t_ideal_s * scale, "t_ovh_s": u.t_ovh_s * scale}) for u in done.memory.units
    ]


def _unit(
    facts: KernelFacts, lsu: Lsu, cost: UnitTime, size: float | None, row: UnitTime | None, extent: Extent,
    placement: Placement, walk: Walk | None,
) -> UnitEstimate:  # fmt: skip
    item_bytes, per = _item_bytes(facts, lsu, extent, walk)
    access = facts.accesses[lsu.members[0]]
    possible = not cost.impossible
    ideal, ovh = cost.t_ideal_s / _PROBE_BYTES, cost.t_ovh_s / _PROBE_BYTES
    speed = 1 / (ideal + ovh) if possible and ideal + ovh else None
    own_ideal, own_ovh = (ideal * size, ovh * size) if size is not None and possible else (None, None)
    if row is not None and size:
        # In a launch whose sizes are known, units that move next to nothing do not disturb the others.
        own_ideal, own_ovh = row.t_ideal_s, row.t_ovh_s
        speed = size / row.time_s if row.time_s else None
    time = own_ideal + own_ovh if own_ideal is not None and own_ovh is not None else None
    moved = cost.transferred_bytes / _PROBE_BYTES
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
        t_ideal_item_s=ideal * item_bytes if possible else None,
        t_ovh_item_s=ovh * item_bytes if possible else None,
        time_item_s=(ideal + ovh) * item_bytes if possible else None,
        share=None,
        saturated=cost.saturated if possible else None,
        f_min_hz=cost.f_min_hz if possible else None,
        bandwidth_bytes_s=speed * moved if speed else None,
        useful_bytes_s=speed,
        walk=walk,
        confidence=confidence,
        reasons=lsu.reasons,
    )


def _item_bytes(
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


def _on_chip(lsu: Lsu) -> UnitEstimate:
    return UnitEstimate(
        lsu=lsu, banks=(), bytes=None, t_ideal_s=None, t_ovh_s=None, time_s=None, per="launch",
        t_ideal_item_s=None, t_ovh_item_s=None, time_item_s=None, share=None, saturated=None, f_min_hz=None,
        bandwidth_bytes_s=None, useful_bytes_s=None, confidence=lsu.confidence, reasons=lsu.reasons,
    )  # fmt: skip


def _weakest(*values: Confidence) -> Confidence:
    return min(values, key=_ORDER.index)


def _item_time(run: _Run) -> float | None:
    """Time per work-item; per iteration in a single work-item kernel whose accesses share their loops.

    An iteration takes no less than the initiation interval of its loop, when that is rolled. Where nobody counts a loop
    of an NDRange kernel, that of a work-item is not known. What is outside the loops of a single work-item kernel is
    done once, not in each iteration.
    """
    facts, extent, external, f_max_hz = run.assembly.facts, run.extent, run.external, run.clock.hz
    moved = [_item_bytes(facts, u, extent, walk) for u, walk in zip(external, run.walks, strict=True)]
    rolled = hardware_loops(facts, [loop.id for loop in facts.loops], run.built.copies)
    if facts.model == "ndrange":
        if any(per == "iteration" for _, per in moved) or any(extent.trips[i] is None for i in rolled):
            return None
    elif len({facts.accesses[u.members[0]].loops for u in external}) > 1:
        return None
    sized = _sized(run.probes, [size for size, _ in moved])
    one = run.assembly.memory_time(sized, f_max_hz) if sized else None
    if one is None or facts.model == "ndrange":
        return one.t_est_s if one is not None else None
    loops = facts.accesses[external[0].members[0]].loops
    if rolled and not set(loops) & set(rolled):
        return None
    if not loops or facts.loops[loops[-1]].unroll is not None:
        return one.t_est_s
    return max(one.t_est_s, (run.loops[loops[-1]].ii_at_run or 1.0) / f_max_hz)


def _loop(one: Interval, extent: Extent, copies: Mapping[int, int], round_trip: float) -> LoopEstimate:
    trips = extent.trips[one.loop]
    return LoopEstimate(
        loop=one.loop,
        trip=float(trips) if trips is not None else None,
        ii=one.ii,
        ii_at_run=ii_at_run(one, round_trip) if one.ii is not None else None,
        unroll=copies.get(one.loop, 1),
        interleaved=one.interleaved,
        pipelined=one.pipelined,
        serialised_by=one.serialised_by,
        serial=one.serial,
        store=one.dependence.store if one.dependence is not None else None,
        load=one.dependence.load if one.dependence is not None else None,
        proven=one.dependence.proven if one.dependence is not None else None,
    )
