"""Places of a counter or an id at which something is evaluated that comes round, instead of at all of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm

from burstline_model.facts import Symbol
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed

GOLDEN = 0.6180339887498949
"""Multiples of it, their whole parts left out, lie evenly in 0 to 1 with no period."""
MOST_TIMES = 4
"""A longer period than so many times the usual number of places is not looked at as a whole."""
_BITWISE = {"and", "or", "xor"}


def period_of(symbols: Iterable[Symbol], value: Callable[[Polynomial], Fraction | int | None], otherwise: int) -> int:
    """After how many whole numbers operations repeat: remainders and quotients by a divisor, masks by their bits.

    What compares does not repeat. `otherwise`: the period of a mask that is not known.
    """
    period = 1
    for symbol in symbols:
        if symbol.operation in {"remainder", "quotient"}:
            divisor = value(symbol.operands[1])
            period = lcm(period, max(abs(int(divisor)), 1) if divisor is not None else otherwise)
        elif symbol.operation in _BITWISE:
            masks = [int(known) for one in symbol.operands if (known := _constant(one, value)) is not None]
            period = lcm(period, _bits(masks[0]) if masks else otherwise)
    return period


def _constant(number: Polynomial, value: Callable[[Polynomial], Fraction | int | None]) -> Fraction | int | None:
    return number.constant if number.constant is not None else value(number)


def _bits(mask: int) -> int:
    """The power of two beyond the highest bit that a mask changes, or leaves out."""
    return 1 << (mask if mask >= 0 else ~mask).bit_length()


def spread(size: int, most: int, period: int = 1) -> list[int]:
    """All places where they are few, else about `most` that lie evenly and meet each part of a period equally often.

    Neighbours in the list are at other parts of the period, so that rows of one kind are not all at one end.
    """
    if size <= most:
        return list(range(size))
    if not 1 < period <= min(MOST_TIMES * most, size):
        some = [int(n * GOLDEN % 1 * size) for n in range(1, most // 2 + 1)]
        return [place for one in some for place in (one, size - 1 - one)]
    count = max(most // period, 1) * period
    step = next(s for s in range(max(round(period * GOLDEN), 1), 2 * period + 1) if gcd(s, period) == 1)
    found = []
    for k in range(count):
        near = (2 * k + 1) * size // (2 * count)
        place = near - near % period + k * step % period
        found.append(place if place < size else place - period)
    return found


@fixed
class Place:
    """A place that is looked at, for how many of its neighbours; `alone`: for itself, and all of those near it are."""

    at: int
    weight: Fraction | int
    alone: bool


def places_between(size: int, cuts: Collection[int], most: int, period: int = 1) -> list[Place]:
    """All places where they are few, else some of those between any two cuts: about `most`, up to twice as many.

    What is short between its cuts is looked at as a whole: the few work-items that do all the work.
    """
    ends = sorted({0, size, *(cut for cut in cuts if 0 < cut < size)})
    left, found = most if len(ends) == 2 else 2 * most, []
    parts = sorted(pairwise(ends), key=lambda part: part[1] - part[0])
    for number, (low, high) in enumerate(parts):
        own = spread(high - low, max(left // (len(parts) - number), 2), period)
        left -= len(own)
        alone = len(own) == high - low
        each, left_over = divmod(high - low, len(own))
        weight = Fraction(high - low, len(own)) if left_over else each
        found += [Place(low + place, weight, alone) for place in own]
    return found


def changes(distance: Callable[[int], Fraction | int], size: int) -> set[int]:
    """Where a distance that grows or falls along an axis reaches zero, and where it gets past it."""
    sign = 1 if distance(size - 1) > distance(0) else -1
    found = set()
    for above in (False, True):
        low, high = 0, size
        while low < high:
            middle = (low + high) // 2
            far = sign * distance(middle)
            if far > 0 if above else far >= 0:
                high = middle
            else:
                low = middle + 1
        found.add(low)
    return found
