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
from burstline_server.quantities import clock_range_text, frequency_text, time_text, whole_text


def input_text(one: Input) -> tuple[str, str]:
    """The name of an input, and its value."""
    match one:
        case WorkItems():
            return "work-items", work_items_text(one)
        case Argument():
            return one.name, whole_text(one.value)
        case AssumedTrips():
            return "trips not known", whole_text(one.trips)
        case KernelClock():
            spread = one.low_hz != one.high_hz
            return "f_max", frequency_text(one.hz) + (
                f", {clock_range_text(one.low_hz, one.high_hz)}" if spread else ""
            )
        case MemoryType():
            return "memory", one.type
        case SimdLanes():
            return "SIMD", str(one.lanes)
        case ModelMode():
            return "mode", one.mode
        case LaunchTime():
            return "launch overhead", f"{time_text(one.time_s)} more than these times, on a host's timer"
        case _:
            assert_never(one)


def work_items_text(one: WorkItems) -> str:
    """How many work-items there are, by dimension where there are several."""
    shape = [size for size in one.shape if size > 1]
    return " × ".join(map(whole_text, shape)) if len(shape) > 1 else whole_text(one.items)
