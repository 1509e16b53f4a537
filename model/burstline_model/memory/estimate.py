"""The memory model: T_est of units on a memory, by the papers' equations or by measurements."""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.boards.board import Memory
from burstline_model.memory import calibrated, faithful
from burstline_model.memory.units import FAITHFUL, MemoryTime, MemoryUnit, Options, UnitTime


def estimate_memory(
    units: Sequence[MemoryUnit], memory: Memory, f_max_hz: float, options: Options = FAITHFUL
) -> MemoryTime:
    """T_est = max over the banks of the sum over their units (Eqs. 1 and 2), and what the kernel's clock allows."""
    crowd: dict[int, int] = {}
    for unit in units:
        for bank in unit.banks:
            crowd[bank] = crowd.get(bank, 0) + unit.count
    around = calibrated.company(units)
    times: list[UnitTime] = []
    bank_s = dict.fromkeys(sorted(crowd), 0.0)
    for unit in units:
        refused = faithful.no_atomics(unit, memory)
        if refused is not None:
            times.append(refused)
            continue
        parts = [
            faithful.unit_time(unit, memory, f_max_hz, crowd[bank])
            if options.measured is None
            else calibrated.unit_time(unit, memory, f_max_hz, bank, around, options.measured)
            for bank in unit.banks
        ]
        for bank, part in zip(unit.banks, parts, strict=True):
            bank_s[bank] += part.time_s
        times.append(max(parts, key=lambda p: p.time_s))
    slowest = max(bank_s.values(), default=0.0)
    slowest = max(slowest, calibrated.bound_s(units, memory, f_max_hz, options))
    return MemoryTime(units=tuple(times), bank_s=bank_s, t_est_s=slowest)
