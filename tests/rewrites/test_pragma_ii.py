"""A pragma that asks for a longer initiation interval than a loop needs."""

from __future__ import annotations

import pytest

from burstline_server.rewrites.catalogue import refusals_of
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import assess
from tests.rewrites.equality import Data, offered, tried

np = pytest.importorskip("numpy")

KERNEL = """__attribute__((task)) __kernel void twice(__global const int *restrict x, __global int *restrict y, int n)
{
    #pragma ivdep
    #pragma ii 8
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 2;
}
"""


def test_the_pragma_goes_and_others_stay() -> None:
    (offer,) = [o for o in offered(KERNEL, arguments={"n": 1 << 20}) if o.title.kind == "pragma_ii"]
    assert offer.applied(KERNEL.encode()).decode() == KERNEL.replace("    #pragma ii 8\n", "")
    assert offer.kind == "proved"


def test_the_kernel_computes_the_same() -> None:
    arrays = {"x": np.arange(64, dtype=np.int32), "y": np.zeros(64, np.int32)}
    data = [Data(arrays, {"n": np.int32(n)}, group=(1,)) for n in (0, 1, 64)]
    found = [one for one in tried(KERNEL, data, arguments={"n": 1 << 20}) if one.offer.title.kind == "pragma_ii"]
    assert [(one.unequal, one.launches) for one in found] == [(None, 3)]


def test_an_interval_that_the_loop_needs_anyway_stays() -> None:
    needed = KERNEL.replace("#pragma ivdep", "int s = 0;").replace("ii 8", "ii 1")
    assert "pragma_ii" not in {o.title.kind for o in offered(needed, arguments={"n": 1 << 20})}


def test_a_pragma_behind_another_statement_says_so() -> None:
    text = KERNEL.replace("    #pragma ivdep\n    #pragma ii 8\n    for", "    #pragma ii 8\n    int m = n; for")
    reasons = [obstacle_text(r.reason) for r in refusals_of(assess(text)) if r.title.kind == "pragma_ii"]
    assert reasons in ([], ["no line is free for a pragma in front of it"])
