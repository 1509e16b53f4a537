"""Stores to the next free place: a counter that data move on, or not."""

import pytest

from tests.walk.walking import SINGLE, fetched, units

PACK = (
    SINGLE
    + """__kernel void pack(__global const int *restrict a, __global int *restrict y)
{
    int k = 0;
    %s
    for (int i = 0; i < 65536; i++) %s
}
"""
)
BODIES = {
    "no braces": "if (a[i] > 0) y[k++] = a[i];",
    "braces": "{ if (a[i] > 0) { y[k++] = a[i]; } }",
    "in steps": "{ int v = a[i]; if (v > 0) { y[k] = v; k++; } }",
    "every third": "if (i % 3 == 0) y[k++] = a[i];",
    "of reals": "{ float v = 0.5f * a[i]; if (v > 1.5f) y[k++] = a[i]; }",
    "by a choice": "{ switch (a[i] & 3) { case 1: y[k] = a[i]; k++; break; } }",
    "by a number of another type": "if (a[i] > 0) { y[k] = a[i]; k += 1u; }",
    "by a pointer": "if (a[i] > 0) *y++ = a[i];",
    "by a comparison": "{ y[k] = a[i]; k += a[i] > 0; }",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_places_that_data_decide_follow_each_other(body: str) -> None:
    found = units(PACK % ("", body))["store y"]
    assert found.walk is not None
    assert found.walk.kind == "advances"
    assert fetched(found) <= 65536 * 4


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_copies_store_wherever_data_say(body: str) -> None:
    found = units(PACK % ("#pragma unroll 16", body))["store y"]
    assert (found.lsu.count, found.lsu.width_bits) == (16, 32)


def test_a_place_that_moves_on_where_a_condition_holds_moves_on_as_often_as_it_is_counted_to() -> None:
    # Counted as always true, all 65 536 elements are stored; a quarter of them where that is given.
    body = "if (a[i] > 0) y[k++] = a[i];"
    assert fetched(units(PACK % ("", body))["store y"]) == pytest.approx(65536 * 4, rel=0.01)
    given = body + " // burstline: taken=1/4"
    assert fetched(units(PACK % ("", given))["store y"]) == pytest.approx(65536, rel=0.01)
