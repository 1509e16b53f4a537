"""A kernel's cost on a board under a launch: the memory model run over its load/store units."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from burstline_model.answer import (
    Assumption,
    Bound,
    KernelEstimate,
    LoopEstimate,
    Potentials,
    UnitEstimate,
)
from burstline_model.board import Board
from burstline_model.compiler.lsu import Confidence, Lsu, guards_of
from burstline_model.compiler.rules.rule import beyond_rules
from burstline_model.compiler.target import Target
from burstline_model.compiler.unroll import effective_unroll
from burstline_model.extent import Extent
from burstline_model.facts import KernelFacts
from burstline_model.launch import Launch
from burstline_model.memory.estimate import estimate_memory
from burstline_model.memory.units import Kind, MemoryTime, MemoryUnit, Options, UnitTime, options_for
from burstline_model.observations import observe, within
from burstline_model.pipeline.blocks import Pipeline
from burstline_model.pipeline.interval import Interval
from burstline_model.pipeline.kernel import Schedule, block_estimates, loop_intervals, through_blocks, wall
from burstline_model.pipeline.potentials import advice_of, b_mem
from burstline_model.placement import Placement, place
from burstline_model.resources import ResourceUse, resources_of
from burstline_model.walk.walk import Walk, Walks

_KINDS: dict[str, Kind] = {
    "Burst-coalesced non-aligned": "non_aligned",
    "Burst-coalesced cached": "cached",
    "Burst-coalesced non-aligned cached": "cached",
    "Burst-coalesced write-ack": "write_ack",
    "Burst-coalesced write-ack non-aligned": "write_ack",
    "Prefetching": "prefetching",
    "Atomic-pipelined": "atomic",
}
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
    copies = effective_unroll(facts)
    extent = Extent(facts, launch, copies)
    placement = place(facts, board.memory, launch)
    options = options_for(launch.mode, board)
    f_max_hz = (launch.f_max_mhz or board.compiler.f_max_mhz) * 1e6
    external = [u for u in lsus if u.space == "global"]
    walks = walks_of(extent, external, board)
    sizes = [useful_bytes(extent, u, walk) for u, walk in zip(external, walks, strict=True)]
    in_step = _in_step(external, placement, sizes, board)
    probes = [
        memory_unit(facts, u, placement, _PROBE_BYTES, walk, in_step=in_step)
        for u, walk in zip(external, walks, strict=True)
    ]
    # Every time is proportional to the bytes: one probe gives each unit's cost per byte.
    costs = estimate_memory(probes, board.memory, f_max_hz, options).units

    def at_once(sizes: Sequence[float | None]) -> MemoryTime | None:
        return _kernel_time(probes, sizes, board, f_max_hz, options)

    whole = at_once(sizes)
    moving = whole.t_est_s if whole is not None else None
    built_for = target or board.target
    pace = loop_intervals(facts, built_for, copies, schedules)
    pipeline = through_blocks(facts, lsus, copies, built_for, pace, extent, board, f_max_hz, whole)
    total = _total(moving, pipeline, f_max_hz, launch)
    units = [
        _unit(facts, u, cost, size, total, extent, placement, walk)
        for u, cost, size, walk in zip(external, costs, sizes, walks, strict=True)
    ]
    units = observe(units, probes, board.memory, f_max_hz, options)
    if total is not None and moving is not None and pipeline.total is not None:
        waits = any((one.ii or 1) > 1 or one.serial for one in pace)
        units = within(units, moving, total, pipeline.total / f_max_hz if waits else 0.0)
    by_lsu = {id(u): e for u, e in zip(external, units, strict=True)}
    every = tuple(by_lsu.get(id(u)) or _on_chip(u) for u in lsus)
    items = extent.work_items if facts.model == "ndrange" else None
    moved = sum(u.bandwidth_bytes_s * u.time_s for u in units if u.bandwidth_bytes_s and u.time_s)
    used = {b for u in units for b in u.banks}
    peak = board.memory.bandwidth_bytes_s * max(len(used), 1)
    bound = _bound(units, external, extent, whole, f_max_hz)
    if total is not None and moving is not None:
        own_memory, single = launch.memory_part == "wang", facts.model != "ndrange"
        bound = wall(bound, pipeline, total, moving, own_memory=own_memory, single=single)
    each = _item_time(facts, external, extent, walks, at_once, {one.loop: (one.ii or 1) / f_max_hz for one in pace})
    if total is not None and items:
        each = total / items
    taken = resources or resources_of(facts, lsus, copies, built_for, board)
    potentials = Potentials(
        b_mem=b_mem(external), b_comp=taken.b_comp, b_balance=pipeline.b_balance, b_itpp=pipeline.b_itpp
    )
    return KernelEstimate(
        kernel=facts.name,
        time_s=total,
        time_item_s=each,
        bound=bound,
        bandwidth_bytes_s=moved / total if total else None,
        bandwidth_share=min(1.0, moved / total / peak) if total else None,
        f_max_hz=f_max_hz,
        moving_s=moving,
        compute_s=pipeline.compute / f_max_hz if pipeline.compute is not None else None,
        units=every,
        loops=tuple(_loop(one, extent, copies) for one in pace),
        blocks=block_estimates(pipeline, f_max_hz),
        potentials=potentials,
        advice=advice_of(potentials, bound),
        resources=taken,
        assumptions=_assumptions(facts, board, launch, extent),
        remarks=(*_remarks(facts, board, placement, costs, external, walks), *filter(None, [beyond_rules(built_for)])),
    )


def _total(moving: float | None, pipeline: Pipeline, f_max_hz: float, launch: Launch) -> float | None:
    """The memory's time, or that of the kernel's own pipeline where it is longer (not in the memory papers' mode)."""
    if moving is None or pipeline.total is None or launch.mode == "faithful":
        return moving
    own = pipeline.total / f_max_hz
    if launch.memory_part == "wang":
        return own
    return own if own > moving * (1 + 1e-6) else moving


def walks_of(extent: Extent, external: Sequence[Lsu], board: Board) -> list[Walk | None]:
    """How the address of each unit moves; None in the papers' mode, which knows δ alone."""
    if extent.launch.mode == "faithful":
        return [None] * len(external)
    walks = Walks(extent, board.memory.word_bytes)
    return [walks.of(u) for u in external]


def memory_unit(
    facts: KernelFacts,
    lsu: Lsu,
    placement: Placement,
    bytes_: float,
    walk: Walk | None,
    *,
    in_step: bool = False,
) -> MemoryUnit:
    """A load/store unit as the equations see it, with this much useful traffic.

    Its walk tells what is fetched for it; without one (the papers' mode) δ does.
    """
    access = facts.accesses[lsu.members[0]]
    kind = _KINDS.get(lsu.style, "aligned")
    stride = float(lsu.stride) if lsu.stride is not None else float("inf")
    if walk is not None:
        stride = max(walk.factor, 1.0)
        # A request that is full and starts at its width costs what that of an aligned unit does.
        full = lsu.useful_bytes * lsu.lanes * 8 >= lsu.width_bits * lsu.count
        kind = "aligned" if kind == "non_aligned" and walk.misaligned is False and full else kind
    return MemoryUnit(
        kind=kind,
        op=lsu.op,
        access=access.id,
        width_bytes=lsu.width_bits / 8,
        bytes=bytes_,
        access_bytes=max(
            access.element_bytes if kind in {"write_ack", "atomic"} or lsu.stride is None else lsu.useful_bytes, 1
        ),
        stride=stride,
        lanes=lsu.lanes,
        banks=placement.banks.get(access.pointer, (0,)),
        constant_operand=lsu.op == "atomic" and not access.operand_varies,
        count=lsu.count * facts.compute_units,
        compute_units=facts.compute_units,
        in_step=in_step and len(placement.banks.get(access.pointer, (0,))) > 1,
        misaligned=walk is not None and bool(walk.misaligned),
        apart=walk.apart if walk is not None else None,
    )


def _in_step(external: Sequence[Lsu], placement: Placement, sizes: Sequence[float | None], board: Board) -> bool:
    """Whether interleaved buffers start over one bank: each size is a multiple of what goes once over all banks."""
    span = (board.memory.interleave_bytes or 0) * board.memory.banks
    spread = any(len(banks) > 1 for banks in placement.banks.values())
    return bool(spread and span and external) and all(
        ends_at_span(unit, size, span) for unit, size in zip(external, sizes, strict=True)
    )


def ends_at_span(unit: Lsu, size: float | None, span: int) -> bool:
    """Whether the buffer of a unit ends where the interleaving starts over, every `span` bytes."""
    return size is not None and (size * max(unit.stride or 1, 1)) % span == 0


def useful_bytes(extent: Extent, unit: Lsu, walk: Walk | None) -> float | None:
    """What a unit moves in the whole launch, what is discarded left out; None while that is not known."""
    if walk is not None:
        return walk.used_bytes
    executions = extent.executions(unit)
    return float(executions * unit.useful_bytes) if executions is not None else None


def _kernel_time(
    probes: Sequence[MemoryUnit], sizes: Sequence[float | None], board: Board, f_max_hz: float, options: Options
) -> MemoryTime | None:
    known = [s for s in sizes if s is not None]
    if len(known) < len(sizes):
        return None
    real = [unit.model_copy(update={"bytes": size}) for unit, size in zip(probes, known, strict=True)]
    done = estimate_memory(real, board.memory, f_max_hz, options)
    return None if any(u.impossible for u in done.units) else done


def _unit(
    facts: KernelFacts, lsu: Lsu, cost: UnitTime, size: float | None, total: float | None, extent: Extent,
    placement: Placement, walk: Walk | None,
) -> UnitEstimate:  # fmt: skip
    item_bytes, per = _item_bytes(facts, lsu, extent, walk)
    access = facts.accesses[lsu.members[0]]
    possible = cost.impossible is None
    ideal, ovh = cost.t_ideal_s / _PROBE_BYTES, cost.t_ovh_s / _PROBE_BYTES
    time = (ideal + ovh) * size if size is not None and possible else None
    speed = 1 / (ideal + ovh) if possible and ideal + ovh else None
    moved = cost.transferred_bytes / _PROBE_BYTES
    conditional = guards_of(facts, lsu) or access.hint
    confidence = _weakest(lsu.confidence, "medium" if conditional else "high")
    return UnitEstimate(
        lsu=lsu,
        banks=placement.banks.get(access.pointer, (0,)),
        bytes=size,
        t_ideal_s=ideal * size if size is not None and possible else None,
        t_ovh_s=ovh * size if size is not None and possible else None,
        time_s=time,
        per=per if size is None else "launch",
        t_ideal_item_s=ideal * item_bytes if possible else None,
        t_ovh_item_s=ovh * item_bytes if possible else None,
        time_item_s=(ideal + ovh) * item_bytes if possible else None,
        share=time / total if time is not None and total else None,
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


def _item_time(
    facts: KernelFacts,
    external: Sequence[Lsu],
    extent: Extent,
    walks: Sequence[Walk | None],
    at_once: Callable[[Sequence[float]], MemoryTime | None],
    interval_s: Mapping[int, float],
) -> float | None:
    """Time per work-item; per iteration in a single work-item kernel whose accesses share their loops.

    An iteration takes no less than the initiation interval of its loop, when that is rolled.
    """
    moved = [_item_bytes(facts, u, extent, walk) for u, walk in zip(external, walks, strict=True)]
    if facts.model == "ndrange":
        if any(per == "iteration" for _, per in moved):
            return None
    elif len({facts.accesses[u.members[0]].loops for u in external}) > 1:
        return None
    one = at_once([size for size, _ in moved])
    if one is None or facts.model == "ndrange" or not external:
        return one.t_est_s if one is not None else None
    loops = facts.accesses[external[0].members[0]].loops
    waits = interval_s.get(loops[-1], 0.0) if loops and facts.loops[loops[-1]].unroll is None else 0.0
    return max(one.t_est_s, waits)


def _bound(
    units: Sequence[UnitEstimate], external: Sequence[Lsu], extent: Extent, whole: MemoryTime | None, f_max_hz: float
) -> Bound:
    """What stands in front: the banks, or the requests that the kernel's clock can issue (M21 Eq. 7)."""
    if whole is None:
        saturated = {u.saturated for u in units}
        return "memory" if saturated == {True} else "unknown"
    cycles = [extent.executions(u) for u in external]
    issue = max((float(c) / u.lanes for c, u in zip(cycles, external, strict=True) if c is not None), default=0.0)
    banks = max(whole.bank_s.values(), default=0.0)
    return "memory" if banks >= whole.t_est_s * (1 - 1e-9) and banks >= issue / f_max_hz else "kernel"


def _loop(one: Interval, extent: Extent, copies: Mapping[int, int]) -> LoopEstimate:
    trips = extent.trips[one.loop]
    return LoopEstimate(
        loop=one.loop,
        trip=float(trips) if trips is not None else None,
        ii=one.ii,
        unroll=copies.get(one.loop, 1),
        pipelined=one.pipelined,
        serialised_by=one.serialised_by,
        serial=one.serial,
        store=one.dependence.store if one.dependence is not None else None,
        load=one.dependence.load if one.dependence is not None else None,
        proven=one.dependence.proven if one.dependence is not None else None,
    )


def _assumptions(facts: KernelFacts, board: Board, launch: Launch, extent: Extent) -> tuple[Assumption, ...]:
    found = []
    if facts.model == "ndrange":
        items = extent.work_items
        if items is not None:
            found.append(Assumption(name="N", value=f"{items:,}".replace(",", " "), provenance="launch"))
        else:
            found.append(Assumption(name="N", value="not known", provenance="default"))
    found += [Assumption(name=n, value=str(v), provenance="launch") for n, v in sorted(launch.arguments.items())]
    told = Extent(facts, launch.model_copy(update={"assumed_trips": None}), {}).trips
    if launch.assumed_trips is not None and None in told.values():
        found.append(Assumption(name="trips not known", value=str(launch.assumed_trips), provenance="launch"))
    f_max = launch.f_max_mhz
    found.append(
        Assumption(
            name="f_max",
            value=f"{f_max or board.compiler.f_max_mhz:g} MHz",
            provenance="report" if launch.f_max_reported else "launch" if f_max else "board",
        )
    )
    found.append(Assumption(name="memory", value=board.memory.type, provenance="board"))
    if facts.simd > 1:
        found.append(Assumption(name="SIMD", value=str(facts.simd), provenance="code"))
    found.append(Assumption(name="mode", value=launch.mode, provenance="launch"))
    return tuple(found)


def _remarks(
    facts: KernelFacts, board: Board, placement: Placement, costs: Sequence[UnitTime], external: Sequence[Lsu],
    walks: Sequence[Walk | None],
) -> tuple[str, ...]:  # fmt: skip
    found = []
    if placement.unplaced:
        names = ", ".join(placement.unplaced)
        found.append(f"{names}: no channel of {board.memory.type} is named, so all are counted in channel 0")
    for cost, unit in zip(costs, external, strict=True):
        if cost.impossible:
            found.append(f"{facts.accesses[unit.members[0]].pointer}: {cost.impossible}")
    data = [walk.data for walk in walks if walk is not None and walk.data]
    if data:
        shown = ", ".join(dict.fromkeys(data))
        found.append(f"data decide {shown}: what stands under it is counted as if it always held, at most")
    return tuple(dict.fromkeys(found))
