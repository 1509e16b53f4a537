"""What is kept of the costs of a file's kernels, and what they follow from."""

from __future__ import annotations

from typing import Generic, TypeVar

from burstline_model.boards.board import Board
from burstline_model.record import fixed
from burstline_server.analysis.reuse import KernelSnapshot

Cost = TypeVar("Cost")


@fixed
class FileCosts(Generic[Cost]):
    """What all kernels of a file have in common, the kernels, and their costs."""

    shared: object
    snapshots: tuple[KernelSnapshot, ...]
    costs: list[Cost | None]


@fixed
class JoinedCosts(Generic[Cost]):
    """The costs of a file's kernels that run at the same time, and what they were made of."""

    device: object
    withheld: frozenset[int]
    made_of: tuple[object, ...]
    """The facts of each kernel, and its cost as if it ran alone."""
    costs: list[Cost | None]


def text_of(board: Board) -> str:
    """All that is said of a board; that of the last one is known."""
    if not _LAST_BOARD or _LAST_BOARD[0][0] is not board:
        _LAST_BOARD[:] = [(board, board.model_dump_json())]
    return _LAST_BOARD[0][1]


_LAST_BOARD: list[tuple[Board, str]] = []
