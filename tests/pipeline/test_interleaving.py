"""Runs of an inner loop that share its pipeline in turns."""

from __future__ import annotations

import pytest

from burstline_server.diagnostics.catalogue import findings_of
from tests.assessing import assess

SUMS = """
__kernel void rows(__global const float *restrict a, __global float *restrict out, int n, int m)
{
    for (int i = 0; i < n; i++) {
        float sum = 1.0f;
        for (int k = 0; k < m; k++)
            sum = sum * 0.5f + a[i * m + k];
        out[i] = sum;
    }
}
"""
ONE_RUN = SUMS.replace("for (int i = 0; i < n; i++)", "int i = 0;")
HANDED_ON = SUMS.replace("float sum = 1.0f;", "").replace("int m)\n{", "int m)\n{\n    float sum = 1.0f;")
TWO_ROWS = SUMS.replace("i < n", "i < 2")
LIMITED = SUMS.replace("        for (int k", "        #pragma max_interleaving 1\n        for (int k")
OTHER_LENGTHS = SUMS.replace(
    "__global float *restrict out", "__global const int *restrict start, __global float *out"
).replace("k = 0; k < m;", "k = start[i]; k < start[i + 1];")
CHANNEL = "#pragma OPENCL EXTENSION cl_intel_channels : enable\nchannel float c;\n" + SUMS.replace(
    "a[i * m + k]", "read_channel_intel(c)"
).replace("__global const float *restrict a, ", "")
WINDOW = """
__kernel void filter(__global const float *restrict x, __global float *restrict y, int n)
{
    float window[32];
    for (int i = 0; i < n; i++) {
        #pragma unroll
        for (int k = 0; k < 31; k++)
            window[k] = window[k + 1];
        window[31] = x[i];
        float sum = 1.0f;
        for (int k = 0; k < 32; k++)
            sum = sum * 0.5f + window[k];
        y[i] = sum;
    }
}
"""


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        (SUMS, None),
        (ONE_RUN, 1),
        (HANDED_ON, 1),
        (OTHER_LENGTHS, 1),
        (TWO_ROWS, 2),
        (LIMITED, 1),
        (CHANNEL, 1),
        (WINDOW, 1),
    ],
    ids=["rows", "one run", "sum handed on", "other lengths", "two rows", "pragma", "channel", "shifted window"],
)
def test_how_many_runs_share_the_pipeline(text: str, runs: int | None) -> None:
    (kernel,) = assess(text, board="a10_ref", arguments={"n": 1000, "m": 1000}).kernels
    inner = kernel.estimate.loops[-1]
    assert inner.ii is not None
    assert inner.ii > 2
    # None: as many as the interval has cycles (Programming Guide 22.4, 5.2.9).
    assert inner.interleaved == (inner.ii if runs is None else runs)


def test_interleaved_runs_cost_a_cycle_an_iteration() -> None:
    sizes = {"n": 1000, "m": 1000}
    (rows,) = assess(SUMS, board="a10_ref", arguments=sizes).kernels
    (limited,) = assess(LIMITED, board="a10_ref", arguments=sizes).kernels
    assert rows.estimate.time_s is not None
    assert limited.estimate.time_s is not None
    assert rows.estimate.time_s * rows.estimate.f_max_hz == pytest.approx(1e6, rel=0.01)
    assert limited.estimate.time_s == pytest.approx(
        rows.estimate.time_s * (limited.estimate.loops[-1].ii or 0), rel=0.02
    )
    assert rows.estimate.limit == "pipeline"
    assert limited.estimate.limit == "dependence"


def test_no_partial_results_are_advised_where_runs_interleave() -> None:
    sizes = {"n": 1000, "m": 1000}
    sums = SUMS.replace("sum * 0.5f + a", "sum + a[0] * a")  # a product and a sum from 1 on: no accumulator
    assert [f.code for f in findings_of(assess(sums, board="a10_ref", arguments=sizes)) if f.code == "BL401"] == []
    alone = sums.replace("for (int i = 0; i < n; i++)", "int i = 0;")
    assert [f.code for f in findings_of(assess(alone, board="a10_ref", arguments=sizes)) if f.code == "BL401"] == [
        "BL401"
    ]


@pytest.mark.parametrize(("n", "runs"), [(1, 1), (2, 2), (1000, None)])
def test_no_more_runs_interleave_than_the_loop_around_is_given(n: int, runs: int | None) -> None:
    (kernel,) = assess(SUMS, board="a10_ref", arguments={"n": n, "m": 1000}).kernels
    inner = kernel.estimate.loops[-1]
    assert inner.interleaved == (inner.ii if runs is None else runs)
