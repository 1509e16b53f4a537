"""Sizes that are assumed of steps, windows, borders and tiles: small ones, so that the data are the large part."""

import pytest

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
