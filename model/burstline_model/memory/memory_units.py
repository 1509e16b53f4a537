"""Load/store units as the memory model sees them, and what it says of them."""

from __future__ import annotations

from typing import Literal

from burstline_model.boards.board import Board, Measured
from burstline_model.launch import Mode
from burstline_model.record import Record, small

Kind = Literal["aligned", "non_aligned", "write_ack", "cached", "prefetching", "atomic"]


class MemoryUnit(Record):
    """One load/store unit as the equations see it.

    `width_bytes` is ls_width, `bytes` the useful traffic ls_acc·ls_bytes of the whole launch, `access_bytes` ls_bytes,
    `stride` δ (at least 1), `lanes` v. `banks` are the banks its traffic is spread over evenly.
    `constant_operand`: an atomic whose operand is the same in all lanes. `count` equal units share the traffic, those
    of all `compute_units` together.
    `in_step`: interleaved buffers that start over the same bank, as those of 2^k bytes do, and are gone through alike:
    their units meet in one bank all the time. `misaligned`: its requests are known to start off a multiple of their
    width. `apart`: its words lie anywhere (None: as its kind has it, which is so for write-ack and for an infinite
    stride). `in_turns`: its neighbours do not join because others come between. Units with the same `access` serve one
    access; without it, each serves a different one. `step_bytes` lie between requests that follow each other, where
    that is one and the same for a while (0: it is not).
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
    compute_units: int = 1
    in_step: bool = False
    misaligned: bool = False
    apart: bool | None = None
    in_turns: bool = False
    access: int | None = None
    step_bytes: float = 0


class Options(Record):
    """What the model adds to the papers' equations; all off is the faithful mode.

    `issue_bound`: a unit issues at most one word per kernel cycle, in place of Eqs. 4 and 6. `alignment_law`: a request
    that starts off its alignment issues in k+1 cycles what takes k aligned. `interconnect`: the reads of a bank,
    and all stores of the kernel, share one word per kernel cycle. `measured`: what the memory reaches of its
    peak, in place of Eqs. 8 to 14.
    """

    issue_bound: bool = False
    alignment_law: bool = False
    interconnect: bool = False
    measured: Measured | None = None


FAITHFUL = Options()


def options_for(mode: Mode, board: Board) -> Options:
    """The options of a mode on a board."""
    if mode == "faithful":
        return FAITHFUL
    return Options(issue_bound=True, alignment_law=True, interconnect=True, measured=board.measured)


@small
class UnitTime:
    """The cost of one unit, in seconds, every factor included; the slowest of its banks counts.

    `impossible`: an atomic, on a memory that has none; its times are 0 then.
    """

    t_ideal_s: float
    t_ovh_s: float
    saturated: bool
    f_min_hz: float
    transferred_bytes: float
    impossible: bool = False

    @property
    def time_s(self) -> float:
        """δ · (T_ideal + T_ovh), one summand of Eq. 2."""
        return self.t_ideal_s + self.t_ovh_s


@small
class MemoryTime:
    """The units' costs, each bank's sum (Eq. 2) and the estimate (Eq. 1), in seconds."""

    units: tuple[UnitTime, ...]
    bank_s: dict[int, float]
    t_est_s: float
