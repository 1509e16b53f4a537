"""A kernel's cost on a board under a launch: the memory model run over its load/store units."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType

from burstline_model.boards.board import Board
from burstline_model.estimate.after_change import WhatIf
from burstline_model.estimate.assembly import Assembled, Assembly
from burstline_model.estimate.assumed_sizes import assumed_extent, assumed_sizes
from burstline_model.estimate.chosen_values import Seconds, slowest, with_choice
from burstline_model.estimate.construction import Construction, built_again, constructed, in_more_units, promised_apart
from burstline_model.estimate.decision import bound_of, cause_of, limit_of, share_of, terms_of
from burstline_model.estimate.kernel_estimate import (
    AtAssumed,
    KernelEstimate,
    LeastTime,
    Limit,
    LoopEstimate,
    Potentials,
    Term,
    UnitEstimate,
    hidden_by_launch,
)
from burstline_model.estimate.levers import levers_of
from burstline_model.estimate.observations import observe
from burstline_model.estimate.overfull import to_fit
from burstline_model.estimate.parts_of_run import (
    ITERATIONS,
    PROBE_BYTES,
    Gains,
    endless_loop,
    item_time,
    least_time,
    loop_estimate,
    on_chip,
    rows,
    run_so_often,
    sized,
    unit_estimate,
    with_least,
    without_times,
)
from burstline_model.estimate.pipeline import Schedule, block_estimates
from burstline_model.estimate.potentials import advice_of, b_mem
from burstline_model.estimate.remarks import (
    assumptions_of,
    beyond_constant_cache,
    ended_by_data,
    launch_s,
    of_build,
    of_usual_groups,
    remarks_of,
    too_large,
)
from burstline_model.estimate.row_ranges import by_data_of, with_ranges
from burstline_model.estimate.sizes_that_run import with_accesses_that_run
from burstline_model.estimate.steps_not_given import with_steps
from burstline_model.estimate.time_range import TimeRange
from burstline_model.estimate.waiting_loops import all_without_waiting
from burstline_model.facts import KernelFacts
from burstline_model.launch import Launch
from burstline_model.lsu import Lsu
from burstline_model.memory.estimate import estimate_memories
from burstline_model.memory.memory_units import UnitTime, options_for
from burstline_model.memory.placement import place
from burstline_model.memory.traffic import least_and_most, memory_unit, units_in_step, useful_bytes, walks_of
from burstline_model.parallelism.extent import LOOPS_LOOKED_AT, Extent
from burstline_model.parallelism.knobs import may_be_apart, varied
from burstline_model.pipeline.interval import with_trips
from burstline_model.resources import ResourceUse, resources_of
from burstline_model.resources.clock_source import Clock, clock_of
from burstline_model.target import Target
from burstline_model.walk.loop_entries import entered


def estimate(
    facts: KernelFacts,
    lsus: Sequence[Lsu],
    board: Board,
    launch: Launch,
    schedules: Mapping[int, Schedule] = MappingProxyType({}),
    target: Target | None = None,
    resources: ResourceUse | None = None,
) -> KernelEstimate:
    """Times, shares, bound and observations of a kernel; None is not known.

    `schedules` is what a report says of loops, by their ids, `resources` what it says the kernel takes; `target` is
    what the kernel is built for, the board's own without it.
    """
    return Built(facts, lsus, board, target or board.target, schedules, resources).under(launch)


class Built:
    """A kernel as it is built, estimated under launches; those with another clock alone share what they count."""

    def __init__(
        self, facts: KernelFacts, lsus: Sequence[Lsu], board: Board, target: Target,
        schedules: Mapping[int, Schedule] = MappingProxyType({}), resources: ResourceUse | None = None,
    ) -> None:  # fmt: skip
        self._built = constructed(facts, lsus, board, target, schedules, resources)
        self._runs: list[_Run] = []

    def clock(self, launch: Launch) -> Clock:
        """The clock under a launch."""
        return clock_of(launch, self._built.board, self._built.resources, self._built.target.family)

    def under(self, launch: Launch) -> KernelEstimate:
        """The estimate under a launch, at its slowest where arguments that nobody gives choose between parts."""
        chosen = slowest(self._built.blocks.facts, launch, self._seconds)
        under = launch if chosen is None else chosen.launch
        answer = with_steps(self._under(under), self._built.blocks, under, self._seconds)
        if chosen is None:
            return answer
        run = self._run(launch)
        guess = self._assumed(run) if answer.at_assumed is not None else None
        return with_choice(answer, chosen, run.ranged, guess.ranged if guess is not None else ())

    def _seconds(self, launch: Launch) -> Seconds | None:
        """The time under a launch, at assumed sizes where they are not given, and the least that it may be."""
        run = self._run(launch)
        if run.done.total_s is None:
            run = self._assumed(run) or run
        total, least = run.done.total_s, run.range.low_s
        return (total, least) if total is not None and least is not None else None

    def _under(self, launch: Launch) -> KernelEstimate:
        run = self._run(launch)
        if run.gains is not None or (guess := self._assumed(run)) is None:
            return _answer(run, run.gains)
        answer = _answer(run, without_times(guess.gains, run.units, run.loops))
        sizes = assumed_sizes(run.extent, guess.extent) if answer.time_s is None and guess.gains is not None else None
        if sizes is None:
            return answer if answer.time_s is not None else with_least(answer, self._least(run))
        at_assumed = AtAssumed(sizes=sizes, launch=guess.extent.launch, estimate=_answer(guess, guess.gains))
        each = answer.time_item_s
        if each is not None and self._built.blocks.facts.model == "ndrange" and not sizes.trips:
            each = at_assumed.estimate.time_item_s  # of many work-items, in the pipeline as well as in the memory
        return answer.model_copy(update={"at_assumed": at_assumed, "time_item_s": each})

    def _least(self, run: _Run) -> LeastTime | None:
        """The time with one iteration of each loop that data end: its condition is asked for once at least.

        Of one that works on channels, which may keep it going for ever, that of an iteration. Nothing where that shows
        nothing but how long the memory takes to answer once.
        """
        facts, extent = run.extent.facts, run.extent
        loops = tuple(one.id for one in facts.loops if one.trip is None and extent.trips[one.id] is None)
        around = endless_loop(facts, loops)
        if not loops or any(i in one.loops for one in facts.channels for i in loops if i != around):
            return None
        least, sizes = self._run(run_so_often(extent.launch, dict.fromkeys(loops, 1))), None
        if least.done.total_s is None and (guess := self._assumed(least)) is not None:
            sizes = assumed_sizes(least.extent, guess.extent)
            least = guess if sizes is not None else least
        if around is not None:
            least = self._run(run_so_often(least.extent.launch, {around: ITERATIONS}))
        if least.done.total_s is None or not (time_s := least.range.low_s):
            return None
        return least_time(time_s, loops, around, sizes, _answer(least, least.gains if around is not None else None))

    def _assumed(self, run: _Run) -> _Run | None:
        """The run at assumed sizes, those at which its accesses run if there are such; None where all are given."""
        return with_accesses_that_run(
            lambda fewer: assumed_extent(run.extent, fewer), lambda extent: self._run(extent.launch, extent)
        )

    def _run(self, launch: Launch, extent: Extent | None = None) -> _Run:
        """A run; `extent`: the kernel's under this launch, where it is known."""
        like = next((one for one in self._runs if _but_clock(one.extent.launch) == _but_clock(launch)), None)
        run = _Run(self._built, launch, extent) if like is None else like.under(launch)
        self._runs = [*self._runs[-1:], run] if like is None else self._runs
        return run


