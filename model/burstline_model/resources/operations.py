"""Arithmetic: one circuit for each operation, SIMD lane and unrolled copy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

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


def bodies(facts: KernelFacts, copies: Mapping[int, int], table: CostTable) -> list[Body]:
    """The kernel's operations by the innermost loop that is left in hardware."""
    found: dict[int | None, Body] = {}
    for one in facts.operations:
        times = float(one.count) * (facts.simd if one.copied_by is None else 1)
        for i in one.loops if one.copied_by is None else one.copied_by:
            times *= copies.get(i, 1)
        rolled = [i for i in one.loops if not fully_unrolled(facts.loops[i], copies)]
        body = found.setdefault(rolled[-1] if rolled else None, Body(rolled[-1] if rolled else None))
        body.cost = body.cost.plus(table.operation(one.operation, one.width_bits).times(times))
        body.bits += one.width_bits * times
        body.counts[one.operation] += times
    if table.fused:
        for body in found.values():
            for base in _REAL:
                pairs = min(body.counts.get(f"{base} add", 0.0), body.counts.get(f"{base} mul", 0.0))
                body.cost = body.cost.plus(table.operation(f"{base} add", 32).times(-pairs))
    return sorted(found.values(), key=lambda b: -1 if b.loop is None else b.loop)
