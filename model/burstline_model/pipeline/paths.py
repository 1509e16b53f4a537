"""The longest ways through a block: chains of operations to an access, and those that come back to themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil, log2, prod

from burstline_model.body_operations import StepCount
from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.parallelism.loop_copies import still_loops
from burstline_model.pipeline.interval import SUMS
from burstline_model.pipeline.latencies import OperationTable


def path_cycles(
    facts: KernelFacts, access: Access, table: OperationTable, copies: Mapping[int, int], *, relaxed: bool = False
) -> float:
    """The longest chain of operations on the way to an access within its own block, and the access on the chip.

    Copies of a loop follow each other where it hands on what an operation makes; else they work at the same time.
    """
    own = still_loops(facts, access.loops, copies)
    longest = table.latency(f"local {'store' if access.op == 'store' else 'load'}") if access.space == "local" else 0.0
    within: dict[tuple[int, ...], bool] = {}
    for chain in access.chains.values():
        for step in chain:
            if step.loops not in within:
                within[step.loops] = still_loops(facts, step.loops, copies) == own
        inside = [s for s in chain if within[s.loops]]
        in_turn = [{i: copies.get(i, 1) if _hands_on(facts.loops[i], s) else 1 for i in s.loops} for s in inside]
        longest = max(longest, _latency(inside, table, in_turn, relaxed=relaxed))
    return longest


def _hands_on(loop: Loop, step: StepCount) -> bool:
    """Whether an operation is on the way from one iteration of a loop to the next."""
    return any(s.operation == step.operation for one in loop.recurrences for s in one.steps)


def recurrence_cycles(loop: Loop, table: OperationTable, copies: Mapping[int, int], *, relaxed: bool = False) -> float:
    """The longest chain that a loop's value goes through in one iteration of hardware; copies follow each other."""
    longest, here = 0.0, {loop.id: copies.get(loop.id, 1)}
    for one in loop.recurrences:
        inside = [s for s in one.steps if s.loops[-1:] == (loop.id,)]
        chain = _latency(inside, table, [here] * len(inside), relaxed=relaxed) / one.distance
        longest = max(longest, chain + (table.array_update if one.looked_up else 0))
    return longest


def way_through(
    stored: float, in_turn: float, every: Counter[str], chained: Counter[str], table: OperationTable
) -> float:
    """Cycles from a block's first operation to its last.

    `stored` and `in_turn` are the longest chains to an access and from one iteration to the next, `every` the block's
    operations, `chained` those of the latter chain. Where no access shows the critical path of Eq. 1, a result passes
    one operation on reals of each kind besides. Spector's transforms (Stratix V, 14.1), whose results stay in private
    arrays, take 100 and more cycles for the 57 of the chain alone.
    """
    longest = max(stored, in_turn, max((table.latency(kind) for kind in every), default=0.0))
    besides = filter(is_real, +(every - chained))
    return longest if stored else max(longest, in_turn + sum(map(table.latency, besides)))


def is_real(operation: str) -> bool:
    """Whether an operation is on floats or doubles."""
    return operation.startswith(("float", "double"))


def as_counted(steps: Sequence[StepCount]) -> Counter[str]:
    """The operations of a chain as a loop's own are counted: a product and a sum for both in one."""
    found: Counter[str] = Counter()
    for step in steps:
        base, _, kind = step.operation.partition(" ")
        for own in ("mul", "add") if kind.endswith("multiply-add") else (kind,):
            found[f"{base} {own}"] += step.count
    return found


def _latency(
    steps: Sequence[StepCount], table: OperationTable, copies: Sequence[Mapping[int, int]], *, relaxed: bool
) -> float:
    """Cycles of a chain with each step's copies; sums that may be reordered (`relaxed`) add up in a tree."""
    total, sums = 0.0, 0
    for step, own in zip(steps, copies, strict=True):
        # A product that a sum takes in is computed in parallel with the sum's own chain: once.
        parallel = step.operation.endswith("fused mul")
        times = step.count * (1 if parallel else prod(own.get(i, 1) for i in step.loops))
        if relaxed and step.operation in SUMS["float"]:
            sums += times
        else:
            total += table.latency(step.operation) * times
    return total + ceil(log2(sums + 1)) * table.latency("float add")
