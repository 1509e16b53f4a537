"""Values that are there already, where one line is several loads."""

import pytest

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
