"""Advice that the text allows: no promise that cannot be made, and something to do where there is something."""

from __future__ import annotations

import pytest

from burstline_model.estimate.changes import MoreUnits
from burstline_server.words.changes import action_text
from burstline_server.words.verdict import limit_line
from tests.assessing import assess

SWAPS = """
void swap(__global unsigned *a, __global unsigned *b)
{
    unsigned kept = *a;
    *a = *b;
    *b = kept;
}
__kernel void pairs(__global unsigned *restrict d)
{
    int low = get_global_id(0), high = low ^ 16;
    if (high > low && (low & 64) == 0 && d[low] > d[high])
        swap(&d[low], &d[high]);
    if (high > low && (low & 64) != 0 && d[low] < d[high])
        swap(&d[low], &d[high]);
}
"""


def test_no_promise_is_asked_for_where_one_pointer_is_stored_to_and_loaded_outside_loops() -> None:
    # restrict is there already, and ivdep is for loops: what helps is that all loads come first.
    (kernel,) = assess(SWAPS, aoc_version="18.1", global_size=1 << 20, local_size=256).kernels
    texts = [action_text(lever.change) for lever in kernel.estimate.levers]
    assert "load all that is read of d before its first store" in texts
    assert not any("promise" in text for text in texts)


STREAMS = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float2 c0;
__attribute__((max_global_work_dim(0)))
__kernel void join(__global const float2 *restrict a, __global const float2 *restrict b,
                   __global const float2 *restrict c, __global const float2 *restrict d)
{
    for (int i = 0; i < 1048576; i++)
        write_channel_intel(c0, a[i] + b[i] + c[i] + d[i]);
}
"""


def test_where_narrow_units_take_turns_at_the_memory_less_data_is_not_all_that_helps() -> None:
    # 4 x 8.4 MB through 14.9 GB/s are 2.25 ms; four units of 8 bytes reach far less of it.
    done = assess(STREAMS, board="s10gx_ddr4_1866", f_max_mhz=450)
    (kernel,) = done.kernels
    assert kernel.estimate.limit == "memory"
    assert [lever.change for lever in kernel.estimate.levers] == ["fewer_units"]
    assert "no more because 4 units take turns" in limit_line(done, kernel)


PASSES = """
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void passes(__global const uint *restrict x, __global uint *restrict y)
{
    __local uint t[256];
    uint l = get_local_id(0);
    t[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = 128; j > 0; j >>= 1) {
        uint other = l ^ j;
        uint own = t[l], far = t[other];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = (l & j) ? max(own, far) : min(own, far);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[get_global_id(0)] = t[l];
}
"""


def test_a_loop_with_a_barrier_that_limits_is_helped_by_more_compute_units() -> None:
    # Eight passes of 2^20 work-items at 300 MHz are 28 ms.
    (kernel,) = assess(PASSES, global_size=1 << 20, f_max_mhz=300).kernels
    assert kernel.estimate.time_s == pytest.approx(8 * (1 << 20) / 300e6, rel=0.1)
    assert any(isinstance(lever.change, MoreUnits) for lever in kernel.estimate.levers)
