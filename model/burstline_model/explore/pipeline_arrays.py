"""Cycles of all variants: `burstline_model.pipeline` over arrays. A loop is a block as long as some of it is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import reduce

import numpy as np

from burstline_model.boards.board import Board
from burstline_model.explore.grid import Array, Axis, Grid, Point, Window, greatest, seen, total
from burstline_model.explore.loop_arrays import Loops, Node, known
from burstline_model.explore.memory_arrays import Moved
from burstline_model.explore.path_arrays import Ways, ways_of
from burstline_model.explore.unit_arrays import Units
from burstline_model.parallelism.extent import Extent
from burstline_model.parallelism.knobs import LocalSize
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_model.pipeline.at_run import as_run
from burstline_model.pipeline.barriers import FEW, IN_PASS, ITEMS_TOGETHER, Barriers, one_group_at_a_time
from burstline_model.pipeline.blocks import DISPATCH_CYCLES, load_depth, waits_for_memory
from burstline_model.pipeline.decided_by import decided_by
from burstline_model.pipeline.dependence import dependences
from burstline_model.pipeline.first_data import round_trips
from burstline_model.pipeline.interval import Interval, intervals, with_trips
from burstline_model.pipeline.latencies import OperationTable, operation_table
from burstline_model.pipeline.local_ports import cycles_at_ports
from burstline_model.target import Target
from burstline_model.walk.issue_order import groups_of


@dataclass(frozen=True)
class IntervalArrays:
    """A loop's `Interval` in all variants: `share` of a round trip to memory lies in each interval."""

    interval: Array
    """Of those runs that interleave, all together."""
    scheduled: Array
    share: Array
    serial: Array
    waits: Array


FIGURES = fields(IntervalArrays)


@dataclass(frozen=True)
class Pipelines:
    """WANG's framework over the blocks of a kernel, under all its variants."""

    grid: Grid
    loops: Loops
    units: Sequence[Units]
    ways: Mapping[Node, Ways]
    """What may be in each block."""
    stores: Mapping[Node, Array]
    """Cycles in which what an iteration stores on the chip comes through the ports there."""
    intervals: Mapping[int, IntervalArrays]
    """How each loop of a single work-item kernel is pipelined."""
    work_items: float
    groups: Array
    one_group: Array
    """Whether loops take up one work-group after the other."""
    banks: int
    dram_latency: float
    latency_s: float
    """Until the memory has answered a dependence that goes through it."""
    first_s: float
    """Until the first data have come, and the last are stored."""

    def cycles(self, window: Window, clock_hz: Array, moved: Moved | None) -> Array:
        """Cycles over a part of the grid; nan where trips or work-items are not known. None: WANG's own memory."""
        return _Blocks(self, window, clock_hz, moved).total()


def pipelines(
    grid: Grid,
    target: Target,
    board: Board,
    loops: Loops,
    units: Sequence[Units],
    extents: Mapping[LocalSize | None, Extent],
) -> Pipelines:
    """The tables of the framework, by the scalar line."""
    extent = next(iter(extents.values()))
    facts, table = grid.facts, operation_table(target.family, target.aoc_version)
    return Pipelines(
        grid=grid,
        loops=loops,
        units=units,
        ways=ways_of(grid, loops, table, relaxed=target.relaxed),
        stores=_stores(grid, loops, table),
        intervals=_interval_arrays(grid, target, loops, extent) if facts.model != "ndrange" else {},
        work_items=known(extent.work_items),
        groups=grid.table(["local_size"], lambda p: [groups_of(extents[p["local_size"]])])[0],
        one_group=_one_group(grid, loops),
        banks=max(board.memory.banks, 1),
        dram_latency=float(table.dram),
        latency_s=board.memory.latency_ns * 1e-9,
        first_s=round_trips(facts, extent.trips) * board.memory.latency_ns * 1e-9,
    )


def _one_group(grid: Grid, loops: Loops) -> Array:
    if not grid.facts.barriers or grid.facts.model != "ndrange":
        return np.zeros(1, dtype=bool)
    axes = loops.around([loop.id for loop in grid.facts.loops])
    found: Array = grid.table(axes, lambda p: [one_group_at_a_time(p.facts, effective_unroll(p.facts))])[0] > 0
    return found


