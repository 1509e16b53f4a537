"""Copies of loops as compilers of different versions make them unasked, and what keeps copies in their order."""

from __future__ import annotations

import pytest

from tests.assessing import assess

HEAD = "__kernel void k(__global const int *restrict x, __global int *restrict y, int n)\n"


def units(text: str, version: str, family: str = "Arria 10") -> list[tuple[str, int | None, int]]:
    """Operation, width in bits and number of a kernel's units of global memory."""
    (kernel,) = assess(text, device_family=family, aoc_version=version).kernels
    return [(u.op, u.width_bits, u.count) for u in kernel.lsus if u.space == "global"]


COPIES = HEAD + "{ int kept[64]; for (int i = 0; i < n; i++) { for (int j = 0; j < TRIPS; j++) kept[j] = BODY; USE } }"
USE = "int all = 0;\n#pragma unroll\nfor (int j = 0; j < TRIPS; j++) all += kept[(j + i) & 7] & 7; y[i] = all;"


def copying(trips: int, body: str = "x[i * 64 + j]") -> str:
    """A kernel that fills a private array from a row in an inner loop."""
    return COPIES.replace("USE", USE).replace("TRIPS", str(trips)).replace("BODY", body)


@pytest.mark.parametrize(
    ("trips", "version", "bits"),
    [(16, "17.1", 512), (32, "18.1", 1024), (33, "18.1", 32), (16, "16.1", 32), (16, "19.4", 32), (12, "16.1", 512)],
)
def test_loops_that_only_move_words_are_unrolled_up_to_32_trips(trips: int, version: str, bits: int) -> None:
    assert units(copying(trips), version)[0][1:] == (bits, 1)


def test_loops_that_compute_are_unrolled_up_to_12_trips() -> None:
    assert units(copying(16, "x[i * 64 + j] * x[i]"), "18.1")[0][1] == 32
    assert units(copying(12, "x[i * 64 + j] * 3"), "18.1")[0][1] == 512


WINDOW = """__kernel void k(__global const float *restrict x, __global float *restrict y) {
    const int c = get_global_id(0), r = get_global_id(1), pitch = get_global_size(0);
    float sum = 0.0f;
    for (int v = 0; v < ROWS; v++)
        for (int h = 0; h < 5; h++)
            sum += x[(r + v) * pitch + c + h];
    y[r * pitch + c] = sum;
}
"""


@pytest.mark.parametrize(("version", "rows", "loads"), [("15.0", 5, 1), ("15.0", 3, 3), ("16.1", 5, 5), ("18.1", 5, 5)])
def test_windows_of_more_than_16_places_keep_their_outer_loop_up_to_15(version: str, rows: int, loads: int) -> None:
    found = units(WINDOW.replace("ROWS", str(rows)), version, "Cyclone V")
    assert [count for op, _, count in found if op == "load"] == [loads]


SCALED = """__kernel void k(__global const float *x, __global float *y, int n) {
    for (int i = 0; i < n; i++) {
        PRAGMA
        #pragma unroll
        for (int j = 0; j < 8; j++) y[8 * i + j] = 2.0f * x[8 * i + j];
    }
}
"""


@pytest.mark.parametrize(
    ("change", "bits", "count"),
    [
        (("", ""), 32, 8),
        (("*x", "*restrict x"), 256, 1),
        (("*y", "*restrict y"), 256, 1),
        (("const float *x", "const int *x"), 256, 1),
        (("PRAGMA", "#pragma ivdep"), 256, 1),
    ],
)
def test_copies_share_no_unit_over_a_store_that_may_reach_what_they_load(
    change: tuple[str, str], bits: int, count: int
) -> None:
    """The semantics of the language: the second load is made after the first store, unless they cannot meet."""
    text = SCALED.replace(*change).replace("PRAGMA", "")
    assert {(b, c) for _, b, c in units(text, "18.1")} == {(bits, count)}


SUMMED = """__kernel void k(__global const float *x, __global float *y, int n) {
    for (int i = 0; i < n; i++) {
        #pragma unroll
        for (int j = 0; j < 8; j++) y[i] += x[8 * i + j];
    }
}
"""


def test_each_copy_stores_a_sum_that_the_next_load_may_be_of() -> None:
    assert units(SUMMED, "18.1") == [("load", 32, 1), ("load", 32, 8), ("store", 32, 8)]
    restricted = SUMMED.replace("*x", "*restrict x")
    assert units(restricted, "18.1") == [("load", 32, 1), ("load", 256, 1), ("store", 32, 1)]


def test_work_items_side_by_side_are_in_no_order() -> None:
    text = (
        "__attribute__((num_simd_work_items(4))) __attribute__((reqd_work_group_size(64, 1, 1)))\n"
        "__kernel void k(__global const float *x, __global float *y)\n"
        "{ y[get_global_id(0)] = 2.0f * x[get_global_id(0)]; }"
    )
    assert units(text, "18.1") == [("load", 128, 1), ("store", 128, 1)]


COALESCED = """__kernel void k(__global const float *restrict x, __global float *restrict y, int n) {
    PRAGMA
    #pragma loop_coalesce
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 100; j++)
            y[i * 100 + j] = 2.0f * x[i * 100 + j];
}
"""


@pytest.mark.parametrize(("pragma", "ii"), [("", 1), ("#pragma ii 2", 2)])
def test_the_iterations_of_coalesced_loops_keep_the_outer_ones_interval(pragma: str, ii: int) -> None:
    text = COALESCED.replace("PRAGMA", pragma)
    (kernel,) = assess(text, device_family="Stratix 10", aoc_version="20.2", arguments={"n": 10_000}).kernels
    assert kernel.estimate.loops[0].ii == ii
    assert kernel.estimate.time_s is not None
    assert kernel.estimate.f_max_hz is not None
    assert kernel.estimate.time_s == pytest.approx(ii * 1e6 / kernel.estimate.f_max_hz, rel=0.05)
