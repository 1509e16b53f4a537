"""Pointers that structures hold are followed to their buffers."""

from __future__ import annotations

from tests.assessing import assess

KERNEL = """
typedef struct { __global const float *x; __global float *y; int n; } Both;
__kernel void copy(__global const float *restrict x, __global float *restrict y, __global float *restrict z, int n)
{
    Both s;
    s.x = x + 2;
    s.y = y;
    MORE
    for (int i = 0; i < n; i++) s.y[i] = s.x[i];
}
"""


def test_pointers_in_a_structure_are_followed() -> None:
    (kernel,) = assess(KERNEL.replace("MORE", "")).kernels
    found = [(a.op, a.pointer, str(a.offset)) for a in kernel.facts.accesses]
    assert found == [("load", "x", "4·i + 8"), ("store", "y", "4·i")]


def test_a_pointer_that_is_set_twice_has_no_known_address() -> None:
    (kernel,) = assess(KERNEL.replace("MORE", "if (n > 4) s.y = z;")).kernels
    (store,) = [a for a in kernel.facts.accesses if a.op == "store"]
    assert store.offset is None


def test_a_pointer_of_unknown_origin_is_said() -> None:
    text = """
typedef struct { __global float *y; } One;
channel One ones;
__attribute__((max_global_work_dim(0)))
__kernel void k(int n)
{
    One s = read_channel_intel(ones);
    for (int i = 0; i < n; i++) s.y[i] = 1.0f;
}
"""
    (kernel,) = assess(text).kernels
    assert [r.kind for r in kernel.facts.remarks] == ["unknown_origin"]
