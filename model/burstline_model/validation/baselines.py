"""The two models that M21 compares with, for its Table 5.

Wang et al. (HPCA 2016) for its memory part; HLScope+ (Choi et al., ICCAD 2017) with the controller overhead T_co that
M21, Section 7.3, states. How M21 computed the rest is not printed: what follows is our reading of both.
"""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.boards.board import Memory
from burstline_model.memory.memory_units import MemoryUnit

TRANSACTION_BYTES = 64
"""trans_width (Wang, Section IV)."""
T_CO_S = 2.5e-9
"""HLScope+'s overhead for each memory word with more than three units, none below (M21, Section 7.3)."""


def wang_memory_s(units: Sequence[MemoryUnit], memory: Memory, f_max_hz: float) -> float:
    """Mem_k over f_max: transactions of 64 B shared out over the banks, one a cycle; scattered ones one an element.

    MTP is the number of banks: with work-items by the million the latency is hidden (Eqs. 8 to 13).
    """
    transactions = 0.0
    for unit in units:
        coalesced = unit.kind not in {"write_ack", "atomic"}
        transactions += unit.bytes / (TRANSACTION_BYTES if coalesced else unit.access_bytes)
    banks = len({b for u in units for b in u.banks}) if memory.separate_channels else memory.banks
    return transactions / max(banks, 1) / f_max_hz


def hlscope_s(units: Sequence[MemoryUnit], memory: Memory) -> float:
    """Bytes over the bandwidth of one bank, and T_co for each word once more than three units share it."""
    count = sum(u.count for u in units)
    overhead = T_CO_S if count > 3 else 0.0
    words = sum(
        u.bytes / (memory.word_bytes if u.kind not in {"write_ack", "atomic"} else u.access_bytes) for u in units
    )
    return sum(u.bytes for u in units) / memory.bandwidth_bytes_s + words * overhead
