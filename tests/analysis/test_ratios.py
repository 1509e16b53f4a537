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
        ("int cells = ceil(n * tile / 16);", "cells", 1000),
        ("int cells = floor(n);", "cells", 1000),
        ("int cells = round(n / 64.0f);", "cells", 16),
        ("int cells = rint(n / 3.0f);", "cells", 333),
        ("int cells = rint(n / 16.0f);", "cells", None),
        ("int cells = ceil(62.5f);", "cells", 63),
        ("int cells = floor(2.5f * 3 + .25f);", "cells", 7),
        ("int cells = ceil(-7.5f) + 10;", "cells", 3),
        ("int cells = floor(-7.5f) + 10;", "cells", 2),
        ("int cells = round(-7.5f) + 10;", "cells", 2),
        ("int cells = -ceil(-(7.5f)) + n / 8.0;", "cells", 132),
        ("int cells = ceil(n * 0.125f + 1.5f);", "cells", 127),
        ("int cells = ceil(0.1f * n);", "cells", None),
        ("int cells = n * 1e-3f;", "cells", None),
        ("float parts = (float)n / 3; parts = parts * 2.0f; int all = parts;", "all", None),
        ("float left = n; for (int k = 0; k < 9; k++) left = left / 2; int all = left;", "all", None),
    ],
)
def test_a_quotient_of_whole_numbers_is_counted(before: str, trips: str, expected: int | None) -> None:
    text = KERNEL.format(before=before, trips=trips)
    (kernel,) = assess(text, arguments={"n": 1000, "tile": 16}).kernels
    loop = kernel.estimate.loops[-1]
    assert loop.trip == expected


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("14 & (i >= 3)", 16),
        ("(i < 3) & 2", 16),
        ("12 & (i & 3)", 16),
        ("1 & (i >= 3)", None),
        ("3 & (i >= 3)", None),
        ("14 & i", None),
    ],
)
def test_a_mask_that_leaves_no_bit_is_zero(start: str, expected: int | None) -> None:
    text = f"""
    __attribute__((max_global_work_dim(0)))
    __kernel void shift(__global const float *restrict x, __global float *restrict y, int n) {{
        for (int i = 0; i < n; i++) {{
            float total = 0;
            int left = {start};
            for (int k = left; k < 16; k++) total += x[16 * i + k];
            y[i] = total;
        }}
    }}
    """
    (kernel,) = assess(text, arguments={"n": 1000}).kernels
    trip = kernel.facts.loops[1].trip
    assert (trip.constant if trip is not None else None) == expected
