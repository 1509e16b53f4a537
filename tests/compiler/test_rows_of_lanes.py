"""Lanes side by side in rows that lie as far apart as the launch says: each row is a request of its own."""

import pytest

from tests.assessing import assess

KERNEL = """
__attribute__((num_simd_work_items(4))) __attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k(__global const float *restrict x, __global float *restrict z, int n) {{
    const int i = get_global_id(0);
    #pragma unroll
    for (int r = 0; r < 2; r++) z[{store}] = x[{load}];
}}
"""


@pytest.mark.parametrize(
    ("load", "width_bits", "count"),
    [
        ("r * n + i", 128, 2),
        ("(r + 3) * n + i + 1", 128, 2),
        ("r * n + 2 * i", 256, 2),
        ("i * n + r", 64, 4),
        ("r * n + i * n", 32, 8),
        ("r * 4096 + i", 128, 2),
    ],
)
def test_lanes_share_a_request_in_each_row(load: str, width_bits: int, count: int) -> None:
    (kernel,) = assess(KERNEL.format(load=load, store="r * n + i")).kernels
    loads, stores = ([u for u in kernel.lsus if u.op == op] for op in ("load", "store"))
    assert [(u.width_bits, u.count) for u in loads] == [(width_bits, count)]
    assert [(u.width_bits, u.count, u.useful_bytes * u.lanes) for u in stores] == [(128, 2, 32)]


def test_rows_of_unequal_distances_stay_apart() -> None:
    text = KERNEL.format(load="r * n + i", store="r * n + i").replace("= x", "= x[r * 2 * n + i + 4] + x")
    (kernel,) = assess(text).kernels
    assert sorted((u.width_bits, u.count) for u in kernel.lsus if u.op == "load") == [(128, 2), (128, 2)]


PADDED = """__attribute__((max_global_work_dim(0)))
__kernel void pad(__global float *restrict y, __global const float *restrict x, int n)
{{
    #pragma unroll {copies}
    for (int i = 0; i < n; i++)
        y[i] = x[i / {row} * 200 + i % {row}];
}}
"""


@pytest.mark.parametrize(("row", "copies", "units"), [(64, 16, 1), (96, 16, 1), (113, 4, 4), (113, 16, 16), (57, 4, 4)])
def test_copies_that_a_rows_end_parts_have_a_unit_each(row: int, copies: int, units: int) -> None:
    load = assess(PADDED.format(row=row, copies=copies)).kernels[0].lsus[0]
    assert load.op == "load"
    assert load.count == units
