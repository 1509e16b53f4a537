"""Values that are there already, where one line stands for several loads."""

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
