"""What an estimate assumes, and what the user has to know of a kernel to read its figures."""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.boards.board import Board
from burstline_model.devices.use import RESOURCES, WORDS
from burstline_model.estimate.answer import Assumption
from burstline_model.facts import Access, KernelFacts
from burstline_model.launch import Launch
from burstline_model.lsu import Lsu
from burstline_model.memory.placement import Placement
from burstline_model.memory.units import UnitTime
from burstline_model.parallelism.extent import Extent
from burstline_model.resources import ResourceUse
from burstline_model.resources.clock_source import Clock
from burstline_model.walk.order import DEFAULT_GROUP
from burstline_model.walk.walk import Walk

WORK_ITEMS = "work-items"
SURELY = 1.5
"""From this share of a device on, the error of the estimate leaves no doubt that a kernel does not fit."""
CONSTANT_CACHE_BYTES = 1 << 14
"""The cache that all __constant arguments of a kernel share, unless ``-const-cache-bytes`` says otherwise."""


def too_large(taken: ResourceUse) -> list[str]:
    """What to say of a kernel that the device cannot hold, by the estimate of its resources."""
    name = max(RESOURCES, key=lambda n: taken.utilisation[n])
    share = taken.utilisation[name]
    if share <= 1 or taken.reported:
        return []
    may = "does not fit" if share > SURELY else "may not fit"
    return [f"it {may} this device: {share:.0%} of the {WORDS[name]}, by the estimate of its resources"]


def launch_s(facts: KernelFacts, board: Board, launch: Launch) -> float:
    """What a host's timer adds to the kernel's time; nothing in the papers' mode, or where nobody launches it."""
    return 0.0 if facts.model == "autorun" or launch.mode == "faithful" else board.host.launch_us * 1e-6


TOO_SHORT = "its launch takes over 100 times longer: no change of the kernel shows on a host's timer"


def assumptions_of(
    facts: KernelFacts, board: Board, launch: Launch, extent: Extent, clock: Clock
) -> tuple[Assumption, ...]:
    """The sizes, arguments, clock and memory that the figures rest on, each with where it comes from."""
    found = []
    if facts.model == "ndrange":
        items = extent.work_items
        if items is not None:
            shape = [size for size in launch.global_size or () if size > 1]
            value = " × ".join(map(str, shape)) if len(shape) > 1 else f"{items:,}".replace(",", " ")
            found.append(Assumption(name=WORK_ITEMS, value=value, provenance=launch.provenance("global_size")))
    found += [
        Assumption(name=name, value=str(value), provenance=launch.provenance(f"arguments.{name}"))
        for name, value in sorted(launch.arguments.items())
    ]
    given = Extent(facts, launch.model_copy(update={"assumed_trips": None}), {}).trips
    if launch.assumed_trips is not None and None in given.values():
        found.append(
            Assumption(
                name="trips not known", value=str(launch.assumed_trips), provenance=launch.provenance("assumed_trips")
            )
        )
    spread = f", {clock.low_hz / 1e6:.0f}–{clock.high_hz / 1e6:.0f}" if clock.low_hz != clock.high_hz else ""
    mhz = f"{clock.hz / 1e6:.0f}" if spread else f"{clock.hz / 1e6:g}"
    found.append(Assumption(name="f_max", value=f"{mhz} MHz{spread}", provenance=clock.provenance))
    found.append(Assumption(name="memory", value=board.memory.type, provenance="board"))
    if facts.simd > 1:
        found.append(Assumption(name="SIMD", value=str(facts.simd), provenance="code"))
    found.append(Assumption(name="mode", value=launch.mode, provenance=launch.given_by.get("mode", "default")))
    if seconds := launch_s(facts, board, launch):
        more = f"{seconds * 1e6:.0f} µs more on a host's timer"
        found.append(Assumption(name="launch overhead", value=more, provenance="board"))
    return tuple(found)


def remarks_of(
    facts: KernelFacts, board: Board, placement: Placement, costs: Sequence[UnitTime], external: Sequence[Lsu],
    walks: Sequence[Walk | None],
) -> tuple[str, ...]:  # fmt: skip
    """Buffers without a channel, units that no figure holds for, and guards that the data decide."""
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
        found.append(f"data decide {shown}: what runs under it is counted as if it always held, at most")
    return tuple(dict.fromkeys(found))


def of_usual_groups(facts: KernelFacts, extent: Extent) -> list[str]:
    """That conditions on a work-item's place in its group are counted in groups whose size nobody gives."""
    if facts.model != "ndrange" or extent.local_size is not None:
        return []
    guards = [*(g for a in facts.accesses for g in a.guards), *(g for loop in facts.loops for g in loop.guards)]
    names = {n for g in guards if g.condition is not None for n in g.condition.symbols}
    sources = {m for n in names if (s := facts.symbols.get(n)) is not None for m in (n, *s.depends_on)}
    if not any((s := facts.symbols.get(n)) is not None and s.kind == "local_id" for n in sources):
        return []
    return [f"work-groups are taken to have {DEFAULT_GROUP} work-items: give --local-size, or reqd_work_group_size"]


def beyond_constant_cache(facts: KernelFacts, extent: Extent) -> list[str]:
    """__constant arguments of which more is read than the cache of all of them holds: each miss stalls the kernel."""
    read: dict[str, float] = {}
    for access in facts.accesses:
        if access.space == "constant" and facts.argument(access.pointer) is not None:
            read[access.pointer] = max(read.get(access.pointer, 0.0), _reach_bytes(access, facts, extent))
    if sum(read.values()) <= CONSTANT_CACHE_BYTES:
        return []
    name = max(read, key=lambda n: read[n])
    return [
        f"{name}: {read[name] / 1e3:,.0f} kB of it are read through the constant cache, which has 16 kB unless "
        f"-const-cache-bytes says more: what misses cost is not counted"
    ]


def _reach_bytes(access: Access, facts: KernelFacts, extent: Extent) -> float:
    """From the first to the last byte that an access reads, as far as they follow from sizes and constant steps."""
    reach = float(access.element_bytes)
    for names, step in access.offset.terms if access.offset is not None else ():
        symbol = facts.symbols.get(names[0]) if len(names) == 1 else None
        count: float | None = None
        if symbol is not None and symbol.kind == "loop" and symbol.loop is not None:
            trips = extent.trips.get(symbol.loop)
            count = float(trips) if trips is not None else None
        elif symbol is not None and symbol.kind == "global_id" and extent.items is not None:
            count = extent.items[symbol.dimension]
        reach += abs(step) * max((count or 1.0) - 1, 0.0)
    return reach


def ended_by_data(facts: KernelFacts, launch: Launch) -> list[str]:
    """What is counted of loops that data end, where only a bound is known."""
    return [
        f"data end the loop over {loop.variable or 'its counter'}: {loop.most} iterations are counted, which is the "
        f"most that a row of {loop.most_from} holds"
        for loop in facts.loops
        if loop.most is not None and loop.id not in launch.trips
    ]
