"""What a reader has to know of a kernel's figures: said where it holds, and nowhere else."""

import pytest

from burstline_server.words.remarks import remark_text
from tests.assessing import assess

LAYER = """
__kernel void layer(__constant float *restrict weights, __global const float *restrict in, __global float *restrict out)
{
    int i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < TERMS; k++)
        sum += weights[k] * in[i];
    out[i] = sum;
}
"""


@pytest.mark.parametrize(("terms", "said"), [(64, False), (4096, False), (8192, True)])
def test_what_the_constant_cache_cannot_hold_is_said(terms: int, said: bool) -> None:
    (kernel,) = assess(LAYER.replace("TERMS", str(terms)), global_size=[1024]).kernels
    assert (
        any("weights" in text and "constant cache" in text for text in map(remark_text, kernel.estimate.remarks))
        == said
    )
