"""The opening example of M21: rows widened by zeros, four bytes at a time and restructured by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from burstline_model.estimate.concurrent import time_together
from burstline_model.launch import Mode
from tests.assessing import assess

EXAMPLES = Path(__file__).parents[2] / "examples"
TOGETHER = ("send_rows", "pad_rows")


def time_s(example: str, *kernels: str, mode: Mode, f_max_mhz: float = 480) -> float:
    """How long kernels of an example take next to each other."""
    assessment = assess((EXAMPLES / f"{example}.cl").read_text("utf-8"), mode=mode, f_max_mhz=f_max_mhz)
    chosen = [(k.facts, k.launch, k.estimate) for k in assessment.kernels if k.facts.name in kernels]
    time = time_together(chosen, assessment.board, "launch")
    assert len(chosen) == len(kernels)
    assert time is not None
    return time


@pytest.mark.parametrize("mode", ["faithful", "calibrated"])
def test_units_are_the_two_of_four_bytes_that_the_paper_found(mode: Mode) -> None:
    assessment = assess((EXAMPLES / "padding.cl").read_text("utf-8"), mode=mode)
    assert [(u.op, u.width_bits, u.count) for k in assessment.kernels for u in k.lsus] == [
        ("load", 32, 1), ("store", 32, 1),
    ]  # fmt: skip
    after = assess((EXAMPLES / "padding_restructured.cl").read_text("utf-8"), mode=mode)
    assert {u.width_bits for k in after.kernels for u in k.lsus} == {512}


@pytest.mark.parametrize(
    ("mode", "f_max_mhz", "with_zeroing", "without"),
    [
        ("faithful", 480, 2.59, 3.89),
        ("calibrated", 480, 2.42, 3.61),
        ("faithful", 300, 4.15, 6.22),
        ("calibrated", 300, 3.87, 5.77),
    ],
)
def test_restructuring_gains_what_the_paper_leaves_open(
    mode: Mode, f_max_mhz: float, with_zeroing: float, without: float
) -> None:
    # Measured on this board: twice the performance, 2.7 times the bandwidth of the two units, predicted within 4.6 %.
    # The program is known (the best of Boyi's 37: these two kernels), but neither its sizes nor its clocks, nor whether
    # zeroing the matrix, the restructuring's first step, is in the time. At the 480 MHz that the authors' other
    # predictions assume we say 2.4 to 2.6 with it, 3.6 to 3.9 without; narrow requests are slower at a lower clock.
    before = time_s("padding", *TOGETHER, mode=mode, f_max_mhz=f_max_mhz)
    after = time_s("padding_restructured", *TOGETHER, mode=mode, f_max_mhz=f_max_mhz)
    zeroing = time_s("padding_restructured", "zero_rows", mode=mode, f_max_mhz=f_max_mhz)
    assert before / (after + zeroing) == pytest.approx(with_zeroing, rel=0.03)
    assert before / after == pytest.approx(without, rel=0.03)
