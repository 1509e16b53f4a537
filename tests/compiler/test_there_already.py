"""Values that are there already, where one line is several loads."""

import pytest

from burstline_model.compiler.forward import served_by_others
from tests.assessing import assess

KERNEL = """int first_of(__global const int *x) { return x[0]; }
__kernel void again(__global int *x, __global int *restrict y)
{
    const int i = get_global_id(0);
    x[i] = i;
    const int before = first_of(x);
    %s
    y[i] = before + first_of(x);
}
"""


@pytest.mark.parametrize(("between", "loads"), [("", 1), ("barrier(CLK_GLOBAL_MEM_FENCE);", 2)])
def test_other_work_items_may_change_a_value_at_a_barrier_between_two_calls(between: str, loads: int) -> None:
    (kernel,) = assess(KERNEL % between).kernels
    assert sum(u.count for u in kernel.lsus if u.op == "load") == loads


TWICE = """__kernel void twice(__global float *%s out)
{
    const int i = get_global_id(0);
    out[i] = 0.0f;
    %s
    out[i] = 2.0f * i;
}
"""


@pytest.mark.parametrize(
    ("restrict", "between", "stores"),
    [
        ("", "", 1),
        ("", "barrier(CLK_GLOBAL_MEM_FENCE);", 2),  # others may read what was stored first
        ("restrict", "barrier(CLK_GLOBAL_MEM_FENCE);", 1),
    ],
)
def test_a_store_stays_where_others_may_read_it_at_a_barrier(restrict: str, between: str, stores: int) -> None:
    (kernel,) = assess(TWICE % (restrict, between)).kernels
    assert sum(u.count for u in kernel.lsus if u.op == "store") == stores


@pytest.mark.parametrize(("volatile", "loads"), [("", 1), ("volatile", 2)])
@pytest.mark.parametrize(("type_", "one", "other"), [("int", "x[i]", "x[i]"), ("int4", "x[i].x", "x[i].y")])
def test_a_volatile_place_is_loaded_each_time(volatile: str, loads: int, type_: str, one: str, other: str) -> None:
    (kernel,) = assess(
        f"""__kernel void both(__global const {volatile} {type_} *restrict x, __global int *restrict y)
        {{
            const int i = get_global_id(0);
            y[i] = {one} + 3 * {other};
        }}"""
    ).kernels
    assert sum(u.count for u in kernel.lsus if u.op == "load") == loads


ARMS = """__kernel void upwind(__global const double *restrict d, __global const double *restrict v,
                        __global double *%s out)
{
    const int i = get_global_id(0);
    double r = 0.0;
    if (v[i] > 0.0) {
        r = 0.5 * d[i];
        %s
    }
    %s {
        r = 0.25 * d[i];
    }
    out[i] = r + d[i];
}
"""


@pytest.mark.parametrize(
    ("restrict", "inside", "other", "loads"),
    [
        ("restrict", "", "else", 1),
        ("restrict", "", "else if (v[i] < -1.0)", 2),  # a way round both
        ("restrict", "out[i + 1] = r;", "else", 1),
        ("", "out[i + 1] = r;", "else", 1),  # d is const and restrict: nobody else writes there
    ],
)
def test_a_choice_of_both_arms_is_there_behind_them(restrict: str, inside: str, other: str, loads: int) -> None:
    (kernel,) = assess(ARMS % (restrict, inside, other)).kernels
    assert sum(u.count for u in kernel.lsus if kernel.facts.accesses[u.members[0]].pointer == "d") == loads


IN_ARMS = """__kernel void arms(__global const int *restrict a, __global int *restrict y, const int n)
{
    const int i = get_global_id(0);
    int sum;
    if (i < n) sum = %s;
    else sum = %s;
    %s
    y[i] = sum >> a[i];
}
"""


@pytest.mark.parametrize(
    ("then", "otherwise", "there"),
    [
        ("a[i] + 2", "2 * a[i]", True),
        ("a[i] + 2", "7", False),  # work-items in the other arm have none yet
        ("a[i] + 2", "2 * a[i + 1]", False),
    ],
)
def test_what_both_arms_have_loaded_is_there_behind_them(then: str, otherwise: str, *, there: bool) -> None:
    facts = assess(IN_ARMS % (then, otherwise, "")).kernels[0].facts
    loads = [a.id for a in facts.accesses if a.op == "load"]
    assert (loads[-1] in served_by_others(facts)) == there


def test_what_both_arms_have_loaded_may_have_changed() -> None:
    text = IN_ARMS.replace("const int *restrict a", "int *a").replace("int *restrict y", "int *y")
    facts = assess(text % ("a[i] + 2", "2 * a[i]", "y[0] = 1;")).kernels[0].facts
    loads = [a.id for a in facts.accesses if a.op == "load"]
    assert loads[-1] not in served_by_others(facts)
