"""WANG's framework: the hierarchy of a kernel's basic blocks, its cycles (Eqs. 6 to 19) and potentials (20 to 24).

A block is what is in the same loops of the hardware; unrolled loops have none. NDRange kernels follow the paper:
each block is a pipeline that work-items flow through. In a single work-item kernel iterations take their place: a loop
starts one every initiation interval, or after the end of the one before where it is serial.

Readings where the print is silent or fails its own examples are in the functions they concern.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import field
from math import ceil, prod

from burstline_model.body_operations import Operations
from burstline_model.facts import Access, KernelFacts
from burstline_model.lsu import Lsu
from burstline_model.parallelism.loop_copies import fully_unrolled, still_loops
from burstline_model.pipeline.at_run import as_run, ii_at_run
from burstline_model.pipeline.barriers import FEW, IN_PASS, Barriers, groups_together
from burstline_model.pipeline.block import Block, Part
from burstline_model.pipeline.hierarchy import Hierarchy, in_all
from burstline_model.pipeline.interval import Interval
from burstline_model.pipeline.latencies import OperationTable
from burstline_model.pipeline.local_ports import cycles_at_ports
from burstline_model.pipeline.paths import as_counted, path_cycles, recurrence_cycles, way_through
from burstline_model.record import fixed

DISPATCH_CYCLES = 2.0
"""Cycles from the first work-item of a group to that of the next, however few there are in it.

Nobody has published a figure; it matters for groups of a few work-items alone.
"""
TRANSACTION_BYTES = 64
"""#Mem_trans_width."""


@fixed
class Pipeline:
    """A kernel's cycles, block by block. `total` is C_S (Eqs. 7 to 9), None when trips are not known.

    `parts` add up to `total`: blocks that a slower one hides are left out.
    """

    blocks: tuple[Block, ...]
    total: float | None
    compute: float | None
    """The same without waiting for memory."""
    b_balance: float | None
    b_itpp: float | None
    slowest: Block | None
    depth: float
    """Work-items or iterations that fill all blocks."""
    parts: tuple[Part, ...] = ()


@fixed
class Setting:
    """What Eqs. 6 to 19 need of launch and board: `work_items` after SIMD (None: not known), memory banks, latency.

    `compute_units`: how many of them work, on average. `round_trip`: cycles until the memory has answered a dependence
    that goes through it. `groups`: how many work-groups are dispatched (0: not known). `one_group`: no loop takes up
    a work-group before it is done with the one before.
    """

    work_items: float | None
    groups: float
    compute_units: float
    banks: int
    dram_latency: float
    round_trip: float
    f_max_hz: float
    trips: Mapping[int, float | None]
    entered: Mapping[int, float] = field(default_factory=dict)
    """The share of visits of what is around a loop that reach it, where that is less than 1."""
    one_group: bool = False
    parted: frozenset[int] = frozenset()
    """The loops that some work-items of a group reach and others do not."""
    memory_s: Mapping[int, float | None] = field(default_factory=dict)
    """Time of each unit by its place among `lsus`, by the memory model; empty for WANG's own memory part."""
    more_lanes: int = 1
    """How many times as many work-items in a cycle as the text asks for: together they come to the same ports."""


