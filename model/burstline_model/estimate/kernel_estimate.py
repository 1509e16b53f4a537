"""What an estimate says of a kernel: times with their inputs' provenance, bounds, observations.

Times are seconds in the model; the surfaces choose units. None always means *not known*, never zero.
"""

from __future__ import annotations

from typing import Literal

from burstline_model.devices.resource_use import ResourceUse
from burstline_model.estimate.assumption import Assumption
from burstline_model.estimate.changes import Change, Observed
from burstline_model.estimate.remark_kinds import Remark, TakeTurns
from burstline_model.launch import Launch, Provenance
from burstline_model.lsu import Confidence, Lsu, Reason
from burstline_model.pipeline.waits import Wait
from burstline_model.record import Record, small
from burstline_model.walk.walk import Walk

Bound = Literal["memory", "kernel", "balance", "work_items", "unknown"]
Limit = Literal["memory", "latency", "issue", "dependence", "pipeline", "work_items", "channels", "unknown"]
"""What sets a kernel's time: a memory bank, the latency of its first data, the requests that its clock can issue, a
loop whose iterations wait for each other, its pipeline at one iteration a cycle, too few work-items, a kernel at the
other end of a channel; or it is not known."""

AtClocks = tuple[tuple[float, float], tuple[float, float]]
"""Times at the highest and at the lowest clock: with the least that data may make a kernel do, and with the most."""


@small
class Term:
    """A part of a kernel's time, spent on `limit` in a loop (by its id) or by a unit (by its place among all)."""

    limit: Limit
    time_s: float
    loop: int | None = None
    unit: int | None = None


@small
class Observation:
    """A finding of the papers on one unit. `number` is M21's observation (0: the opening padding example)."""

    number: int
    change: Observed
    gain: float
    """Share of the kernel's time that following it saves, 0 to 1."""
    after_s: float | None = None
    """The kernel's time after it; None while its time now is not known."""
    cause: str = ""
    """Units of one cause say the same: a bank, a loop."""


@small
class UnitEstimate:
    """One `Lsu` with its cost. Times include δ and every factor, for all `count` units and one launch.

    `t_*_item_s` are per work-item, or per iteration where even the trip count is unknown (`per` says
    which). `bandwidth_bytes_s` is what the unit moves, `useful_bytes_s` without what is discarded. `walk` is how its
    address moves (None on the chip, and in the papers' mode).
    """

    lsu: Lsu
    banks: tuple[int, ...]
    bytes: float | None
    t_ideal_s: float | None
    t_ovh_s: float | None
    time_s: float | None
    per: Literal["work-item", "iteration", "launch"]
    t_ideal_item_s: float | None
    t_ovh_item_s: float | None
    time_item_s: float | None
    share: float | None
    saturated: bool | None
    f_min_hz: float | None
    bandwidth_bytes_s: float | None
    useful_bytes_s: float | None
    walk: Walk | None = None
    observations: tuple[Observation, ...] = ()
    confidence: Confidence = "medium"
    reasons: tuple[Reason, ...] = ()
    time_low_s: float | None = None
    time_high_s: float | None = None
    """The range of `time_s` that the clock, and what data decide, leave; within that of the kernel's time."""


class LoopEstimate(Record):
    """A loop as it will run: trips, initiation interval, copies. None means not known."""

    loop: int
    trip: float | None
    ii: float | None
    ii_at_run: float | None
    """Cycles from one iteration to the next as it runs: less than `ii` where memory answers sooner than scheduled."""
    unroll: int
    interleaved: int = 1
    """How many runs of the loop share its pipeline in turns, so that one of them starts an iteration in each cycle."""
    turns: float = 1.0
    """Cycles in which all that an iteration moves at once in local memory comes through the ports there."""
    pipelined: bool | None = None
    serialised_by: Wait | None = None
    serial: bool = False
    """Each iteration waits for the end of the one before."""
    store: int | None = None
    load: int | None = None
    """The pair of accesses behind a dependence through memory."""
    proven: bool | None = None
    gain: float = 0.0
    """Share of the kernel's time that goes when iterations no longer wait for each other."""
    after_s: float | None = None
    """The kernel's time then; None while its time now is not known."""


class BlockEstimate(Record):
    """A basic block over the whole launch: its loop (None: the kernel's own level), cycles and pipeline depth."""

    loop: int | None
    cycles: float
    compute_cycles: float
    memory_cycles: float
    depth: float
    time_s: float
    turns: float = 1.0
    """The cycles that one of its iterations or work-items takes at the ports of memory on the chip."""


PotentialName = Literal["b_mem", "b_comp", "b_balance", "b_itpp"]


class Advice(Record):
    """One potential worth acting on: its name and its value."""

    potential: PotentialName
    value: float


class Lever(Record):
    """A change that would move a kernel's time, with the time after it where the model can say."""

    change: Change
    after_s: float | None = None
    loop: int | None = None
    """The loop it is for, by its id."""
    copies: int = 1
    """How many times as many copies of that loop's body it asks for."""
    others: tuple[tuple[int, int], ...] = ()
    """The loops that it is for at the same time, by their ids, with how many times as many copies of each."""
    seen_in: int | None = None
    """The loop around the unit that it was found at, by its id."""


