"""Public kernels as they are launched for comparison: whether their own results are open."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.launched import NotJudgedError, Original, laid_out

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


def _original(text: str) -> Original:
    assessment = assessed(text, arguments={})
    return Original.of(Path("k.cl"), text, assessment.source, assessment.kernels[0].facts)


def test_buffers_are_as_large_as_the_text_says_that_indexes_reach() -> None:
    pytest.importorskip("pyopencl")
    text = """__kernel void k(__global const int *x, __global int *y) {
    for (int i = 0; i < 3000; i++)
        for (int j = 0; j < 100; j++)
            y[i * 100 + j] = x[i * 100 + j] + 1;
}
"""
    original = _original(text)
    ((data, _),) = original.expected(None, ())
    assert data.arrays["x"].nbytes >= 4 * 300_000
    assert original.is_long(data)


def test_a_buffer_that_an_access_leaves_is_made_larger() -> None:
    pytest.importorskip("pyopencl")
    text = "__kernel void k(__global int *x, int n) { if (n > 0) x[(n & 1) * 7 + 100000] = x[0] * n; }\n"
    launched = _original(text).expected(None, ())
    assert len(launched) == len({repr(data.scalars) for data, _ in launched})
    assert max(data.arrays["x"].nbytes for data, _ in launched) > 4 * 100_000


@pytest.mark.parametrize(
    "text",
    [
        "__kernel void k(__global int *x) { for (int i = 0; i < 900000; i++) x[x[i & 7] * 3] += i; }\n",
        "__kernel void k(__global int *x) { for (int i = 0; x[0] < 900000; i++) x[i & 7] += 1 - (i & 1) * 2; }\n",
        "__kernel void k(__global int *x) { x[-1] = 3; }\n",
    ],
)
def test_what_nothing_bounds_is_not_launched(text: str) -> None:
    pytest.importorskip("pyopencl")
    with pytest.raises(NotJudgedError, match="no made-up launch"):
        _original(text)
