"""Public kernels as they are launched for comparison: whether their own results are open."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.launched import Original

from tests.rewrites.equality import assessed

pytestmark = pytest.mark.slow
BEYOND = "if (n < 0) goto end; {what} end: ;"
"""The interpreter does not execute this: the runtime alone says what it does."""


@pytest.mark.parametrize(
    ("what", "is_open"), [("x[0] = get_global_id(0) / 8;", True), ("x[get_global_id(0)] = n;", False)]
)
def test_results_that_hang_on_the_order_of_work_groups_are_open(what: str, is_open: bool) -> None:
    pytest.importorskip("pyopencl")
    text = f"__kernel void k(__global int *x, int n) {{ {BEYOND.format(what=what)} }}\n"
    assessment = assessed(text, arguments={})
    original = Original.of(Path("k.cl"), text, assessment.source, assessment.kernels[0].facts)
    data, _ = original.expected(None, ())[0]
    assert original.is_open(data) is is_open
