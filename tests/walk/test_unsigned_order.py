"""What an unsigned integer would be below zero is very large: one comparison asks for both ends of a range."""

from collections.abc import Callable

import pytest

from tests.walk.walking import units

KERNEL = """
__kernel void k(__global const int *restrict x, __global int *restrict y, int n)
{{
    size_t g = get_global_id(0);
    int t = get_global_id(0);
    uint u = get_global_id(0) - 2;
    {body}
}}
"""
ITEMS = 64


@pytest.mark.parametrize(
    ("body", "runs"),
    [
        ("if (u < n) y[t] = 1;", lambda t: 2 <= t < 26),
        ("if (n > u) y[t] = 1;", lambda t: 2 <= t < 26),
        ("if (u >= n) return; y[t] = 1;", lambda t: 2 <= t < 26),
        ("if (g - 2 <= n) y[t] = 1;", lambda t: 2 <= t <= 26),
        ("if ((uint) (t - 2) < (uint) n) y[t] = 1;", lambda t: 2 <= t < 26),
        ("if (g - 2 > n) y[t] = 1;", lambda t: t < 2 or t > 26),
        ("if (get_global_id(0) - 2 < n) y[t] = 1;", lambda t: 2 <= t < 26),
        ("if (2 + u - 2 < n) y[t] = 1;", lambda t: 2 <= t < 26),
        ("if (t - 2u < n) y[t] = 1;", lambda t: 2 <= t < 26),
        ("if (n - 1 - g < 8) y[t] = 1;", lambda t: 16 <= t < 24),
        # With a sign, and of what is smaller than an `int`, it is below zero.
        ("int s = t - 2; if (s < n) y[t] = 1;", lambda t: t < 26),
        ("uchar c = t; if (c - 2 < n) y[t] = 1;", lambda t: t < 26),
        ("if (g < n - 2) y[t] = 1;", lambda t: t < 22),
    ],
)
def test_both_ends_are_asked_for(body: str, runs: Callable[[int], bool]) -> None:
    found = units(KERNEL.format(body=body), global_size=ITEMS, local_size=16, arguments={"n": 24})["store y"].walk
    assert found is not None
    assert found.requests == pytest.approx(sum(map(runs, range(ITEMS))))
