"""Public kernels as they are launched for comparison: whether their own results are open."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.launched import Original, laid_out

from burstline_server.rewrites.catalogue import offers_of
from tests.rewrites.equality import assessed, ran

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


def test_an_edit_that_exchanges_ids_is_launched_with_its_sizes_exchanged() -> None:
    pytest.importorskip("pyopencl")
    path = Path(__file__).parents[2] / "examples" / "edits" / "exchange_ids.cl"
    text = path.read_text("utf-8")
    assessment = assessed(text, arguments={})
    offer = next(o for o in offers_of(assessment) if o.title.kind == "exchange_ids")
    after = offer.applied(text.encode()).decode()
    original = Original.of(path, text, assessment.source, assessment.kernels[0].facts)
    source = assessed(after, arguments={}).source
    launches = original.expected(None, ())
    assert any(data.items[0] != data.items[1] for data, _ in launches)
    for data, left in launches:
        launched, back = laid_out(original, source, [offer.kernel], offer, data)
        assert back(ran(after, launched)) == left
