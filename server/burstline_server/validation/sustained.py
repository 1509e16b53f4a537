"""What a board's memory sustains for a copy, by the size of the array and the order of elements (TYTRA, Fig. 11)."""

from __future__ import annotations

from math import nan

from burstline_model.record import Record
from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer

SIDES = tuple(1 << n for n in range(5, 14))
"""The sides of the square arrays of 32-bit integers; a column's elements lie that many apart."""
LANES = 16
_COPY = """__attribute__((reqd_work_group_size(32, 1, 1)))
__attribute__((num_simd_work_items({lanes})))
__kernel void copy(__global const int *restrict x, __global int *restrict z)
{{
    const int i = get_global_id({row}) * {side} + get_global_id({column});
    z[i] = x[i];
}}
"""


class Sustained(Record):
    """The GB/s, useful bytes read and written, of one launch: an element a cycle in two orders, and whole words."""

    side: int
    in_order: float
    strided: float
    wide: float

    @property
    def array_bytes(self) -> int:
        """What each of the two arrays takes."""
        return 4 * self.side**2


def sustained(board: str) -> list[Sustained]:
    """For each size, with what a launch takes on a host's timer."""
    assessor = Assessor()

    def reached(side: int, *, by_columns: bool = False, lanes: int = 1) -> float:
        row, column = (0, 1) if by_columns else (1, 0)
        text = _COPY.format(lanes=lanes, row=row, column=column, side=side)
        layers = [Layer("option", {"board": board, "global_size": (side, side)})]
        (one,) = assessor.assess(text, "copy.cl", layers).kernels
        time = one.estimate.time_s
        return 8 * side**2 / (time + one.estimate.launch_s) / 1e9 if time is not None else nan

    return [
        Sustained(
            side=side, in_order=reached(side), strided=reached(side, by_columns=True), wide=reached(side, lanes=LANES)
        )
        for side in SIDES
    ]
