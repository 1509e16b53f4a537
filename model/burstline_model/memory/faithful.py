"""M21's equations, as printed; the numbers are the paper's own.

M21 = Dávila-Guzmán et al. 2021, M20 = its predecessor of 2020 where marked. Readings that the print leaves open:
no overhead up to two units in a bank (M20 prints "< 2", its tables need "≤ 2"), the second branch of Eq. 12 uses the
page, the atomic unit of Eq. 14 counts bytes.
"""

from __future__ import annotations

from burstline_model.boards.board import Memory
from burstline_model.memory.memory_units import MemoryUnit, UnitTime

SPLIT_FROM = 2
"""δ from which HBM2 splits the bursts of a store (M21, Section 7.1.1)."""
MAX_FREE_UNITS = 2
"""Units in one bank that the controller serves without opening rows anew (Eq. 8)."""


def no_atomics(unit: MemoryUnit, memory: Memory) -> UnitTime | None:
    """The refusal of an atomic on a memory that has none (M21, Section 7.1.4)."""
    if unit.kind != "atomic" or not memory.separate_channels:
        return None
    return UnitTime(t_ideal_s=0, t_ovh_s=0, saturated=False, f_min_hz=0, transferred_bytes=0, impossible=True)


def unit_time(unit: MemoryUnit, memory: Memory, f_max_hz: float, crowd: int) -> UnitTime:
    """T_ideal and T_ovh of a unit in one of its banks, which serves `crowd` units (Eqs. 3 to 14)."""
    share = unit.bytes / len(unit.banks)
    stride = effective_stride(unit, memory)
    threshold = f_min_hz(unit, memory, stride)
    bandwidth = memory.bandwidth_bytes_s
    strided_write = is_split_write(unit, memory, stride)
    if not strided_write:
        bandwidth = bw_mem(bandwidth, f_max_hz, threshold, crowd)
    factor = stride
    if unit.kind == "write_ack":
        factor *= memory.word_bytes / unit.access_bytes
    if strided_write:
        factor *= memory.burst_length
    # With more than one unit in the bank the clock crossing doubles what a slow kernel gets (Eq. 6).
    saturated = f_max_hz * (1 if crowd == 1 else 2) >= threshold
    return UnitTime(
        t_ideal_s=factor * share / bandwidth,
        t_ovh_s=factor * overhead_s(unit, memory, share, stride, crowd),
        saturated=saturated,
        f_min_hz=threshold,
        transferred_bytes=factor * share * len(unit.banks),
    )


def effective_stride(unit: MemoryUnit, memory: Memory) -> float:
    """δ between 1 and what turns every element into a separate word; 1 for atomics (Section 5.2)."""
    if unit.kind == "atomic":
        return 1.0
    most = max(1.0, memory.word_bytes / unit.access_bytes)
    return min(max(1.0, unit.stride), most)


def is_split_write(unit: MemoryUnit, memory: Memory, stride: float) -> bool:
    """HBM2 sends each word of a strided write on its own, bl times slower (M21, Section 7.1.1)."""
    return memory.separate_channels and unit.op == "store" and unit.kind == "aligned" and stride >= SPLIT_FROM


def f_min_hz(unit: MemoryUnit, memory: Memory, stride: float) -> float:
    """The clock from which the unit saturates its bank: bw_dram / ls_width · δ (Eq. 5).

    A request wider than a memory word gains an aligned unit nothing; a write-ack request always moves a
    whole burst (Observation 3: 2·f_dram / bl).
    """
    if unit.kind == "write_ack":
        return 2 * memory.clock_mhz * 1e6 / memory.burst_length
    width = unit.width_bytes
    if unit.kind != "non_aligned":
        width = min(width, memory.word_bytes)
    return memory.bandwidth_bytes_s / width * stride


def bw_mem(bandwidth: float, f_max_hz: float, threshold_hz: float, crowd: int) -> float:
    """What the bank gives a unit, bytes per second (Eqs. 4 and 6), never above its peak."""
    if f_max_hz >= threshold_hz:
        return bandwidth
    doubled = 1 if crowd == 1 else 2
    return min(bandwidth, bandwidth * doubled * f_max_hz / threshold_hz)


def overhead_s(unit: MemoryUnit, memory: Memory, share_bytes: float, stride: float, crowd: int) -> float:
    """T_ovh: a row opened anew for each burst once more than two units share the bank (Eqs. 8 to 14)."""
    t_row = (memory.t_rcd_ns + memory.t_rp_ns) * 1e-9
    write = memory.t_wr_ns * 1e-9
    if unit.kind == "atomic":
        once = 2 * t_row + write
        return share_bytes * (once / unit.lanes if unit.constant_operand else once)
    if crowd <= MAX_FREE_UNITS:
        return 0.0
    if unit.kind == "write_ack":
        t_row += write
    return share_bytes / burst_bytes(unit, memory, stride) * t_row


def burst_bytes(unit: MemoryUnit, memory: Memory, stride: float) -> float:
    """burst_size: the page for aligned units (Eq. 9); what max_th requests reach for others (Eqs. 11, 12).

    Never less than one memory word, dq · bl, the least that a transaction moves (Section 5.1.1).
    """
    page = float(memory.page_bytes)
    if unit.kind != "non_aligned":
        return page
    requests = memory.max_threads * unit.width_bytes / (stride + 1)
    return max(min(requests, page) / stride, float(memory.word_bytes))
