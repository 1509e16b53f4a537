"""Rows that a loop walks one after the other: one stream, or each by itself."""

import pytest

from tests.assessing import assess
from tests.walk.walking import MEGA, SINGLE, fetched, units


def test_rows_are_one_stream_where_each_ends_at_the_beginning_of_the_next() -> None:
    def fetched_along(row: str, column: str) -> float:
        text = (
            f"{SINGLE}__kernel void rows(__global float *restrict out, int n) {{\n"
            "    for (int j = 0; j < n; j++)\n#pragma unroll 1\n        for (int i = 0; i < 30; i++)\n"
            f"            out[30 * ({row}) + {column} + 1] = i + j;\n}}\n"
        )
        return fetched(units(text, arguments={"n": 10000})["store out"])

    used = 4 * 30 * 10000
    assert fetched_along("j", "i") == pytest.approx(used, rel=0.01)
    assert fetched_along("n - 1 - j", "29 - i") == pytest.approx(used, rel=0.01)
    # The word in which a row ends is fetched again for the row before it.
    assert fetched_along("n - 1 - j", "i") == pytest.approx(1.5 * used, rel=0.05)


@pytest.mark.parametrize(
    ("head", "in_order"),
    [
        ("for (int k = at[row]; k < at[row + 1]; k++)", True),  # where a row ends the next begins
        ("for (int k = at[row]; k < n; k++)", False),
        ("for (int k = at[row]; k < 2 * at[row]; k++)", False),
    ],
)
def test_rows_follow_each_other_only_where_one_array_says_where_they_begin_and_end(
    head: str, *, in_order: bool
) -> None:
    text = f"""
__kernel void rows(__global const int *restrict at, __global const float *restrict x, __global float *restrict y,
                   int n, int m) {{
    for (int row = 0; row < m; row++) {{
        float sum = 0.0f;
        {head} // burstline: trip=4
            sum += x[k];
        y[row] = sum;
    }}
}}
"""
    (kernel,) = assess(text, arguments={"m": 1 << 16, "n": 1 << 20}).kernels
    used, moved = next(
        (u.bytes or 0.0, (u.bandwidth_bytes_s or 0.0) * (u.time_s or 0.0))
        for u in kernel.estimate.units
        if kernel.facts.accesses[u.lsu.members[0]].pointer == "x"
    )
    assert (moved < 1.1 * used) == in_order
    assert in_order or moved > 4 * used


ROWS = (
    SINGLE
    + """
__kernel void rows(__global const float *restrict x, __global const int *restrict at, __global float *restrict out,
                   int n, int width)
{
    for (int r = 0; r < n; r++) {
        float sum = 0.0f;
        #pragma unroll
        for (int k = 0; k < 16; k++)
            sum += x[%s + k];
        out[r] = sum;
    }
}
"""
)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("at[r]", 1.9375),  # 64 bytes from any float on reach into a second word 15 times of 16
        ("8 * at[r]", 1.5),
        ("16 * at[r]", 1.0),
        ("(at[r] & ~15)", 1.0),
        ("at[r] * width", 1.0),  # a width that is given divides as a constant does
    ],
)
def test_rows_that_data_choose_start_where_their_index_is_a_multiple(start: str, words: float) -> None:
    load = units(ROWS % start, arguments={"n": MEGA, "width": 1024})["load x"]
    assert fetched(load) == words * 64 * MEGA


def test_rows_of_a_width_that_nobody_gave_start_anywhere() -> None:
    load = units(ROWS % "at[r] * width", arguments={"n": MEGA})["load x"]
    assert fetched(load) == 1.9375 * 64 * MEGA


@pytest.mark.parametrize(("pitch", "words_a_row"), [(640, 40.0), (650, 40.0), (660, 40.75)])
def test_rows_with_a_narrow_border_are_read_as_one_range(pitch: int, words_a_row: float) -> None:
    text = SINGLE + (
        "__kernel void k(__global const float *restrict x, __global float *restrict y, int pitch)\n"
        "{ for (int j = 0; j < 480; j++) for (int i = 0; i < 640; i++) y[640 * j + i] = x[pitch * j + i]; }\n"
    )
    # A row of 2560 bytes; from 3 % on each one's first and last words are its own.
    assert fetched(units(text, arguments={"pitch": pitch})["load x"]) == pytest.approx(480 * 64 * words_a_row)
