"""The memory model: T_est of units on a memory, by the papers' equations or by measurements."""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.boards.board import Board, Memory, usually_measured
from burstline_model.memory import calibrated, faithful
from burstline_model.memory.memory_units import FAITHFUL, MemoryTime, MemoryUnit, Options, UnitTime


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
    alone_s = dict(bank_s)
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
        apart = unit.step_bytes if options.measured is not None else 0.0
        turns = calibrated.turns(apart, len(unit.banks), memory)
        for bank, part in zip(unit.banks, parts, strict=True):
            bank_s[bank] += part.time_s / turns
            alone_s[bank] = max(alone_s[bank], part.time_s)
        times.append(max(parts, key=lambda p: p.time_s))
    # Units that each keep to one bank at a time may keep to different ones.
    bank_s = {bank: max(together, alone_s[bank]) for bank, together in bank_s.items()}
    slowest = max(bank_s.values(), default=0.0)
    slowest = max(slowest, calibrated.bound_s(units, memory, f_max_hz, options))
    return MemoryTime(units=tuple(times), bank_s=bank_s, t_est_s=slowest)


def estimate_memories(
    units: Sequence[MemoryUnit], board: Board, f_max_hz: float, options: Options = FAITHFUL
) -> MemoryTime:
    """T_est of units on all memories of a board, which work at the same time: the slowest of them counts."""
    if not board.others:
        return estimate_memory(units, board.memory, f_max_hz, options)
    places: dict[int, list[int]] = {}
    for place, unit in enumerate(units):
        places.setdefault(id(board.memory_of(unit.banks[0])), []).append(place)
    times: dict[int, UnitTime] = {}
    bank_s: dict[int, float] = {}
    slowest = 0.0
    for memory in (board.memory, *board.others):
        here = places.get(id(memory), [])
        own = options
        if options.measured is not None and memory is not board.memory:
            own = options.model_copy(update={"measured": usually_measured(memory)})
        done = estimate_memory([units[i] for i in here], memory, f_max_hz, own)
        times.update(zip(here, done.units, strict=True))
        bank_s.update(done.bank_s)
        slowest = max(slowest, done.t_est_s)
    return MemoryTime(units=tuple(times[i] for i in range(len(units))), bank_s=bank_s, t_est_s=slowest)
