"""What is assumed of a loop next to others that the text counts: more than these take."""

from __future__ import annotations

import pytest

from tests.assessing import assess

KERNEL = """
__kernel void k(__global const char *restrict a, __global const char *restrict b, __global int *restrict y, int n)
{{
    char table[{size}];
    for (int i = 0; i < {size}; i++)
        table[i] = b[i];
    int best = 0;
    for (int i = 0; i < n; i++) {{
        int sum = 0;
        #pragma unroll
        for (int j = 0; j < 16; j++)
            sum += (a[i] == table[j]);
        best = max(best, sum);
        y[i] = best;
    }}
}}
"""


@pytest.mark.parametrize(("size", "assumed"), [(16, 1024), (64, 1024), (65, 2048), (512, 8192), (1 << 24, 1 << 20)])
def test_a_table_that_is_filled_first_is_a_small_part(size: int, assumed: int) -> None:
    (kernel,) = assess(KERNEL.format(size=size)).kernels
    found = kernel.estimate.at_assumed
    assert found is not None
    assert found.sizes.arguments == {"n": assumed}


def test_loops_inside_are_no_others() -> None:
    text = KERNEL.format(size=16).replace("#pragma unroll", "#pragma unroll 1").replace("j < 16", "j < 512")
    (kernel,) = assess(text).kernels
    found = kernel.estimate.at_assumed
    assert found is not None
    assert found.sizes.arguments == {"n": 1024}
