"""A loop ends with the first of its counts: both sides of a condition, and breaks that count."""

from __future__ import annotations

import pytest

from tests.assessing import assess

TEXT = """
__attribute__((max_global_work_dim(0)))
__kernel void k(__global const float *restrict x, __global float *restrict y, int n, int m)
{
    int i = 0;
    %s
}
"""


@pytest.mark.parametrize(
    ("loop", "trips"),
    [
        ("for (; i < n && i < m; i++) y[i] = x[i];", 100),
        ("for (; i < n && i < 64; i++) y[i] = x[i] * m;", 64),
        ("for (; i < n; i++) { if (i >= m) break; y[i] = x[i]; }", 100),
        ("for (; i < n; i++) { y[i] = x[i]; if (i >= m) break; }", 101),
        ("while (1) { if (i >= n) break; if (i == m) break; y[i] = x[i]; i++; }", 100),
        ("do { y[i] = x[i]; i++; if (i == m) break; } while (i < n);", 100),
        ("for (i = n; i > 0; i--) { if (i == m) break; y[i] = x[i]; }", 3996),
        ("for (i = 200; i < n; i++) { if (i == m) break; y[i] = x[i]; }", 3896),  # it is behind that value
        ("for (i = 200; i != m && i < n; i++) y[i] = x[i];", 3896),
        ("for (i = 10; i < n; i++) { if (i == 5) break; y[i] = x[i] * m; }", 4086),
        ("for (; i < n; i += 2) { if (i == 7) break; y[i] = x[i] * m; }", 2048),  # it steps over that value
        ("for (; i < n; i += 2) { if (i == 8) break; y[i] = x[i] * m; }", 4),
        ("for (; i < n; i++) { if (i >= m - 200) break; y[i] = x[i]; }", 0),
        ("for (; i < n; i++) { if (x[i] < 0) break; y[i] = m; }", 4096),  # at most: data may end it sooner
    ],
)
def test_the_smaller_count_ends_a_loop(loop: str, trips: int) -> None:
    done = assess(TEXT % loop, arguments={"n": 4096, "m": 100})
    assert [one.trip for one in done.kernels[0].estimate.loops] == [trips]
    store = next(u for u in done.kernels[0].estimate.units if u.lsu.op == "store")
    assert store.bytes == pytest.approx(4 * trips, rel=0.02, abs=1)


def test_a_break_that_some_iterations_pass_by_ends_no_loop() -> None:
    done = assess(
        TEXT % "for (; i < n; i++) { if (i & 1) continue; if (i == m) break; y[i] = x[i]; }",
        arguments={"n": 4096, "m": 101},
    )
    assert done.kernels[0].estimate.loops[0].trip == 4096


def test_without_the_smaller_count_the_other_is_the_most() -> None:
    done = assess(TEXT % "for (; i < n && i < m; i++) y[i] = x[i];", arguments={"n": 4096})
    assert done.kernels[0].estimate.loops[0].trip == 4096
