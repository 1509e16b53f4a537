"""Pragmas of loops that the compiler does not know: it leaves them out, and so does the estimate, with a word."""

from __future__ import annotations

import pytest

from burstline_server.words.unread import unread_text
from tests.assessing import assess

KERNEL = """
#define COPIES 4
__kernel void k(__global const float *restrict x, __global float *restrict y, int n)
{{
    #pragma {pragma}
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 2.0f;
}}
"""


def said(pragma: str) -> tuple[int | None, list[str]]:
    (kernel,) = assess(KERNEL.format(pragma=pragma)).kernels
    remarks = [unread_text(r.kind, r.names) for r in kernel.facts.remarks if r.kind == "misspelt_pragma"]
    return kernel.facts.loops[0].unroll, remarks


@pytest.mark.parametrize("pragma", ["unrolll COPIES", "unrolll 4", "unrol", "Unroll(4)"])
def test_a_misspelt_pragma_has_no_effect_and_is_named(pragma: str) -> None:
    unroll, remarks = said(pragma)
    assert unroll is None
    word = pragma.split(maxsplit=1)[0].partition("(")[0]
    assert remarks == [f"the compiler knows no #pragma {word}, which has no effect: unroll is nearest to it"]


@pytest.mark.parametrize(
    ("pragma", "unroll"),
    [("unroll COPIES", 4), ("unroll(2)", 2), ("nounroll", 1), ("unroll_and_jam 4", None), ("omp simd", None)],
)
def test_known_ones_and_those_of_other_compilers_are_not_named(pragma: str, unroll: int | None) -> None:
    assert said(pragma) == (unroll, [])
