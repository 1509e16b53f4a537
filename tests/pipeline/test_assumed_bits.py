"""What is assumed of arguments of which loops see the lowest bits, and of values whose multiples fill an array."""

from __future__ import annotations

from burstline_server.words.verdict import limit_line
from tests.assessing import assess

MASKED = """
__kernel void filters(__global const float *restrict in, __global float *restrict out, int n, int size)
{
    int at = get_global_id(0), k = size & 15;
    float sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            sum += in[i * 16 + j] * at;
    out[at] = sum;
}
"""


def test_bits_that_a_mask_leaves_are_all_set() -> None:
    # Of 1024 the mask would leave none, and no loop would run.
    done = assess(MASKED)
    (kernel,) = done.kernels
    assert "size = 15" in limit_line(done, kernel)
    assert kernel.at_assumed is not None
    assert [loop.trip for loop in kernel.at_assumed.estimate.loops][1] == 15


def test_what_is_used_whole_as_well_is_no_mask() -> None:
    # n / 16 blocks and what they leave: n is as large as other sizes.
    text = MASKED.replace("i < n", "i < size / 16")
    done = assess(text)
    assert "size = 15" not in limit_line(done, done.kernels[0])


def test_twice_a_value_fills_an_array() -> None:
    text = """
__kernel void pairs(int m, __global const float *restrict in, __global float *restrict out)
{
    __local float kept[32];
    for (int g = 0; g < 1024; g++) {
        for (int i = 0; i < 2 * m + 2; i++)
            kept[i] = in[g * 32 + i];
        for (int i = 0; i < 32; i++)
            out[g * 32 + i] = kept[31 - i];
    }
}
"""
    (kernel,) = assess(text).kernels
    assert kernel.at_assumed is not None
    assert [loop.trip for loop in kernel.at_assumed.estimate.loops][1] == 32
