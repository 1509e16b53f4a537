"""The roofline of a kernel on a board: what its circuit, its copies and the memory at its own pattern allow.

TYTRA = Nabi & Vanderbauwhede, "FPGA design space exploration for scientific HPC applications using a fast and accurate
cost model based on roofline analysis" (2017). Attainable = min(CP_PE · SC, CI · BW) (Eq. 1); BW is what the memory
model gives the kernel's own accesses, not the datasheet's peak.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Literal

from burstline_model.boards.board import Board
from burstline_model.compiler.infer import infer
from burstline_model.devices.resource_use import Resource
from burstline_model.estimate.kernel import estimate
from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_model.facts import KernelFacts
from burstline_model.launch import Launch
from burstline_model.parallelism.extent import Extent
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_model.record import Record, small
from burstline_model.target import Target

Form = Literal["A", "B", "C"]
"""Where a launch finds its data (TYTRA, Section 2.3): sent by the host each time, in the board's memory, on chip."""
WORTH = 1.05
"""One more doubling of the copies pays from this gain on."""
_REAL = ("float", "double", "half")


@small
class Copies:
    """As many copies of the kernel as fill 80 % of the scarcest resource."""

    copies: float
    scarcest: Resource


@small
class Banks:
    """The peak of so many banks."""

    banks: int


RoofOf = Literal["one_copy", "pattern", "host_link"] | Copies | Banks
"""What a roof is of; `pattern`: the memory, as the kernel's own accesses go through it."""


class Roof(Record):
    """A limit: of the circuit in operations, or of a memory in bytes; both in 10^9 per second."""

    kind: Literal["compute", "bandwidth"]
    of: RoofOf
    value: float


class Point(Record):
    """So many copies of a kernel: operations per useful byte, and the 10^9 operations per second that they reach."""

    copies: int
    intensity: float
    performance: float


class Roofline(Record):
    """The roofs over a kernel and its place under them; `unit` is what an operation is."""

    unit: Literal["FLOP", "op"]
    form: Form
    operations: float
    bytes: float
    cp_pe: float
    """10^9 operations per second of one processing element, with the filling of its pipeline (Eq. 4)."""
    cp_pe_endless: float
    """The same for endless work (Eq. 5)."""
    scaling: float
    """SC (Eq. 6): how many times the kernel fits into 80 % of the scarcest resource."""
    limited_by: Resource | Literal["memory"]
    attainable: float
    replication_limit: int | None
    """Copies from which on more of them gain nothing, for the memory or for the device."""
    roofs: tuple[Roof, ...]
    points: tuple[Point, ...]


def work_of(facts: KernelFacts, launch: Launch) -> tuple[float, Literal["FLOP", "op"]] | None:
    """Operations of a launch: those on real numbers, or all of a kernel without any; None while trips are not known."""
    extent = Extent(facts, launch, effective_unroll(facts))
    items = extent.work_items
    if items is None or not facts.operations:
        return None
    real = [o for o in facts.operations if o.operation.partition(" ")[0] in _REAL]
    total = 0.0
    for operation in real or facts.operations:
        times = float(items)
        for i in operation.loops:
            trips = extent.trips[i]
            if trips is None:
                return None
            times *= float(trips)
        total += times * operation.count
    return (total, "FLOP" if real else "op") if total else None


def replicas_of(
    facts: KernelFacts, target: Target, board: Board, launch: Launch, counts: Sequence[int] = (2, 4, 8, 16)
) -> tuple[tuple[int, KernelEstimate], ...]:
    """The kernel in more copies: compute units side by side, as TYTRA's lanes; none for a single work-item."""
    if facts.model != "ndrange":
        return ()
    found = []
    for n in counts:
        more = facts.model_copy(update={"compute_units": facts.compute_units * n})
        found.append((n, estimate(more, infer(more, target), board, launch, target=target)))
    return tuple(found)


