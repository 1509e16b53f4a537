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


@pytest.mark.parametrize("count", ["atomic_inc(n)", "atomic_add(n, 1)", "atom_inc(n)"])
def test_numbers_that_an_atomic_gives_out_follow_each_other(count: str) -> None:
    text = """
__kernel void k(__global const int *restrict a, __global int *restrict c, volatile __global int *restrict n) {
    int i = get_global_id(0);
    c[COUNT] = a[i];
}
"""
    (kernel,) = assess(text.replace("COUNT", count), global_size=[1 << 16], local_size=[64]).kernels
    (store,) = [u for u in kernel.estimate.units if u.lsu.op == "store"]
    assert store.walk is not None
    assert store.walk.kind == "advances"
    assert store.walk.used_bytes == 4 << 16


def test_what_others_leave_in_memory_is_anywhere() -> None:
    text = """
__kernel void k(__global int *restrict c, volatile __global int *restrict last) {
    int i = get_global_id(0);
    c[atomic_xchg(last, i)] = i;
}
"""
    (kernel,) = assess(text, global_size=[1 << 16], local_size=[64]).kernels
    (store,) = [u for u in kernel.estimate.units if u.lsu.op == "store"]
    assert store.walk is not None
    assert store.walk.kind == "anywhere"


@pytest.mark.parametrize(
    "wait",
    [
        "while (atomic_xchg(lock, 1)) { }",
        "int old = *lock, was; do { was = old; old = atomic_cmpxchg(lock, was, 1); } while (was != old);",
    ],
)
def test_a_loop_that_memory_ends_says_so(wait: str) -> None:
    text = "__kernel void k(volatile __global int *lock, __global int *a) { WAIT a[0]++; }".replace("WAIT", wait)
    (loop,) = assess(text).kernels[0].facts.loops
    assert loop.trip_why is not None
    assert loop.trip_why.kind == "read_from_memory"


@pytest.mark.parametrize(("who", "kind"), [("get_local_id(0) == 0", "steady"), ("get_local_id(0) > 0", "advances")])
def test_a_number_that_one_item_asks_for_is_its_groups(who: str, kind: str) -> None:
    text = """
__kernel void k(__global int *restrict c, volatile __global int *restrict n) {
    __local int place[1];
    int i = get_local_id(0);
    if (WHO) place[0] = atomic_add(n, 64);
    barrier(CLK_LOCAL_MEM_FENCE);
    c[place[0] + i] = i;
}
"""
    (kernel,) = assess(text.replace("WHO", who), global_size=[64], local_size=[64]).kernels
    (store,) = [u for u in kernel.estimate.units if u.lsu.op == "store" and u.lsu.space == "global"]
    assert store.walk is not None
    assert store.walk.kind == kind
