"""Values that move through an array of registers and never come back do not hold a loop up."""

import pytest

from tests.assessing import assess

KERNEL = """
__kernel void fir(__global const float *restrict x, __global float *restrict y, int n)
{
    float s[33];
    #pragma unroll
    for (int k = 0; k < 33; k++) s[k] = 0.0f;
    for (int i = 0; i < n; i++) {
        float v = x[i];
        BODY
    }
    y[n] = s[0];
}
"""
UNROLL = "\n#pragma unroll\n"
UP = UNROLL + "for (int k = 0; k < 32; k++) "
TAP = "(float)(k + 1) * v;\n"


def interval(body: str) -> float | None:
    """The interval of the loop over samples."""
    (kernel,) = assess(KERNEL.replace("BODY", body), board="p385a").kernels
    return kernel.estimate.loops[1].ii


@pytest.mark.parametrize(
    "body",
    [
        UP + "s[k] = s[k + 1] + " + TAP + "y[i] = s[0];",
        "y[i] = s[0];" + UP + "s[k] = s[k + 1] + " + TAP,
        UP + "s[k] = s[k + 1] + " + TAP + "s[32] = v * 2.0f; y[i] = s[0];",
        UNROLL + "for (int k = 32; k > 0; k--) s[k] = s[k - 1] + " + TAP + "s[0] = v; y[i] = s[32];",
        UP + "{ float before = s[k + 1]; s[k] = before + " + TAP + "}",
        "s[0] = s[1] + 3.0f * v; s[1] = s[2] + 5.0f * v; s[2] = 7.0f * v; y[i] = s[0];",
    ],
)
def test_a_transposed_filter_takes_a_sample_a_cycle(body: str) -> None:
    assert interval(body) == 1


@pytest.mark.parametrize(
    "body",
    [
        UP + "s[k] = s[k + 1] + " + TAP + "s[32] = s[0] * 2.0f;",  # back to the start
        UP + "s[k] = s[k + 1] + (float)(k + 1) * s[k];",  # what it was itself
        UNROLL + "for (int k = 1; k < 32; k++) s[k] = s[k + 1] + s[k - 1] * v;",  # both neighbours
        "s[i + 1] = s[i] + 3.0f * v;",  # what the iteration before stored
        "s[i] = s[i + 1] + 3.0f * v; s[i + 2] = s[i] * v;",  # by way of another element
        UP + "s[k] = s[i] + " + TAP,
    ],
)
def test_what_may_come_back_holds_the_loop_up(body: str) -> None:
    assert (interval(body) or 0) > 3


@pytest.mark.parametrize("body", ["s[i] = s[i + 1] + 3.0f * v;", "s[2 * i] = s[2 * i + 1] * v;"])
def test_what_no_earlier_iteration_stored_does_not(body: str) -> None:
    assert interval(body) == 1


def test_an_array_in_registers_comes_back_as_a_whole() -> None:
    (kernel,) = assess(KERNEL.replace("33", "9").replace("BODY", "s[i] = s[i + 1] + 3.0f * v;"), board="p385a").kernels
    assert (kernel.estimate.loops[1].ii or 0) > 3


def test_a_filter_in_a_loop_that_stays_waits_for_all_of_it() -> None:
    body = "\n#pragma unroll 1\nfor (int k = 0; k < 32; k++) s[k] = s[k + 1] + " + TAP
    (kernel,) = assess(KERNEL.replace("BODY", body), board="p385a").kernels
    assert kernel.estimate.loops[1].serial