def roofline_of(
    facts: KernelFacts,
    now: KernelEstimate,
    board: Board,
    launch: Launch,
    copies_that_fit: float,
    scarcest: Resource,
    *,
    replicas: Sequence[tuple[int, KernelEstimate]] = (),
    form: Form = "B",
    host_gb_s: float | None = None,
) -> Roofline | None:
    """The roofline; None while sizes are not known or nothing is computed.

    `now` is the unchanged kernel, `copies_that_fit` SC, by the `scarcest` resource; `replicas` are estimates of the
    kernel in more copies. Form A needs `host_gb_s`, the link to the host: raises ValueError without it.
    """
    work = work_of(facts, launch)
    moved = sum(u.bytes or 0.0 for u in now.units if u.lsu.space == "global")
    if work is None or now.time_s is None or now.compute_s is None or not moved:
        return None
    if form == "A" and host_gb_s is None:
        raise ValueError("form A sends the data from the host for each launch: give the speed of the link in GB/s")
    operations, unit = work
    intensity = operations / moved
    fill = sum(b.depth for b in now.blocks) / now.f_max_hz
    cp_pe = operations / now.compute_s / 1e9
    endless = operations / max(now.compute_s - fill, 1e-12) / 1e9
    memory = moved / now.moving_s / 1e9 if now.moving_s else inf
    bandwidth = inf if form == "C" else memory
    roofs = _compute_roofs(cp_pe, copies_that_fit, scarcest)
    if form != "C":
        roofs += _memory_roofs(now, board, memory)
    if form == "A" and host_gb_s is not None:
        bandwidth = 1 / (1 / bandwidth + 1 / host_gb_s)
        roofs.append(Roof(kind="bandwidth", of="host_link", value=host_gb_s))
    ceiling = cp_pe * max(copies_that_fit, 1.0)
    # Copies do not widen the link to the host.
    most = intensity * bandwidth if form == "A" else inf
    reached = operations / now.time_s / 1e9
    points = [
        Point(copies=1, intensity=intensity, performance=min(reached, intensity * bandwidth)),
        *_copies(operations, intensity, most, replicas),
    ]
    best = max([intensity * bandwidth, *(p.performance for p in points)])
    return Roofline(
        unit=unit, form=form, operations=operations, bytes=moved, cp_pe=cp_pe, cp_pe_endless=endless,
        scaling=copies_that_fit, limited_by=scarcest if ceiling < best else "memory",
        attainable=min(ceiling, best), replication_limit=_limit(points, replicas, copies_that_fit),
        roofs=tuple(roofs), points=tuple(points),
    )  # fmt: skip


def _copies(
    operations: float, intensity: float, most: float, replicas: Sequence[tuple[int, KernelEstimate]]
) -> list[Point]:
    """The kernel in more copies; `most` bounds their performance."""
    return [
        Point(copies=n, intensity=intensity, performance=min(operations / one.time_s / 1e9, most))
        for n, one in replicas
        if one.time_s
    ]


def _compute_roofs(cp_pe: float, copies_that_fit: float, scarcest: Resource) -> list[Roof]:
    return [
        Roof(kind="compute", of="one_copy", value=cp_pe),
        Roof(
            kind="compute",
            of=Copies(copies=copies_that_fit, scarcest=scarcest),
            value=cp_pe * copies_that_fit,
        ),
    ]


def _memory_roofs(now: KernelEstimate, board: Board, reached_gb_s: float) -> list[Roof]:
    used = sorted({b for u in now.units for b in u.banks})
    banks, peaks = len(used), [board.memory_of(bank).bandwidth_bytes_s / 1e9 for bank in used]
    peak = max(peaks, default=board.memory.bandwidth_bytes_s / 1e9)
    roofs = [
        Roof(kind="bandwidth", of="pattern", value=reached_gb_s),
        Roof(kind="bandwidth", of=Banks(banks=1), value=peak),
    ]
    if banks > 1:
        roofs.append(Roof(kind="bandwidth", of=Banks(banks=banks), value=sum(peaks)))
    return roofs


def _limit(
    points: Sequence[Point], replicas: Sequence[tuple[int, KernelEstimate]], copies_that_fit: float
) -> int | None:
    """The copies after which one more step gains nothing, or no longer fits; the first point is one copy's."""
    if len(points) <= len(replicas):
        return None
    last = 1
    for (n, _), before, after in zip(replicas, points, points[1:], strict=False):
        if n > copies_that_fit or after.performance < WORTH * before.performance:
            return last
        last = n
    return None
