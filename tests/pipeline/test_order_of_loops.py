"""Advice to interchange loops: what it does to all accesses of the nest."""

import pytest

from burstline_model.estimate.changes import Interchange, RowTile
from burstline_model.estimate.kernel_estimate import KernelEstimate
from tests.assessing import assess

NEST = """
__attribute__((max_global_work_dim(0)))
__kernel void move(__global const float *restrict a, __global float *restrict y, int w)
{
    for (int %s = 0; %s < w; %s++)
        for (int %s = 0; %s < w; %s++)
            y[%s] = a[%s];
}
"""
ROWS, COLUMNS = "r * w + c", "c * w + r"


def estimate_of(outer: str, inner: str, to: str, source: str) -> KernelEstimate:
    text = NEST % (*[outer] * 3, *[inner] * 3, to, source)
    return assess(text, arguments={"w": 4096}).kernels[0].estimate


@pytest.mark.parametrize(("outer", "inner"), [("r", "c"), ("c", "r")])
def test_a_transpose_gains_nothing_by_another_order(outer: str, inner: str) -> None:
    changes = [lever.change for lever in estimate_of(outer, inner, ROWS, COLUMNS).levers]
    assert not any(isinstance(change, Interchange) for change in changes)
    assert any(isinstance(change, RowTile) for change in changes)


@pytest.mark.parametrize("to", [COLUMNS, "c"])
def test_the_gain_of_another_order_is_that_of_the_interchanged_text(to: str) -> None:
    levers = estimate_of("r", "c", to, COLUMNS).levers
    first = next(lever for lever in levers if isinstance(lever.change, Interchange))
    after = estimate_of("c", "r", to, COLUMNS).time_s
    assert after is not None
    assert first.after_s == pytest.approx(after, rel=0.05)
