"""A measured kernel: what moved, on what board, in what time."""

from __future__ import annotations

from typing import Literal

from burstline_model.board import Board, find_board
from burstline_model.memory.estimate import estimate_memory
from burstline_model.memory.units import MemoryUnit, Options, options_for
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

    def estimated_s(self, mode: Literal["faithful", "calibrated"]) -> float:
        """What the model says in a mode."""
        board = find_board(self.board)
        return self.under(board, options_for(mode, board))

    def under(self, board: Board, options: Options) -> float:
        """What the model says under these options."""
        return estimate_memory(self.units, board.memory, self.f_max_hz, options).t_est_s


def stream(
    op: Literal["load", "store"],
    size: float,
    width_bytes: float,
    banks: tuple[int, ...],
    *,
    in_step: bool = False,
    misaligned: bool = False,
    element_bytes: float = 4,
    lanes: int | None = None,
) -> MemoryUnit:
    """An aligned unit that moves `size` bytes one after the other."""
    return MemoryUnit(
        kind="non_aligned" if misaligned else "aligned", op=op, width_bytes=width_bytes, bytes=size,
        access_bytes=element_bytes, lanes=lanes or max(1, round(width_bytes / element_bytes)), banks=banks,
        in_step=in_step, misaligned=misaligned,
    )  # fmt: skip
