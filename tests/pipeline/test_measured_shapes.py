"""Shapes whose pace was measured on boards: what is inferred from the source is what the boards did."""

from typing import Any

import pytest

from burstline_server.words.assumptions import input_text
from tests.assessing import assess

HISTOGRAM = """
__kernel void count(__global const uchar *restrict data, __global uint *restrict out, int n)
{
    uint bins[256];
    for (int i = 0; i < 256; i++)
        bins[i] = 0;
    %s
    for (int i = 0; i < n; i++)
        bins[data[i]]++;
    for (int i = 0; i < 256; i++)
        out[i] = bins[i];
}
"""


@pytest.mark.parametrize(
    ("pragma", "settings", "ii"),
    [
        ("", {"board": "de5net", "aoc_version": "14.1"}, 7),
        ("#pragma unroll 2", {"board": "de5net", "aoc_version": "14.1"}, 14),
        ("", {"board": "p385a"}, 2),
    ],
)
def test_a_histogram_in_memory_blocks_waits_for_its_bin(pragma: str, settings: dict[str, Any], ii: int) -> None:
    kernel = assess(HISTOGRAM % pragma, **settings).kernels[0]
    assert kernel.estimate.loops[1].ii == ii


SUMS = """
__kernel void sums(__global int *restrict out, __global const int *restrict in, uint n)
{
    %s
    for (int i = 1; i < n; i++)
        out[i] = out[i - 1] + in[i - 1];
}
"""


def test_a_sum_through_memory_is_handed_on_where_its_first_value_was_stored() -> None:
    assert assess(SUMS % "out[0] = 0;", board="p385a").kernels[0].estimate.loops[0].ii == 1
    assert (assess(SUMS % "", board="p385a").kernels[0].estimate.loops[0].ii or 0) > 100


@pytest.mark.parametrize(
    ("head", "trips"),
    [
        ("int d = n >> 1; d > 0; d >>= 1", 9),
        ("int d = 1; d < n; d *= 2", 9),
        ("int d = 1; d <= n; d <<= 1", 10),
        ("int d = n; d > 1; d /= 2", 9),
        ("int d = n; d; d >>= 2", 5),
        ("int d = n; d > 3; d >>= 1", 8),
        ("int d = low; d < n; d <<= 1", 8),
        ("int d = low; d <= n; d *= 4", 5),
    ],
)
def test_trips_of_doubling_and_halving_counters(head: str, trips: int) -> None:
    text = f"__kernel void k(__global int *x, int n, int low)\n{{\n    for ({head})\n        x[d] = 1;\n}}\n"
    assert assess(text, arguments={"n": 512, "low": 2}).kernels[0].estimate.loops[0].trip == trips


@pytest.mark.parametrize(
    ("inner", "mean"),
    [("int step = size / 2; step > 0; step /= 2", 5.5), ("int step = 0; step < size; step++", 204.6)],
    ids=["bitonic sort", "doubling rows"],
)
def test_trips_of_a_loop_whose_bound_a_loop_around_doubles(inner: str, mean: float) -> None:
    text = f"""__kernel void k(__global int *x)
{{
    for (int size = 2; size < 2048; size *= 2)
        for ({inner})
            x[size + step] = 1;
}}
"""
    outer, within = assess(text).kernels[0].estimate.loops
    assert outer.trip == 10
    assert within.trip == pytest.approx(mean)


@pytest.mark.parametrize(
    ("start", "condition", "update", "trips"),
    [
        ("n / 2", "d > 0", "d = d / 2", 9),
        ("n / 2", "d > 0", "d /= 2", 9),
        ("1", "d < n", "d = 2 * d", 9),
        ("64", "d", "d = (d >> 1)", 7),
        ("64", "d > n2", "d >>= 1; n2++", None),
        ("64", "d > 0", "d = d / n2; n2 = 3", None),
        ("64", "d > 0", "if (x[d]) d /= 2", None),
    ],
)
def test_trips_of_while_loops_that_halve_or_double(start: str, condition: str, update: str, trips: int | None) -> None:
    text = f"""__kernel void k(__global int *x, int n)
{{
    int d = {start}, n2 = 2;
    while ({condition}) {{
        x[d] = 1;
        {update};
    }}
}}
"""
    assert assess(text, arguments={"n": 512}).kernels[0].estimate.loops[0].trip == trips


def test_a_counter_whose_bound_changes_is_not_counted() -> None:
    text = "__kernel void k(__global int *x, int n)\n{\n    for (int d = 1; d < n; d *= 2)\n        n -= x[d];\n}\n"
    assert assess(text, arguments={"n": 512}).kernels[0].estimate.loops[0].trip is None


NEST = """
__attribute__((reqd_work_group_size(16, 16, 1)))
__kernel void tile(__global const float *restrict a, __global float *restrict c)
{
    __local float t[16][16];
    float sum[%(n)d];
    int x = get_local_id(0), y = get_local_id(1);
    t[y][x] = a[get_global_id(1) * 1024 + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int p = 0; p < %(n)d; p++) {
        #pragma unroll 2
        for (int k = 0; k < 16; k++)
            sum[p] += t[y][k] * t[k][x];
    }
    c[get_global_id(1) * 1024 + get_global_id(0)] = sum[0];
}
"""


@pytest.mark.parametrize(("trips", "copies"), [(2, 2), (4, 4), (8, 1)])
def test_a_short_loop_around_an_unrolled_one_is_unrolled_unasked(trips: int, copies: int) -> None:
    kernel = assess(NEST % {"n": trips}, board="de5net").kernels[0]
    assert kernel.estimate.loops[0].unroll == copies


