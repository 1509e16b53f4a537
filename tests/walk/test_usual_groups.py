"""The shape of work-groups that is assumed where nobody gives one."""

import pytest

from burstline_server.words.remarks import remark_text
from tests.assessing import assess

TILE = """__kernel void k(__global const float *restrict x, __global float *restrict y, int n)
{
    __local float t[ROWS][COLUMNS];
    int lx = get_local_id(0), ly = get_local_id(1);
    int gx = get_global_id(0), gy = get_global_id(1);
    PUT
    barrier(CLK_LOCAL_MEM_FENCE);
    float s = 0.0f;
    for (int k = 0; k < 5; k++)
        s += GET;
    y[gy * n + gx] = s;
}
"""


def shape(rows: int, columns: int, put: str, get: str) -> tuple[int, ...] | None:
    text = TILE.replace("ROWS", str(rows)).replace("COLUMNS", str(columns)).replace("PUT", put).replace("GET", get)
    (kernel,) = assess(text, arguments={"n": 1024}).kernels
    assert kernel.at_assumed is not None
    return kernel.at_assumed.launch.local_size


@pytest.mark.parametrize(
    ("rows", "columns", "put", "get", "expected"),
    [
        (16, 16, "t[ly][lx] = x[gy * n + gx];", "t[ly][lx] * k", (16, 16)),
        (8, 32, "t[ly][lx] = x[gy * n + gx];", "t[ly][lx] * k", (32, 8)),
        # Borders: what is read on either side takes up some of a row.
        (18, 18, "t[ly + 1][lx + 1] = x[gy * n + gx];", "t[ly + 2][lx + 2] * k", (16, 16)),
        # A window that a loop goes along.
        (32, 36, "t[ly][lx] = x[gy * n + gx];", "t[ly][lx + k]", (32, 32)),
        # One array by hand: neighbours in the second dimension are a row apart.
        (1, 256, "t[0][ly * 16 + lx] = x[gy * n + gx];", "t[0][ly * 16 + lx] * k", (16, 16)),
        (1, 256, "t[0][ly * 32 + lx] = x[gy * n + gx];", "t[0][ly * 32 + lx] * k", (32, 8)),
        # More places than a group may have.
        (64, 64, "t[ly][lx] = x[gy * n + gx];", "t[ly][lx] * k", (32, 32)),
        # What no array bounds.
        (16, 16, "t[ly % 16][lx % 16] = x[gy * n + gx];", "t[ly % 16][lx % 16] * k", (16, 16)),
    ],
)
def test_a_group_has_as_many_work_items_as_the_rows_of_its_local_array(
    rows: int, columns: int, put: str, get: str, expected: tuple[int, ...]
) -> None:
    assert shape(rows, columns, put, get) == expected


HALO = """__kernel void k(__global const float *restrict x, __global float *restrict y, int n)
{
    __local float t[34][34];
    int lx = get_local_id(0), ly = get_local_id(1);
    int gx = get_global_id(0), gy = get_global_id(1) + 1;
    t[ly + 1][lx + 1] = x[gy * n + gx];
    if (ly == 0) t[0][lx + 1] = x[(gy - 1) * n + gx];
    if (ly == 31) t[33][lx + 1] = x[(gy + 1) * n + gx];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[gy * n + gx] = t[ly][lx + 1] + t[ly + 2][lx + 1];
}
"""


def test_rows_above_and_below_a_tile_are_loaded_once_a_group() -> None:
    (kernel,) = assess(HALO, arguments={"n": 1024}).kernels
    assert kernel.at_assumed is not None
    loads = [u for u in kernel.at_assumed.estimate.units if kernel.facts.accesses[u.lsu.members[0]].op == "load"]
    tile, above, below = (u.walk.used_bytes for u in loads if u.walk is not None)
    assert above == below == tile / 32
    said = [remark_text(r) for r in kernel.estimate.remarks]
    assert [text for text in said if text.startswith("work-groups")] == [
        "work-groups of 32 × 32 work-items are assumed: give --local-size, or reqd_work_group_size, "
        "without which a group has 256 at most"
    ]


def test_a_kernel_by_one_dimension_has_groups_along_it() -> None:
    text = TILE.replace("ROWS", "1").replace("COLUMNS", "128").replace("get_local_id(1)", "0")
    text = text.replace("PUT", "t[0][lx] = x[gy * n + gx];").replace("GET", "t[0][lx] * k")
    (kernel,) = assess(text, arguments={"n": 1024}).kernels
    assert kernel.at_assumed is not None
    assert kernel.at_assumed.launch.local_size == (128, 1)


def test_a_group_of_three_dimensions_has_as_many_work_items_as_one_may_have() -> None:
    text = """__kernel void k(__global const float *restrict x, __global float *restrict y, int n)
{
    int at = (get_global_id(2) * n + get_global_id(1)) * n + get_global_id(0);
    y[at] = get_local_id(0) + get_local_id(1) + get_local_id(2) == 0 ? x[at] : 0.0f;
}
"""
    (kernel,) = assess(text, arguments={"n": 128}).kernels
    assert kernel.at_assumed is not None
    assert kernel.at_assumed.launch.local_size == (8, 8, 4)
