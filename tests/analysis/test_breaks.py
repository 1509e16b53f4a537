"""Loops that a break ends, in place of a condition, are counted where the break's condition can be."""

import pytest

from tests.assessing import assess

KERNEL = """
__attribute__((max_global_work_dim(0)))
__kernel void k(__global const int *restrict x, __global int *restrict y, const int n)
{{
    int i = 0;
    {loop}
}}
"""


@pytest.mark.parametrize(
    ("loop", "loads", "stores"),
    [
        ("for (;;) { if (i >= n) break; y[i] = x[i]; i++; }", 1000, 1000),
        ("while (1) { y[i] = x[i]; i++; if (i == n) break; }", 1000, 1000),
        ("for (;; i++) { if (!(i < n)) { break; } y[i] = x[i]; }", 1000, 1000),
        ("while (true) { int v = x[i]; if (i >= n) break; y[i] = v; i += 4; }", 251, 250),
        ("do { y[i] = x[i]; i++; if (i > n - 1) break; } while (1);", 1000, 1000),
        ("for (;;) { if (i >= n || i >= 500) break; y[i] = x[i]; i++; }", None, None),
        # Data, two ways out, and a condition on what an iteration works out count nothing.
        ("for (;; i++) { int v = x[i]; if (v < 0) break; y[i] = v; }", None, None),
        ("for (;;) { if (i >= n) break; if (x[i] == 3) break; y[i] = x[i]; i++; }", None, None),
        ("for (;;) { int left = n - i; if (left <= 0) break; y[i] = x[i]; i++; }", None, None),
        ("for (;;) { if (i >= n) break; y[i] = x[i]; i = x[i]; }", None, None),
    ],
)
def test_a_break_counts_its_loop(loop: str, loads: int | None, stores: int | None) -> None:
    (kernel,) = assess(KERNEL.format(loop=loop), arguments={"n": 1000}).kernels
    found: dict[str, float | None] = {}
    for unit in kernel.estimate.units:
        assert unit.walk is not None
        found.setdefault(unit.lsu.op, unit.walk.requests)
    if loads is None:
        trip = kernel.estimate.loops[0].trip
        assert trip is None or kernel.facts.loops[0].early_exit  # an upper bound is one
        return
    assert (found["load"], found["store"]) == (pytest.approx(loads), pytest.approx(stores))
    assert not kernel.facts.loops[0].early_exit