def _but_clock(launch: Launch) -> Launch:
    return launch.model_copy(update={"f_max_most_mhz": None})


def _answer(run: _Run, found: Gains | None) -> KernelEstimate:
    """The answer for a run, with what changes would save where that was `found`."""
    built, launch, done, clock, external = run.built, run.extent.launch, run.done, run.clock, run.external
    facts, board, resources = built.blocks.facts, built.board, built.resources
    total, pipeline, f_max_hz = done.total_s, done.pipeline, clock.hz
    between = run.range
    units, loops, levers = found or (run.units, run.loops, ())
    units = with_ranges(units, run.assembly, between)
    by_lsu = {id(u): e for u, e in zip(external, units, strict=True)}
    every = tuple(by_lsu.get(id(u)) or on_chip(u) for u in built.blocks.lsus)
    items = run.extent.work_items if facts.model == "ndrange" else None
    moved = sum(u.bandwidth_bytes_s * u.time_s for u in units if u.bandwidth_bytes_s and u.time_s)
    used = {b for u in units for b in u.banks}
    peak = sum(board.memory_of(bank).bandwidth_bytes_s for bank in used or (0,))
    limit, terms = run.limit, run.terms
    nested, single = launch.memory_part == "wang", facts.model != "ndrange"
    bound = bound_of(limit, cause_of(terms, limit), done, external, nested=nested, single=single)
    each = total / items if total is not None and items else run.item_s
    potentials = Potentials(
        b_mem=b_mem(external), b_comp=resources.b_comp, b_balance=pipeline.b_balance, b_itpp=pipeline.b_itpp
    )
    return KernelEstimate(
        kernel=facts.name,
        time_s=total,
        time_low_s=between.low_s,
        time_high_s=between.high_s,
        time_by_data_s=between.by_data_s,
        by_data_at_clocks_s=between.by_data_at_clocks_s,
        by_data_of=by_data_of(facts, external, run.walks, run.real or ()),
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
            *of_build(run.built.target, hidden=run.hidden),
        ),
    )


