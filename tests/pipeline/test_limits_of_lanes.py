"""Conditions that decide how many copies run, how often, and what a report's schedule says of a loop."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_model.compiler.infer import infer
from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_model.estimate.pipeline import Schedule, loop_intervals
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_model.parallelism.simd_limits import why_not_simd
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.words.changes import action_text
from burstline_server.words.findings import message_text
from burstline_server.words.lanes import apart_text
from tests.assessing import assess

ACCUMULATE = """
__kernel void total(__global const float *restrict x, __global float *restrict y, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += x[i];
    y[0] = sum;
}
"""


def estimate(text: str, **settings: Any) -> KernelEstimate:
    return assess(text, **settings).kernels[0].estimate


@pytest.mark.parametrize(("ii", "has_reason"), [(1, False), (9, True)])
def test_a_scheduled_loop_has_a_reason_only_where_it_waits(ii: int, *, has_reason: bool) -> None:
    done = assess(ACCUMULATE, device_family="Stratix V", aoc_version="16.1", arguments={"n": 1024})
    (kernel,) = done.kernels
    lsus, copies = infer(kernel.facts, done.target), effective_unroll(kernel.facts)
    (one,) = loop_intervals(kernel.facts, lsus, done.target, copies)
    assert (one.ii or 0) > 1
    assert one.serialised_by
    (reported,) = loop_intervals(kernel.facts, lsus, done.target, copies, {0: Schedule(ii=ii, pipelined=True)})
    assert reported.ii == ii
    assert bool(reported.serialised_by) == has_reason


@pytest.mark.parametrize(("type_", "lanes"), [("float", 16), ("float4", 4), ("float8", 2)])
def test_lanes_that_are_advised_fill_a_word_of_the_memory(type_: str, lanes: int) -> None:
    text = f"""
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void copy(__global const {type_} *restrict x, __global {type_} *restrict y) {{
    const int i = get_global_id(0);
    y[i] = x[i];
}}
"""
    found = [action_text(lever.change) for lever in estimate(text, global_size=1 << 20, f_max_mhz=200).levers]
    assert f"num_simd_work_items({lanes})" in found


@pytest.mark.parametrize(("asked", "built"), [(1, 1), (2, 2), (3, 1), (12, 1), (16, 16), (32, 1)])
def test_a_number_of_lanes_that_is_not_built_has_no_effect(asked: int, built: int) -> None:
    done = assess(f"""
__attribute__((reqd_work_group_size(96, 1, 1), num_simd_work_items({asked})))
__kernel void copy(__global const float *restrict x, __global float *restrict y) {{
    const int i = get_global_id(0);
    y[i] = x[i];
}}
""")
    (kernel,) = done.kernels
    assert [u.lsu.width_bits for u in kernel.estimate.units] == [32 * built] * 2
    said = [message_text(f) for f in findings_of(done) if f.code == "BL302"]
    none = f"num_simd_work_items({asked}) has no effect: the compiler builds 2, 4, 8 or 16 lanes"
    assert said == ([] if asked == built else [none])


@pytest.mark.parametrize(("store", "loads"), [("", 0), ("volatile ", 1)])
def test_what_a_volatile_store_wrote_is_loaded_again(store: str, loads: int) -> None:
    text = f"""
__kernel void twice(__global float *restrict y) {{
    const int i = get_global_id(0);
    __global {store}float *p = y;
    p[i] = 2.0f;
    y[i + 1] = y[i] + 1.0f;
}}
"""
    units = [u for u in estimate(text, global_size=1024).units if u.lsu.op == "load"]
    assert len(units) == loads


def test_a_volatile_store_in_between_has_the_value_loaded() -> None:
    text = """
__kernel void between(__global float *restrict y, __global float *restrict z) {
    const int i = get_global_id(0);
    __global volatile float *p = y;
    y[i] = 2.0f;
    p[i] = 3.0f;
    z[i] = y[i];
}
"""
    assert [u.lsu.op for u in estimate(text, global_size=1024).units].count("load") == 1


@pytest.mark.parametrize("wait", ["barrier(CLK_LOCAL_MEM_FENCE);", "write_channel_intel(values, tile[k]);"])
def test_a_small_loop_that_waits_stays_rolled(wait: str) -> None:
    text = f"""
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float values;
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void small(__global float *restrict y) {{
    __local float tile[64];
    for (int k = 0; k < 4; k++) {{
        tile[get_local_id(0)] = y[4 * get_global_id(0) + k];
        {wait}
        y[4 * get_global_id(0) + k] = tile[63 - get_local_id(0)];
    }}
}}
"""
    assert estimate(text, global_size=1024).loops[0].unroll == 1
    assert estimate(text.replace(wait, ""), global_size=1024).loops[0].unroll == 4


@pytest.mark.parametrize(("bound", "turns"), [("get_local_id(0)", 31.5), ("get_group_id(0)", 7.5)])
def test_a_loop_up_to_an_id_runs_the_mean_over_the_items(bound: str, turns: float) -> None:
    text = f"""
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void walk(__global const float *restrict x, __global float *restrict y) {{
    float sum = 0.0f;
    for (int k = 0; k < {bound}; k++)
        sum += x[64 * k];
    y[get_global_id(0)] = sum;
}}
"""
    assert estimate(text, global_size=1024).loops[0].trip == turns


def test_copies_run_only_where_all_their_conditions_hold() -> None:
    text = """
__kernel void some(__global const float *restrict x, __global float *restrict y) {
    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < 8; k++)
        if (k > 1) {
            if (k < 6)
                sum += x[1000 * k];
        }
    y[0] = sum;
}
"""
    loads = [u.lsu for u in estimate(text).units if u.lsu.op == "load"]
    assert sum(lsu.count for lsu in loads) == 4


def test_the_reason_against_lanes_names_the_loop() -> None:
    text = """
__kernel void until(__global const int *restrict x, __global int *restrict y) {
    int sum = 0;
    for (int steps = 0; steps < x[get_global_id(0)]; steps++) sum += x[steps];
    y[get_global_id(0)] = sum;
}
"""
    (kernel,) = assess(text).kernels
    why = why_not_simd(kernel.facts)
    assert why is not None
    assert "steps" in apart_text(why)
