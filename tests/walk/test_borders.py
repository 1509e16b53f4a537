"""Words fetched through indices that are clamped, reflected or chosen at the border of an image, request by request."""

from collections.abc import Callable
from itertools import pairwise, product

import pytest

from tests.walk.walking import units

WIDTH, HEIGHT = 960, 96
WORD_BYTES = 64
GROUPS = [(16, 8), (32, 4), (960, 1)]
INDICES: list[tuple[str, Callable[[int, int], int]]] = [
    ("max(y - 1, 0) * w + max(x - 1, 0)", lambda x, y: max(y - 1, 0) * WIDTH + max(x - 1, 0)),
    ("min(y + 1, h - 1) * w + clamp(x + 1, 0, w - 1)", lambda x, y: min(y + 1, 95) * WIDTH + min(x + 1, 959)),
    ("y * w + (x == 0 ? 0 : x - 1)", lambda x, y: y * WIDTH + max(x - 1, 0)),
    ("y * w + abs(x - 1)", lambda x, y: y * WIDTH + abs(x - 1)),
    ("y * w + abs_diff(x, 12)", lambda x, y: y * WIDTH + abs(x - 12)),
    ("y * w + (w - 1 - abs(w - 1 - (x + 2)))", lambda x, y: y * WIDTH + 959 - abs(957 - x)),
]


def _words(index: Callable[[int, int], int], group: tuple[int, int], element_bytes: int) -> int:
    """Words that requests fetch, group after group, where a unit holds the word it is at."""
    (wide, high) = group
    places = (
        (x, y)
        for top, left in product(range(0, HEIGHT, high), range(0, WIDTH, wide))
        for y, x in product(range(top, top + high), range(left, left + wide))
    )
    words = [index(x, y) * element_bytes // WORD_BYTES for x, y in places]
    return 1 + sum(a != b for a, b in pairwise(words))


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize(("index", "place"), INDICES)
@pytest.mark.parametrize(("type_", "element_bytes"), [("float", 4), ("uchar", 1)])
def test_borders_change_little(
    index: str, place: Callable[[int, int], int], group: tuple[int, int], type_: str, element_bytes: int
) -> None:
    text = f"""
    __kernel void moved(__global {type_} *restrict out, int w, int h)
    {{
        int x = get_global_id(0), y = get_global_id(1);
        out[{index}] = 1;
    }}
    """
    launch = {"global_size": [WIDTH, HEIGHT], "local_size": group, "arguments": {"w": WIDTH, "h": HEIGHT}}
    walk = units(text, **launch)["store out"].walk
    assert walk is not None
    assert walk.fetched_bytes == pytest.approx(_words(place, group, element_bytes) * WORD_BYTES, rel=0.03)
