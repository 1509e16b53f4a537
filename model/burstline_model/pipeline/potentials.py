"""WANG's framework (Wang et al., HPCA 2016): the potential of a kernel's memory accesses."""

from collections.abc import Sequence

from burstline_model.compiler.lsu import Lsu

TRANSACTION_BYTES = 64
"""trans_width: bytes of one memory transaction."""


def b_mem(units: Sequence[Lsu]) -> float | None:
    """B_mem: the share of each transaction that carries nothing, 0 (perfect) to 1; None without global units.

    WANG Eqs. 1 to 4 and 20, with whole transactions per access and averages weighted by them.
    """
    transactions = filled = 0.0
    for unit in units:
        if unit.space != "global":
            continue
        coalesced = unit.stride is not None and unit.count == 1
        lanes, size = unit.lanes, unit.useful_bytes
        number = 1 + size * (lanes - 1) // TRANSACTION_BYTES if coalesced else lanes
        burst = max(1.0, TRANSACTION_BYTES / (size * lanes)) if coalesced and unit.stride == 1 else 1.0
        transactions += number
        filled += number * min(TRANSACTION_BYTES, lanes * size * burst / number)
    return 1 - filled / (TRANSACTION_BYTES * transactions) if transactions else None
