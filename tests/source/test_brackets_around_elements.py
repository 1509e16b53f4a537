"""An element in brackets is no cast, whatever sign follows: the grammar alone takes ``(a[i]) - b * c`` for one."""

from __future__ import annotations

import pytest

from burstline_server.diagnostics.catalogue import findings_of
from tests.assessing import assess

KERNEL = """typedef float real;
typedef struct {{ float x, y; }} *pair;
__kernel void k(__global const float *restrict a, __global const int *restrict b,
                    __global float *restrict out, __global float4 *restrict wide, int n, float d)
{{
    for (int i = 0; i < n; i++)
        {statement}
}}
"""


@pytest.mark.parametrize(
    ("with_brackets", "without"),
    [
        ("out[i] = (a[i]) + (n - i) * d;", "out[i] = a[i] + (n - i) * d;"),
        ("out[i] = (a[i]) - d * a[i + 1];", "out[i] = a[i] - d * a[i + 1];"),
        ("out[i] = d * (a[i]) + (a[i + 1]) * d;", "out[i] = d * a[i] + a[i + 1] * d;"),
        ("out[i] = (b[i] ) & (b[i + 1]) - n * b[i];", "out[i] = b[i] & b[i + 1] - n * b[i];"),
        ("out[i] = i > 3 ? (a[i]) - d * 2.0f : 0.0f;", "out[i] = i > 3 ? a[i] - d * 2.0f : 0.0f;"),
        ("out[i] = fabs(a[i]) - d * a[i + 1];", "out[i] = fabs((a[i])) - d * a[i + 1];"),
        ("out[i] = (float)(b[i]) - d * 2.0f;", "out[i] = (float)b[i] - d * 2.0f;"),
        ("out[i] = a[(i) - n * 2 + 9000];", "out[i] = a[i - n * 2 + 9000];"),
        ("out[i] = (d) * (a[i]) + (d) * d;", "out[i] = d * a[i] + d * d;"),
        ("out[i] = (real) - d * a[i];", "out[i] = (real)(-d * a[i]);"),
        ("out[i] = (pair) & a == 0 ? d : a[i];", "out[i] = (pair)(&a) == 0 ? d : a[i];"),
        ("wide[i] = (float4)(a[i]) - d * 2.0f;", "wide[i] = (float4)(a[i] + 0.0f) - d * 2.0f;"),
    ],
)
def test_brackets_change_nothing(with_brackets: str, without: str) -> None:
    done, same = (assess(KERNEL.format(statement=one), arguments={"n": 4096}) for one in (with_brackets, without))
    assert not [f for f in findings_of(done) if f.code.startswith("BL0")]
    (kernel,), (plain,) = done.kernels, same.kernels
    assert [(u.lsu.style, u.lsu.width_bits, u.bytes) for u in kernel.estimate.units] == [
        (u.lsu.style, u.lsu.width_bits, u.bytes) for u in plain.estimate.units
    ]
    assert len(kernel.facts.accesses) == len(plain.facts.accesses)
    assert kernel.estimate.time_s == pytest.approx(plain.estimate.time_s, rel=0.01)
