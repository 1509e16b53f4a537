"""A text made on the way to another edit: the kernel that it is made in has its cost, others of the file have none."""

from __future__ import annotations

from burstline_server.rewrites.spelled_out import again
from tests.rewrites.equality import assessed

TEXT = """__kernel void scale(__global const int *restrict x, __global int *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = 3 * x[i];
}

__kernel void shift(__global const int *restrict x, __global int *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] + 3;
}
"""
JOINED = """#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int items;
__kernel void sends(__global const int *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        write_channel_intel(items, x[i]);
}

__kernel void takes(__global int *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = read_channel_intel(items);
}
"""


def test_other_kernels_are_not_costed() -> None:
    before = assessed(TEXT, arguments={"n": 1000})
    found = again(before, before.kernels[1], TEXT.replace("+ 3", "+ 4").encode())
    assert found is not None
    now, kernel = found
    assert [one.facts.name for one in now.kernels] == ["shift"]
    assert kernel.estimate.time_s == before.kernels[1].estimate.time_s


def test_those_that_a_channel_joins_to_it_are() -> None:
    before = assessed(JOINED, arguments={"n": 1000})
    found = again(before, before.kernels[1], JOINED.encode())
    assert found is not None
    assert [one.facts.name for one in found[0].kernels] == ["sends", "takes"]
    assert found[1].estimate.time_s == before.kernels[1].estimate.time_s
