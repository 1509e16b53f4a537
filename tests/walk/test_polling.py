"""Loops that wait for other work-items: their trips are no work of the kernel's own."""

import pytest

from tests.assessing import assess

KERNEL = """
__kernel void k(int n, __global int *out, __global {volatile} int *flags) {{
    int tries = 0;
    if (get_local_id(0) == 0) {{
        {wait}
        atomic_add(&flags[get_group_id(0) + 1], 1);
    }}
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = tries;
}}
"""


def time_s(wait: str, trips: int, volatile: str = "") -> float:
    (kernel,) = assess(
        KERNEL.format(wait=wait, volatile=volatile), board="p385a", global_size=[2048], local_size=[64],
        assumed_trips=trips,
    ).kernels  # fmt: skip
    assert kernel.estimate.time_s is not None
    return kernel.estimate.time_s


@pytest.mark.parametrize(
    ("wait", "volatile", "own"),
    [
        ("while (atomic_add(&flags[get_group_id(0)], 0) == 0) { }", "", False),
        ("while (flags[get_group_id(0)] == 0) ;", "volatile", False),
        ("while (atomic_add(&flags[get_group_id(0)], 0) == 0) tries++;", "", False),
        ("for (int i = 0; i < tries + flags[i]; i++) atomic_add(&flags[i], 1);", "", True),
    ],
)
def test_assumed_trips_are_not_for_loops_that_wait_for_others(wait: str, volatile: str, *, own: bool) -> None:
    assert (time_s(wait, 5000, volatile) > 1.5 * time_s(wait, 50, volatile)) == own