ROWS = """
__attribute__((reqd_work_group_size(%(side)d, %(side)d, 1)))
__kernel void copy(__global const float *restrict a, __global float *restrict c)
{
    int i = get_global_id(1) * 1024 + get_global_id(0);
    c[i] = a[i];
}
"""


def test_rows_of_a_group_shorter_than_a_memory_word_waste_the_rest_of_it() -> None:
    def time(side: int) -> float:
        text = ROWS % {"side": side}
        return assess(text, global_size=[1024, 1024], board="de5net").kernels[0].estimate.units[0].time_s or 0.0

    assert time(16) == time(32)
    assert time(4) == pytest.approx(4 * time(16), rel=0.01)


UNITS = """
__attribute__((reqd_work_group_size(64, 1, 1)))
__attribute__((num_compute_units(%d)))
__kernel void bytes(__global const uchar *restrict a, __global uchar *restrict c)
{
    int i = get_global_id(0);
    c[i] = a[i] ^ 85;
}
"""


def test_compute_units_issue_their_requests_side_by_side() -> None:
    one, four = (
        assess(UNITS % n, global_size=[1 << 24], f_max_mhz=400).kernels[0].estimate.time_s or 0.0 for n in (1, 4)
    )
    assert one == pytest.approx(4 * four, rel=0.01)


PIPE = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int c;
__kernel void sum(int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += read_channel_intel(c);
}
"""


def test_a_kernel_without_global_memory_takes_the_time_of_its_pipeline() -> None:
    kernel = assess(PIPE, arguments={"n": 1_000_000}, f_max_mhz=250).kernels[0]
    assert kernel.estimate.time_s == pytest.approx(4e-3, rel=0.01)


def test_assumed_trips_replace_unknown_ones_and_are_reported() -> None:
    loop = "for (int i = 0; i < n[0]; i++)\n        x[i] = 1;"
    text = f"__kernel void k(__global int *x, __global int *n)\n{{\n    {loop}\n}}\n"
    assert assess(text).kernels[0].estimate.time_s is None
    estimate = assess(text, assumed_trips=1000).kernels[0].estimate
    assert estimate.time_s is not None
    assert ("trips not known", "1000") in [input_text(a.of) for a in estimate.assumptions]


SHIFTED = """__kernel void shifted(__global const float *restrict x, __global float *restrict y, const int n)
{
    float kept[%(length)d];
    for (int i = 0; i < n; i++) {
        #pragma unroll
        for (int k = 0; k < %(length)d - 1; k++)
            kept[k] = kept[k + 1];
        kept[%(length)d - 1] = x[i];
        y[i] = kept[0] + kept[%(length)d - 1];
    }
}
"""


@pytest.mark.parametrize("length", [1024, 8192, 524_288])
def test_a_shift_register_moves_in_one_cycle_whatever_its_length(length: int) -> None:
    """Stencils on whole planes keep hundreds of thousands of elements, and take an element a cycle."""
    kernel = assess(SHIFTED % {"length": length}, board="de5net", arguments={"n": 1 << 20}, f_max_mhz=250).kernels[0]
    assert kernel.estimate.compute_s == pytest.approx((1 << 20) / 250e6, rel=0.05)


WRAPPED = """__kernel void wrapped(__global const float *restrict x, __global float *restrict y, const int n)
{
    int column = 0, row = 0, i = 0;
    while (i != n) {
        i++;
        y[row * 1024 + column] = x[row * 1024 + column];
        column = (column + 1) & 1023;
        if (column == 0)
            row++;
    }
}
"""


def test_a_counter_that_wraps_by_a_mask_keeps_one_iteration_a_cycle() -> None:
    """Stencils of that form ran near one iteration a cycle on Stratix V: a mask is wires."""
    kernel = assess(WRAPPED, board="de5net", aoc_version="16.1", arguments={"n": 1 << 20}).kernels[0]
    assert kernel.estimate.loops[0].ii == 1


PROJECTED = """
__constant float table[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2};
__attribute__((reqd_work_group_size(4, 1, 1)))
__kernel void k(__global const TYPE *restrict x, __global TYPE *restrict y)
{
    const int l = get_local_id(0), g = get_global_id(0);
    if (g >= 1 << 20)
        return;
    __local TYPE tile[4][8];
    TYPE row[8], sums[8];
    for (int i = 0; i < 8; i++)
        tile[l][i] = x[8 * g + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 8; i++)
        row[i] = tile[3 - l][i];
    for (uint j = 0; j < 8; j++) {
        sums[j] = 0;
        for (uint i = 0; i < 8; i++)
            sums[j] += row[i] * table[(2 * i * j + j) % 16] * (((2 * i * j + j) / 16) % 2 ? -1 : 1);
    }
    for (int i = 0; i < 8; i++)
        y[8 * g + i] = sums[i];
}
"""


@pytest.mark.parametrize(("type_", "unroll", "depth"), [("float", 8, 70.0), ("float2", 1, 20.0)])
def test_a_sum_of_vectors_stays_a_loop_and_takes_all_its_operations(type_: str, unroll: int, depth: float) -> None:
    """Measured on DE5-Net with 14.1: 8 and 68 cycles a work-item; for groups of few, some 100 and 40 an iteration."""
    text = PROJECTED.replace("TYPE", type_)
    (kernel,) = assess(text, board="de5net_a7", aoc_version="14.1", global_size=1 << 20, local_size=4).kernels
    inner = [one for one in kernel.estimate.loops if kernel.facts.loops[one.loop].parent is not None]
    assert [one.unroll for one in inner] == [unroll]
    deepest = max(block.depth for block in kernel.estimate.blocks if block.loop is not None)
    assert deepest == pytest.approx(depth, rel=0.35)