def blocks_of(
    facts: KernelFacts,
    lsus: Sequence[Lsu],
    copies: Mapping[int, int],
    table: OperationTable,
    *,
    relaxed: bool = False,
) -> dict[tuple[int, ...], Block]:
    """The blocks of a kernel with their static figures (Eqs. 1 to 5, #Cycle); `relaxed`: sums may be reordered."""
    found: dict[tuple[int, ...], Block] = {(): Block((), None)}

    def block(loops: Sequence[int]) -> Block:
        key = still_loops(facts, loops, copies)
        if key not in found:
            found[key] = Block(key, key[-1] if key else None)
        return found[key]

    for loop in facts.loops:
        own = block((*facts.loops_around(loop.id), loop.id))
        own.unrolled = own.unrolled or (fully_unrolled(loop, copies) and copies.get(loop.id, 1) > 1)
    by_block: dict[tuple[int, ...], list[Operations]] = defaultdict(list)
    for operation in facts.operations:
        by_block[block(operation.loops).loops].append(operation)
    paths: dict[tuple[int, ...], float] = defaultdict(float)
    for access in facts.accesses:
        own = block(access.loops)
        paths[own.loops] = max(paths[own.loops], path_cycles(facts, access, table, copies, relaxed=relaxed))
    turns: dict[tuple[int, ...], float] = defaultdict(float)
    in_turn: dict[tuple[int, ...], Counter[str]] = defaultdict(Counter)
    for loop in facts.loops:
        own = block((*facts.loops_around(loop.id), loop.id))
        turns[own.loops] = max(turns[own.loops], recurrence_cycles(loop, table, copies, relaxed=relaxed))
        for one in loop.recurrences:
            in_turn[own.loops].update(as_counted(one.steps))
    for key, own in found.items():
        every: Counter[str] = Counter()
        for operation in by_block[key]:
            every[operation.operation] += operation.count
        own.cycle = 1 + way_through(paths[key], turns[key], every, in_turn[key], table)
    for key, cycles in cycles_at_ports(facts, copies, table.ports).items():
        block(key).stores = cycles
    transactions: dict[tuple[int, ...], float] = defaultdict(float)
    waits: dict[tuple[tuple[int, ...], int], int] = defaultdict(int)
    barriers = Barriers(facts)
    for lsu in lsus:
        if lsu.space != "global":
            continue
        own = block(facts.accesses[lsu.members[0]].loops)
        number, burst = transactions_of(lsu)
        own.mem_insts += number
        own.mem_bytes += lsu.lanes * lsu.useful_bytes
        transactions[own.loops] += number * burst
        if lsu.op == "load":
            first = facts.accesses[lsu.members[0]]
            place = own.loops, barriers.phase_of(first)
            waits[place] = max(waits[place], load_depth(facts, first))
    for (key, _), loads in waits.items():
        found[key].loads += loads
    for key, own in found.items():
        if own.mem_insts:
            own.mem_bytes /= own.mem_insts
            own.mem_burst = transactions[key] / own.mem_insts
    return found


def load_depth(facts: KernelFacts, access: Access) -> int:
    """How many loads of global memory wait for each other until this one has its value."""
    depth, seen = 1, {access.id}
    while access.offset is not None:
        before = [
            facts.accesses[s.loaded_from]
            for n in access.offset.symbols
            if (s := facts.symbols.get(n)) is not None and s.loaded_from is not None and s.loaded_from not in seen
        ]
        inner = next((a for a in before if a.space == "global" and a.loops == access.loops), None)
        if inner is None:
            return depth
        access, depth = inner, depth + 1
        seen.add(access.id)
    return depth


