"""Channels under conditions, and between the compute units of one kernel: what each moves is counted."""

from __future__ import annotations

import pytest

from burstline_model.estimate.kernel_estimate import KernelEstimate
from tests.assessing import assess

N = 100_000
HEAD = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float to[4], on[5], back[4], c0, c1;
"""
ROUND_ROBIN = """
__attribute__((max_global_work_dim(0)))
__kernel void source(__global const float *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        write_channel_intel(to[i % 4], x[i]);
}
__attribute__((max_global_work_dim(0))) __attribute__((autorun)) __attribute__((num_compute_units(4)))
__kernel void work()
{
    const int own = get_compute_id(0);
    while (1) {
        float v = read_channel_intel(to[own]);
        #pragma unroll 1
        for (int k = 0; k < 100; k++)
            v = v * 0.5f + 1.0f;
        write_channel_intel(back[own], v);
    }
}
__attribute__((max_global_work_dim(0)))
__kernel void sink(__global float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = read_channel_intel(back[i % 4]);
}
"""
CHAIN = """
__attribute__((max_global_work_dim(0)))
__kernel void source(__global const float *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        write_channel_intel(on[0], x[i]);
}
__attribute__((max_global_work_dim(0))) __attribute__((autorun)) __attribute__((num_compute_units(4)))
__kernel void work()
{
    const int own = get_compute_id(0);
    while (1) {
        float v = read_channel_intel(on[own]);
        #pragma unroll 1
        for (int k = 0; k < 16; k++)
            v = v * 0.5f + 1.0f;
        if (own < 3)
            write_channel_intel(on[own + 1], v);
    }
}
"""
STAGES = """
__attribute__((max_global_work_dim(0)))
__kernel void source(__global const float *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        write_channel_intel(c0, x[i]);
}
__attribute__((max_global_work_dim(0))) __attribute__((autorun))
__kernel void work()
{
    float kept[64];
    while (1)
        for (int stage = 0; stage < 6; stage++) {
            #pragma ivdep
            for (int k = 0; k < 64; k++) {
                float v = 0.0f;
                if (stage == 0) v = read_channel_intel(c0); else v = kept[k];
                v = v * 0.5f + 1.0f;
                if (stage == 5) write_channel_intel(c1, v);
                kept[63 - k] = v;
            }
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void sink(__global float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = read_channel_intel(c1);
}
"""
BATCHES = (
    STAGES.replace("    while (1)\n", "    while (1) {\n        int batch = read_channel_intel(c2);\n")
    .replace("        for (int stage = 0", "        for (int b = 0; b < batch; b++)\n        for (int stage = 0")
    .replace("kept[63 - k] = v;\n            }\n        }", "kept[63 - k] = v;\n            }\n        }\n    }")
)


def _kernels(text: str, **arguments: int) -> dict[str, KernelEstimate]:
    done = assess(HEAD + text, arguments={"n": N, **arguments}, f_max_mhz=250, board="p520")
    return {one.facts.name: one.estimate for one in done.kernels}


def test_units_share_out_what_is_sent_round_robin() -> None:
    """Each of the four gets a quarter, at 100 cycles an item."""
    found = _kernels(ROUND_ROBIN)
    assert found["work"].loops[0].trip == N // 4
    assert found["work"].time_s == pytest.approx(100 * (N // 4) / 250e6, rel=0.05)
    assert found["sink"].time_s == found["work"].time_s
    assert found["source"].limit == "channels"


def test_units_in_a_row_each_get_all_that_the_first_one_gets() -> None:
    found = _kernels(CHAIN)
    assert found["work"].loops[0].trip == N
    assert found["work"].time_s == pytest.approx(16 * N / 250e6, rel=0.05)
    assert found["source"].limit == "channels"


def test_a_condition_that_counters_decide_is_counted() -> None:
    """One of six stages takes items, another one sends them: six cycles an item, and more between stages."""
    found = _kernels(STAGES)
    assert found["work"].loops[0].trip == N // 64
    assert found["work"].time_s is not None
    assert found["work"].time_s > 6 * N / 250e6
    assert found["sink"].limit == "channels"


def test_of_loops_in_each_other_that_channels_keep_going_the_innermost_is_counted() -> None:
    text = "channel int c2;\n" + BATCHES
    found = _kernels(text)
    stages = _kernels(STAGES)["work"].time_s
    assert [one.trip for one in found["work"].loops[:2]] == [1, N // 64]
    assert found["work"].time_s == pytest.approx(stages, rel=0.1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if (stage == 0) v = read", "if (v == 0.0f) v = read"),
        ("if (stage == 0) v = read", "if (stage == m) v = read"),
    ],
)
def test_a_condition_that_nothing_given_decides_says_nothing(old: str, new: str) -> None:
    text = STAGES.replace(old, new).replace("float v = 0.0f;", "float v = kept[0];")
    text = text.replace("if (stage == 5) write", "if (v > 1.0f) write").replace("void work()", "void work(int m)")
    assert _kernels(text.replace(" __attribute__((autorun))", ""))["work"].time_s is None


def test_units_along_two_dimensions_are_all_counted() -> None:
    one = assess(HEAD + ROUND_ROBIN).kernels[1].estimate.resources
    four = assess(HEAD + ROUND_ROBIN.replace("num_compute_units(4)", "num_compute_units(4, 4)")).kernels[1]
    assert four.facts.compute_units == 16
    assert one is not None
    assert four.estimate.resources is not None
    assert four.estimate.resources.shares["logic_alms"] > 2 * one.shares["logic_alms"]
