"""Groups whose rows are shorter than the memory's words: their shape is what wastes bytes, and what to change."""

from __future__ import annotations

import pytest

from burstline_model.estimate.changes import LongerGroups, RowTile
from burstline_server.words.verdict import lever_lines
from tests.assessing import assess

SMOOTHED = """
__kernel void smooth(__global const uchar *restrict in, __global uchar *restrict out, int w)
{
    int at = get_global_id(1) * w + get_global_id(0);
    out[at] = (in[at] + in[at + w] + in[at + 2 * w] + in[at + 3 * w] + in[at + 4 * w] + in[at + 5 * w]) / 6;
}
"""


def test_groups_become_longer_where_a_row_of_bytes_fills_no_word() -> None:
    # 16 x 16 work-items ask for 16 B of each word of 64 B; 256 x 1 for whole words.
    kernel, longer = (
        assess(SMOOTHED, local_size=group, global_size=(1024, 1024), arguments={"w": 1024}).kernels[0]
        for group in ((16, 16), (256, 1))
    )
    found = {lever.change: lever.after_s for lever in kernel.estimate.levers}
    assert found[LongerGroups(now=(16, 16), size=(256, 1))] == pytest.approx(longer.estimate.time_s, rel=0.01)
    says = "make work-groups 256 × 1: a row of 16 × 16 fills no word"
    assert [line for line in lever_lines(kernel, 9) if line.startswith(says)]
    assert not [one for one in longer.estimate.levers if isinstance(one.change, LongerGroups)]


def test_groups_keep_their_shape_where_a_row_fills_words() -> None:
    floats = SMOOTHED.replace("uchar", "float")
    (kernel,) = assess(floats, local_size=(16, 16), global_size=(1024, 1024), arguments={"w": 1024}).kernels
    assert not [one for one in kernel.estimate.levers if isinstance(one.change, LongerGroups)]


def test_no_tile_is_filled_from_rows_of_a_group_that_are_as_short() -> None:
    # Two rows of one work-item each: a tile of the group reads the same 8 B of a word.
    text = """
__attribute__((reqd_work_group_size(1, 2, 1)))
__kernel void push(__global const int *restrict height, __global int *restrict out, int columns)
{
    __local int rows[2][3];
    int y = get_local_id(1), at = (get_global_id(1) * (columns / 2) + get_global_id(0)) * 2;
    for (int i = 0; i < 2; i++)
        rows[y][i] = height[at + i];
    rows[y][2] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 2; i++)
        out[at + i] = rows[y][i] - rows[y][i + 1];
}
"""
    (kernel,) = assess(text, global_size=(512, 1024), arguments={"columns": 1024}).kernels
    assert kernel.estimate.levers[0].change == LongerGroups(now=(1, 2))
    assert not [one for one in kernel.estimate.levers if isinstance(one.change, RowTile)]
