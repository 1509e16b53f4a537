"""How far a compiler unrolls loops that no pragma asks it to unroll."""

from __future__ import annotations

from burstline_model.record import Record


class Unasked(Record):
    """What bounds the loops that are unrolled unasked.

    `moving_trips`: the longest innermost loop that moves words alone. `nest_copies`: the most copies of accesses that a
    loop around unrolled ones may make where it reaches global memory.
    """

    moving_trips: int
    nest_copies: int


USUAL = Unasked(moving_trips=12, nest_copies=64)
"""What holds where a compiler's version says nothing else."""
