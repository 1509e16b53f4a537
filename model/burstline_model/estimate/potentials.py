"""WANG's potential B_mem (Eq. 21), and which potential to act on first; B_comp is that of `resources`."""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.estimate.kernel_estimate import Advice, Bound, PotentialName, Potentials
from burstline_model.lsu import Lsu
from burstline_model.pipeline.blocks import TRANSACTION_BYTES, transactions_of


def b_mem(units: Sequence[Lsu]) -> float | None:
    """B_mem: the share of each transaction that carries nothing, 0 (perfect) to 1; None without global units.

    WANG Eqs. 1 to 4 and 20, with whole transactions per access and averages weighted by them.
    """
    transactions = filled = 0.0
    for unit in units:
        if unit.space != "global":
            continue
        number, burst = transactions_of(unit)
        transactions += number
        filled += number * min(TRANSACTION_BYTES, unit.lanes * unit.useful_bytes * burst / number)
    return 1 - filled / (TRANSACTION_BYTES * transactions) if transactions else None


_WALLS: dict[Bound, tuple[PotentialName, ...]] = {
    "memory": ("b_mem", "b_itpp"),
    "work_items": ("b_itpp", "b_mem", "b_comp", "b_balance"),
    "balance": ("b_balance", "b_comp", "b_mem", "b_itpp"),
    "kernel": ("b_comp", "b_balance", "b_mem", "b_itpp"),
    "unknown": ("b_mem", "b_comp", "b_balance", "b_itpp"),
}
SMALL = 0.1
"""Potentials below promise nothing."""


def advice_of(potentials: Potentials, bound: Bound) -> tuple[Advice, ...]:
    """The potentials in the order to act on them: first those of the wall in front, then the rest by size.

    A potential behind another wall moves nothing: unrolling the slowest block of a kernel that waits for memory, or
    coalescing where the arithmetic is the limit. So the verdict decides which one leads, as the paper's stories do.
    """
    order = _WALLS[bound]
    given = potentials.model_dump()
    values = {name: given[name] for name in order if given[name] is not None and given[name] >= SMALL}
    leading = [name for name in order[:1] if name in values]
    rest = sorted((n for n in values if n not in leading), key=lambda n: (-values[n], order.index(n)))
    return tuple(Advice(potential=n, value=values[n]) for n in (*leading, *rest))
