"""How far neighbours lie apart where an argument says it that nobody gives."""

from __future__ import annotations

import pytest

from burstline_server.words.remarks import remark_text
from tests.assessing import assess

GATHERED = """
__kernel void gathered(__global const float *restrict x, __global float *restrict y, int inc, int n)
{
    for (int i = 0; i < n; i++) y[i] = x[PLACE];
}
"""
ROWS = """
__kernel void rows(__global const float *restrict x, __global float *restrict y, int pitch)
{
    for (int i = 0; i < 1024; i++)
        for (int j = 0; j < 1024; j++) y[i * 1024 + j] = x[PLACE];
}
"""


def _range(text: str, **given: int) -> tuple[float, float, float, list[str]]:
    (kernel,) = assess(text, arguments=given).kernels
    own = kernel.estimate
    assert own.time_s is not None
    assert own.time_low_s is not None
    assert own.time_high_s is not None
    said = [remark_text(one) for one in own.remarks]
    return own.time_low_s, own.time_s, own.time_high_s, [one for one in said if "not given" in one]


def test_a_distance_that_is_not_given_makes_a_range_and_is_asked_for() -> None:
    text = GATHERED.replace("PLACE", "i * inc")
    low, time, high, said = _range(text, n=1 << 20)
    (asked,) = said
    assert asked.startswith("inc not given: neighbours are counted as far apart; with 1 the kernel takes ")
    assert asked.endswith("give --arg inc=…")
    for inc in (1, 2, 4, 16, 1000):
        _, given, _, nothing = _range(text, n=1 << 20, inc=inc)
        assert low <= given <= high
        assert not nothing
    assert time > 2 * low


@pytest.mark.parametrize(
    "place",
    [
        "i * pitch + j",  # in order whatever the row's length is
        "j * pitch + i",  # a row's length: another column is the next element, and rows are no single elements
    ],
)
def test_the_length_of_a_row_is_no_distance_between_neighbours(place: str) -> None:
    assert not _range(ROWS.replace("PLACE", place))[3]


def test_what_makes_no_difference_is_not_asked_for() -> None:
    waits = GATHERED.replace("y[i] = x[PLACE]", "y[i * inc] = 0.5f * y[i * inc] + x[i]").replace("*restrict y", "*y")
    assert not _range(waits, n=1 << 20)[3]


COLUMNS = """
__kernel void eliminated(__global float *restrict m, __global const float *restrict a, int size, int t)
{
    const int row = get_global_id(0);
    if (BOUND) m[size * (row + t + 1) + t] = a[size * (row + t + 1) + t] / a[size * t + t];
}
"""


@pytest.mark.parametrize("bound", ["row < size - 1 - t", "row < 1000"])
def test_the_size_of_a_matrix_is_no_distance_between_neighbours(bound: str) -> None:
    (kernel,) = assess(COLUMNS.replace("BOUND", bound), global_size=1 << 20).kernels
    assert not [one for one in kernel.estimate.remarks if "not given" in remark_text(one)]


SCALED = """
__kernel void scaled(__global float *restrict out, __global const ushort *restrict in, int ratio, int width)
{
    const int x = get_global_id(0), y = get_global_id(1);
    out[x + get_global_size(0) * y] = in[x * ratio + width * y * ratio];
}
"""


def test_of_a_scaled_image_the_scale_is_asked_for_and_not_its_width() -> None:
    (kernel,) = assess(SCALED, global_size=[1024, 1024]).kernels
    (asked,) = [t for one in kernel.estimate.remarks if "not given" in (t := remark_text(one))]
    assert asked.startswith("ratio not given: neighbours are counted as far apart; ")
