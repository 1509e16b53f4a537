"""What an editor's status bar says of a file, and the boards it offers to choose from."""

from __future__ import annotations

from typing import get_args

from burstline_model.boards.board import Board, boards
from burstline_model.launch import Provenance
from burstline_model.lsu import Confidence
from burstline_model.record import Record
from burstline_server.assessment.assessor import Assessment
from burstline_server.quantities import bandwidth_text, frequency_text


class Status(Record):
    """What the figures of a file rest on. `confidence` is the lowest of its accesses', None without any."""

    board: str
    board_title: str
    f_max: str
    f_max_from: Provenance
    confidence: Confidence | None


class BoardChoice(Record):
    """One board in a list to choose from."""

    name: str
    title: str
    memory: str


def status_of(assessment: Assessment) -> Status:
    """The status of an assessed file."""
    first = next((kernel.estimate for kernel in assessment.kernels), None)
    given = assessment.settings.f_max_mhz
    own_hz = (given or assessment.board.compiler.f_max_mhz) * 1e6
    found = {unit.confidence for kernel in assessment.kernels for unit in kernel.estimate.units}
    return Status(
        board=assessment.board.name,
        board_title=assessment.board.title,
        f_max=frequency_text(first.f_max_hz if first is not None else own_hz),
        f_max_from=first.f_max_from if first is not None else "launch" if given is not None else "board",
        confidence=max(found, key=get_args(Confidence).index) if found else None,
    )


def board_choices() -> list[BoardChoice]:
    """Every board that comes with the program."""
    return [BoardChoice(name=b.name, title=b.title, memory=memory_text(b)) for b in boards().values()]


def memory_text(board: Board) -> str:
    """A board's memory in a few words."""
    memory = board.memory
    measured = ", measured" if board.own_measured else ""
    first = f"{memory.banks} × {memory.type}, {bandwidth_text(memory.peak_mb_s * 1e6)}{measured}"
    others = (f"{m.name or m.type}: {m.banks} × {m.type}, {bandwidth_text(m.peak_mb_s * 1e6)}" for m in board.others)
    return "; ".join((first, *others))
