"""Counts that a kernel works out in floating point from its arguments are as exact as those in integers."""

import pytest

from tests.assessing import assess

KERNEL = """
__kernel void send(__global const float *restrict x, __global float *restrict y, const uint n, const uint tile)
{{
    {before}
    for (uint i = 0; i < {trips}; i++)
        y[i] = x[i];
}}
"""


@pytest.mark.parametrize(
    ("before", "trips", "expected"),
    [
        ("const uint tiles = ceil(((float)n) / tile);", "tiles", 63),
        ("const int tiles = (int)ceil(n / 16.0f);", "tiles", 63),
        ("float tiles = (float)n / 16; int whole = floor(tiles);", "whole", 62),
        ("float half_of = n / 2.0f; int at = half_of;", "at", 500),
        ("double rows = 3; int all = rows;", "all", 3),
        ("float parts = (float)n / 3; parts = parts * 2.0f; int all = parts;", "all", None),
        ("float left = n; for (int k = 0; k < 9; k++) left = left / 2; int all = left;", "all", None),
    ],
)
def test_a_quotient_of_whole_numbers_is_counted(before: str, trips: str, expected: int | None) -> None:
    text = KERNEL.format(before=before, trips=trips)
    (kernel,) = assess(text, arguments={"n": 1000, "tile": 16}).kernels
    loop = kernel.estimate.loops[-1]
    assert loop.trip == expected
