"""Sizes that are assumed of steps, windows, borders and tiles: small ones, so that the data are the large part."""

import re

import pytest

from burstline_server.rewrites.rewrite import edited
from burstline_server.rewrites.sizes_comment import sizes_comment
from tests.assessing import assess

FILTER = """__kernel void k(__global const float *restrict x, __global const float *restrict w,
                __global float *restrict y, HEAD)
{
    int out = COUNT;
    for (int i = 0; i < out; i++) {
        float s = 0.0f;
        for (int j = 0; j < taps; j++) {
            int at = PLACE;
            if (at >= 0 && at < n)
                s += x[at] * w[j];
        }
        y[i] = s;
    }
}
"""


@pytest.mark.parametrize(
    ("head", "count", "place", "expected"),
    [
        ("int n, int taps", "n - taps + 1", "i + j", {"n": 1024, "taps": 4}),
        ("int n, int taps, int step", "(n - taps) / step + 1", "i * step + j", {"n": 1024, "taps": 4, "step": 1}),
        (
            "int n, int taps, int border, int step",
            "(n + 2 * border - taps) / step + 1",
            "i * step + j - border",
            {"n": 1024, "taps": 4, "border": 1, "step": 1},
        ),
        ("int n, int taps, int half", "half == 1 ? n / 2 : n", "i + j", {"n": 1024, "taps": 1024, "half": 1}),
        # Both are sizes: what one list has, and then another one.
        ("int n, int taps, int first", "n + first", "i + j - first", {"n": 1024, "taps": 1024, "first": 1024}),
        # Both are sizes: as many rows as columns, and one after the other.
        ("int n, int taps, int more", "n + more", "i + j + more", {"n": 1024, "taps": 1024, "more": 1024}),
    ],
)
def test_what_counts_and_addresses_say_of_an_argument(
    head: str, count: str, place: str, expected: dict[str, int]
) -> None:
    text = FILTER.replace("HEAD", head).replace("COUNT", count).replace("PLACE", place)
    (kernel,) = assess(text).kernels
    assert kernel.estimate.at_assumed is not None
    assert kernel.estimate.at_assumed.sizes.arguments == expected


def test_the_data_are_read_as_with_the_same_sizes_given() -> None:
    head, count, place = "int n, int taps, int border", "n + 2 * border - taps + 1", "i + j - border"
    text = FILTER.replace("HEAD", head).replace("COUNT", count).replace("PLACE", place)
    (assumed,) = assess(text).kernels
    (given,) = assess(text, arguments={"n": 1024, "taps": 4, "border": 1}).kernels
    assert assumed.at_assumed is not None
    moved = [u.walk.used_bytes for u in assumed.at_assumed.estimate.units if u.walk is not None]
    assert moved == [u.walk.used_bytes for u in given.estimate.units if u.walk is not None]
    assert assumed.at_assumed.estimate.time_s == pytest.approx(given.estimate.time_s)


def test_a_tile_is_a_part_of_what_it_divides() -> None:
    text = """__kernel void k(__global const float *restrict x, __global float *restrict y, int n, int side)
{
    for (int b = 0; b < n / side; b++) {
        float s = 0.0f;
        for (int i = 0; i < side; i++)
            s += x[b * side + i];
        y[b] = s;
    }
}
"""
    (kernel,) = assess(text).kernels
    assert kernel.estimate.at_assumed is not None
    assert kernel.estimate.at_assumed.sizes.arguments == {"n": 1024, "side": 16}
    assert kernel.estimate.at_assumed.sizes.trips == {0: 64, 1: 16}


PART = """__kernel void k(__global const float *restrict x, __global float *restrict y,
                int top, int bottom, int left, int right, int pitch)
{
    for (int r = top; r < bottom; r++)
        for (int c = left; c < right; c++)
            y[r * pitch + c] = x[r * pitch + c];
}
"""
BLOCKS = """__attribute__((reqd_work_group_size(16, 16, 1)))
__kernel void k(__global const float *restrict x, __global float *restrict y, int n)
{
    int i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    float s = 0.0f;
    for (int b = 0; b < n / 64; b++)
        for (int j = 0; j < 64; j++)
            for (int k = 0; k < 16; k++)
                s += x[(b * 64 + j) * 16 + k];
    y[i] = s;
}
"""


