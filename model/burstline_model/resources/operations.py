"""Arithmetic: one circuit for each operation, SIMD lane and unrolled copy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from burstline_model.body_operations import Folded, Operations
from burstline_model.devices.cost import Cost
from burstline_model.devices.cost_tables import CostTable
from burstline_model.devices.resource_use import Arithmetic
from burstline_model.facts import KernelFacts
from burstline_model.parallelism.loop_copies import fully_unrolled

_REAL = ("float", "half")


@dataclass(slots=True)
class Body:
    """The operations of one level of loops that hardware keeps: their cost, and the bits they hand on."""

    loop: int | None
    cost: Cost = field(default_factory=Cost)
    bits: float = 0.0
    counts: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    @property
    def arithmetic(self) -> Arithmetic:
        """What there is, most first."""
        return Arithmetic(counts=tuple(sorted(self.counts.items(), key=lambda item: -item[1])[:_MOST]))


_MOST = 5


def _folded(one: Operations, facts: KernelFacts, copies: Mapping[int, int]) -> Folded | None:
    """What is left of an operation, where the loops that decide it are unrolled."""
    folded = one.folded
    if folded is None or not all(fully_unrolled(facts.loops[i], copies) for i in folded.loops):
        return None
    return folded


def bodies(facts: KernelFacts, copies: Mapping[int, int], table: CostTable) -> list[Body]:
    """The kernel's operations by the innermost loop that is left in hardware."""
    found: dict[int | None, Body] = {}
    for one in facts.operations:
        folded = _folded(one, facts, copies)
        times = float(one.count) * (facts.simd if one.copied_by is None else 1)
        operation, apart = (folded.operation, folded.loops) if folded is not None else (one.operation, ())
        times *= folded.count if folded is not None else 1
        for i in one.loops if one.copied_by is None else one.copied_by:
            times *= copies.get(i, 1) if i not in apart else 1
        if not times:
            continue
        rolled = [i for i in one.loops if not fully_unrolled(facts.loops[i], copies)]
        body = found.setdefault(rolled[-1] if rolled else None, Body(rolled[-1] if rolled else None))
        body.cost = body.cost.plus(table.operation(operation, one.width_bits).times(times))
        body.bits += one.width_bits * times
        body.counts[operation] += times
    if table.fused:
        for body in found.values():
            for base in _REAL:
                pairs = min(body.counts.get(f"{base} add", 0.0), body.counts.get(f"{base} mul", 0.0))
                body.cost = body.cost.plus(table.operation(f"{base} add", 32).times(-pairs))
    return sorted(found.values(), key=lambda b: -1 if b.loop is None else b.loop)
