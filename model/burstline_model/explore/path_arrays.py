"""Critical paths of all variants: `burstline_model.pipeline.paths` over arrays."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np

from burstline_model.explore.grid import Array, Grid, Point, Window, greatest, seen, total
from burstline_model.explore.loop_arrays import Loops, Node
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_model.pipeline.latencies import OperationTable
from burstline_model.pipeline.paths import as_counted, is_real, path_cycles, recurrence_cycles


@dataclass(frozen=True)
class Ways:
    """What may be in a block, each with the variants where it is.

    `stored` and `in_turn`: chains to accesses and from one iteration to the next, in cycles. `operations`: how many of
    each kind, those of the latter chains taken off.
    """

    table: OperationTable
    stored: list[tuple[Array, Array]] = field(default_factory=list)
    in_turn: list[tuple[Array, Array]] = field(default_factory=list)
    operations: list[tuple[Array, str, int]] = field(default_factory=list)

    def through(self, window: Window) -> Array:
        """Cycles from the block's first operation to its last (`way_through`)."""
        stored, in_turn = (
            greatest(seen(where, window) * seen(cycles, window) for where, cycles in chains)
            for chains in (self.stored, self.in_turn)
        )
        slowest, besides = np.zeros(1), np.zeros(1)
        for kind in dict.fromkeys(kind for _, kind, _ in self.operations):
            here = [(seen(where, window), count) for where, own, count in self.operations if own == kind]
            latency = self.table.latency(kind)
            slowest = np.maximum(slowest, latency * greatest(where * (count > 0) for where, count in here))
            if is_real(kind):
                besides = besides + latency * (total(where * count for where, count in here) > 0)
        longest: Array = np.maximum(np.maximum(stored, in_turn), slowest)
        return np.where(stored > 0, longest, np.maximum(longest, in_turn + besides))


def ways_of(grid: Grid, loops: Loops, table: OperationTable, *, relaxed: bool) -> dict[Node, Ways]:
    """What may be in each block of a kernel."""
    facts = grid.facts
    found: defaultdict[Node, Ways] = defaultdict(lambda: Ways(table))
    for operation in facts.operations:
        for node, where in loops.landing(operation.loops):
            found[node].operations.append((where, operation.operation, operation.count))
    for loop in facts.loops:
        if loop.recurrences:

            def chain(point: Point, number: int = loop.id) -> list[float]:
                one = point.facts.loops[number]
                return [recurrence_cycles(one, table, effective_unroll(point.facts), relaxed=relaxed)]

            cycles = grid.table(loops.around([loop.id]), chain)[0]
            steps = sum((as_counted(one.steps) for one in loop.recurrences), Counter[str]())
            for node, where in loops.landing((*facts.loops_around(loop.id), loop.id)):
                found[node].in_turn.append((where, cycles))
                found[node].operations.extend((where, kind, -count) for kind, count in steps.items())
    for access in facts.accesses:
        if access.chains or access.space == "local":
            inside = {*access.loops, *(i for chain in access.chains.values() for step in chain for i in step.loops)}

            def figures(point: Point, number: int = access.id) -> list[float]:
                varied = point.facts
                return [path_cycles(varied, varied.accesses[number], table, effective_unroll(varied), relaxed=relaxed)]

            cycles = grid.table(loops.around(inside), figures)[0]
            for node, where in loops.landing(access.loops):
                found[node].stored.append((where, cycles))
    return dict(found)
