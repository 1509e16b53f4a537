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


WINDOW = """__attribute__((max_global_work_dim(0)))
__kernel void highest(__global const short *restrict image, __global short *restrict out, int width, int count)
{{
    for (int at = 0; at < count; at++) {{
        short best = -32768;
        #pragma unroll
        for (uchar tap = 0; tap < {taps}; tap++) {{
            {indices}
            best = max(best, image[at + row * width + column]);
        }}
        out[at] = best;
    }}
}}
"""


@pytest.mark.parametrize(
    ("taps", "indices", "loads"),
    [
        (9, "uchar row = tap / 3; uchar column = tap - row * 3;", [(64, 3)]),
        (16, "int row = tap / 4, column = tap % 4;", [(64, 4)]),
        (16, "int row = tap >> 2, column = tap & 3;", [(64, 4)]),
        # A last row of another length leaves nothing to put together; nor does a divisor that nobody knows.
        (8, "uchar row = tap / 3; uchar column = tap - row * 3;", [(16, 8)]),
        (9, "int row = tap / count, column = tap % count;", [(16, 9)]),
    ],
)
def test_a_window_that_one_counter_numbers_is_read_by_rows(
    taps: int, indices: str, loads: list[tuple[int, int]]
) -> None:
    (kernel,) = assess(WINDOW.format(taps=taps, indices=indices)).kernels
    assert [(u.width_bits, u.count) for u in kernel.lsus if u.op == "load"] == loads


@pytest.mark.parametrize("counters", ["j i", "a b", "dy dx", "dy i", "g1 g2"])
@pytest.mark.parametrize("column", ["x + I", "2 * x + I", "x + I + h"])
def test_units_of_clamped_copies_do_not_follow_from_names(counters: str, column: str) -> None:
    row, inner = counters.split()
    body = f"""__kernel void k(__global const float *restrict p, __global float *restrict q, int w, int h)
    {{
        int x = get_global_id(0), y = get_global_id(1);
        float s = 0.0f;
        for (int {row} = 0; {row} < 3; {row}++)
            for (int {inner} = 0; {inner} < 3; {inner}++)
                s += p[clamp(y + {row}, 0, h - 1) * w + clamp({column.replace("I", inner)}, 0, w - 1)];
        q[y * w + x] = s;
    }}"""
    load, _ = assess(body).kernels[0].lsus
    assert (load.count, load.width_bits) == (9, 32)