def _stores(grid: Grid, loops: Loops, table: OperationTable) -> dict[Node, Array]:
    local = [a for a in grid.facts.accesses if a.space == "local" and a.op == "store"]
    local += [a for a in grid.facts.private_accesses if a.op == "store"]
    if not local:
        return {}
    nodes: list[Node] = list(dict.fromkeys(node for a in local for node, _ in loops.landing(a.loops)))

    def figures(point: Point) -> list[float]:
        found = cycles_at_ports(point.facts, effective_unroll(point.facts), table.ports)
        cycles = {key[-1] if key else None: own for key, own in found.items()}
        return [cycles.get(node, 1.0) for node in nodes]

    axes = {"simd", *loops.around([i for a in local for i in a.loops])}
    return dict(zip(nodes, grid.table(axes, figures), strict=True))


def _interval_arrays(grid: Grid, target: Target, loops: Loops, extent: Extent) -> dict[int, IntervalArrays]:
    """Initiation intervals; dependences through memory do not hang on copies and are found once."""
    facts = grid.facts
    carried = {loop.id: dependences(facts, loop) for loop in facts.loops}
    together: dict[frozenset[Axis], list[int]] = {}
    for loop in facts.loops:
        axes = frozenset(loops.around(decided_by(facts, loop, carried[loop.id])))
        together.setdefault(axes, []).append(loop.id)
    found = {}
    for axes, numbers in together.items():

        def figures(point: Point, numbers: Sequence[int] = numbers) -> list[float]:
            varied = point.facts
            copies = effective_unroll(varied)
            each = with_trips(varied, intervals(varied, target, copies, carried), copies, extent.trips)
            return [float(figure) for i in numbers for figure in _figures(as_run(each[i], each))]

        table = grid.table(axes, figures)
        found.update(
            {i: IntervalArrays(*table[len(FIGURES) * n : len(FIGURES) * (n + 1)]) for n, i in enumerate(numbers)}
        )
    return found


def _figures(one: Interval) -> tuple[float, ...]:
    interval, share = max(1.0, (one.ii or 1) / one.interleaved), one.visits if one.scheduled else 0.0
    return interval, one.scheduled, share, one.serial, waits_for_memory(one)


