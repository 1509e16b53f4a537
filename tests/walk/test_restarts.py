"""Conditions on counters that start over hold as a rule: what their step comes to far out is not their value."""

from __future__ import annotations

import pytest

from tests.assessing import assess

TEXT = """
__attribute__((max_global_work_dim(0)))
__kernel void k(__global const float *restrict x, __global float *restrict y, int n, int width)
{
    int column = 0, row = 0;
    for (int i = 0; i < n; i++) {
        if (%s)
            y[row * width + column] = x[row * width + column];
        column++;
        if (column == width) {
            column = 0;
            row++;
        }
    }
}
"""


@pytest.mark.parametrize("guard", ["column < width && row >= 0", "row >= 1", "column > 0", "row < 100"])
def test_bounds_of_counters_that_start_over_hold(guard: str) -> None:
    done = assess(TEXT % guard, arguments={"n": 1 << 20, "width": 1024})
    load = next(u for u in done.kernels[0].estimate.units if u.lsu.op == "load")
    assert load.bytes == pytest.approx(4 << 20, rel=0.01)
    assert load.walk is not None
    assert load.walk.low_bytes is not None
    assert load.walk.low_bytes < load.bytes
