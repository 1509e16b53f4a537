"""What limits a kernel."""

import pytest

from tests.assessing import assess

COPY = """{attributes}
__kernel void copy(__global const float *restrict x, __global float *restrict y)
{{
    const int i = get_global_id(0);
    y[i] = x[i];
}}
"""
WIDE = "__attribute__((reqd_work_group_size(256, 1, 1), num_simd_work_items(16)))"


@pytest.mark.parametrize(
    ("attributes", "f_max_mhz", "bound"),
    [("", 480, "kernel"), (WIDE, 480, "memory"), (WIDE, 60, "kernel")],
    ids=["a word of 4 B a cycle", "whole words", "a slow clock"],
)
def test_the_memory_or_the_kernels_own_clock(attributes: str, f_max_mhz: float, bound: str) -> None:
    (kernel,) = assess(COPY.format(attributes=attributes), global_size=1 << 24, f_max_mhz=f_max_mhz).kernels
    assert kernel.estimate.bound == bound


def test_without_sizes_nothing_is_claimed_of_a_narrow_kernel() -> None:
    (kernel,) = assess(COPY.format(attributes="")).kernels
    assert kernel.estimate.bound == "unknown"


@pytest.mark.parametrize("attributes", ["", WIDE], ids=["narrow", "wide"])
def test_the_time_of_a_work_item_is_its_share_of_the_whole(attributes: str) -> None:
    text = COPY.format(attributes=attributes)
    one, whole = (assess(text, **sizes).kernels[0].estimate for sizes in ({}, {"global_size": 1 << 20}))
    assert whole.time_s is not None
    assert one.time_item_s == pytest.approx(whole.time_s / (1 << 20))
