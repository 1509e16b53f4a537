"""What barriers cost: parts that cannot overlap add up, and large groups hide the depth of the pipeline."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_server.words.assumptions import input_text
from burstline_server.words.verdict import limit_line
from tests.assessing import assess

LOOP = """
    for (int k = 0; k < 64; k++) {
        t[i] = t[(i + 1) & (SIZE - 1)] + v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
"""
INNER = """
    for (int k = 0; k < 512; k++)
        s += t[(i + k) & (SIZE - 1)] * v;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[i] = s;
"""
TEXT = """
__attribute__((reqd_work_group_size(SIZE, 1, 1)))
__kernel void k(__global const float *restrict x, __global float *restrict y)
{
    __local float t[SIZE];
    int i = get_local_id(0);
    float v = x[get_global_id(0)], s = 0.0f;
    t[i] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    %s
    y[get_global_id(0)] = t[(i + 3) & (SIZE - 1)] + s;
}
"""


def estimate(body: str, size: int, groups: int, **more: Any) -> KernelEstimate:
    text = (TEXT % body).replace("SIZE", str(size))
    launch = {"board": "de5net", "f_max_mhz": 200, "global_size": [size * groups]}
    return assess(text, **{**launch, **more}).kernels[0].estimate


def cycles(body: str, size: int, groups: int, **more: Any) -> float:
    seconds = estimate(body, size, groups, **more).time_s
    assert seconds is not None
    return seconds * 200e6


def test_loops_with_barriers_follow_each_other() -> None:
    assert cycles(LOOP + LOOP, 256, 1024) == pytest.approx(2 * cycles(LOOP, 256, 1024), rel=0.02)


def test_large_groups_hide_the_depth_and_small_ones_do_not() -> None:
    assert cycles(LOOP, 256, 1024) == pytest.approx(64 * 256 * 1024, rel=0.02)
    assert cycles(LOOP, 2, 1024) > 1.5 * 64 * 2 * 1024


@pytest.mark.parametrize(("groups", "times"), [(1, 2.0), (1024, 1.0)], ids=["one group", "many groups"])
def test_parts_between_barriers_overlap_for_other_groups_alone(groups: int, times: float) -> None:
    assert cycles(INNER + INNER, 256, groups) == pytest.approx(times * cycles(INNER, 256, groups), rel=0.05)


def test_terms_still_add_up() -> None:
    for groups in (1, 3, 1024):
        found = estimate(INNER + LOOP + INNER, 64, groups)
        assert sum(t.time_s for t in found.terms) == pytest.approx(found.time_s)


def test_time_grows_with_groups() -> None:
    times = [cycles(INNER + LOOP, 64, groups) for groups in (1, 2, 3, 8, 100)]
    assert times == sorted(times)


def test_a_hosts_timer_shows_the_launch_as_well() -> None:
    found = estimate(LOOP, 64, 4)
    assert found.time_s is not None
    assert found.host_time_s == pytest.approx(found.time_s + 66e-6)
    assert any("66.0 µs more than these times, on a host's timer" in input_text(a.of)[1] for a in found.assumptions)
    assert estimate(LOOP, 64, 4, mode="faithful").launch_s == 0.0


SWEEPS = """
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void sweeps(__global const float *restrict x, __global float *restrict y)
{
    __local float row[256];
    int l = get_local_id(0), i = get_global_id(0);
    row[l] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int k = 0; k < TIMES; k++) {
        float next = row[(l + 1) % 256] + row[(l + k) % 256];
        barrier(CLK_LOCAL_MEM_FENCE);
        row[l] = next;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[i] = row[255 - l];
}
"""


def _sweeps(times: int, items: int) -> KernelEstimate:
    text = SWEEPS.replace("TIMES", str(times))
    return assess(text, global_size=[items], f_max_mhz=250).kernels[0].estimate


@pytest.mark.parametrize("times", [4, 8, 16])
def test_a_group_alone_comes_to_each_barrier_before_it_goes_on(times: int) -> None:
    """256 work-items, one a cycle from each of 2 x times + 1 barriers to the next, at 250 MHz; memory apart"""
    estimate = _sweeps(times, 256)
    ways_s = (2 * times + 1) * 256 / 250e6
    assert estimate.time_s == pytest.approx(ways_s, abs=4e-6)
    assert (estimate.time_s or 0.0) > ways_s
    assert estimate.limit == "work_items"
    assert estimate.levers[0].change == "more_work_items"


def test_that_groups_wait_at_barriers_is_said() -> None:
    done = assess(SWEEPS.replace("TIMES", "8"), global_size=[256])
    assert "nor what groups wait at barriers" in limit_line(done, done.kernels[0])


def test_many_groups_follow_each_other_through_barriers() -> None:
    few, many = _sweeps(4, 1 << 20), _sweeps(16, 1 << 20)
    assert many.time_s == pytest.approx(few.time_s, rel=0.03)
    assert many.limit != "work_items"


def test_a_barrier_in_one_arm_stops_those_that_take_it() -> None:
    arms = SWEEPS.replace("#pragma unroll", "if (get_group_id(0) == 1)\n    #pragma unroll")
    taken = assess(SWEEPS.replace("TIMES", "16"), global_size=[256], f_max_mhz=250).kernels[0].estimate.time_s
    left = assess(arms.replace("TIMES", "16"), global_size=[256], f_max_mhz=250).kernels[0].estimate.time_s
    assert left is not None
    assert taken is not None
    assert left < taken / 5
