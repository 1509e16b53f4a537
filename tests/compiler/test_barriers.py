"""Requests on both sides of a barrier share no unit: unrolled copies, and neighbours in the text."""

import pytest

from burstline_model.lsu import Lsu
from tests.assessing import assess

HEAD = """__attribute__((reqd_work_group_size(16, 1, 1)))
__kernel void k(__global const int *restrict x, __global int *restrict z, int n)
{
    __local int l[32];
    const int i = get_group_id(0) * 16 + get_local_id(0) + n;
"""


def units(body: str, helper: str = "") -> list[Lsu]:
    """The units on the memory."""
    (kernel,) = assess(helper + HEAD + body + "\n}\n", board="p385a").kernels
    return [u for u in kernel.lsus if u.space == "global"]


def widths(body: str, op: str = "load", helper: str = "") -> list[tuple[int, int]]:
    """Units and bits of those that do one thing."""
    return [(u.count, u.width_bits) for u in units(body, helper) if u.op == op]


LOOP = """#pragma unroll 2
    for (int s = 0; s < 16; s++)
    {{
        z[i + s] = x[i + s] + 1;
        {}
    }}"""


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("", [(1, 64)]),
        ("mem_fence(CLK_CHANNEL_MEM_FENCE);", [(1, 64)]),
        ("barrier(CLK_GLOBAL_MEM_FENCE);", [(2, 32)]),
        ("barrier(CLK_LOCAL_MEM_FENCE);", [(2, 32)]),
        ("if (n > 3) { l[s] = n; barrier(CLK_LOCAL_MEM_FENCE); }", [(2, 32)]),
        ("for (int q = 0; q < n; q++) { l[q] = s; barrier(CLK_LOCAL_MEM_FENCE); }", [(2, 32)]),
    ],
)
def test_unrolled_copies_with_a_barrier_have_units_of_their_own(inside: str, expected: list[tuple[int, int]]) -> None:
    for op in ("load", "store"):
        assert widths(LOOP.format(inside), op) == expected


def test_a_barrier_of_a_loop_around_parts_its_copies_alone() -> None:
    """The inner loop's four copies lie between two barriers: they share a unit, in each copy of the loop around."""
    body = """#pragma unroll 2
    for (int s = 0; s < 16; s++)
    {
        #pragma unroll
        for (int q = 0; q < 4; q++)
            z[i * 64 + s * 4 + q] = n;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }"""
    assert widths(body, "store") == [(2, 128)]


def test_a_barrier_behind_the_loop_parts_nothing() -> None:
    assert widths(LOOP.format("") + "\n    barrier(CLK_GLOBAL_MEM_FENCE);") == [(1, 64)]


@pytest.mark.parametrize(
    ("between", "expected"),
    [("", [(1, 64)]), ("barrier(CLK_GLOBAL_MEM_FENCE);", [(1, 32), (1, 32)])],
)
def test_neighbours_in_the_text_share_no_unit_across_a_barrier(between: str, expected: list[tuple[int, int]]) -> None:
    body = f"int a = x[2 * i]; l[get_local_id(0)] = a; {between}\n    z[i] = x[2 * i + 1] + l[0];"
    assert widths(body) == expected


def test_neighbours_of_a_helper_function_do_so_in_each_call() -> None:
    helper = "int two(__global const int *restrict p, int at) { return p[2 * at] + p[2 * at + 1]; }\n"
    body = "l[0] = two(x, i); barrier(CLK_LOCAL_MEM_FENCE); z[i] = l[0] + two(x, i + 64);"
    assert sorted(widths(body, helper=helper)) == [(1, 64), (1, 64)]


def test_lanes_of_work_items_meet_no_barrier_between_them() -> None:
    text = ("__attribute__((num_simd_work_items(4)))\n" + HEAD).replace(" + n;", ";")
    body = "l[get_local_id(0)] = x[i]; barrier(CLK_LOCAL_MEM_FENCE); z[i] = l[0];\n}\n"
    (kernel,) = assess(text + body, board="p385a").kernels
    assert [(u.count, u.width_bits) for u in kernel.lsus if u.space == "global"] == [(1, 128), (1, 128)]
