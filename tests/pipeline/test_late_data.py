"""Loops that read global memory in iterations that wait for each other: each waits for the last data to come."""

import pytest

from burstline_model.estimate.kernel_estimate import KernelEstimate
from tests.assessing import assess

ROWS = """
__attribute__((max_global_work_dim(0)))
__kernel void rows(__global const float *restrict x, __global float *restrict y)
{
    float row[512];
    for (int r = 0; r < ROWS; r++) {
        for (int i = 0; i < 512; i++)
            row[i] = FILLED;
        float s = 0.0f;
        for (int i = 0; i < 512; i++)
            s += row[511 - i] * row[i / 2];
        y[r] = s;
    }
}
"""
ABOVE = """
__attribute__((max_global_work_dim(0)))
__kernel void above(__global const float *restrict x, __global float *restrict y)
{
    for (int r = 0; r < 4096; r++) {
        float most = 0.0f;
        for (int k = 0; k < 4; k++)
            #pragma unroll 1
            for (int i = 0; i < 16; i++) {
                float v = x[64 * r + 16 * k + i];
                if (v > most)
                    most = v;
            }
        y[r] = most;
    }
}
"""
LATENCY_S = 240e-9
"""Of the default board's memory."""


def _estimate(text: str) -> KernelEstimate:
    return assess(text, f_max_mhz=400).kernels[0].estimate


def _rows(rows: int, filled: str) -> float:
    estimate = _estimate(ROWS.replace("ROWS", str(rows)).replace("FILLED", filled))
    assert any(loop.serial for loop in estimate.loops)
    assert estimate.time_s is not None
    return estimate.time_s


@pytest.mark.parametrize("rows", [256, 4096])
def test_each_row_waits_for_its_data(rows: int) -> None:
    """A row's sums begin once its last element has come, and the next row once they are done."""
    more_s = _rows(rows, "x[512 * r + i]") - _rows(rows, "r + i")
    assert more_s >= 0.9 * rows * LATENCY_S
    assert more_s <= 2 * rows * LATENCY_S


def test_rows_that_overlap_in_a_loop_around_hide_it() -> None:
    """Iterations of the loop over k wait for each other, those of the loop over r do not."""
    estimate = _estimate(ABOVE)
    assert [loop.serial for loop in estimate.loops] == [False, True, False]
    assert (estimate.time_s or 1.0) < 0.5 * 4 * 4096 * LATENCY_S
