"""Sizes that are assumed cost what the same sizes cost when they are given, rows as long as assumed included."""

import pytest

from tests.assessing import assess
from tests.walk.walking import SINGLE

COLUMN_SUMS = (
    SINGLE
    + """
    __kernel void sums(__global const float *restrict a, __global float *restrict s, int rows, int cols)
    {
        for (int j = 0; j < cols; j++) {
            float t = 0.0f;
            for (int i = 0; i < rows; i++)
                t += a[i * cols + j];
            s[j] = t;
        }
    }
    """
)
ROWS_OF_ITEMS = """
    __kernel void products(__global const float *restrict a, __global const float *restrict x,
                           __global float *restrict y, int n)
    {
        int row = get_global_id(0);
        float s = 0.0f;
        #pragma unroll 8
        for (int i = 0; i < n; i++)
            s += a[row * n + i] * x[i];
        y[row] = s;
    }
    """
MATRICES = """
    __kernel void product(__global const float *restrict a, __global const float *restrict b,
                          __global float *restrict c, int n)
    {
        int column = get_global_id(0), row = get_global_id(1);
        float s = 0.0f;
        for (int k = 0; k < n; k++)
            s += a[row * n + k] * b[k * n + column];
        c[row * n + column] = s;
    }
    """


@pytest.mark.parametrize("text", [COLUMN_SUMS, ROWS_OF_ITEMS, MATRICES])
def test_assumed_sizes_cost_what_given_ones_do(text: str) -> None:
    assumed = assess(text).kernels[0].estimate.at_assumed
    assert assumed is not None
    sizes = {"global_size": list(assumed.sizes.global_size)} if assumed.sizes.global_size else {}
    given = assess(text, arguments=assumed.sizes.arguments, **sizes).kernels[0].estimate
    assert given.at_assumed is None
    assert assumed.estimate.time_s == pytest.approx(given.time_s, rel=0.01)
