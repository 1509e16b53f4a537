"""What data or a given argument decide: arms that never run are free, shares nobody knows leave a range."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_server.cli.main import main
from burstline_server.cli.text import text
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.words.verdict import headline
from tests.assessing import assess

MODES = """
__kernel void k(__global const float *restrict x, __global float *restrict y, int n, int mode)
{
    for (int i = 0; i < n; i++) {
        if (mode == 0)
            y[i] = x[i];
        else
            y[i] = sqrt(x[n + i]);
    }
    if (mode == 1)
        for (int j = 0; j < 100 * n; j++)
            y[j] = x[2 * j];
}
"""
GUARDED = """
__kernel void k(__global const int *restrict keys, __global const float16 *restrict x, __global float16 *restrict y,
                int n)
{
    for (int i = 0; i < n; i++)
        if (keys[i] > 7)
            y[i] = x[i];
}
"""
GATHER = """
__kernel void k(__global const int *restrict at, __global const float4 *restrict x, __global float4 *restrict y)
{
    int i = get_global_id(0);
    y[i] = x[at[i]];
}
"""
COUNT = """
__kernel void k(__global const int *restrict x, __global int *restrict bins)
{
    atomic_inc(&bins[x[get_global_id(0)] & 255]);
}
"""

SOME_LOOP = """
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k(__global const float *restrict x, __global float *restrict y)
{
    int i = get_global_id(0);
    float v = x[i];
    if (v > 3.0f)
        for (int j = 0; j < 10000; j++)
            v = v * 0.5f + 1.0f;
    y[i] = v;
}
"""
ONE_LOOP = """
__kernel void k(__global const float *restrict x, __global float *restrict y, int n)
{
    for (int i = 0; i < n; i++) {
        float v = x[i];
        if (v > 3.0f)
            for (int j = 0; j < 1000; j++)
                v = v * 0.5f + 1.0f;
        y[i] = v;
    }
}
"""


def estimate(text: str, **settings: Any) -> KernelEstimate:
    return assess(text, **{"f_max_mhz": 300, **settings}).kernels[0].estimate


@pytest.mark.parametrize(("mode", "passes"), [(0, 1), (1, 101), (2, 1)])
def test_a_given_argument_decides_which_arm_and_which_loop_run(mode: int, passes: int) -> None:
    found = estimate(MODES, arguments={"n": 1 << 20, "mode": mode})
    assert found.time_s == pytest.approx(passes * (1 << 20) / 300e6, rel=0.02)
    moved = {u.lsu.members[0]: u.bytes for u in found.units if u.lsu.op == "load"}
    assert min(b or 0.0 for b in moved.values()) == 0.0


def test_an_argument_that_is_not_given_decides_nothing() -> None:
    assert [loop.trip for loop in estimate(MODES, arguments={"n": 1024}).loops] == [1024, 102400]


def test_a_share_that_data_decide_leaves_a_range() -> None:
    found = estimate(GUARDED, arguments={"n": 1 << 20})
    assert found.time_s is not None
    assert found.time_low_s is not None
    assert found.time_high_s is not None
    assert found.time_low_s < 0.6 * found.time_s <= found.time_high_s * 1.001
    done = assess(GUARDED, f_max_mhz=300, arguments={"n": 1 << 20})
    assert " to " in headline(done, done.kernels[0])


def test_a_share_that_is_given_leaves_none() -> None:
    found = estimate(GUARDED.replace("> 7)", "> 7) // burstline: taken=1/4"), arguments={"n": 1 << 20})
    assert (found.time_low_s, found.time_high_s) == (pytest.approx(found.time_s), pytest.approx(found.time_s))


def test_a_gather_of_unknown_locality_leaves_a_range() -> None:
    found = estimate(GATHER, global_size=[1 << 20])
    assert found.time_s is not None
    assert found.time_low_s is not None
    assert found.time_low_s < 0.75 * found.time_s


def test_a_row_has_the_range_that_data_leave_it() -> None:
    """The gathered row alone: the other two move the same bytes whatever the data are."""
    done = assess(GATHER, global_size=[1 << 20], f_max_mhz=300)
    estimate, accesses = done.kernels[0].estimate, done.kernels[0].facts.accesses
    ranges = {
        accesses[u.lsu.members[0]].pointer: (u.time_low_s or 0.0, u.time_s or 0.0, u.time_high_s or 0.0)
        for u in estimate.units
    }
    low, own, high = ranges.pop("x")
    assert low == pytest.approx(own / 4, rel=0.05)
    assert own == high <= (estimate.time_high_s or 0.0)
    assert all(low == pytest.approx(own, rel=0.01) == pytest.approx(high) for low, own, high in ranges.values())
    printed = text([(done, findings_of(done))])
    assert [line.split()[1] for line in printed.splitlines() if " to " in line and "load" in line] == ["x[at[i]]"]


def test_a_part_that_an_argument_may_leave_out_may_take_nothing() -> None:
    kernel = """
    __kernel void k(__global const float *restrict x, __global float *restrict y, __global float *restrict z, int mode)
    {
        int i = get_global_id(0);
        if (mode == 1) z[i] = x[i];
        else y[i] = x[i];
    }
    """
    found = estimate(kernel, global_size=[1 << 20])
    stores = [u for u in found.units if u.lsu.op == "store"]
    assert min(u.time_low_s or 0.0 for u in stores) == 0.0
    assert all((u.time_high_s or 0.0) <= (found.time_high_s or 0.0) for u in found.units)


def test_neighbours_at_a_gathered_place_are_one_request() -> None:
    pairs = """
    __kernel void k(__global const int *restrict at, __global const float *restrict x, __global float *restrict y)
    {
        int i = get_global_id(0);
        y[i] = x[2 * at[i]] + x[2 * at[i] + 1];
    }
    """
    assert estimate(pairs, global_size=[1 << 20], f_max_mhz=20).time_s == pytest.approx((1 << 20) / 20e6, rel=0.01)


def test_atomics_are_named_as_the_limit() -> None:
    done = assess(COUNT, global_size=[1 << 20])
    title = headline(done, done.kernels[0])
    assert "atomic-bound" in title
    assert "GB/s" not in title


def test_a_place_worked_out_in_floats_moves_with_the_work_items() -> None:
    turned = """
    __kernel void k(__global const float *restrict x, __global float *restrict y, float angle)
    {
        int i = get_global_id(0);
        float to = (float)i * angle;
        y[(int)to] = x[i];
    }
    """
    store = next(u for u in estimate(turned, global_size=[1 << 20]).units if u.lsu.op == "store")
    assert store.walk is not None
    assert store.walk.kind != "same"
    assert store.walk.high_bytes >= 4 << 20


@pytest.mark.parametrize(
    ("text", "given", "iterations", "rest"),
    [
        (SOME_LOOP, {"global_size": [1 << 16]}, 10_000 << 16, 1 << 16),
        (ONE_LOOP, {"arguments": {"n": 10_000}}, 10_000_000, 10_000),
    ],
)
def test_the_range_begins_where_data_leave_out_a_loop(
    text: str, given: dict[str, Any], iterations: int, rest: int
) -> None:
    found = estimate(text, **given)
    assert found.time_s is not None
    assert found.time_low_s is not None
    assert found.time_s >= iterations / 300e6
    assert rest / 300e6 <= found.time_low_s < 0.05 * found.time_s
    assert found.time_by_data_s is not None
    assert found.time_by_data_s[1] == found.time_s


def test_a_given_share_of_a_loop_leaves_no_range() -> None:
    every = estimate(SOME_LOOP, global_size=[1 << 16])
    some = estimate(SOME_LOOP.replace("if (v > 3.0f)", "if (v > 3.0f)  // burstline: taken=1/4"), global_size=[1 << 16])
    assert some.time_s is not None
    assert every.time_s is not None
    assert some.time_s == pytest.approx(every.time_s / 4, rel=0.02)
    assert some.time_low_s == pytest.approx(some.time_s, rel=0.02)


def test_the_answer_says_where_the_range_begins(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "k.cl"
    path.write_text(SOME_LOOP)
    assert main(["check", "--fmax", "300", "--global-size", "65536", str(path)]) == 0
    first = re.search(r": ([\d.]+) µs to ([\d.]+) s by data · ", capsys.readouterr().out)
    assert first is not None
    assert float(first[2]) > 2
