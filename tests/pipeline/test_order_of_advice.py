"""What to do comes in the order of what it saves; what is not read again saves at most what it takes by itself."""

import re

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.words.verdict import lever_lines

# One load a cycle sets the time: a tile would not change it.
ISSUE = """// burstline: global_size=1048576 w=1032 r=4
__kernel void blur(__global const float *restrict in, __global float *restrict out, int w, int r)
{
    int x = get_global_id(0);
    float s = 0.0f;
    for (int i = -r; i <= r; i++)
        s += in[x + r + i];
    out[x] = s;
}
"""
# The window takes a sixteenth of what the other array takes.
OTHER = """// burstline: n=4194304
__kernel void other(__global const float *restrict in, __global float *restrict out, int n)
{
    for (int i = 0; i < n; i++) {
        float s = 0.0f;
        #pragma unroll
        for (int j = 0; j < 8; j++)
            s += in[i + j];
        out[16 * i] = s;
    }
}
"""


@pytest.mark.parametrize("text", [ISSUE, OTHER])
def test_what_saves_more_comes_first(text: str) -> None:
    (kernel,) = Assessor().assess(text, "k.cl", []).kernels
    lines = lever_lines(kernel, 9)
    assert lines
    assert not re.search("tile|window", lines[0]), lines
    after_s = [lever.after_s for lever in kernel.estimate.levers if lever.after_s is not None]
    assert after_s == sorted(after_s)
