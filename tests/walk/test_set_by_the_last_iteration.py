"""Behind a loop an integer is what its last iteration made of it, or what it was where there is none."""

import pytest

from tests.walk.walking import units

ITEMS = 64
KERNEL = """
__kernel void k(__global const int *restrict x, __global int *restrict y, __global int *restrict z, int n)
{{
    int t = get_global_id(0), at = t;
    {loop}
    if (at + 64 < n) y[at + 64] = t;
}}
"""
ROWS = "for (int i = 0; i < n / 64; i++) { at = t + i * 64; z[at] = x[at]; }"


@pytest.mark.parametrize(
    ("loop", "n", "stores"),
    [
        (ROWS, 16, 0),
        (ROWS, 64, 0),
        (ROWS, 80, 16),
        (ROWS, 150, 22),
        ("int i = 0; while (i < n / 64) { at = t + i * 64; z[at] = x[at]; i++; }", 150, 22),
        ("int i = 0; do { at = t + i * 64; z[at] = x[at]; i++; } while (i < n / 64);", 150, 22),
        ("for (int i = 0; i < 2; i++) { at = t + i * 64; z[at] = x[at]; }", 150, 22),
        ("for (int i = 0; i < n / 64; i++) { at = (t + i) / 2; z[at] = x[at]; }", 80, 32),
        ("for (int i = 0; i < n / 64; i++) { at = i ? t : t + 64; z[at] = x[at]; }", 100, 0),
        # What a condition decides, data or another iteration, is not known: it may be anything.
        ("for (int i = 0; i < n / 64; i++) { if (i & t) at = t + i * 64; z[t] = x[at]; }", 150, None),
        ("for (int i = 0; i < n / 64; i++) { if (x[i]) continue; at = t + i * 64; z[at] = i; }", 150, None),
        ("for (int i = 0; i < n / 64; i++) { if (x[i]) break; at = t + i * 64; z[at] = i; }", 150, None),
        ("for (int i = 0; i < n / 64; i++) { at = x[t + i]; z[t] = at; }", 150, None),
        ("int i = 0; while ((at = t + i * 64) < n) { z[at] = i; i++; }", 150, None),
    ],
)
def test_the_last_iteration_decides(loop: str, n: int, stores: int | None) -> None:
    walk = units(KERNEL.format(loop=loop), global_size=ITEMS, arguments={"n": n})["store y"].walk
    assert walk is not None
    if stores is None:
        assert walk.low_bytes < walk.high_bytes
    else:
        assert walk.requests == pytest.approx(stores)
        assert walk.low_bytes == walk.high_bytes


def test_what_is_read_behind_a_loop_is_not_gathered() -> None:
    text = KERNEL.format(loop=ROWS).replace("y[at + 64] = t", "y[t] = x[at + 64]")
    found = units(text, global_size=ITEMS, arguments={"n": 10_000})
    walk = found["load x"].walk
    assert walk is not None
    assert walk.fetched_bytes == pytest.approx(walk.used_bytes, rel=0.3)
