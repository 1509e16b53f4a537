"""What data may make of a time is said at assumed sizes as well; what arguments would cut off is not in it."""

from __future__ import annotations

import re

from burstline_server.assessment.costing import KernelAssessment
from burstline_server.words.kernel_times import time_line
from tests.assessing import assess

ROWS = """
__kernel void rows(__global const float *restrict t, __global const int *restrict at, __global float *restrict out)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < 64; k++)
        sum += t[at[i] + k];
    out[i] = sum;
}
"""


def by_data(kernel: KernelAssessment) -> tuple[float, float]:
    """The least and the most time at assumed sizes, in seconds."""
    guess = kernel.at_assumed
    return (guess.estimate.time_by_data_s if guess is not None else None) or (0.0, 0.0)


def test_where_gathers_may_meet_in_words_the_least_is_said_too() -> None:
    # 1 048 576 x 64 elements of 4 B: a word of 64 B for each, or one for sixteen of them.
    (kernel,) = assess(ROWS).kernels
    low, high = by_data(kernel)
    assert 0 < 1.5 * low < high
    assert re.search(r"≈\? [\d.]+ ms to [\d.]+ ms by data at assumed sizes", time_line(kernel))


def test_a_bound_that_nobody_gives_keeps_no_work_item_out_at_assumed_sizes() -> None:
    text = """
__kernel void sums(__global const float *restrict t, __global float *restrict out, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < 128; k++)
        sum += t[k] * k;
    out[i] = sum;
}
"""
    (kernel,) = assess(text).kernels
    low, high = by_data(kernel)
    assert low == high > 0
    assert time_line(kernel).endswith(" ms at assumed sizes")
    assert "(" not in time_line(kernel)
