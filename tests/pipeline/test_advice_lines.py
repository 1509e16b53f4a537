"""What to do, a line each: nothing twice."""

from __future__ import annotations

from burstline_server.words.verdict import lever_lines
from tests.assessing import assess

MAYBE_ALIASED = """
__kernel void k(__global float *x, __global float *y, __global float *z, int n)
{
    for (int i = 0; i < n; i++)
        #pragma unroll 4
        for (int j = 0; j < 16; j++)
            z[16 * i + j] = x[16 * i + j] * y[i & 255];
}
"""


def test_what_helps_two_loops_alike_is_said_once() -> None:
    done = assess(MAYBE_ALIASED, arguments={"n": 1000})
    lines = lever_lines(done.kernels[0], 3)
    assert [line for line in lines if line.startswith("declare the pointers restrict")] == lines[:1]
