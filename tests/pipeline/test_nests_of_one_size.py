"""A nest whose loops all follow from one argument takes the same where it is assumed as where it is given."""

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


BLOCKS = """__kernel void blocks(__global const float *restrict x, __global float *restrict y, int rows, int columns)
{
    for (int i = 0; i < rows / 64; i++)
        for (int j = 0; j < columns / 64; j++)
            for (int k = 0; k < 4096; k++)
                y[(i * 64 + j) * 4096 + k] = 2.0f * x[(i * 64 + j) * 4096 + k];
}
"""


def test_blocks_of_a_nest_are_counted_from_the_same_size() -> None:
    """16 by 16 blocks of 4096 words are 2^20 iterations: a few milliseconds, one a cycle."""
    (kernel,) = assess(BLOCKS).kernels
    assert kernel.at_assumed is not None
    found = kernel.at_assumed.estimate
    assert kernel.estimate.at_assumed is not None
    assert kernel.estimate.at_assumed.sizes.arguments == {"rows": 1024, "columns": 1024}
    assert [one.trip for one in found.loops] == [16, 16, 4096]
    assert found.time_s == pytest.approx((1 << 20) / 450e6, rel=0.1)


def test_constant_loops_count_towards_the_iterations_that_are_assumed() -> None:
    """2^30 in all at most, which take seconds: 2^12 of them are not assumed but given."""
    (kernel,) = assess(BLOCKS.replace(" / 64", "")).kernels
    assert kernel.estimate.at_assumed is not None
    assert kernel.estimate.at_assumed.sizes.arguments == {"rows": 512, "columns": 512}


TAIL = """__kernel void check(__global const uint *restrict x, __global uint *restrict y, int n)
{
    uint s = 0;
    int i;
    for (i = 0; i + 7 < n; i += 8)
        s ^= x[i] ^ x[i + 1] ^ x[i + 2] ^ x[i + 3] ^ x[i + 4] ^ x[i + 5] ^ x[i + 6] ^ x[i + 7];
    for (; i < n; i++)
        s ^= x[i];
    y[0] = s;
}
"""


@pytest.mark.parametrize(("size", "left"), [("int n", 0), ("__global const int *sizes", 7)])
def test_what_eight_at_a_time_leave_is_that_of_the_size_or_no_more_than_seven(size: str, left: int) -> None:
    text = TAIL.replace("int n)\n{", f"{size})\n{{" + "\n    int n = sizes[0];" * ("sizes" in size))
    (kernel,) = assess(text).kernels
    assert kernel.at_assumed is not None
    trips = [one.trip for one in kernel.at_assumed.estimate.loops]
    assert trips[1] == left
    assert size != "int n" or trips[0] == 128
    # Before, the tail was taken for the longest loop, and advised to be unrolled.
    assert not [line for line in lever_lines(kernel.at_assumed, 9) if "unroll" in line]
