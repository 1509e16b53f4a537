"""Loops whose length follows from a work-item's id, under conditions on that id: counted work-item by work-item."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.assessing import assess

ITEMS = 96
TEXT = """
__kernel void k(__global int *restrict y, int n, int m)
{
    int x = get_global_id(0);
    %s
}
"""


def _stores(body: str, size: int = ITEMS) -> float:
    """Elements that the kernel's one store writes."""
    done = assess(TEXT % body, arguments={"n": 37, "m": 20}, global_size=(size,), local_size=(32,))
    (store,) = (u for u in done.kernels[0].estimate.units if u.lsu.op == "store")
    return float(store.bytes or 0) / 4


@pytest.mark.parametrize(
    ("body", "of"),
    [
        ("for (int j = 0; j < x; j++) if (x < 16) y[x * 64 + j] = j;", lambda x: x if x < 16 else 0),
        ("if (x >= 64) for (int j = x; j < 96; j++) y[x * 64 + j] = j;", lambda x: 96 - x if x >= 64 else 0),
        ("for (int j = 1; j < x; j++) if (j <= 23) { if (x < 12) y[x * 64 + j] = j; }",
         lambda x: max(x - 1, 0) if x < 12 else 0),
        ("if (x != 8) return; for (int j = x; j < 24; j++) if (j > m) y[x * 64 + j] = j;",
         lambda x: 3 if x == 8 else 0),
        ("for (int j = 0; j < m - x; j++) for (int i = 0; i < n; i++) if (x > 3) y[x * 64 + i * 8 + j] = j;",
         lambda x: max(20 - x, 0) * 37 if x > 3 else 0),
        ("if (x % 3 == 2) for (int j = 0; j < x; j++) y[x * 64 + j] = j;", lambda x: x if x % 3 == 2 else 0),
    ],
)  # fmt: skip
def test_work_items_with_longer_loops_count_more(body: str, of: Callable[[int], int]) -> None:
    assert _stores(body) == pytest.approx(sum(map(of, range(ITEMS))), rel=0.01)


def test_of_many_work_items_some_are_looked_at() -> None:
    body = "for (int j = 0; j < x; j++) if (x < 1000) y[x + j] = j;"
    assert _stores(body, size=4096) == pytest.approx(sum(range(1000)), rel=0.1)


@pytest.mark.parametrize(
    ("loop", "trips"),
    [
        ("for (int j = 9 - i; j > 0; j >>= 1)", [4, 4, 3, 3, 3, 3, 2, 2, 1, *[0] * 28]),
        ("for (int j = 1; j < 4 - i; j *= 2)", [2, 2, 1, *[0] * 34]),
    ],
)
def test_a_loop_that_ends_before_it_begins_has_no_trip(loop: str, trips: list[int]) -> None:
    """Counters that are doubled or halved, from where there is nothing left of them."""
    text = f"__kernel void k(__global int *y, int n) {{ for (int i = 0; i < n; i++) {loop} y[i * 64 + j] = i; }}"
    done = assess(text, arguments={"n": 37})
    (store,) = (u for u in done.kernels[0].estimate.units if u.lsu.op == "store")
    assert store.bytes == 4 * sum(trips)