def transactions_of(lsu: Lsu) -> tuple[float, float]:
    """ls_num and the burst length of a unit (Eqs. 2 and 4), in whole transactions; equal units count one by one."""
    lanes, size = max(lsu.lanes // lsu.count, 1), lsu.useful_bytes
    together = lsu.stride is not None or lsu.width_bits >= 8 * size * lanes
    if not together or (lsu.count > 1 and lsu.stride != 1):
        return lsu.lanes, 1.0
    number = lsu.count * (1 + size * (lanes - 1) // TRANSACTION_BYTES)
    burst = max(1.0, TRANSACTION_BYTES / (size * lsu.lanes)) if lsu.stride == 1 else 1.0
    return number, burst


class Blocks:
    """The blocks of a kernel, put together once for each number of copies of its loops.

    `relaxed`: sums may be reordered.
    """

    def __init__(
        self, facts: KernelFacts, lsus: Sequence[Lsu], table: OperationTable, *, relaxed: bool = False
    ) -> None:
        self.facts, self.lsus, self.table, self.relaxed = facts, lsus, table, relaxed
        self.barriers = Barriers(facts)
        self._known: dict[tuple[tuple[int, int], ...], dict[tuple[int, ...], Block]] = {}

    def for_facts(self, facts: KernelFacts) -> Blocks:
        """The same of a kernel that differs in nothing that blocks are made of."""
        other = copy(self)
        other.facts = facts
        return other

    def of(self, copies: Mapping[int, int]) -> dict[tuple[int, ...], Block]:
        """The blocks with their static figures, to be filled with those of a launch."""
        key = tuple(sorted(copies.items()))
        if key not in self._known:
            self._known[key] = blocks_of(self.facts, self.lsus, copies, self.table, relaxed=self.relaxed)
        return {loops: block.copy() for loops, block in self._known[key].items()}


def run(blocks: Blocks, copies: Mapping[int, int], intervals: Sequence[Interval], setting: Setting) -> Pipeline:
    """The kernel's cycles, and its balance and parallelism."""
    facts, lsus = blocks.facts, blocks.lsus
    found = blocks.of(copies)
    serial = {one.loop for one in intervals if one.serial} if facts.model != "ndrange" else set[int]()
    known = _set_trips(facts, found, copies, serial, setting)
    depth = sum(b.cycle for b in found.values())
    if not known or setting.work_items is None:
        return Pipeline(tuple(found.values()), None, None, None, None, None, depth)
    _set_memory(facts, lsus, found, copies, setting)
    _set_cycles(found, setting, single=facts.model != "ndrange", intervals=intervals)
    barriers = blocks.barriers
    _set_passes(found, setting, barriers)
    _set_few(found, setting, barriers)
    every = list(found.values())
    order = sorted((b for b in every if b.cycles > 0), key=lambda b: -b.cycles)
    balance = (order[0].cycles - order[1].cycles) / order[0].cycles if len(order) > 1 else None
    itpp = None
    if facts.model == "ndrange" and order:
        shares = [max(b.cycles - b.comp_min, b.cycles - b.mem_min) for b in order if b.cycles == b.comp != b.comp_min]
        shares += [b.cycles - b.mem_min for b in order if b.cycles == b.mem != b.mem_min]
        itpp = max((s / order[0].cycles for s in shares), default=0.0)
    waits = {one.loop: setting.round_trip if waits_for_memory(one) else 0.0 for one in intervals}
    groups = setting.groups / setting.compute_units
    stops = barriers.stops(copies, setting.trips, setting.entered), setting.work_items / setting.compute_units
    hierarchy = Hierarchy(
        found, intervals, waits, barriers, groups, facts.model != "ndrange", *stops, setting.round_trip
    )
    parts = tuple(p for p in hierarchy.whole(memory=True) if p.cycles > 0)
    total, compute = in_all(parts), in_all(hierarchy.whole(memory=False))
    return Pipeline(tuple(every), total, compute, balance, itpp, order[0] if order else None, depth, parts)


def _set_trips(
    facts: KernelFacts,
    found: Mapping[tuple[int, ...], Block],
    copies: Mapping[int, int],
    serial: Collection[int],
    setting: Setting,
) -> bool:
    for key, block in found.items():
        block.in_turn = float(_loops_in_turn(facts, key, copies, serial))
        block.trips, block.entered = 1.0, prod(setting.entered.get(i, 1.0) for i in key)
        for i in key:
            trips = setting.trips.get(i)
            if trips is None:
                return False
            of_copies = _rounds(trips, copies.get(i, 1))
            block.trips *= of_copies
            if i in serial and i != key[-1] and of_copies:
                # Copies of the loops in it work at the same time only where iterations of this one overlap.
                block.in_turn *= trips / of_copies
        block.trips *= block.entered
    return True


def _rounds(trips: float, copies: int) -> float:
    """Passes of so many copies of a loop's body: the last one may lack some. Trips that are no number are a mean."""
    return float(ceil(trips / copies)) if trips == int(trips) else max(trips / copies, min(trips, 1.0))


def _loops_in_turn(
    facts: KernelFacts, key: Sequence[int], copies: Mapping[int, int], serial: Collection[int]
) -> int:  # fmt: skip
    """How many copies of a loop run one after the other, as loops that are written out do.

    Those that a dissolved loop leaves where no loop around starts an iteration before the one before is through: there
    is only one work-item, and what follows a loop waits for its end.
    """
    if not key or facts.model == "ndrange":
        return 1
    number, overlapping = 1, False
    for i in (*facts.loops_around(key[-1]), key[-1]):
        if not fully_unrolled(facts.loops[i], copies):
            overlapping = i not in serial
        elif not overlapping:
            number *= copies.get(i, 1)
    return number


def _set_memory(
    facts: KernelFacts,
    lsus: Sequence[Lsu],
    found: Mapping[tuple[int, ...], Block],
    copies: Mapping[int, int],
    setting: Setting,
) -> None:
    """Each block's memory cycles over all iterations, by the memory model, where it gives times."""
    if not setting.memory_s:
        return
    for block in found.values():
        block.memory_cycles = 0.0
    for index, lsu in enumerate(lsus):
        if lsu.space == "global":
            block = found[still_loops(facts, facts.accesses[lsu.members[0]].loops, copies)]
            time = setting.memory_s.get(index)
            if time is not None and block.memory_cycles is not None:
                block.memory_cycles += time * setting.f_max_hz


def _set_cycles(
    found: Mapping[tuple[int, ...], Block], setting: Setting, *, single: bool, intervals: Sequence[Interval]
) -> None:
    """Comp and Mem of each block over all its iterations (Eqs. 11 to 19, 24)."""
    items = setting.work_items or 1.0
    at_run = {i.loop: ii_at_run(as_run(i, intervals), setting.round_trip) for i in intervals}
    comp_total = {k: b.cycle * b.trips * b.in_turn for k, b in found.items()}
    mem_total = {k: b.mem_insts / b.mem_burst * b.trips if b.mem_insts else 0.0 for k, b in found.items()}
    cycles_total = sum(comp_total.values()) + sum(mem_total.values())
    memory = sum(mem_total.values())
    waiting = items * memory / cycles_total if cycles_total else 0.0
    # Eq. 16: with few work-items in flight the memory's latency is not hidden. Iterations are never few.
    peak = float(setting.banks)
    reached = peak if single else min(peak, waiting / setting.dram_latency)
    for key, block in found.items():
        if not block.trips:
            continue  # a loop that never runs is free
        at_ports = block.stores * setting.more_lanes if block.stores > 1 else 1.0
        interval = max(at_run.get(key[-1], 1.0) if key and single else 1.0, at_ports)
        entries = items * block.trips * block.in_turn * interval
        if not key and not single:
            entries = max(entries, setting.groups * DISPATCH_CYCLES)
        block.comp_min = entries / setting.compute_units + block.cycle - 1
        block.comp = block.comp_min
        if not single and cycles_total:
            here = items * comp_total[key] / cycles_total
            block.comp = max(block.comp_min, block.comp_min * setting.compute_units * block.cycle / max(here, 1e-9))
        if not single and key and setting.one_group:
            alone = sum(_through(b, setting) for k, b in found.items() if k[:1] == key[:1])
            block.comp = max(block.comp, setting.groups / setting.compute_units * alone)
        if not block.mem_insts:
            continue
        share = mem_total[key] / memory if memory else 1.0
        transactions = block.mem_insts * items * block.trips / block.mem_burst / max(share, 1e-9)
        block.mem_min = transactions / peak if block.memory_cycles is None else block.memory_cycles
        if block.memory_cycles is not None:
            block.mem = max(block.mem_min, 0.0 if single else _through(block, setting))
        else:
            block.mem = block.mem_min if reached >= peak else max(block.mem_min, transactions / max(reached, 1e-9))


def _through(block: Block, setting: Setting) -> float:
    """What one work-item alone needs for all its iterations of a block.

    Loads of one iteration overlap, those whose addresses are loaded wait for each other.
    """
    return block.trips_alone * (block.cycle + block.loads * setting.dram_latency)


def _set_passes(found: Mapping[tuple[int, ...], Block], setting: Setting, barriers: Barriers) -> None:
    """What the blocks in loops with a barrier take at least.

    For a group, each pass of the loop with the barrier ends when its pipeline is empty; another group may fill it.
    """
    if not (barriers.loops and setting.groups):
        return
    group, groups = (setting.work_items or 0.0) / setting.groups, setting.groups / setting.compute_units
    for key, block in found.items():
        depth = barriers.innermost(key)
        if depth and block.trips:
            # In a loop within a pass, a work-item begins an iteration at the end of its last one.
            here = group * block.entered
            each = max(here, block.cycle) if depth < len(key) else here
            alone = block.trips_alone * each + found[key[:depth]].trips * (block.cycle - 1)
            own = groups * max(block.trips * group, alone / min(max(groups, 1.0), IN_PASS))
            block.comp_min, block.comp = max(block.comp_min, own), max(block.comp, own)


def _set_few(found: Mapping[tuple[int, ...], Block], setting: Setting, barriers: Barriers) -> None:
    """What loops take at least that most work-items of each group leave out, while a barrier waits for the others.

    Those of the few groups on their way to it are alone in the loop: each begins an iteration at the end of the last.
    """
    if not (barriers.any and setting.groups):
        return
    groups, group = setting.groups / setting.compute_units, (setting.work_items or 0.0) / setting.groups
    together = groups_together(groups, group)
    for key, block in found.items():
        if not setting.parted.isdisjoint(key) and block.trips and block.entered <= FEW and not barriers.innermost(key):
            come = min(groups, groups * group * block.entered)
            block.comp = max(block.comp, come * _through(block, setting) / min(together, come))


def waits_for_memory(one: Interval) -> bool:
    """Whether an iteration waits for global memory: for what the one before stores, or for the end of its loads."""
    through = one.dependence is not None and one.dependence.space == "global"
    return one.serial and (through or one.drains_loads)