class _Run:
    """A built kernel under a launch."""

    def __init__(self, built: Construction, launch: Launch, like: Extent | None = None) -> None:
        """`like`: the extent of the same kernel under the same launch with other copies, which has counted already."""
        board, blocks, copies = built.board, built.blocks, built.copies
        facts = blocks.facts
        self.built = built
        self._variants: dict[object, _Run] = {}
        """Other forms of the kernel that were asked for."""
        self._constructions: dict[object, Construction] = {}
        """How it would be built, which is known before how long it would take."""
        self.extent = like.with_copies(facts, copies) if like is not None else Extent(facts, launch, copies)
        self.placement = place(facts, board, launch)
        self.external = [u for u in blocks.lsus if u.space == "global"]
        self.walks = walks_of(self.extent, self.external, board, self.placement)
        sizes = [useful_bytes(self.extent, u, walk) for u, walk in zip(self.external, self.walks, strict=True)]
        in_step = units_in_step(facts, self.external, sizes, board, self.placement)
        self.probes = [
            memory_unit(facts, u, self.placement, PROBE_BYTES, walk, in_step=together)
            for u, walk, together in zip(self.external, self.walks, in_step, strict=True)
        ]
        self.real = sized(self.probes, sizes)
        self.intervals = with_trips(facts, built.intervals, copies, self.extent.trips)
        self._sizes = sizes
        self._places = [i for i, u in enumerate(blocks.lsus) if u.space == "global"]

    def under(self, launch: Launch) -> _Run:
        """The same run under a launch that may have another clock, and is like this one's else."""
        if launch is self.extent.launch:
            return self
        other = copy(self)
        for name in _OF_CLOCK:
            other.__dict__.pop(name, None)
        other.extent = self.extent.under(launch)
        return other

    @cached_property
    def clock(self) -> Clock:
        """The clock."""
        built = self.built
        return clock_of(self.extent.launch, built.board, built.resources, built.target.family)

    @cached_property
    def assembly(self) -> Assembly:
        """What its time follows from."""
        board = self.built.board
        return Assembly(self.built.blocks, board, self.extent, options_for(self.extent.launch.mode, board))

    @cached_property
    def done(self) -> Assembled:
        """Its time."""
        return self.assembly.at(self.real, self.clock.hz, self.built.copies, self.intervals)

    @cached_property
    def costs(self) -> Sequence[UnitTime]:
        """What each unit costs by itself: every time is proportional to the bytes, so that one probe is enough."""
        return estimate_memories(self.probes, self.built.board, self.clock.hz, self.assembly.options).units

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """What the time is made of."""
        return terms_of(self.assembly, self.done, self.real or (), self.built.copies, self.intervals)

    @cached_property
    def limit(self) -> Limit:
        """What limits the kernel."""
        return limit_of(self.terms)

    @cached_property
    def loops(self) -> list[LoopEstimate]:
        """The loops as they run."""
        round_trip = self.built.board.memory.latency_ns * 1e-9 * self.clock.hz
        turns = {key[-1]: block.stores for key, block in self.built.blocks.of(self.built.copies).items() if key}
        return [
            loop_estimate(one, self.extent, self.built.copies, round_trip, turns.get(one.loop, 1.0))
            for one in self.intervals
        ]

    @cached_property
    def units(self) -> list[UnitEstimate]:
        """The units on the external memory, each with what it takes."""
        company = rows(self.assembly, self.done)
        every = zip(self.external, self.costs, self._sizes, company, self.walks, strict=True)
        facts = self.assembly.facts
        units = [
            unit_estimate(facts, u, cost, size, row, self.extent, self.placement, w) for u, cost, size, row, w in every
        ]
        if self.done.total_s is None:
            return units
        return [replace(u, share=share_of(self.terms, i)) for u, i in zip(units, self._places, strict=True)]

    @property
    def ranged(self) -> list[UnitEstimate]:
        """The units, each with the range of its time."""
        return with_ranges(self.units, self.assembly, self.range)

    @cached_property
    def range(self) -> TimeRange:
        """What data and the clock may make of the kernel's time."""
        total, own = self.done.total_s, self.real
        least, most = least_and_most(own, self.walks) if own is not None else ((), ())

        left_out = entered(self.extent, least=True) != entered(self.extent)

        def at(hz: float, at_most: bool) -> Assembled:
            units, skips = (most, False) if at_most else (least, left_out)
            if own is None or (hz == self.clock.hz and units == own and not skips):
                return self.done
            return self.assembly.at(units, hz, self.built.copies, self.intervals, least=skips)

        return TimeRange(total, self.clock, at, by_data=left_out or least != most)

    @property
    def item_s(self) -> float | None:
        """Time per work-item or iteration, by what one asks for."""
        built, own = self.built, (self.external, self.walks, self.probes, self.loops)
        return item_time(self.assembly, *own, built.copies, self.clock.hz)

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
        now = built.resources.compute_units
        room, units = built.resources.copies_that_fit(1.0) // now, built.resources.copies_that_fit() // now
        what_if = WhatIf(
            self.assembly, self.done, self._places, self.real, built.copies, self.intervals, self.terms, room, units,
            self._fits, self._built_with, self._clock_with, self._reordered, self._apart,
            built.ram, to_fit(built.resources, built.filling, built.blocks.facts, built.copies),
        )  # fmt: skip
        observed = observe(self.units, what_if)
        freed = all_without_waiting(what_if, self.loops)
        return observed, freed, levers_of(what_if, observed, freed, self.limit, cause_of(self.terms, self.limit))

    def _clock_with(self, copies: Mapping[int, int], lsus: Sequence[Lsu]) -> float:
        """The clock with so many copies of loops and these units, in Hz."""
        built = self.built
        if built.reported:
            return self.clock.hz
        used = resources_of(built.blocks.facts, lsus, copies, built.target, built.board)
        return clock_of(self.extent.launch, built.board, used, built.target.family).hz

    def _built_with(self, simd: int, unroll: Mapping[int, int], more_units: int) -> float | None:
        """The time with these lanes, loops unrolled so and so many times the compute units, all inferred again."""
        return None if self.built.reported else self._varied(simd, unroll, more_units).done.total_s

    def _fits(self, simd: int, unroll: Mapping[int, int], more_units: int) -> bool:
        """Whether the device holds the kernel with these lanes, loops and so many times the compute units."""
        if self.built.reported:
            return False  # nothing is known of it built in another way
        used = self._construction(simd, unroll, more_units).resources
        return used.device.logic_alms > 0 and max(used.shares.values()) <= 1

    def _construction(self, simd: int, unroll: Mapping[int, int], more_units: int) -> Construction:
        """The kernel built with these lanes, loops unrolled so and so many times the compute units."""
        own, key = self.built.blocks.facts, (simd, more_units, *sorted(unroll.items()))
        if key not in self._constructions:
            facts = varied(own, simd, own.compute_units * more_units, unroll)
            alike = simd == own.simd and not unroll
            self._constructions[key] = in_more_units(self.built, facts) if alike else built_again(self.built, facts)
        return self._constructions[key]

    def _varied(self, simd: int, unroll: Mapping[int, int], more_units: int) -> _Run:
        """The same under the launch."""
        form = self._construction(simd, unroll, more_units)
        return self._variant((simd, more_units, *sorted(unroll.items())), lambda: form, self.extent)

    def _reordered(self, key: object, facts: KernelFacts, launch: Launch) -> float | None:
        """The time with the work-items in another order, named by `key`, in which loops run as often."""
        if self.built.reported:
            return None
        extent = self.extent.exchanged(facts, launch)
        return self._variant(key, lambda: built_again(self.built, facts), extent).done.total_s

    def _apart(self) -> float | None:
        """The time with restrict on all pointers; None where that says nothing new, and in large kernels."""
        own, launch = self.built.blocks.facts, self.extent.launch
        large = len(own.loops) > LOOPS_LOOKED_AT or len(own.accesses) > ACCESSES_LOOKED_AT
        if self.built.reported or large or not may_be_apart(own):
            return None
        if "apart" not in self._variants:
            other = promised_apart(self.built)
            self._variants["apart"] = self if other is None else _Run(other, launch, self.extent)
        return self._variants["apart"].under(launch).done.total_s

    def _variant(self, key: object, build: Callable[[], Construction], extent: Extent) -> _Run:
        """Another form of the kernel, whose loops run as often as an extent says."""
        if key not in self._variants:
            self._variants[key] = _Run(build(), extent.launch, extent)
        return self._variants[key].under(extent.launch)


ACCESSES_LOOKED_AT = 200
"""Up to so many accesses in a kernel it is inferred once more with restrict, which takes as long as without."""
_OF_CLOCK = ("clock", "assembly", "done", "costs", "terms", "limit", "loops", "units", "range", "gains")
"""What of a run follows from its clock."""
