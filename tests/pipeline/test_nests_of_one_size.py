"""A nest whose loops all follow from one argument has the same time where the argument is assumed as where it is given."""

import pytest

from burstline_server.words.verdict import lever_lines
from tests.assessing import assess

BUTTERFLIES = """__kernel void stages(__global float *restrict out, const uint n)
{
    __local float x[1024];
    for (uint i = 0; i < n; i++)
        x[i] = (float)i;
    for (uint half = 4; half < n; half <<= 1) {
        uint at = 0;
        for (uint k = 0; k < n; k += 2 * half) {
            for (uint j = 1; j < half; j++) {
                const float w = x[at + half + j] * 0.5f;
                x[at + half + j] = x[at + j] - w;
                x[at + j] += w;
            }
            at += 2 * half;
        }
    }
    for (uint i = 0; i < n; i++)
        out[i] = x[i];
}
"""
TRIANGLE = """__kernel void pairs(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        for (int j = i; j < n; j++)
            sum += x[j];
        y[i] = sum;
    }
}
"""


@pytest.mark.parametrize("text", [BUTTERFLIES, TRIANGLE], ids=["butterflies", "triangle"])
def test_what_is_assumed_agrees_with_what_is_given(text: str) -> None:
    (assumed,) = assess(text).kernels
    (given,) = assess("// burstline: n=1024\n" + text).kernels
    assert assumed.at_assumed is not None
    assert assumed.estimate.time_s is None
    assert assumed.at_assumed.estimate.time_s == pytest.approx(given.estimate.time_s, rel=1e-6)


def test_a_promise_leaves_no_operations_to_wait_for() -> None:
    """Without the dependence an iteration starts each cycle: its subtraction and product are no longer in a cycle."""
    (kernel,) = assess("// burstline: n=1024\n" + BUTTERFLIES).kernels
    lever = kernel.estimate.levers[0]
    now, after = kernel.estimate.time_s, lever.after_s
    assert "#pragma ivdep array(x)" in lever_lines(kernel, 1)[0]
    assert now is not None
    assert after is not None
    assert now / after > 2
