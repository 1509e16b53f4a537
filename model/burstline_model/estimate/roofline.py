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
from burstline_model.facts import Access, KernelFacts, Symbol
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


def moved_bytes(now: KernelEstimate) -> float:
    """The useful bytes that a launch moves to and from global memory, as far as they are known."""
    return sum(u.bytes or 0.0 for u in now.units if u.lsu.space == "global")


def sent_bytes(facts: KernelFacts, launch: Launch, now: KernelEstimate) -> float:
    """What the host sends and fetches for a launch: of each array from the first to the last byte that is touched.

    Never more than the launch moves; all of that where an address is not known.
    """
    extent = Extent(facts, launch, {})
    moved: dict[str, float] = {}
    reach: dict[str, float] = {}
    for unit in now.units:
        if unit.lsu.space != "global":
            continue
        pointer = facts.accesses[unit.lsu.members[0]].pointer
        moved[pointer] = moved.get(pointer, 0.0) + (unit.bytes or 0.0)
        for member in unit.lsu.members:
            reach[pointer] = max(reach.get(pointer, 0.0), _reach_bytes(facts.accesses[member], facts, extent))
    return sum(min(size, reach[pointer]) for pointer, size in moved.items())


def _reach_bytes(access: Access, facts: KernelFacts, extent: Extent) -> float:
    """From the first to the last byte of an access; infinite where that is not known."""
    if access.offset is None:
        return inf
    reach = float(access.element_bytes)
    for names, step in access.offset.terms:
        symbols = [facts.symbols.get(name) for name in names]
        far = float(abs(step))
        for name, symbol in zip(names, symbols, strict=True):
            value = extent.launch.arguments.get(name)
            last = _last(symbol, extent) if symbol is not None and value is None else value
            if last is None:
                return inf
            far *= abs(float(last))
        reach += far
    return reach


def _last(symbol: Symbol, extent: Extent) -> float | None:
    """The largest value of an id or a counter that starts at 0 and goes up by 1, where it is known."""
    if symbol.kind == "loop" and symbol.loop is not None:
        trips = extent.trips.get(symbol.loop)
        return float(trips) - 1 if trips is not None else None
    if symbol.kind == "global_id" and extent.items is not None:
        return float(extent.items[symbol.dimension]) - 1
    return None


def time_in(
    form: Form, time_s: float | None, compute_s: float | None, sent: float, host_gb_s: float | None
) -> float | None:
    """The time of a launch in one of TYTRA's forms: A adds the way from the host, C leaves the board's memory out."""
    if form == "A":
        if host_gb_s is None:
            raise ValueError("form A sends the data from the host for each launch: give the speed of the link in GB/s")
        return time_s + sent / host_gb_s / 1e9 if time_s is not None else None
    return compute_s if form == "C" else time_s


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
    moved = moved_bytes(now)
    if work is None or now.time_s is None or now.compute_s is None or not moved:
        return None
    operations, unit = work
    sent = sent_bytes(facts, launch, now)
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
        link = host_gb_s * moved / sent
        bandwidth = 1 / (1 / bandwidth + 1 / link)
        roofs.append(Roof(kind="bandwidth", of="host_link", value=link))
    ceiling = cp_pe * max(copies_that_fit, 1.0)
    every = ((1, now), *replicas)
    times = [(n, time_in(form, one.time_s, one.compute_s, sent, host_gb_s)) for n, one in every]
    points = [Point(copies=n, intensity=intensity, performance=operations / time / 1e9) for n, time in times if time]
    best = max([intensity * bandwidth, *(p.performance for p in points)])
    return Roofline(
        unit=unit, form=form, operations=operations, bytes=moved, cp_pe=cp_pe, cp_pe_endless=endless,
        scaling=copies_that_fit, limited_by=scarcest if ceiling < best else "memory",
        attainable=min(ceiling, best), replication_limit=_limit(points, replicas, copies_that_fit),
        roofs=tuple(roofs), points=tuple(points),
    )  # fmt: skip


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
