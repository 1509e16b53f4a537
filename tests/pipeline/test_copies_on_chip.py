"""Advice to copy on the chip what every iteration of an outer loop of a single work-item reads again."""

from __future__ import annotations

import pytest

from tests.assessing import assess
from tests.pipeline.test_advice import advice

PRODUCT = """
__kernel void steps(__global const float *restrict a, __global float *restrict x, __global float *restrict y,
                    __global const int *restrict of, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++) {
            float sum = 0.0f;
            #pragma unroll 8
            for (int j = 0; j < m; j++)
                sum += a[i * m + j] * x[j];
            y[i] = sum;
        }
        for (int j = 0; j < m; j++)
            x[j] += y[j];
    }
}
"""
COPY = "copy x to an array on the chip before the loop over i"
SIZES = {"n": 4096, "m": 4096, "steps": 10}


def test_the_vector_of_a_product_is_copied_once_a_step() -> None:
    assert f"{COPY} (16.4 kB), which then reads it from there" in advice(PRODUCT, arguments=SIZES)
    (one,) = assess(PRODUCT, arguments=SIZES).kernels
    lever = one.estimate.levers[0]
    # The matrix alone moves 671 MB over 14.9 GB/s.
    assert lever.after_s == pytest.approx(671e6 / 14.2e9, rel=0.1)
    assert one.estimate.time_s is not None
    assert lever.after_s is not None
    assert lever.after_s < one.estimate.time_s / 1.9


@pytest.mark.parametrize(
    "text",
    [
        PRODUCT.replace("y[i] = sum;", "y[i] = sum; x[i] = sum;"),
        PRODUCT.replace("y[i] = sum;", "y[i] = sum;").replace("restrict x", "x").replace("restrict y", "y"),
        PRODUCT.replace("* x[j]", "* x[i + j]"),
        PRODUCT.replace("* x[j]", "* x[of[j]]"),
        PRODUCT.replace("float *restrict x", "const float *restrict x").replace("x[j] += y[j]", "y[j] = 0.0f"),
    ],
)
def test_no_copy_where_it_changes_moves_or_is_kept_already(text: str) -> None:
    assert "to an array on the chip" not in advice(text, arguments=SIZES)


def test_no_copy_that_the_device_does_not_hold() -> None:
    assert "to an array on the chip" not in advice(PRODUCT, arguments={**SIZES, "m": 1 << 24, "n": 64})
