"""How an address moves along one dimension."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_model.walk.issue_order import Dimension
from burstline_model.walk.sampler import Point, Sampler

Kind = Literal["same", "steady", "mostly", "window", "advances", "anywhere"]
SAMPLES = 17
"""Neighbouring places that are looked at."""
BASES = (0.137, 0.618, 0.381)
"""Where along the other dimensions."""
MOST_OFTEN = 0.6
"""Share of the steps that must be alike for the others to count as borders."""
SPREAD = 9
"""Places over the whole dimension, evaluated to find how far it reaches."""
SAME_WIDTH = 0.2
"""Neighbours in another order reach a little beyond the places they take."""
LONG = 64
"""Neighbouring places that show whether a word is come back to: several times what a word holds."""
WORD = 64
"""Bytes of a memory word of most boards; what stays in words of half the size stays in these."""
SHUFFLED = 1.5
"""The usual step is so many times what a place takes where neighbours are in another order."""
DENSE = 4
"""A window is no wider than so many times what its elements take."""


@fixed
class Step:
    """`bytes` from one place to the next: always (`steady`), but for borders (`mostly`), or on average.

    ``window``: places of a small window in another order; ``advances``: on by one element or not at all. `reach` is how
    far the addresses of the whole dimension lie apart where they come round again (None: they do not). `grain` divides
    the bytes between any two places of ``anywhere`` (0: not known). `stay`: so many neighbours have the same address
    before it goes on to another word.
    """

    kind: Kind
    bytes: float = 0.0
    reach: float | None = None
    grain: int = 0
    stay: float = 1.0


def step_along(
    sampler: Sampler, offset: Polynomial | None, element_bytes: int, dimension: Dimension, every: Sequence[Dimension]
) -> Step:
    """The step of an address along a dimension among `every` one that the access is issued along."""
    if offset is None:
        return Step("anywhere")
    if sampler.moving(offset).isdisjoint(dimension.names):
        return Step("same")
    exact = exact_step(sampler, offset, dimension, every)
    if exact is not None:
        return Step("steady" if exact else "same", float(exact))
    if _jumps(sampler, offset, dimension, every):
        return Step("anywhere", grain=_grain(sampler, offset, dimension))
    return _sampled(sampler, offset, element_bytes, dimension, every)


def exact_step(sampler: Sampler, offset: Polynomial, dimension: Dimension, every: Sequence[Dimension]) -> int | None:
    """The step where the address is affine along the dimension."""
    symbols = sampler.facts.symbols
    moved = dict(dimension.moves)
    total = Polynomial()
    for name in offset.symbols:
        symbol = symbols.get(name)
        if name in moved:
            share = offset.coefficient(name)
            if share is None or not sampler.moving(share).isdisjoint(moved):
                return None
            total = total + share.scaled(moved[name])
        elif symbol is not None and not moved.keys().isdisjoint(symbol.depends_on):
            return None
    return sampler.value(total, _middle(sampler, every))


def _jumps(sampler: Sampler, offset: Polynomial, dimension: Dimension, every: Sequence[Dimension]) -> bool:
    """Whether an index of any size enters the address that is another one at each place along the dimension."""
    if dimension.size < 2:
        return False
    if sampler.is_made_up(offset, dimension.names):
        return True
    return any(_differs(sampler, index, dimension, every) for index in _indices(sampler, offset, ends=False))


MOST_LINKS = 64
"""Links of a chain of loads, each at what the one before gave, that are followed."""


def _differs(sampler: Sampler, index: Polynomial, dimension: Dimension, every: Sequence[Dimension]) -> bool:
    """Whether each place along the dimension surely has another index."""
    waiting, seen = [index], set[Polynomial]()
    while waiting and len(seen) < MOST_LINKS:
        one = waiting.pop()
        if one in seen or sampler.moving(one).isdisjoint(dimension.names):
            continue
        seen.add(one)
        exact = exact_step(sampler, one, dimension, every)
        if exact is None and not sampler.is_made_up(one, dimension.names):
            waiting += _indices(sampler, one, ends=True)
        elif exact != 0:
            return True
    return False


def _indices(sampler: Sampler, offset: Polynomial, *, ends: bool) -> list[Polynomial]:
    """Where the values that enter an address by themselves are loaded from; `ends`: also where runs begin and end."""
    names = [monomial[0] for monomial, _ in offset.terms if len(monomial) == 1]
    return [index for name in names if (index := sampler.place_of(name, ends=ends)) is not None]


def _middle(sampler: Sampler, every: Sequence[Dimension]) -> Point:
    return sampler.at([(d, d.size / 2) for d in every])


def _sampled(
    sampler: Sampler, offset: Polynomial, element_bytes: int, dimension: Dimension, every: Sequence[Dimension]
) -> Step:
    count = int(min(dimension.size, SAMPLES))
    if count < 2:
        return Step("same")
    runs = [_line(sampler, offset, dimension, every, base, count, 1) for base in BASES]
    if any(abs(place) > FARTHEST for run in runs for place in run):
        return Step("anywhere")
    steps = [b - a for run in runs for a, b in pairwise(run)]
    usual, times = Counter(steps).most_common(1)[0]
    in_words = _within_words(sampler, offset, dimension, every) if times < len(steps) else None
    if in_words is not None and in_words * SHUFFLED <= abs(usual):
        width = _like_element(in_words, element_bytes)
        return Step("window", width, _reach(sampler, offset, dimension, every, width))
    if times >= MOST_OFTEN * len(steps):
        if usual == 0 and times == len(steps):
            return _rarely(sampler, offset, dimension, every)
        if usual == 0:
            mean, stay = sum(map(abs, steps)) / len(steps), len(steps) / (len(steps) - times)
            return Step("advances", mean, stay=stay if mean * stay >= WORD else 1.0)
        kind: Kind = "steady" if times == len(steps) else "mostly"
        return Step(kind, float(usual), _reach(sampler, offset, dimension, every, abs(usual)))
    width = sum(max(run) - min(run) for run in runs) / len(runs) / (count - 1)
    width = _like_element(width, element_bytes)
    if width <= DENSE * max(element_bytes, 1):
        growing = all(s >= 0 for s in steps)
        return Step("advances" if growing else "window", width, _reach(sampler, offset, dimension, every, width))
    bounded = all(s.below is not None for n in offset.symbols if (s := sampler.facts.symbols[n]).kind in _DATA)
    reach = _reach(sampler, offset, dimension, every, width) if bounded else None
    return Step("anywhere", reach=reach, grain=_grain(sampler, offset, dimension))


def _like_element(width: float, element_bytes: int) -> float:
    return float(element_bytes) if abs(width - element_bytes) <= SAME_WIDTH * element_bytes else width


def _within_words(
    sampler: Sampler, offset: Polynomial, dimension: Dimension, every: Sequence[Dimension]
) -> float | None:  # fmt: skip
    """The bytes a place takes where neighbours in another order are done with a word before they go on to the next.

    None where a word is come back to, or data take part in the address.
    """
    count = int(min(dimension.size, LONG))
    if count < SAMPLES or not sampler.known(offset):
        return None
    runs = [_line(sampler, offset, dimension, every, base, count, 1) for base in BASES]
    for run in runs:
        words = [address // WORD for address in run]
        if 1 + sum(a != b for a, b in pairwise(words)) > len(set(words)):
            return None
    widest = sum(max(run) - min(run) for run in runs) / len(runs) / (count - 1)
    half = count // 2
    onwards = sum(abs(sum(run[-half:]) - sum(run[:half])) for run in runs) / len(runs) / half / (count - half)
    return onwards if 2 * onwards >= widest else widest


def _grain(sampler: Sampler, offset: Polynomial, dimension: Dimension) -> int:
    """What divides all that an address moves by along a dimension: an index times the size of a row, for example."""
    terms = {m: c for m, c in offset.terms if not sampler.moving(Polynomial.of({m: 1})).isdisjoint(dimension.names)}
    return sampler.divisor(Polynomial.of(terms))


def _rarely(sampler: Sampler, offset: Polynomial, dimension: Dimension, every: Sequence[Dimension]) -> Step:
    """The step of an address that neighbours do not move: one element after many places (``a[i / 784]``), or none."""
    count, size = SAMPLES, int(dimension.size)  # iterations on average are no whole number
    while count < size:
        count = min(2 * count, size)
        first, last = _line(sampler, offset, dimension, every, 0.0, 2, count - 1)
        if first != last:
            step = abs(last - first) / (count - 1)
            return Step("advances", step, _reach(sampler, offset, dimension, every, step))
    return Step("same")


FARTHEST = 1 << 62
"""No address is larger: what is has overflown."""
_DATA = {"loaded", "carried", "opaque"}


def _line(
    sampler: Sampler, offset: Polynomial, dimension: Dimension, every: Sequence[Dimension], base: float, count: int,
    stride: float,
) -> list[int]:  # fmt: skip
    """The addresses at neighbouring places along a dimension."""
    others = sampler.at([(d, _place(d, base, n)) for n, d in enumerate(every) if d is not dimension])
    sampler.settle(offset, others, dimension.names)
    first = base * max(dimension.size - count * stride, 0.0)
    found = []
    for k in range(count):
        point, place = others.copy(), int(first + k * stride)
        for name, by in dimension.moves:
            point[name] = point.get(name, 0) + place * by
        found.append(sampler.value(offset, point))
    return found


def _place(dimension: Dimension, base: float, number: int) -> float:
    return (base + 0.27 * number) % 1.0 * max(dimension.size - 1, 0.0)


def _reach(
    sampler: Sampler, offset: Polynomial, dimension: Dimension, every: Sequence[Dimension], step: float
) -> float | None:
    """How far apart the dimension's addresses lie, where that is much less than its steps add up to."""
    count = int(min(dimension.size, SPREAD))
    far = _line(sampler, offset, dimension, every, BASES[0], count, (dimension.size - 1) / max(count - 1, 1))
    near = _line(sampler, offset, dimension, every, BASES[0], int(min(dimension.size, SAMPLES)), 1)
    reached = max(*far, *near) - min(*far, *near) + step
    return float(reached) if reached * 2 <= step * dimension.size else None
