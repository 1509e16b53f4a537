"""Copies of an unrolled loop know how long the loops in them are: a triangle of copies is unrolled as a square is."""

import pytest

from burstline_server.assessment.costing import KernelAssessment
from tests.assessing import assess

KERNEL = """__attribute__((max_global_work_dim(0)))
kernel void k(global const float* restrict x, global float* restrict y, int n)
{{
    for (int k = 0; k < n; k++) {{
        float s = 0;
        {outer}
        for (int i = 0; i < 8; i++) {{
            {inner}
            {loop}
                s += x[8 * k + j];
        }}
        y[k] = s;
    }}
}}
"""
WHOLE = "#pragma unroll"


def _kernel(loop: str, outer: str = WHOLE, inner: str = WHOLE) -> KernelAssessment:
    (kernel,) = assess(KERNEL.format(loop=loop, outer=outer, inner=inner), arguments={"n": 1 << 20}).kernels
    return kernel


@pytest.mark.parametrize(
    ("triangle", "square"),
    [
        ("for (int j = 0; j < i; j++)", "for (int j = 0; j < 8; j++) if (j < i)"),
        ("for (int j = 0; j <= i; j++)", "for (int j = 0; j < 8; j++) if (j <= i)"),
        ("for (int j = 0; j < 8 - i; j++)", "for (int j = 0; j < 8; j++) if (j < 8 - i)"),
        ("for (int j = i; j < 8; j++)", "for (int j = 0; j < 8; j++) if (j >= i)"),
    ],
)
def test_a_triangle_of_copies_costs_what_a_square_with_a_condition_does(triangle: str, square: str) -> None:
    own, other = _kernel(triangle), _kernel(square)
    assert [(u.op, u.count) for u in own.lsus] == [(u.op, u.count) for u in other.lsus]
    assert own.estimate.time_s == pytest.approx(other.estimate.time_s, rel=0.25)


@pytest.mark.parametrize(("outer", "inner"), [("", WHOLE), ("#pragma unroll 4", WHOLE), (WHOLE, "#pragma unroll 1")])
def test_other_triangles_stay_loops(outer: str, inner: str) -> None:
    kernel = _kernel("for (int j = 0; j < i; j++)", outer, inner)
    assert kernel.estimate.loops[2].ii is not None
