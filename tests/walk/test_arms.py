"""Units that accesses in several arms share: how often any of them runs."""

import pytest

from burstline_server.words.remarks import remark_text
from tests.assessing import assess
from tests.walk.walking import units

BORDER = """__kernel void border(__global const float *restrict a, __global float *restrict b, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    int place = y * get_global_size(0) + x;
    if (x < 2 || y < 2) {
        b[place] = a[place];
        return;
    }
    if (x > n - 3)
        b[place] = a[place];
}
"""
SIZES = {"global_size": [16, 8], "local_size": [8, 4], "arguments": {"n": 16}}


def test_a_unit_of_two_borders_runs_at_both_and_nowhere_else() -> None:
    found = units(BORDER, **SIZES)["store b"]
    assert len(found.lsu.members) == 2
    assert found.walk is not None
    reached = sum(x < 2 or y < 2 or x > 13 for x in range(16) for y in range(8))
    assert found.walk.requests == pytest.approx(reached)


def test_arms_that_cover_everything_run_everywhere() -> None:
    text = BORDER.replace("        return;\n", "").replace("    if (x > n - 3)", "    else")
    found = units(text, **SIZES)["store b"]
    assert found.walk is not None
    assert found.walk.requests == pytest.approx(16 * 8)


def test_arms_that_data_choose_count_in_full() -> None:
    text = BORDER.replace("x > n - 3", "a[0] > 0.0f")
    found = units(text, **SIZES)["store b"]
    assert found.walk is not None
    assert found.walk.requests == pytest.approx(16 * 8)


FILTER = """__kernel void keep(__global const int *restrict x, __global int *restrict y, int n)
{{
    int i = get_global_id(0);
    {body}
}}
"""


@pytest.mark.parametrize(
    ("body", "loads", "surely"),
    [
        ("if (i < n && x[i] > 3) y[i] = x[i];", 24, True),
        ("if (i < n) { if (x[i] > 3) y[i] = x[i]; }", 24, True),
        ("if (i >= n) return; y[i] = x[i] > 3 ? x[i] : 0;", 24, True),
        # Data alone decide whether the unit runs outside the first 24, or at all.
        ("if (i < n && y[i] > 3) y[i] = x[i]; else if (i < 2 * n && y[i + 64] > 3) y[i] = x[i];", 48, False),
    ],
)
def test_what_data_choose_within_another_arm_is_read_already(body: str, loads: int, surely: bool) -> None:
    found = units(FILTER.format(body=body), global_size=64, local_size=16, arguments={"n": 24})["load x"]
    assert found.walk is not None
    assert found.walk.requests == pytest.approx(loads)
    assert (found.walk.low_bytes == found.walk.high_bytes) == surely


@pytest.mark.parametrize(
    ("groups", "group"), [((2, 2, 2), (28, 28, 3)), ((3, 3, 1), (28, 28, 3)), ((1, 1, 2), (31, 17, 2))]
)
def test_the_first_item_of_each_group_is_one_whatever_the_groups_shape(
    groups: tuple[int, int, int], group: tuple[int, int, int]
) -> None:
    text = """__kernel void fill(__global const float *restrict x, __global float *restrict y)
{
    __local float held[64];
    if (get_local_id(0) == 0 && get_local_id(1) == 0 && get_local_id(2) == 0)
        for (int i = 0; i < 64; i++)
            held[i] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = held[get_local_id(0)];
}
"""
    sizes = [a * b for a, b in zip(groups, group, strict=True)]
    found = units(text, global_size=sizes, local_size=list(group))["load x"]
    assert found.walk is not None
    assert found.walk.requests == pytest.approx(64 * groups[0] * groups[1] * groups[2])


BRANCH = """__kernel void branch(__global const int *restrict k, __global float *restrict y, __global float *restrict z)
{
    int i = get_global_id(0);
    if (k[i] > 3) y[i] = 1.0f; else z[i] = 1.0f;
    if (k[i] < 0) y[i + 7] = 2.0f;
}
"""


def test_what_is_said_of_conditions_on_data_is_what_is_counted() -> None:
    (kernel,) = assess(BRANCH, global_size=1 << 20).kernels
    doubt = " ".join(remark_text(r) for r in kernel.estimate.remarks)
    assert "data decide k[i] < 0: counted as always true, which is an upper bound" in doubt
    assert "data decide k[i] > 3, !(k[i] > 3): each of its two branches is counted as half" in doubt
    moved = {u.lsu.op + str(u.lsu.members[0]): u.bytes for u in kernel.estimate.units}
    assert sorted(b for b in moved.values() if b is not None)[:2] == [2 << 20, 2 << 20]


@pytest.mark.parametrize("leave", ["continue", "return", "else"])
def test_what_leaves_from_within_an_if_leaves_the_rest_out(leave: str) -> None:
    """A border that is chosen by two conditions, one in the other."""
    inner = "if (c != 0 && c != n - 1) {skip} {rest}"
    skip, rest = ("{}", "else y[r * n + c] = x[r * n + c];") if leave == "else" else (f"{leave};", "")
    outer = "if (r != 0 && r != n - 1) { " + inner.format(skip=skip, rest=rest) + " }"
    behind = "if (r == 0 || r == n - 1) y[r * n + c] = 1.0f;" if leave == "else" else "y[r * n + c] = x[r * n + c];"
    if leave == "return":
        text = f"""__kernel void border(__global const float *restrict x, __global float *restrict y, int n)
{{
    int c = get_global_id(0), r = get_global_id(1);
    {outer}
    {behind}
}}
"""
        sizes = {"global_size": [12, 12], "local_size": [4, 4]}
    else:
        text = f"""__kernel void border(__global const float *restrict x, __global float *restrict y, int n)
{{
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {{
            {outer}
            {behind}
        }}
}}
"""
        sizes = {}
    (kernel,) = assess(text, arguments={"n": 12}, **sizes).kernels
    stored = [u.walk.requests for u in kernel.estimate.units if u.lsu.op == "store" and u.walk is not None]
    assert sum(r for r in stored if r is not None) == pytest.approx(4 * 12 - 4)


UNDECIDED = """__kernel void arms(__global const int *restrict a, __global int *restrict b, int n)
{
    for (int i = 0; i < 64; i++) {
        if (n == 2) {
            if (a[i] == 5)
                b[i] = 1;
        } else %s
            b[i] = 2;
    }
}
"""


@pytest.mark.parametrize(("other", "least"), [("if (n == 3 && a[i] == 7)", 0), ("", 0), ("if (a[i] == 5)", 0)])
def test_arms_that_nobody_counts_and_that_leave_places_out_may_run_never(other: str, least: int) -> None:
    found = units(UNDECIDED % other, arguments={"n": 2})["store b"]
    assert found.walk is not None
    assert found.walk.low_bytes == least
    assert found.walk.high_bytes == 4 * 64


def test_both_arms_of_a_condition_on_data_run_always() -> None:
    text = UNDECIDED.replace("n == 2", "a[i] > 2").replace("if (a[i] == 5)", "") % ""
    found = units(text, arguments={"n": 2})["store b"]
    assert found.walk is not None
    assert found.walk.low_bytes == found.walk.high_bytes == 4 * 64