@pytest.mark.parametrize(
    ("place", "expected"), [("i + lag", 0), ("lag - i", 0), ("i * lag", 1), ("i / lag", 1), ("i % lag", 1)]
)
def test_what_shortens_a_loop_and_scales_places_is_a_distance(place: str, expected: int) -> None:
    """With 0 of it, all iterations would load one place."""
    text = f"""__kernel void k(__global const float *restrict x, __global float *restrict y, int n, int lag)
{{
    for (int i = 0; i < n - lag; i++)
        y[i] = x[{place}];
}}
"""
    (kernel,) = assess(text).kernels
    assert kernel.estimate.at_assumed is not None
    assert kernel.estimate.at_assumed.sizes.arguments == {"lag": expected, "n": 1024}


def test_loops_begin_at_the_first_element() -> None:
    (kernel,) = assess(PART).kernels
    assert kernel.estimate.at_assumed is not None
    sizes = kernel.estimate.at_assumed.sizes
    assert sizes.arguments == {"top": 0, "bottom": 1024, "left": 0, "right": 1024}
    assert set(sizes.trips.values()) == {1024}


@pytest.mark.parametrize("text", [PART, BLOCKS, FILTER.replace("HEAD", "int n, int taps").replace("COUNT", "n")])
def test_the_comment_that_gives_what_is_assumed_leaves_the_time_as_it_was(text: str) -> None:
    done = assess(text.replace("PLACE", "i + j"))
    comment = sizes_comment(done, done.kernels[0])
    assert comment is not None
    (given,) = assess(edited(done.source.original, comment.edits).decode()).kernels
    at_assumed = done.kernels[0].estimate.at_assumed
    assert at_assumed is not None
    assert given.estimate.time_s == pytest.approx(at_assumed.estimate.time_s)


def test_a_loop_takes_its_count_where_the_usual_value_leaves_it_none() -> None:
    """Of n fewer than 64 are assumed, of which blocks of 64 leave nothing: the comment counts the blocks."""
    done = assess(BLOCKS)
    comment = sizes_comment(done, done.kernels[0])
    assert comment is not None
    text = edited(done.source.original, comment.edits).decode()
    assert "n=" not in text
    assert re.search(r"// burstline: trip=\d+\n    for \(int b", text) is not None


@pytest.mark.parametrize(
    ("count", "most"),
    [
        ("int m = 1; if (bytes[i] & 1) m++; if (bytes[i] & 2) m++;", 3),
        ("int m = bytes[i] > 100 ? 5 : 2;", 5),
        ("uchar m = bytes[i];", 255),
        ("int m = bytes[i] & 7;", 7),
    ],
)
def test_a_count_that_conditions_make_is_no_larger_than_they_leave_it(count: str, most: int) -> None:
    text = f"""__kernel void k(__global const float *restrict x, __global const uchar *restrict bytes,
                       __global float *restrict y, int n)
{{
    for (int i = 0; i < n; i++) {{
        {count}
        float s = 0.0f;
        for (int j = 0; j < m; j++)
            s = s * 3.0f + x[j];
        y[i] = s;
    }}
}}
"""
    (kernel,) = assess(text).kernels
    assert kernel.estimate.at_assumed is not None
    inner = next(one.id for one in kernel.facts.loops if one.variable == "j")
    assert kernel.estimate.at_assumed.sizes.trips[inner] == most


ROWS = """
__kernel void product(__global const int *restrict a, __global int *restrict c, int n, int m)
{
    int rows[128][32], sums[128];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++)
            rows[i][k] = a[i * m + k];
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int k = 0; k < m; k++)
            sum += rows[i][k];
        c[i] = sum;
    }
}
"""


def test_values_leave_neither_the_rows_of_an_array_nor_its_columns() -> None:
    found = assess(ROWS).kernels[0].estimate.at_assumed
    assert found is not None
    assert found.sizes.arguments == {"n": 128, "m": 32}


def test_a_place_that_something_is_taken_off_bounds_nothing() -> None:
    text = ROWS.replace("rows[i][k]", "rows[i][k - n + 1024]")
    found = assess(text).kernels[0].estimate.at_assumed
    assert found is not None
    assert found.sizes.arguments["n"] == 1024
