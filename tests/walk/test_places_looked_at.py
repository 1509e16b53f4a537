"""Conditions that no few places decide: as many are looked at as are worth the time, and the share is near."""

from collections.abc import Sequence
from math import prod

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


def _places(sizes: Sequence[int]) -> int:
    """At how many of `sizes` it holds: triangles of two pairs of dimensions, joined by remainders."""
    below = {r: sum(sizes[1] - 1 - x for x in range(r, sizes[0], 3)) for r in range(3)}
    return sum((sizes[3] - 1 - z) * below.get(z % 5, 0) for z in range(sizes[2]))


@pytest.mark.parametrize("most", [6, 8, 16])
def test_the_share_is_near_where_fewer_are_asked(most: int) -> None:
    look = Look([(lambda at: _holds(*at), frozenset(range(4)))], [], 960, [15, 1, 5, 1], most)
    share, _, _ = look.mean(SIZES, ())
    assert share == pytest.approx(_places(SIZES) / prod(SIZES), rel=0.3)


def test_a_condition_over_three_ids_and_a_counter_is_counted() -> None:
    (kernel,) = assess(KERNEL, global_size=[128, 128, 64], local_size=[128, 1, 1]).kernels
    walk = kernel.estimate.units[0].walk
    assert walk is not None
    assert walk.requests == pytest.approx(_places(SIZES), rel=0.15)
