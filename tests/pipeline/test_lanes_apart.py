"""SIMD lanes that ask for places apart: more lanes make no request wider, a tile filled along rows does."""

from __future__ import annotations

from burstline_model.estimate.changes import RowTile, Widen
from tests.assessing import assess

PRODUCT = """
__attribute__((reqd_work_group_size(16, 16, 1)))
__attribute__((num_simd_work_items(4)))
__kernel void product(__global const float *restrict a, __global float *restrict out, int width)
{
    __local float mine[256], others[256];
    int x = get_local_id(0), y = get_local_id(1);
    float sum = 0;
    for (int at = 0; at < width; at += 16) {
        mine[y * 16 + x] = a[get_global_id(1) * width + at + x];
        others[x * 16 + y] = a[%s];
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int k = 0; k < 16; k++)
            sum += mine[y * 16 + k] * others[x * 16 + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(1) * 1024 + get_global_id(0)] = sum;
}
"""
APART, ALONG = "get_global_id(0) * width + at + y", "(get_group_id(0) * 16 + y) * width + at + x"


def test_a_tile_is_filled_along_rows_where_lanes_are_columns_apart() -> None:
    # Four units of 4 B for each iteration of a tile's column; one of 16 B for its row.
    sizes = (1024, 1024)
    (kernel,) = assess(PRODUCT % APART, global_size=sizes, arguments={"width": 1024}).kernels
    first = kernel.estimate.levers[0]
    assert first.change == RowTile(pointer="a")
    assert first.after_s is not None
    assert first.after_s < 0.8 * (kernel.estimate.time_s or 0.0)
    assert not [one for unit in kernel.estimate.units for one in unit.observations if isinstance(one.change, Widen)]


def test_nothing_is_said_of_a_tile_that_is() -> None:
    (kernel,) = assess(PRODUCT % ALONG, global_size=(1024, 1024), arguments={"width": 1024}).kernels
    assert not [one for one in kernel.estimate.levers if isinstance(one.change, RowTile)]
