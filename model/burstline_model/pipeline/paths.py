"""The longest ways through a block: chains of operations to an access, and those that come back to themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log2, prod

from burstline_model.facts import Access, KernelFacts, Loop, StepCount
from burstline_model.parallelism.unroll import fully_unrolled
from burstline_model.pipeline.interval import SUMS
from burstline_model.pipeline.operations import OperationTable


def hardware_loops(facts: KernelFacts, loops: Sequence[int], copies: Mapping[int, int]) -> tuple[int, ...]:
    """The loops around something that are still loops."""
    return tuple(i for i in loops if not fully_unrolled(facts.loops[i], copies))


def path_cycles(
    facts: KernelFacts, access: Access, table: OperationTable, copies: Mapping[int, int], *, relaxed: bool = False
) -> float:
    """The longest chain of operations on the way to an access within its own block, and the access on the chip."""
    own = hardware_loops(facts, access.loops, copies)
    longest = table.latency(f"local {'store' if access.op == 'store' else 'load'}") if access.space == "local" else 0.0
    for chain in access.chains.values():
        inside = [s for s in chain if hardware_loops(facts, s.loops, copies) == own]
        longest = max(longest, _latency(inside, table, copies, relaxed=relaxed))
    return longest


def recurrence_cycles(loop: Loop, table: OperationTable, copies: Mapping[int, int], *, relaxed: bool = False) -> float:
    """The longest chain that a loop's value goes through in one iteration of hardware; copies follow each other."""
    longest, here = 0.0, {loop.id: copies.get(loop.id, 1)}
    for one in loop.recurrences:
        inside = [s for s in one.steps if s.loops[-1:] == (loop.id,)]
        chain = _latency(inside, table, here, relaxed=relaxed) / one.distance
        longest = max(longest, chain + (table.array_update if one.looked_up else 0))
    return longest


def _latency(steps: Sequence[StepCount], table: OperationTable, copies: Mapping[int, int], *, relaxed: bool) -> float:
    """Cycles of a chain with the copies of each step; sums that may be reordered (`relaxed`) add up in a tree."""
    total, sums = 0.0, 0
    for step in steps:
        # A product that a sum takes in is computed in parallel with the sum's own chain: once.
        parallel = step.operation.endswith("fused mul")
        times = step.count * (1 if parallel else prod(copies.get(i, 1) for i in step.loops))
        if relaxed and step.operation in SUMS:
            sums += times
        else:
            total += table.latency(step.operation) * times
    return total + ceil(log2(sums + 1)) * table.latency("float add")
