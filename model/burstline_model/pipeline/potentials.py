"""WANG's potentials B_mem and B_comp (Eqs. 20 and 21), and what is done about each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from burstline_model.answer import Advice, Bound, Potentials
from burstline_model.compiler.lsu import Lsu
from burstline_model.facts import KernelFacts
from burstline_model.pipeline.blocks import TRANSACTION_BYTES, transactions_of
from burstline_model.pipeline.operations import OperationTable
from burstline_model.record import Record


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


class Resources(Record):
    """Shares of the device that a kernel takes beside the board's own logic, 0 to 1 and more; `reported` by a build."""

    logic: float
    rams: float
    dsps: float
    reported: bool = False

    @property
    def b_comp(self) -> float:
        """B_comp (Eq. 20): what is free of the scarcest resource, as a share of what the board leaves free."""
        return max(0.0, 1.0 - max(self.logic, self.rams, self.dsps))


def rough_resources(
    facts: KernelFacts, lsus: Sequence[Lsu], copies: Mapping[int, int], table: OperationTable
) -> Resources:
    """A rough count: one circuit for each operation and copy, one for each load/store unit, RAM for arrays."""
    dsps = aluts = rams = 0.0
    for operation in facts.operations:
        times = facts.simd * facts.compute_units
        for i in operation.loops:
            times *= copies.get(i, 1)
        some_dsps, some_aluts = table.cost(operation)
        dsps += some_dsps * times
        aluts += some_aluts * times
    for lsu in lsus:
        if lsu.space == "global":
            aluts += table.lsu_aluts * lsu.count * facts.compute_units
            rams += table.lsu_rams * lsu.count * facts.compute_units
            rams += (lsu.cache_bytes or 0) * 8 / RAM_BITS
    for array in facts.arrays:
        if array.space == "local" and array.length:
            readers = sum(lsu.count for lsu in lsus if facts.accesses[lsu.members[0]].pointer == array.name)
            ports = max(1.0, readers / PORTS)
            rams += max(1.0, array.length * array.element_bytes * 8 / RAM_BITS) * ports * facts.compute_units
    device = table.device
    return Resources(
        logic=aluts / (device.aluts - device.shell_aluts),
        rams=rams / (device.rams - device.shell_rams),
        dsps=dsps / (device.dsps - device.shell_dsps),
    )


RAM_BITS = 20480
"""An M20K block."""
PORTS = 3
"""Accesses that one copy of a local array serves in a cycle, double-pumped."""

_ADVICE = {
    "b_mem": "coalesce, unroll or stage reused data in local memory, so that each transaction is full",
    "b_balance": "unroll the slowest block, so that the others do not wait for it",
    "b_comp": "use the free part of the device: SIMD, unrolling, more compute units",
    "b_itpp": "launch more work-items: those there are do not fill the pipeline",
}
_WALLS: dict[str, tuple[str, ...]] = {
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
    told = potentials.model_dump()
    values = {name: told[name] for name in order if told[name] is not None and told[name] >= SMALL}
    leading = [name for name in order[:1] if name in values]
    rest = sorted((n for n in values if n not in leading), key=lambda n: (-values[n], order.index(n)))
    return tuple(Advice(potential=n, value=values[n], text=_ADVICE[n]) for n in (*leading, *rest))
