"""Rows and columns that work-items get by dividing their id: which neighbours the compiler sees (clang -O2)."""

from __future__ import annotations

import pytest

from tests.assessing import assess

KERNEL = """
__attribute__((num_simd_work_items(16), reqd_work_group_size(256, 1, 1)))
__kernel void around(__global const int *restrict in, __global int *restrict out, int width, int base)
{{
    int i = get_global_id(0);
    int x = i % {by};
    int y = i / {by};
    out[i] = in[{index}];
}}
"""


def units(index: str, by: str = "width") -> int:
    """The units of the load, each of which takes a request of its own."""
    (kernel,) = assess(KERNEL.format(index=index, by=by), arguments={"width": 512}, global_size=1 << 20).kernels
    return sum(u.lsu.count for u in kernel.estimate.units if u.lsu.op == "load")


@pytest.mark.parametrize(
    "index",
    ["y * width + x", "base + y * width + x", "y * width + (x - 1)", "y * width + x + 1", "x + y * width", "i - width"],
)
def test_a_row_and_a_column_added_are_the_id(index: str) -> None:
    assert units(index) == 1


@pytest.mark.parametrize("index", ["(y - 1) * width + x", "(y + 1) * width + (x + 1)"])
def test_in_another_row_the_divisions_stay_and_each_lane_has_a_unit(index: str) -> None:
    assert units(index) == 16


def test_a_division_by_a_constant_is_the_bits_of_the_id() -> None:
    assert units("(y + 1) * 512 + x", by="512") == 1


def test_one_lane_walks_in_order_whatever_the_compiler_sees() -> None:
    text = KERNEL.format(index="(y + 1) * width + x", by="width").replace("num_simd_work_items(16), ", "")
    (kernel,) = assess(text, arguments={"width": 512}, global_size=1 << 20).kernels
    assert all(u.lsu.stride == 1 for u in kernel.estimate.units)


DIGITS = """
#define DIGITS(id, first, n) ((id >> first) & ((1 << n) - 1))
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void gather(__global const float2 *restrict src, __global float2 *restrict dst)
{
    uint id = get_global_id(0) << 3;
    uint at = (DIGITS(id, 12, 20) << 12) | (DIGITS(id, 6, 3) << 9) | (DIGITS(id, 9, 3) << 6) | DIGITS(id, 0, 6);
    float2 sum = 0;
    #pragma unroll
    for (uint k = 0; k < 8; k++)
        sum += src[at + k];
    dst[get_global_id(0)] = sum;
}
"""


def test_neighbours_behind_digits_that_change_places_are_one_wide_request() -> None:
    units = assess(DIGITS).kernels[0].estimate.units
    assert [(unit.lsu.count, unit.lsu.width_bits) for unit in units if unit.lsu.op == "load"] == [(1, 512)]
