"""Passes, work-groups and compute units come whole."""

from __future__ import annotations

import pytest

from burstline_model.estimate.changes import MoreCopies, MoreUnits
from tests.assessing import assess

SUMS = """
{attributes}
__kernel void sums(__global const float *restrict x, __global float *restrict y, int n)
{{
    const int i = get_global_id(0);
    float sum = 0.0f;
    {pragma}
    for (int k = 0; k < n; k++)
        sum += x[k] * (float)(i + k);
    y[i] = sum;
}}
"""
CLOCK = {"f_max_mhz": 200}


def milliseconds(
    attributes: str = "", pragma: str = "", n: int = 4096, items: int = 1 << 16, group: int = 128
) -> float:
    text = SUMS.format(attributes=attributes, pragma=pragma)
    (kernel,) = assess(text, global_size=items, local_size=group, arguments={"n": n}, **CLOCK).kernels
    assert kernel.estimate.time_s is not None
    return kernel.estimate.time_s * 1e3


UNITS = "__attribute__((num_compute_units({})))"


def test_a_compute_unit_takes_whole_groups() -> None:
    # 512 groups of 128 items and 4096 iterations at 200 MHz: 1342 ms, and half of it with two units.
    assert milliseconds() == pytest.approx(1342, rel=0.01)
    assert milliseconds(UNITS.format(2)) == pytest.approx(671, rel=0.01)
    # One group: a second unit has nothing to do.
    alone = milliseconds(items=128)
    assert milliseconds(UNITS.format(2), items=128) == pytest.approx(alone, rel=1e-6)
    # Three groups on two units: one of them takes two, as if two units shared four groups.
    two = milliseconds(UNITS.format(2), items=4 * 128)
    assert milliseconds(UNITS.format(2), items=3 * 128) == pytest.approx(two, rel=0.01)


def test_more_units_than_groups_are_no_advice() -> None:
    text = SUMS.format(attributes="", pragma="")
    (kernel,) = assess(text, global_size=128, local_size=128, arguments={"n": 4096}, **CLOCK).kernels
    assert not any(isinstance(lever.change, MoreUnits) for lever in kernel.estimate.levers)


def test_copies_that_do_not_divide_the_trips_take_one_more_pass() -> None:
    # Three iterations by two copies are two passes, not one and a half.
    three = milliseconds(n=3)
    assert milliseconds(pragma="#pragma unroll 2", n=3) == pytest.approx(three * 2 / 3, rel=0.01)
    assert milliseconds(pragma="#pragma unroll 2", n=4) == pytest.approx(three * 2 / 3, rel=0.01)


def test_what_is_promised_of_copies_counts_the_last_pass() -> None:
    text = SUMS.format(attributes="", pragma="")
    (kernel,) = assess(text, global_size=1 << 20, local_size=128, arguments={"n": 3}, **CLOCK).kernels
    # 2^20 items of three iterations at 200 MHz: 15.7 ms. Two copies leave two passes, and no advice says less.
    assert kernel.estimate.time_s == pytest.approx(15.7e-3, rel=0.01)
    after = [lever.after_s for lever in kernel.estimate.levers if isinstance(lever.change, MoreCopies)]
    assert after == [pytest.approx(10.5e-3, rel=0.01)]


def test_a_size_for_all_kernels_leaves_the_one_that_requires_another() -> None:
    # 8192 work-items: 32 groups of the 256 that are required, whatever other kernels are launched with.
    kernel = """
__kernel void {name}(__global const int *restrict x, __global int *restrict y)
{{
    if (get_local_id(0) == 0)
        y[get_group_id(0)] = x[get_group_id(0)];
}}
"""
    both = "__attribute__((reqd_work_group_size(256, 1, 1)))" + kernel.format(name="fixed") + kernel.format(name="free")
    fixed, free = assess(both, global_size=8192, local_size=64).kernels
    stored = [u.bytes for k in (fixed, free) for u in k.estimate.units if u.lsu.op == "store"]
    assert stored == [32 * 4, 128 * 4]
