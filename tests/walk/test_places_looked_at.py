"""Conditions that no few places decide: as many are looked at as are worth the time, and the share is near."""

from collections.abc import Sequence

import pytest

from burstline_model.walk.look import FEW, MOST_PLACES, Look, TooManyPlacesError
from tests.assessing import assess

SIZES = (128, 128, 64, 64)
KERNEL = """__kernel void k(__global int *restrict b)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    for (int i = 0; i < 64; i++)
        if (x < y && z < i && x % 3 == z % 5)
            b[x + y + z + i] = 1;
}
"""


def _holds(x: int, y: int, z: int, i: int) -> bool:
    return x < y and z < i and x % 3 == z % 5


def test_a_look_ends_before_all_places_are_asked() -> None:
    asked = 0

    def condition(at: Sequence[int]) -> bool:
        nonlocal asked
        asked += 1
        return _holds(*at)

    with pytest.raises(TooManyPlacesError):
        Look([(condition, frozenset(range(4)))], [], 960, [15, 1, 5, 1]).mean(SIZES, ())
    assert asked <= 1.1 * MOST_PLACES + FEW**2


def test_the_share_is_near_all_the_same() -> None:
    """Triangles of two pairs of dimensions, joined by remainders."""
    (kernel,) = assess(KERNEL, global_size=[128, 128, 64], local_size=[128, 1, 1]).kernels
    walk = kernel.estimate.units[0].walk
    assert walk is not None
    below = {r: sum(127 - x for x in range(r, 128, 3)) for r in range(3)}
    places = sum((63 - z) * below.get(z % 5, 0) for z in range(64))
    assert walk.requests == pytest.approx(places, rel=0.15)
