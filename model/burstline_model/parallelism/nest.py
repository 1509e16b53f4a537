"""Mean trips of loops whose bounds follow what is around them: counters of other loops, and work-items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

from burstline_model.facts import KernelFacts, Loop
from burstline_model.polynomial import Polynomial

Evaluate = Callable[[Polynomial, Mapping[str, Fraction]], Fraction | None]
"""A polynomial's value with counters and ids at some places; None where it is not known."""
PLACES = (128, 24, 12, 8)
"""Places that are looked at along each counter or dimension of work-items, by how many others depend on."""
GOLDEN = 0.6180339887498949
"""Multiples of it, their whole parts left out, lie evenly in 0 to 1 with no period."""
_IDS = {"global_id", "local_id", "group_id"}


def mean_trips(
    facts: KernelFacts,
    loop: Loop,
    fixed: Mapping[int, Fraction | None],
    value: Evaluate,
    sizes: Callable[[int], tuple[int, int] | None],
) -> Fraction | None:
    """The trips of a loop over how often it is come to, so that the product over a nest is its iterations.

    A triangle's inner loop has the mean of its bound, and a loop in that one the mean over the triangle: rows with more
    iterations weigh more. Work-items whose bound is below zero have none. `fixed`: trips that do not follow from the
    text. `sizes`: work-items along a dimension, and those of a group. None: its bound follows from no counter around it
    and bends over no ids, or something in it is not known.
    """
    if loop.id in fixed:
        return None
    nest = _Nest(facts, loop, fixed, value)
    shapes = {d: shape for d in nest.dimensions if (shape := sizes(d)) is not None}
    if not nest.bends or len(shapes) < len(nest.dimensions):
        return None
    items = list(_items(facts, nest.ids, shapes, nest.places))
    end = len(nest.loops)
    entered, all_ = (_mean([nest.total(0, stop, at) for at in items]) for stop in (end - 1, end))
    if entered is None or all_ is None:
        return None
    return all_ / entered if entered else Fraction(0)


class _Nest:
    """Loops one in the other, the last of them the one that is asked about, and what their bounds follow from."""

    def __init__(self, facts: KernelFacts, loop: Loop, fixed: Mapping[int, Fraction | None], value: Evaluate) -> None:
        self._fixed, self._value = fixed, value
        self.loops = [facts.loops[i] for i in facts.loops_around(loop.id)] + [loop]
        bounds = [_bound(facts, one, fixed) for one in self.loops]
        self._conditions = [_conditions(facts, one, own) for one, own in zip(self.loops, bounds, strict=True)]
        needed = [
            own.union(*(_closure(facts, c) for c in conditions))
            for own, conditions in zip(bounds, self._conditions, strict=True)
        ]
        counters = [one.counter for one in self.loops]
        self._moving = {c for n, c in enumerate(counters) if any(c in later for later in needed[n + 1 :])}
        every = frozenset[str]().union(*needed)
        self.ids = sorted(n for n in every if n in facts.symbols and facts.symbols[n].kind in _IDS)
        self.dimensions = sorted({facts.symbols[n].dimension for n in self.ids})
        self.bends = bool(self._moving or not needed[-1].isdisjoint(self.ids))
        self.places = PLACES[min(len(self._moving) + len(self.dimensions), len(PLACES)) - 1]

    def total(self, depth: int, end: int, at: Mapping[str, Fraction]) -> Fraction | None:
        """Iterations of the loops from `depth` on, up to `end`, as far as what stands before that one lets through."""
        if depth < len(self.loops) and any(self._value(c, at) == 0 for c in self._conditions[depth]):
            return Fraction(0)
        if depth == end:
            return Fraction(1)
        first = self.loops[depth]
        trips = self._fixed.get(first.id)
        if first.id not in self._fixed and first.trip is not None:
            trips = self._value(first.trip, at)
        if trips is None or trips <= 0:
            return None if trips is None else Fraction(0)
        if first.counter not in self._moving:
            inner = self.total(depth + 1, end, at)
            return trips * inner if inner is not None else None
        places = _places(trips, self.places)
        mean = _mean([self.total(depth + 1, end, {**at, first.counter: place}) for place in places])
        return trips * mean if mean is not None else None


def _bound(facts: KernelFacts, loop: Loop, fixed: Mapping[int, Fraction | None]) -> frozenset[str]:
    """The symbols that a loop's bound follows from."""
    return _closure(facts, loop.trip) if loop.trip is not None and loop.id not in fixed else frozenset()


def _closure(facts: KernelFacts, number: Polynomial) -> frozenset[str]:
    own = number.symbols
    return own.union(*(facts.symbols[s].depends_on for s in own if s in facts.symbols))


def _conditions(facts: KernelFacts, loop: Loop, bound: frozenset[str]) -> list[Polynomial]:
    """The conditions in front of a loop on what its bound follows from: they choose among its trips."""
    made = [g.condition for g in loop.guards if g.condition is not None and not g.loaded]
    moving = {s for s in bound if s in facts.symbols and facts.symbols[s].kind in {*_IDS, "loop"}}
    return [c for c in made if not moving.isdisjoint(_closure(facts, c))]


def _mean(values: Sequence[Fraction | None]) -> Fraction | None:
    known = [one for one in values if one is not None]
    return sum(known, Fraction(0)) / len(values) if len(known) == len(values) else None


def _places(trips: Fraction, most: int) -> list[Fraction]:
    """All places of a counter where they are few, else some whose mean is the counter's own."""
    count = int(trips) if trips == int(trips) and trips <= most else most
    return [(2 * k + 1) * trips / (2 * count) - Fraction(1, 2) for k in range(count)]


def _items(
    facts: KernelFacts, ids: Sequence[str], sizes: Mapping[int, tuple[int, int]], most: int
) -> Iterator[dict[str, Fraction]]:  # fmt: skip
    """The ids of all work-items where they are few, else of some that lie evenly; one without ids where none count."""
    along = [
        range(size) if size <= most else sorted(int(n * GOLDEN % 1 * size) for n in range(1, most + 1))
        for size, _ in sizes.values()
    ]
    for item in product(*along):
        at = dict(zip(sizes, item, strict=True))
        found = {}
        for name in ids:
            place, group = at[facts.symbols[name].dimension], sizes[facts.symbols[name].dimension][1]
            kind = facts.symbols[name].kind
            own = {"global_id": place, "local_id": place % group, "group_id": place // group}[kind]
            found[name] = Fraction(own)
        yield found
