"""What an estimate says of a kernel: times with their inputs' provenance, bounds, observations.

Times are seconds in the model; the surfaces choose units. None always means *not known*, never zero.
"""

from typing import Literal

from burstline_model.compiler.lsu import Confidence, Lsu, Reason
from burstline_model.record import Record, small
from burstline_model.resources.use import ResourceUse
from burstline_model.walk.walk import Walk

Provenance = Literal["code", "launch", "report", "board", "default"]
Bound = Literal["memory", "kernel", "balance", "work_items", "unknown"]


@small
class Assumption:
    """One input of the estimate: what it is, its value with unit, and where the value comes from."""

    name: str
    value: str
    provenance: Provenance


@small
class Observation:
    """A finding of the papers on one unit. `number` is M21's observation (0: the opening padding example)."""

    number: int
    text: str
    gain: float
    """Share of the kernel's time the finding costs, 0 to 1 (0 when not known)."""


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


class LoopEstimate(Record):
    """A loop as it will run: trips, initiation interval, copies. None means not known."""

    loop: int
    trip: float | None
    ii: float | None
    unroll: int
    pipelined: bool | None = None
    serialised_by: str | None = None
    serial: bool = False
    """Each iteration waits for the end of the one before."""
    store: int | None = None
    load: int | None = None
    """The pair of accesses behind a dependence through memory."""
    proven: bool | None = None


class BlockEstimate(Record):
    """A basic block over the whole launch: its loop (None: the kernel's own level), cycles and pipeline depth."""

    loop: int | None
    cycles: float
    compute_cycles: float
    memory_cycles: float
    depth: float
    time_s: float


class Advice(Record):
    """One potential worth acting on: its name, its value, and the optimisation the paper pairs it with."""

    potential: str
    value: float
    text: str


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
    time_item_s: float | None
    bound: Bound
    bandwidth_bytes_s: float | None
    bandwidth_share: float | None
    """Share of the used banks' peak bandwidth."""
    f_max_hz: float
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
    assumptions: tuple[Assumption, ...] = ()
    remarks: tuple[str, ...] = ()
