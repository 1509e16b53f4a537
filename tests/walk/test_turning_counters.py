"""Counters that a single loop steps by hand: how often what they guard runs is counted."""

from __future__ import annotations

import pytest

from tests.assessing import assess

COLLAPSED = """
__kernel void k(__global const float *restrict in, __global float *restrict out, int n, int last)
{
    int x = 0, y = 0, block = 0;
    for (int i = 0; i < n; i++) {
        if (%s)
            out[i] = in[i];
        %s
        if (x == 0) {
            %s
            if (y == 0) {
                if (block == last)
                    block = 0;
                else
                    block += 6;
            }
        }
    }
}
"""
MASKS = "x = (x + 4) & 63;", "y = (y + 1) & 15;"
CHOICES = "x = x == 60 ? 0 : x + 4;", "y = y == 15 ? 0 : y + 1;"
N = 16 * 16 * 3 * 64


@pytest.mark.parametrize("steps", [MASKS, CHOICES], ids=["masks", "choices"])
@pytest.mark.parametrize(
    ("condition", "share"),
    [("x == 0", 1 / 16), ("y == 0", 1 / 16), ("y > 3", 12 / 16), ("x < 32 && y < 8", 1 / 4), ("block == 6", 1 / 3)],
)
def test_a_condition_on_a_counter_that_wraps_is_counted(condition: str, share: float, steps: tuple[str, str]) -> None:
    (kernel,) = assess(COLLAPSED % (condition, *steps), arguments={"n": N, "last": 12}).kernels
    walks = [u.walk for u in kernel.estimate.units if u.lsu.space == "global"]
    assert [w.used_bytes for w in walks if w is not None] == pytest.approx([4 * N * share] * 2, rel=0.05)


def test_without_the_argument_that_ends_a_row_of_blocks_nothing_is_counted() -> None:
    (kernel,) = assess(COLLAPSED % ("block == 6", *MASKS), arguments={"n": N}).kernels
    low = [u.walk.low_bytes for u in kernel.estimate.units if u.walk is not None]
    assert low == [0, 0]


@pytest.mark.parametrize("given", [{"border": 4}, {}], ids=["given", "not given"])
def test_blocks_that_an_argument_sets_apart_are_all_read(given: dict[str, int]) -> None:
    """The column alone would go through one block again and again."""
    (kernel,) = assess(
        """
__kernel void k(__global const float *restrict in, __global float *restrict out, int n, int border)
{
    int column = 0;
    long begin = 0;
    for (int i = 0; i < n; i++) {
        out[i] = in[begin + column];
        column = (column + 1) & 1023;
        if (column == 0)
            begin += 1024 - 2 * border;
    }
}
""",
        arguments={"n": 1 << 20, **given},
    ).kernels
    load = next(u for u in kernel.estimate.units if u.lsu.op == "load")
    assert load.walk is not None
    assert load.walk.fetched_bytes == pytest.approx(4 << 20, rel=0.05)


BLOCKS = """
__kernel void k(__global const float *restrict in, __global float *restrict out, int n, int rows, int last, int halo,
                int width)
{
    int x = 0, y = 0, begin = 0, top = 0;
    for (int i = 0; i < n; i++) {
        int column = begin + x - halo, row = top + y - halo;
        if (column >= 0 && column < width && row >= 0 && row < rows)
            out[row * width + column] = in[row * width + column];
        x = (x + 1) & 31;
        if (x == 0) {
            y++;
            if (y == rows) {
                y = 0;
                begin += 32 - 2 * halo;
                if (begin == last) {
                    begin = 0;
                    top += 16;
                }
            }
        }
    }
}
"""


def passing(n: int, rows: int, last: int, halo: int, width: int) -> int:
    """How often the condition of `BLOCKS` holds."""
    x = y = begin = top = count = 0
    for _ in range(n):
        count += 0 <= begin + x - halo < width and 0 <= top + y - halo < rows
        x = (x + 1) & 31
        if x == 0:
            y += 1
            if y == rows:
                y = 0
                begin += 32 - 2 * halo
                if begin == last:
                    begin, top = 0, top + 16
    return count


@pytest.mark.parametrize(
    "sizes",
    [(20, 64, 96, 4, 90), (24576, 64, 96, 4, 90), (9000, 7, 97, 4, 400), (5000, 7, 64, 0, 64), (400, 4, 0, 16, 90)],
    ids=["within one row", "met", "stepped over", "beyond the last row", "no step"],
)
def test_blocks_whose_step_the_host_gives_are_counted(sizes: tuple[int, ...]) -> None:
    given = dict(zip(("n", "rows", "last", "halo", "width"), sizes, strict=True))
    (kernel,) = assess(BLOCKS, arguments=given).kernels
    walks = [u.walk for u in kernel.estimate.units if u.walk is not None]
    assert [w.used_bytes for w in walks] == pytest.approx([4 * passing(**given)] * 2, rel=0.02)
    assert all(w.low_bytes == w.high_bytes for w in walks)
