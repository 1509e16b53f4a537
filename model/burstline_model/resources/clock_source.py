"""The clock that a kernel's times are computed with, and where it comes from."""

from __future__ import annotations

from burstline_model.boards.board import Board
from burstline_model.launch import Launch, Provenance
from burstline_model.record import Record
from burstline_model.resources import ResourceUse, f_max_of
from burstline_model.target import Family


class Clock(Record):
    """A kernel's clock in Hz; `low_hz` to `high_hz` is where eight of ten builds lie (one value where it is given)."""

    hz: float
    low_hz: float
    high_hz: float
    provenance: Provenance


def given_mhz(launch: Launch, board: Board) -> float | None:
    """The clock in MHz where it is given: the papers' mode takes the board's usual one, as the papers do."""
    if launch.f_max_mhz is not None:
        return launch.f_max_mhz
    return board.compiler.f_max_mhz if launch.mode == "faithful" else None


def clock_of(launch: Launch, board: Board, resources: ResourceUse, family: Family) -> Clock:
    """What the user, an option or a report gives (`given_mhz`); else what builds as full as this one reach.

    No more than `Launch.f_max_most_mhz`, where it is an estimate.
    """
    mhz = given_mhz(launch, board)
    if mhz is not None and launch.f_max_mhz is None:
        return _exactly(mhz, "board")
    if mhz is not None:
        return _exactly(mhz, "report" if launch.f_max_reported else launch.provenance("f_max_mhz"))
    reached = f_max_of(resources, family)
    most_mhz = launch.f_max_most_mhz
    down = min(1.0, most_mhz / reached.typical_mhz) if most_mhz is not None else 1.0
    typical, low, high = (mhz * down * 1e6 for mhz in (reached.typical_mhz, reached.low_mhz, reached.high_mhz))
    return Clock(hz=typical, low_hz=low, high_hz=high, provenance="estimate")


def _exactly(mhz: float, provenance: Provenance) -> Clock:
    return Clock(hz=mhz * 1e6, low_hz=mhz * 1e6, high_hz=mhz * 1e6, provenance=provenance)
