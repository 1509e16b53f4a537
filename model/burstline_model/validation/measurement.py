"""A measured kernel: what moved, on what board, in what time."""

from __future__ import annotations

from typing import Literal

from burstline_model.memory.memory_units import MemoryUnit
from burstline_model.record import Record

Group = Literal["banked", "interleaved"]


class Measurement(Record):
    """One row of a measurement set. `board` is a board file's name; `fit` marks a microbenchmark used to fit."""

    id: str
    set: str
    board: str
    group: Group
    units: tuple[MemoryUnit, ...]
    f_max_hz: float
    time_s: float
    fit: bool = False