class _Blocks:
    """The blocks of a window."""

    def __init__(self, all_: Pipelines, window: Window, clock_hz: Array, moved: Moved | None) -> None:
        self.all = all_
        self.window = window
        self.clock_hz = clock_hz
        facts = all_.grid.facts
        self.single = facts.model != "ndrange"
        self.barriers = Barriers(facts)
        self.nodes: list[Node] = [None, *(loop.id for loop in facts.loops)]
        self.items = all_.work_items / seen(all_.grid.along("simd"), window)
        units, groups = seen(all_.grid.units_at_work(), window), seen(all_.groups, window)
        with np.errstate(invalid="ignore"):  # no groups: not known
            self.copies = np.where(groups > 0, groups / np.ceil(np.maximum(groups, 1e-9) / units), units)
        self.left = {i: seen(mask, window) for i, mask in all_.loops.left.items()}
        self.trips: dict[Node, Array] = {None: np.ones(1)}
        self.share: dict[Node, Array] = {None: np.ones(1)}
        self.copies_in_turn: dict[Node, Array] = {None: np.ones(1)}
        self.in_turn: dict[Node, Array] = {None: np.ones(1)}
        overlapping: dict[Node, Array] = {None: np.full(1, not self.single)}
        self.hidden: dict[Node, Array] = {None: np.zeros(1, dtype=bool)}
        """Whether iterations of a loop around each overlap, by loop."""
        for loop in facts.loops:
            trips, copies = (seen(t[loop.id], window) for t in (all_.loops.trips, all_.loops.copies))
            rounds = np.where(trips == np.floor(trips), np.ceil(trips / copies), np.maximum(trips / copies, 1.0))
            share = np.where(self.left[loop.id], seen(all_.loops.entered[loop.id], window), 1.0)
            self.share[loop.id] = self.share[loop.parent] * share
            # Copies of what is in a loop whose iterations do not overlap, or that is dissolved where none around it
            # overlap, run one after the other.
            self.copies_in_turn[loop.id], overlapping[loop.id] = np.ones(1), overlapping[loop.parent]
            if self.single:
                left, above = self.left[loop.id], overlapping[loop.parent]
                serial = seen(all_.intervals[loop.id].serial, window) > 0
                overlapping[loop.id] = np.where(left, ~serial, above)
                self.hidden[loop.id] = self.hidden[loop.parent] | above
                with np.errstate(invalid="ignore", divide="ignore"):
                    turns = np.where(left & serial & (rounds > 0), trips / rounds, 1.0)
                self.copies_in_turn[loop.id] = np.where(~left & ~above, copies, turns)
            self.in_turn[loop.id] = self.in_turn[loop.parent] * self.copies_in_turn[loop.parent]
            self.trips[loop.id] = self.trips[loop.parent] * np.where(self.left[loop.id], rounds, 1.0) * share
        self.cycle = {
            node: 1 + all_.ways[node].through(window) if node in all_.ways else np.ones(1) for node in self.nodes
        }
        self.late: dict[Node, Array] = {}
        """Cycles until the last data of each block have come."""
        self.comp: dict[Node, Array] = {}
        self.mem: dict[Node, Array] = {}
        self._fill(moved)

    def _fill(self, moved: Moved | None) -> None:
        """Comp and Mem of each block (Eqs. 11 to 19)."""
        here = self._landed()
        alive = {node: 1.0 if node is None else self.left[node] for node in self.nodes}
        comp_total = {n: alive[n] * self.cycle[n] * self.trips[n] * self.in_turn[n] for n in self.nodes}
        number, moving, own_s = {}, {}, {}
        for node, units in here.items():
            number[node] = total(seen(where, self.window) * seen(u["number"], self.window) for _, where, u in units)
            bursts = total(seen(where, self.window) * seen(u["transactions"], self.window) for _, where, u in units)
            # mem_insts / mem_burst, where mem_burst is transactions / mem_insts
            with np.errstate(invalid="ignore", divide="ignore"):
                moving[node] = np.where(number[node] > 0, number[node] ** 2 / bursts, 0.0)
            if moved is not None:
                own_s[node] = total(seen(where, self.window) * moved.units_s[i] for i, where, _ in units)
        mem_total = {node: moving[node] * self.trips[node] for node in here}
        memory = total(mem_total.values())
        cycles_total = total(comp_total.values()) + memory
        peak = float(self.all.banks)
        reached = np.full(1, peak) if self.single else np.minimum(
            peak, self.items * memory / cycles_total / self._dram_latency()
        )  # fmt: skip
        scale = self._scale(moved)
        through: dict[Node, Array] = {}
        for node in self.nodes:
            interval = self._ii_at_run(node) if self.single and node is not None else np.ones(1)
            if node in self.all.stores:
                interval = np.maximum(interval, seen(self.all.stores[node], self.window))
            entries = self.items * self.trips[node] * self.in_turn[node] * interval
            if node is None and not self.single:
                entries = np.maximum(entries, seen(self.all.groups, self.window) * DISPATCH_CYCLES)
            runs = self.trips[node] > 0
            loads = self._loads(here.get(node, ()))
            self.late[node] = np.where(loads > 0, self._round_trip(), 0.0)
            through[node] = self._alone(node) * (self.cycle[node] + loads * self._dram_latency())
            self.comp[node] = comp_min = np.where(runs, entries / self.copies + self.cycle[node] - 1, 0.0)
            if not self.single:
                share = np.maximum(self.items * comp_total[node] / cycles_total, 1e-9)
                longer = np.maximum(comp_min, comp_min * self.copies * self.cycle[node] / share)
                longer = np.maximum(longer, np.maximum(self._passes(node), self._few(node, through[node])))
                self.comp[node] = np.where(runs, longer, 0.0)
            if node not in here:
                self.mem[node] = np.zeros(1)
                continue
            with np.errstate(invalid="ignore", divide="ignore"):
                share = np.where(memory > 0, mem_total[node] / memory, 1.0)
            transactions = moving[node] * self.items * self.trips[node] / np.maximum(share, 1e-9)
            least = transactions / peak
            if scale is not None:
                least = np.where(np.isnan(scale), least, own_s[node] * scale)
            waited = np.where(reached >= peak, least, np.maximum(least, transactions / np.maximum(reached, 1e-9)))
            if scale is not None:
                waits = 0.0 if self.single else through[node]
                waited = np.where(np.isnan(scale), waited, np.maximum(least, waits))
            self.mem[node] = np.where((number[node] > 0) & runs, waited, 0.0)
        if not self.single and self.all.one_group.any():
            self._in_turn(through)

    def _in_turn(self, through: Mapping[Node, Array]) -> None:
        """Where loops take up one work-group after the other: what one work-item needs for a whole nest, each time."""
        loops = self.all.grid.facts.loops
        nest: dict[Node, Array] = {loop.id: self.left[loop.id] * through[loop.id] for loop in loops}
        for loop in reversed(loops):
            if loop.parent is not None:
                nest[loop.parent] = nest[loop.parent] + nest[loop.id]
        rounds = seen(self.all.groups, self.window) / self.copies
        within: dict[Node, Array] = {None: np.zeros(1, dtype=bool)}
        for loop in loops:
            if loop.parent is not None:
                nest[loop.id] = np.where(within[loop.parent], nest[loop.parent], nest[loop.id])
            within[loop.id] = within[loop.parent] | self.left[loop.id]
            longer = np.maximum(self.comp[loop.id], rounds * nest[loop.id])
            in_turn = seen(self.all.one_group, self.window) & (self.trips[loop.id] > 0)
            self.comp[loop.id] = np.where(in_turn, longer, self.comp[loop.id])

    def _round_trip(self) -> Array:
        """Cycles until the memory answers."""
        return self.all.latency_s * self.clock_hz

    def _dram_latency(self) -> Array:
        """Cycles that a load waits: no fewer than the board's memory takes at this clock."""
        return np.maximum(self.all.dram_latency, self._round_trip())

    def _ii_at_run(self, node: int) -> Array:
        """Cycles from one iteration to the next, as `ii_at_run` has them."""
        own = self.all.intervals[node]
        interval, scheduled, share = (seen(a, self.window) for a in (own.interval, own.scheduled, own.share))
        sooner = np.maximum(1.0, np.minimum(interval, interval - scheduled + self._round_trip() * share))
        return np.where(scheduled > 0, sooner, interval)

    def _passes(self, node: Node) -> Array:
        """What a block in a loop with a barrier takes at least."""
        groups = seen(self.all.groups, self.window)
        least = np.zeros(1)
        if node is None or not self.barriers.loops:
            return least
        around, depth = [node], self.cycle[node] - 1
        while (parent := self.all.grid.facts.loops[around[-1]].parent) is not None:
            around.append(parent)
        group = self.items / np.maximum(groups, 1)
        found = np.zeros(1, dtype=bool)
        for n, i in enumerate(around):
            if i not in self.barriers.loops:
                continue
            here = group * self.share[node]
            each = np.maximum(here, self.cycle[node]) if n else here
            alone = self._alone(node) * each + self.trips[i] * depth
            mine = np.maximum(self.trips[node] * group, alone / np.clip(groups / self.copies, 1.0, IN_PASS))
            own = groups / self.copies * mine
            least = np.where(self.left[i] & ~found, own, least)
            found = found | self.left[i]
        return np.where(groups > 0, least, 0.0)

    def _few(self, node: Node, through: Array) -> Array:
        """What a loop takes at least that most work-items of each group leave out, before a barrier."""
        if node is None or not self.barriers.any:
            return np.zeros(1)
        groups = seen(self.all.groups, self.window)
        rounds, group = groups / self.copies, self.items / np.maximum(groups, 1e-9)
        together = np.minimum(np.maximum(rounds, 1.0), np.maximum(IN_PASS, ITEMS_TOGETHER / group))
        around: Node = node
        inside: Array = np.zeros(1, dtype=bool)
        parted: Array = np.zeros(1, dtype=bool)
        while around is not None:
            parted = parted | (seen(self.all.loops.parted[around], self.window) & self.left[around])
            inside = inside | (self.left[around] if around in self.barriers.loops else False)
            around = self.all.grid.facts.loops[around].parent
        counts = (groups > 0) & (self.share[node] <= FEW) & parted & ~inside & self.left[node]
        come = np.minimum(rounds, rounds * group * self.share[node])
        return np.where(counts, come * through / np.maximum(np.minimum(together, come), 1e-9), 0.0)

    def _alone(self, node: Node) -> Array:
        """Iterations of a work-item that reaches a block."""
        return self.trips[node] / np.where(self.share[node] > 0, self.share[node], 1.0)

    def _loads(self, here: Sequence[tuple[int, Array, Units]]) -> Array:
        """Loads that wait for each other in a block."""
        facts = self.all.grid.facts
        return greatest(
            np.where(seen(u["number"], self.window) > 0, seen(where, self.window), 0.0) * load_depth(facts, u.access)
            for _, where, u in here
            if u.access.op == "load"
        )

    def _landed(self) -> dict[Node, list[tuple[int, Array, Units]]]:
        """The units of each block, by their place among all, and where they are in it."""
        found: dict[Node, list[tuple[int, Array, Units]]] = {}
        for i, unit in enumerate(self.all.units):
            for node, where in self.all.loops.landing(unit.access.loops):
                found.setdefault(node, []).append((i, where, unit))
        return found

    def _scale(self, moved: Moved | None) -> Array | None:
        """Cycles for each second of a unit: together they take as long as the slowest bank."""
        if moved is None:
            return None
        together = total(moved.units_s)
        with np.errstate(invalid="ignore", divide="ignore"):
            return (
                np.where(together > 0, moved.total_s / together, np.where(np.isnan(moved.total_s), np.nan, 0.0))
                * self.clock_hz
            )

    def total(self) -> Array:
        """C_S: Eqs. 7 to 9 over the loops, from the innermost outwards; a loop that is gone hands on what is in it."""
        longest: dict[Node, Array] = dict.fromkeys(self.nodes, np.zeros(1))
        summed: dict[Node, Array] = dict.fromkeys(self.nodes, np.zeros(1))
        depth: dict[Node, Array] = dict.fromkeys(self.nodes, np.zeros(1))
        # The ways through the loops in each, and until their last data have come: once, and as often as they begin.
        piped, begun, late, late_begun = (dict.fromkeys(self.nodes, np.zeros(1)) for _ in range(4))
        for loop in reversed(self.all.grid.facts.loops):
            node, parent, left = loop.id, loop.parent, self.left[loop.id]
            mine = np.maximum(self.comp[node], self.mem[node])
            inside = np.maximum(mine, longest[node])
            waiting_itself = np.zeros(1, bool)
            if self.single:
                own = self.all.intervals[node]
                serial, waits = seen(own.serial, self.window) > 0, seen(own.waits, self.window) * self._round_trip()
                entered = self.trips[node] * self.copies_in_turn[node]
                emptied = np.maximum(entered * begun[node] - piped[node], 0.0)
                data = np.maximum(entered * late_begun[node] - late[node], 0.0)
                emptied = emptied + np.where(self.hidden[node] | (waits > 0), 0.0, data)
                waiting = mine + summed[node] + self.trips[node] * (self.cycle[node] + waits) + emptied
                inside = np.where(serial, waiting, inside + depth[node])
                waiting_itself = serial | (seen(own.interval, self.window) > 1)
            longest[parent] = np.maximum(longest[parent], np.where(left, inside, longest[node]))
            summed[parent] = summed[parent] + np.where(left, inside, summed[node])
            depth[parent] = depth[parent] + np.where(left, self.cycle[node], depth[node])
            for own_way, once, each in ((self.cycle, piped, begun), (self.late, late, late_begun)):
                way = np.where(waiting_itself, 0.0, own_way[node])
                once[parent] = once[parent] + np.where(left, way, once[node])
                each[parent] = each[parent] + np.where(left, way, self.copies_in_turn[node] * each[node])
        mine = np.maximum(self.comp[None], self.mem[None])
        if self.single:
            return mine + summed[None]
        overlapped = np.maximum(mine, longest[None])
        return self._between_barriers(overlapped) if self.barriers.any else overlapped

    def _between_barriers(self, overlapped: Array) -> Array:
        """The parts between barriers add up for the first group, loops with a barrier for all of them."""
        alone: dict[Node, Array] = {}
        loops: dict[Node, Array] = {}
        for node in [*(loop.id for loop in reversed(self.all.grid.facts.loops)), None]:
            phases, children = self.barriers.phases(node), self.barriers.children[node]
            inner = total(greatest(alone[i] for i in together) for together in phases)
            mine = np.maximum(self.comp[node], self.mem[node])
            add = node is None or node in self.barriers.loops
            left = np.ones(1, dtype=bool) if node is None else self.left[node]
            alone[node] = np.where(left, mine + inner if add else np.maximum(mine, inner), inner)
            inside = total(loops[i] for i in children if i in self.barriers.loops)
            loops[node] = inside if node is None else np.where(left, alone[node], inside)
        groups = seen(self.all.groups, self.window)
        first = 1 / np.maximum(groups / self.copies, 1.0)
        whole = first * (alone[None] + self._between_stops()) + (1 - first) * np.maximum(overlapped, loops[None])
        return np.where(groups > 0, whole, overlapped)

    def _between_stops(self) -> Array:
        """What the ways between barriers in no loop of the hardware add for a group alone."""
        left: dict[Node, Array] = {}
        for loop in reversed(self.all.grid.facts.loops):
            inner = (left[i] for i in self.barriers.children[loop.id])
            left[loop.id] = reduce(np.logical_or, inner, self.left[loop.id])
        of, stops = self.all.loops, np.zeros(1)
        for barrier in self.all.grid.facts.barriers:
            outside = reduce(np.logical_and, (~self.left[i] for i in barrier.loops), np.ones(1, dtype=bool))
            times = (seen(a[i], self.window) for i in barrier.loops for a in (of.trips, of.entered))
            stops = stops + np.where(outside, reduce(np.multiply, times, np.ones(1)), 0.0)
        phases = self.barriers.phases(None)
        loops = total(reduce(np.logical_or, (left[i] for i in one)).astype(float) for one in phases)
        return np.maximum(stops - loops, 0.0) * self.items / self.copies
