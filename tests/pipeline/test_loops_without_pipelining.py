"""A pragma that keeps a loop from being pipelined, or lets one iteration be in flight, costs a whole iteration each."""

from __future__ import annotations

import pytest

from burstline_server.words.verdict import lever_lines
from tests.assessing import assess

SCALE = """__kernel void scale(__global const float *restrict x, __global float *restrict y, int n)
{
    %s
    for (int i = 0; i < n; i++)
        y[i] = 3.0f * x[i];
}
"""
SUM = """__kernel void sum(__global const double *restrict x, __global double *restrict y, int n)
{
    double s = 0.0;
    %s
    for (int i = 0; i < n; i++)
        s += x[i];
    y[0] = s;
}
"""
ARGUMENTS = {"n": 100_000}


def cycles(text: str) -> float:
    """What an iteration takes."""
    (kernel,) = assess(text, board="a10_ref", f_max_mhz=200, arguments=ARGUMENTS).kernels
    assert kernel.estimate.time_s is not None
    return kernel.estimate.time_s * 200e6 / ARGUMENTS["n"]


@pytest.mark.parametrize("pragma", ["#pragma disable_loop_pipelining", "#pragma max_concurrency 1"])
def test_each_iteration_waits_for_what_the_one_before_loads(pragma: str) -> None:
    assert cycles(SCALE % "") == pytest.approx(1, rel=0.1)
    assert 30 < cycles(SCALE % pragma) < 200


@pytest.mark.parametrize("text", [SCALE, SUM])
def test_what_to_remove_is_said_with_the_time_without_it(text: str) -> None:
    pragma = "#pragma disable_loop_pipelining"
    (kernel,) = assess(text % pragma, board="a10_ref", f_max_mhz=200, arguments=ARGUMENTS).kernels
    first = kernel.estimate.levers[0]
    assert lever_lines(kernel, 1)[0].startswith(f"remove {pragma}")
    assert kernel.estimate.limit == "dependence"
    assert first.after_s == pytest.approx(cycles(text % "") * ARGUMENTS["n"] / 200e6, rel=0.05)
