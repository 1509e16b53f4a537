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


LINE = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int lines __attribute__((depth(64)));
__kernel void feed(__global const int *restrict from)
{
    for (int i = 0; i < 1024 * 64; i++)
        write_channel_intel(lines, from[i]);
}
__kernel void layer(__global const int *restrict weights, __global int *restrict out)
{
    int line[64];
    for (int i = 0; i < 64; i++)
        line[i] = i;
    for (int at = 0; at < 1024; at++) {
        %s
        for (int map = 0; map < 128; map++)
            out[at + 1024 * map] = %s * weights[map];
    }
}
"""
MOVED = "for (int i = 0; i < 63; i++) line[i] = line[i + 1]; line[63] = at;"
TAKEN = "int item = read_channel_intel(lines);"


@pytest.mark.parametrize(
    ("each", "value", "may"),
    [(MOVED, "line[at % 64]", False), (TAKEN, "item", False), ("", "at", True)],
    ids=["a line on the chip", "a channel", "nothing"],
)
def test_loops_keep_their_order_where_an_iteration_needs_the_one_before(each: str, value: str, may: bool) -> None:
    levers = assess(LINE % (each, value)).kernels[1].estimate.levers
    assert any(isinstance(lever.change, Interchange) for lever in levers) is may


def test_what_both_loops_add_up_may_be_added_in_another_order() -> None:
    text = """
    __kernel void total(__global const int *restrict a, __global int *restrict sum, int w)
    {
        int all = 0;
        for (int r = 0; r < w; r++)
            for (int c = 0; c < w; c++)
                all += a[c * w + r];
        *sum = all;
    }
    """
    levers = assess(text, arguments={"w": 4096}).kernels[0].estimate.levers
    assert any(isinstance(lever.change, Interchange) for lever in levers)
