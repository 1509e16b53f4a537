"""The memory model: what the load/store units of a kernel cost on a memory.

M21 = Dávila-Guzmán et al. 2021 (the equations' numbers are its own), M20 = its predecessor of 2020 where marked.
Readings that the print leaves open: no overhead up to two units in a bank (M20 prints "< 2", its tables need
"≤ 2"), the second branch of Eq. 12 uses the page, the atomic unit of Eq. 14 counts bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from burstline_model.board import Board, Measured, Memory
from burstline_model.launch import Mode
from burstline_model.record import Record

Kind = Literal["aligned", "non_aligned", "write_ack", "cached", "prefetching", "atomic"]
MAX_FREE_UNITS = 2
"""Units in one bank that the controller serves without opening rows anew (Eq. 8)."""


class MemoryUnit(Record):
    """One load/store unit as the equations see it.

    `width_bytes` is ls_width, `bytes` the useful traffic ls_acc·ls_bytes of the whole launch, `access_bytes` ls_bytes,
    `stride` δ (at least 1), `lanes` v. `banks` are the banks its traffic is spread over evenly.
    `constant_operand`: an atomic whose operand is the same in all lanes. `count` equal units share the traffic.
    """

    kind: Kind
    op: Literal["load", "store", "atomic"]
    width_bytes: float
    bytes: float
    access_bytes: float
    stride: float = 1
    lanes: int = 1
    banks: tuple[int, ...] = (0,)
    constant_operand: bool = False
    count: int = 1


class Options(Record):
    """What the model adds to the papers' equations; all off is the faithful mode.

    `issue_bound`: a unit issues at most one word per kernel cycle, in place of Eqs. 4 and 6. `measured`: what
    the memory reaches of its peak, in place of Eqs. 8 to 14.
    """

    issue_bound: bool = False
    measured: Measured | None = None


FAITHFUL = Options()


def options_for(mode: Mode, board: Board) -> Options:
    """The options of a mode on a board."""
    return FAITHFUL if mode == "faithful" else Options(issue_bound=True, measured=board.measured)


class UnitTime(Record):
    """The cost of one unit, in seconds, every factor included; the slowest of its banks counts.

    `impossible` says why the memory cannot serve the unit at all; its times are 0 then.
    """

    t_ideal_s: float
    t_ovh_s: float
    saturated: bool
    f_min_hz: float
    transferred_bytes: float
    impossible: str | None = None

    @property
    def time_s(self) -> float:
        """δ · (T_ideal + T_ovh), one summand of Eq. 2."""
        return self.t_ideal_s + self.t_ovh_s


class MemoryTime(Record):
    """The units' costs, each bank's sum (Eq. 2) and the estimate (Eq. 1), in seconds."""

    units: tuple[UnitTime, ...]
    bank_s: dict[int, float]
    t_est_s: float


def estimate_memory(
    units: Sequence[MemoryUnit], memory: Memory, f_max_hz: float, options: Options = FAITHFUL
) -> MemoryTime:
    """T_est = max over the banks of the sum over their units (Eqs. 1 and 2)."""
    crowd: dict[int, int] = {}
    for unit in units:
        for bank in unit.banks:
            crowd[bank] = crowd.get(bank, 0) + unit.count
    times: list[UnitTime] = []
    bank_s = dict.fromkeys(sorted(crowd), 0.0)
    for unit in units:
        parts = [unit_time(unit, memory, f_max_hz, crowd[bank], options) for bank in unit.banks]
        for bank, part in zip(unit.banks, parts, strict=True):
            bank_s[bank] += part.time_s
        times.append(max(parts, key=lambda p: p.time_s))
    slowest = max(bank_s.values(), default=0.0)
    if options.issue_bound:
        slowest = max([slowest, *(issue_s(u, memory, f_max_hz) for u in units)])
    return MemoryTime(units=tuple(times), bank_s=bank_s, t_est_s=slowest)


def issue_s(unit: MemoryUnit, memory: Memory, f_max_hz: float) -> float:
    """The least time a unit needs to issue its requests, one memory word at most per kernel cycle."""
    if unit.kind == "atomic":
        return 0.0
    requests = unit.bytes / (unit.access_bytes * unit.lanes)
    return requests * max(1.0, unit.width_bytes / memory.word_bytes) / f_max_hz


def unit_time(unit: MemoryUnit, memory: Memory, f_max_hz: float, crowd: int, options: Options = FAITHFUL) -> UnitTime:
    """T_ideal and T_ovh of a unit in one of its banks, which serves `crowd` units (Eqs. 3 to 14)."""
    if unit.kind == "atomic" and memory.separate_channels:
        return UnitTime(
            t_ideal_s=0, t_ovh_s=0, saturated=False, f_min_hz=0, transferred_bytes=0,
            impossible=f"{memory.type} boards have no atomics on global memory",
        )  # fmt: skip
    share = unit.bytes / len(unit.banks)
    stride = effective_stride(unit, memory)
    threshold = f_min_hz(unit, memory, stride)
    if options.measured is not None:
        return _measured_time(unit, memory, f_max_hz, crowd, options.measured)
    bandwidth = memory.bandwidth_bytes_s
    strided_write = is_split_write(unit, memory, stride)
    if not strided_write:
        bandwidth = bw_mem(bandwidth, f_max_hz, threshold, crowd)
    factor = stride
    if unit.kind == "write_ack":
        factor *= memory.word_bytes / unit.access_bytes
    if strided_write:
        factor *= memory.burst_length
    t_ideal = share / bandwidth
    t_ovh = overhead_s(unit, memory, share, stride, crowd)
    # With more than one unit in the bank the clock crossing doubles what a slow kernel gets (Eq. 6).
    saturated = f_max_hz * (1 if crowd == 1 else 2) >= threshold
    return UnitTime(
        t_ideal_s=factor * t_ideal,
        t_ovh_s=factor * t_ovh,
        saturated=saturated,
        f_min_hz=threshold,
        transferred_bytes=factor * share * len(unit.banks),
    )


def _measured_time(unit: MemoryUnit, memory: Memory, f_max_hz: float, crowd: int, measured: Measured) -> UnitTime:
    """A unit's occupation of its bank as measurements have it: what it moves, over what the bank reaches.

    T_ideal is what it takes alone in the bank, T_ovh what the others in the bank add.
    """
    share = unit.bytes / len(unit.banks)
    stride = effective_stride(unit, memory)
    threshold = f_min_hz(unit, memory, stride)
    saturated = f_max_hz * len(unit.banks) * (1 if crowd == 1 else 2) >= threshold
    if unit.kind == "atomic":
        once = measured.atomic_ns * 1e-9 / (unit.lanes if unit.constant_operand else 1)
        operations = unit.bytes / unit.access_bytes
        return UnitTime(
            t_ideal_s=0, t_ovh_s=operations * once, saturated=False, f_min_hz=threshold, transferred_bytes=unit.bytes
        )  # fmt: skip
    scattered = unit.kind == "write_ack" or unit.stride == float("inf")
    reached = (
        measured.scattered if scattered else measured.non_aligned if unit.kind == "non_aligned" else measured.aligned
    )
    factor = memory.word_bytes / unit.access_bytes if unit.kind == "write_ack" else stride
    if is_split_write(unit, memory, stride) and not scattered:
        factor *= memory.burst_length
    alone = factor * share / memory.bandwidth_bytes_s / reached[0]
    together = alone * reached[0] / reached[min(crowd, len(reached)) - 1]
    return UnitTime(
        t_ideal_s=alone, t_ovh_s=together - alone, saturated=saturated, f_min_hz=threshold,
        transferred_bytes=factor * share * len(unit.banks),
    )  # fmt: skip


def effective_stride(unit: MemoryUnit, memory: Memory) -> float:
    """δ between 1 and what turns every element into a word of its own; 1 for atomics (Section 5.2)."""
    if unit.kind == "atomic":
        return 1.0
    most = max(1.0, memory.word_bytes / unit.access_bytes)
    return min(max(1.0, unit.stride), most)


def is_split_write(unit: MemoryUnit, memory: Memory, stride: float) -> bool:
    """HBM2 sends each word of a strided write on its own, bl times slower (M21, Section 7.1.1)."""
    return memory.separate_channels and unit.op == "store" and unit.kind == "aligned" and stride >= 2


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
    """burst_size: the page for aligned units (Eq. 9); what max_th requests reach for others (Eqs. 11, 12)."""
    page = float(memory.page_bytes)
    if unit.kind != "non_aligned":
        return page
    requests = memory.max_threads * unit.width_bytes / (stride + 1)
    return min(requests, page) / stride
