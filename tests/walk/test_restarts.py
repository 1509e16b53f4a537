"""Conditions on counters that start over hold as a rule: what their step comes to far out is not their value."""

from __future__ import annotations

import pytest

from tests.assessing import assess

TEXT = """
__attribute__((max_global_work_dim(0)))
__kernel void k(__global const float *restrict x, __global float *restrict y, int n, int width)
{
    int column = 0, row = 0;
    for (int i = 0; i < n; i++) {
        if (%s)
            y[row * width + column] = x[row * width + column];
        column++;
        if (column == width) {
            column = 0;
            row++;
        }
    }
}
"""


@pytest.mark.parametrize("guard", ["column < width && row >= 0", "row >= 1", "column > 0", "row < 100"])
def test_bounds_of_counters_that_start_over_hold(guard: str) -> None:
    done = assess(TEXT % guard, arguments={"n": 1 << 20})  # how long a row is nobody says
    load = next(u for u in done.kernels[0].estimate.units if u.lsu.op == "load")
    assert load.bytes == pytest.approx(4 << 20, rel=0.01)
    assert load.walk is not None
    assert load.walk.low_bytes is not None
    assert load.walk.low_bytes < load.bytes


IMAGE = """
__attribute__((max_global_work_dim(0)))
__kernel void k(__global const uchar *restrict s, __global uchar *restrict d, int w, int h)
{
    int x = 0, y = 0;
    while (%s) {
        d[y * w + x] = 255 - s[y * w + x];
        %s
    }
}
"""
WAYS = {
    "if": "if (++x == w) { x = 0; y++; }",
    "else": "if (x < w - 1) x++; else { x = 0; ++y; }",
    "choices": "y = (x + 1) >= w ? (y + 1) : y; x = (x + 1) >= w ? 0 : (x + 1);",
    "temporaries": "int next = x + 1; bool end = next == w; y = end ? y + 1 : y; x = end ? 0 : next;",
    "kept": "int ny = x + 1 < w ? y : y + 1; int nx = x + 1 < w ? x + 1 : 0; y = ny; x = nx;",
    "counted": "bool end = x == w - 1; x = end ? 0 : x + 1; y += end;",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("test", ["y < h", "y != h"])
def test_a_walk_over_rows_is_in_order_however_its_counters_start_over(way: str, test: str) -> None:
    (kernel,) = assess(IMAGE % (test, WAYS[way]), arguments={"w": 640, "h": 480}).kernels
    (loop,) = kernel.estimate.loops
    assert loop.trip == 640 * 480
    assert loop.ii == 1
    for unit in kernel.estimate.units:
        assert unit.bytes == pytest.approx(640 * 480, rel=0.01)


def test_rows_of_rows_are_counted() -> None:
    rows = "bool end = x + 1 == w; bool last = y + 1 == h; z = end ? (last ? z + 1 : z) : z;"
    rows += "y = end ? (last ? 0 : y + 1) : y; x = end ? 0 : x + 1;"
    for body in (IMAGE % ("z < 3", "if (++x == w) { x = 0; if (++y == h) { y = 0; z++; } }"), IMAGE % ("z < 3", rows)):
        (kernel,) = assess(body.replace("y = 0;", "y = 0, z = 0;", 1), arguments={"w": 64, "h": 48}).kernels
        assert [one.trip for one in kernel.estimate.loops] == [3 * 64 * 48]


@pytest.mark.parametrize(
    "moves",
    [
        "if (s[x] > 9) { x = 0; y++; } else x++;",  # data decide
        "if (++x == w) { x = 1; y++; }",  # the first row is longer
        "x++; if (x == w) y++;",  # no counter starts over
        "if (++x == w) { x = 0; y++; w--; }",  # rows of several lengths
        "if (++x == w) { x = 0; if (s[y]) y++; }",
    ],
)
def test_rows_that_end_otherwise_are_not_counted(moves: str) -> None:
    (kernel,) = assess(IMAGE % ("y < h", moves), arguments={"w": 640, "h": 480}).kernels
    assert kernel.estimate.loops[0].trip is None