class Potentials(Record):
    """WANG's four potentials (Eqs. 20-24), each 0 to 1 or unknown."""

    b_mem: float | None = None
    b_comp: float | None = None
    b_balance: float | None = None
    b_itpp: float | None = None


class KernelEstimate(Record):
    """One kernel on one board under one launch."""

    kernel: str
    time_s: float | None
    time_low_s: float | None
    time_high_s: float | None
    """The time at the highest and at the lowest clock that builds like this one reach, as data may have it."""
    time_by_data_s: tuple[float, float] | None
    """The least and the most that data alone make of the time, at one clock."""
    by_data_of: tuple[str, ...] = ()
    """The buffers of which data decide how much is fetched."""
    by_data_at_clocks_s: AtClocks | None = None
    """The time at the highest and the lowest clock for the least that data make it fetch, and for the most.

    None where data decide nothing, or arguments that nobody gives choose between parts of the kernel.
    """
    time_item_s: float | None
    launch_s: float
    """What a host's timer around the launch shows in addition to the kernel's own time (0: nobody launches it)."""
    limit: Limit
    terms: tuple[Term, ...]
    """What the time is made of, the largest first; they add up to it. What runs at the same time is left out."""
    bound: Bound
    bandwidth_bytes_s: float | None
    bandwidth_share: float | None
    """Share of the used banks' peak bandwidth."""
    f_max_hz: float
    f_max_from: Provenance
    moving_s: float | None
    """What the memory alone takes."""
    compute_s: float | None
    """What the kernel's pipeline takes that never waits for memory."""
    units: tuple[UnitEstimate, ...]
    loops: tuple[LoopEstimate, ...]
    blocks: tuple[BlockEstimate, ...] = ()
    potentials: Potentials = Potentials()
    resources: ResourceUse | None = None
    advice: tuple[Advice, ...] = ()
    levers: tuple[Lever, ...] = ()
    """What to do, the most useful first."""
    assumptions: tuple[Assumption, ...] = ()
    remarks: tuple[Remark, ...] = ()
    at_assumed: AtAssumed | None = None
    """The same under assumed sizes, where the time is not known for want of sizes alone."""
    least: LeastTime | None = None
    """What the time is at least, where it is not known for loops that data end."""

    @property
    def host_time_s(self) -> float | None:
        """What a host's timer around the launch shows, in seconds; None while the kernel's time is not known."""
        return self.time_s + self.launch_s if self.time_s is not None else None

    @property
    def at_worst(self) -> Literal["data", "order"] | None:
        """What may leave far less of the time, which is the most that it makes of it: data, or the work-items' order.

        None where the time is a likely one, or little is open.
        """
        low, high = self.time_by_data_s or (0.0, 0.0)
        if not self.time_s or not 0 < OPEN * low <= high or self.time_s * LIKELY < high:
            return None
        turns = {name for one in self.remarks if isinstance(one, TakeTurns) for name in one.pointers}
        return "order" if self.by_data_of and turns.issuperset(self.by_data_of) else "data"

    @property
    def hidden(self) -> bool:
        """Whether the launch takes so much longer than the kernel that no change of the kernel shows."""
        return self.time_s is not None and hidden_by_launch(self.time_s, self.launch_s)


def hidden_by_launch(time_s: float, launch: float) -> bool:
    """Whether a kernel is so short that a host's timer shows its launch alone, both in seconds."""
    return time_s < HIDDEN * launch


OPEN = 1.5
"""From so many times the least on that data may make of a time, it is given as a range."""
LIKELY = 1.005
"""Where data can make a time longer by this factor, which three digits show, it is no worst one."""
HIDDEN = 0.01
"""Up to this share of what the launch takes, no change of the kernel shows."""


class AssumedSizes(Record):
    """Sizes that are taken for those nobody gives: work-items by dimension, iterations by the loop's id.

    `arguments` are those by name that trips follow from, `alone` the loops whose trips follow from none of them.
    """

    global_size: tuple[int, ...] | None
    trips: dict[int, int]
    arguments: dict[str, int]
    alone: tuple[int, ...]


class LeastTime(Record):
    """What a kernel takes in seconds if loops that data end run once each; under assumed sizes, or under given ones.

    `estimate` is the kernel's then. Where one of the `loops` `endless`, as long as channels bring data, the time is
    that of an iteration, as are those after changes; the parts of the estimate are those of many.
    """

    time_s: float
    loops: tuple[int, ...]
    endless: int | None = None
    assumed: AssumedSizes | None
    estimate: KernelEstimate


class AtAssumed(Record):
    """A kernel's estimate under a launch that holds assumed sizes."""

    sizes: AssumedSizes
    launch: Launch
    estimate: KernelEstimate

    @property
    def given(self) -> Launch:
        """The launch as if somebody gave what is assumed."""
        alone = {loop: self.sizes.trips[loop] for loop in self.sizes.alone}
        arguments = {**self.sizes.arguments, **self.launch.arguments}
        update = {"arguments": arguments, "trips": {**alone, **self.launch.trips}, "assumed_trips": None}
        return self.launch.model_copy(update=update)


KernelEstimate.model_rebuild()
