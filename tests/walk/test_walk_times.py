"""What walks cost: atomics, caches, words that requests cut, trips, kernels that share a memory, small groups."""

from typing import Any

import pytest

from tests.assessing import assess
from tests.walk.walking import MEGA, SINGLE, fetched, units

COUNT = """
__kernel void count(__global const int *restrict x, __global int *restrict total)
{
    atomic_add(&total[0], x[get_global_id(0)]);
}
"""


def test_every_atomic_operation_is_made() -> None:
    def time(items: int, mode: str) -> float:
        return assess(COUNT, global_size=[items], mode=mode).kernels[0].estimate.time_s or 0.0

    assert time(2 * MEGA, "calibrated") == pytest.approx(2 * time(MEGA, "calibrated"))
    assert 0.5 < time(MEGA, "calibrated") / time(MEGA, "faithful") < 2


PRODUCT = """
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void product(__global const float *restrict a, __global const float *restrict b,
                      __global float *restrict c, int n)
{
    int row = get_global_id(1), column = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
"""


def test_a_private_cache_keeps_only_what_fits_it() -> None:
    small, large = (
        units(PRODUCT, arguments={"n": n}, global_size=[n, n], board="a10_ref", aoc_version="18.1") for n in (64, 1024)
    )
    assert small["load b"].lsu.cache_bytes == large["load b"].lsu.cache_bytes == 65536
    assert fetched(small["load b"]) == 64 * 64 * 4
    assert fetched(large["load b"]) >= 1024 * (1024 // 256) * 1024 * 256 * 4


@pytest.mark.parametrize(("start", "factor"), [("", 1), (" + 16", 1), (" + 3", 2), (" + pad", 1)])
def test_requests_that_start_off_a_word_take_two(start: str, factor: int) -> None:
    text = (
        SINGLE
        + f"""
    __kernel void copy(__global const float *restrict a, __global float *restrict d, int n, int pad)
    {{
        #pragma unroll 16
        for (int i = 0; i < n; i++)
            d[i{start}] = a[i{start}];
    }}
    """
    )
    settings: dict[str, Any] = {
        "board": "p385a", "f_max_mhz": 266.67, "banks": {"a": 0, "d": 1}, "arguments": {"n": 1 << 24, "pad": 32},
    }  # fmt: skip
    time = assess(text, **settings).kernels[0].estimate.time_s
    assert time == pytest.approx(factor * (1 << 24) * 4 / 17.066e9, rel=0.1)


def test_a_loop_that_never_runs_is_free_and_more_trips_never_cost_less() -> None:
    text = """
    __kernel void k(__global const float *restrict a, __global float *restrict b, int n)
    {
        float sum = 0.0f;
        for (int j = 0; j < n; j++)
            sum += a[get_global_id(0) + j];
        b[get_global_id(0)] = sum;
    }
    """
    times = [
        assess(text, global_size=[512], arguments={"n": n}).kernels[0].estimate.time_s or 0.0 for n in (0, 1, 2, 9, 99)
    ]
    assert times == sorted(times)
    assert times[0] < 1e-5


def test_kernels_that_channels_join_share_the_memory() -> None:
    text = """
    #pragma OPENCL EXTENSION cl_intel_channels : enable
    channel float16 on;
    __attribute__((max_global_work_dim(0)))
    __kernel void fetch(__global const float16 *restrict a, int n)
    {
        for (int i = 0; i < n; i++)
            write_channel_intel(on, a[i]);
    }
    __attribute__((max_global_work_dim(0)))
    __kernel void put(__global float16 *restrict d, int n)
    {
        for (int i = 0; i < n; i++)
            d[i] = read_channel_intel(on);
    }
    """

    def times(bank: int) -> list[float]:
        settings: dict[str, Any] = {"board": "p385a", "f_max_mhz": 266.67, "arguments": {"n": MEGA}}
        done = assess(text, **settings, banks={"a": 0, "d": bank})
        return [k.estimate.time_s or 0.0 for k in done.kernels]

    apart, together = times(1), times(0)
    assert apart[0] == apart[1]
    assert together[0] == together[1]
    assert together[0] > 1.8 * apart[0]


def test_items_in_groups_of_one_are_dispatched_slower() -> None:
    text = """
    __kernel void next(__global const float *restrict a, __global float *restrict b)
    {
        b[get_global_id(0)] = a[get_global_id(0)] + 1.0f;
    }
    """
    one, many = (assess(text, global_size=[MEGA], local_size=[n]).kernels[0].estimate.time_s or 0.0 for n in (1, 256))
    assert one > 1.2 * many
