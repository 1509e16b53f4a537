"""What an estimate rests on: the name of each input, and its value with a unit."""

from __future__ import annotations

from typing import assert_never

from burstline_model.estimate.assumption import (
    Argument,
    AssumedTrips,
    Input,
    KernelClock,
    LaunchTime,
    MemoryType,
    ModelMode,
    SimdLanes,
    WorkItems,
)


def input_text(one: Input) -> tuple[str, str]:
    """The name of an input, and its value."""
    match one:
        case WorkItems():
            return "work-items", work_items_text(one)
        case Argument():
            return one.name, str(one.value)
        case AssumedTrips():
            return "trips not known", str(one.trips)
        case KernelClock():
            spread = one.low_hz != one.high_hz
            mhz = f"{one.hz / 1e6:.0f}" if spread else f"{one.hz / 1e6:g}"
            return "f_max", f"{mhz} MHz" + (f", {one.low_hz / 1e6:.0f}–{one.high_hz / 1e6:.0f}" if spread else "")
        case MemoryType():
            return "memory", one.type
        case SimdLanes():
            return "SIMD", str(one.lanes)
        case ModelMode():
            return "mode", one.mode
        case LaunchTime():
            return "launch overhead", f"{one.time_s * 1e6:.0f} µs more on a host's timer"
        case _:
            assert_never(one)


def work_items_text(one: WorkItems) -> str:
    """How many work-items there are, by dimension where there are several."""
    shape = [size for size in one.shape if size > 1]
    return " × ".join(map(str, shape)) if len(shape) > 1 else f"{one.items:,}".replace(",", " ")
