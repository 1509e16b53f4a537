"""Mean trips of loops whose bounds follow what is around them: counters of other loops, and work-items."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from itertools import product
from math import prod

from burstline_model.facts import KernelFacts, Loop
from burstline_model.parallelism.item_places import ItemPlaces
from burstline_model.parallelism.kept_means import Given, kept_mean
from burstline_model.parallelism.made_of import COMPARES, joins_truths, made_of
from burstline_model.parallelism.means import mean, means, weighted
from burstline_model.parallelism.periods import Place, period_of, spread
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed

Evaluate = Callable[[Polynomial, Mapping[str, Fraction | int]], Fraction | int | None]
"""A polynomial's value with counters and ids at some places; None where it is not known."""
PLACES = (128, 24, 12, 8)
"""Places that are looked at along each counter or dimension of work-items, by how many others depend on."""
MOST_PLACES = 4096
"""Places that are looked at in all where more depend on one another than `PLACES` has figures for."""
BITS = 64
"""The period of a mask that is not known."""
_IDS = {"global_id", "local_id", "group_id"}
_UNASKED = Fraction(-1)
"""In place of a value that was not worked out yet: this very object, whatever its size."""


def mean_trips(
    facts: KernelFacts,
    loop: Loop,
    fixed: Mapping[int, Fraction | None],
    value: Evaluate,
    sizes: Callable[[int], tuple[int, int] | None],
    given: Given,
) -> Fraction | None:
    """The trips of a loop over how often it is reached, so that the product over a nest is its iterations.

    A triangle's inner loop has the mean of its bound, and a loop in that one the mean over the triangle: rows with more
    iterations weigh more. Work-items whose bound is below zero have none. `fixed`: trips that do not follow from the
    text. `sizes`: work-items along a dimension, and those of a group; `given`: all of it. None: its bound follows from
    no counter around it and bends over no ids, or something in it is not known.
    """
    if loop.id in fixed or not _moves(facts, _bound(facts, loop, fixed)):
        return None
    shape = _shape_of(facts, loop, fixed)
    if not shape.bends:
        return None
    part = shape.part_of(len(shape.loops) - 1)  # the others are in both means alike

    def work_out() -> Fraction | None:
        found = _Nest(facts, shape, fixed, value, sizes).means_of(part)
        return found if found is None else found[0] / found[1] if found[1] else Fraction(0)

    return kept_mean(facts, shape.loops, given, work_out)


def is_slanted(
    facts: KernelFacts, loop: Loop, conditions: Sequence[Polynomial], fixed: Mapping[int, Fraction | None]
) -> bool:
    """Whether conditions in a loop are on what decides how long it, or one around it, is: counters, or ids."""
    return _shape_of(facts, loop, fixed, conditions).slanted


def mean_passing(
    facts: KernelFacts,
    loop: Loop,
    conditions: Sequence[Polynomial],
    fixed: Mapping[int, Fraction | None],
    value: Evaluate,
    sizes: Callable[[int], tuple[int, int] | None],
    *,
    narrow: bool,
) -> tuple[Fraction, Fraction] | None:
    """Iterations of a loop and of those around it at which conditions in it hold, in the mean work-item.

    The second number is the share of the same work-items that fulfils the conditions on ids alone. None: something is
    not known, or few work-items are looked at, which shows little of conditions that come round along the ids, or are
    `narrow`: hold for few.
    """
    shape = _shape_of(facts, loop, fixed, conditions)
    nest, inside = _Nest(facts, shape, fixed, value, sizes), shape.part_of(len(shape.loops))
    if (shape.by_ids or not shape.follows_counters) and nest.hides(inside, narrow=narrow):
        return None
    passing, holds = nest.mean(len(shape.loops) + 1), nest.share_of_items(inside)
    return (passing, holds) if passing is not None and holds is not None else None


@fixed
class _Part:
    """Loops by their depth, and the counters and dimensions of work-items that they follow from."""

    depths: frozenset[int]
    moved: frozenset[str | int]


@fixed
class _Known:
    """The values of a polynomial, by the places of the counters and ids in `names`: that of one alone, or of all."""

    number: Polynomial
    names: tuple[str, ...]
    values: dict[object, Fraction | int | None] = field(default_factory=dict)


@fixed
class _Item:
    """The ids of a work-item, for how many it is looked at, and whether all of those near it are."""

    at: dict[str, Fraction | int]
    weight: Fraction | int
    alone: bool


class _Shape:
    """Loops one in the other, the last of them the one that is asked about, and what their bounds follow from.

    `fixed` are the loops whose trips do not follow from the text.
    """

    def __init__(
        self, facts: KernelFacts, loop: Loop, fixed: Collection[int], inside: Sequence[Polynomial] = ()
    ) -> None:
        self._facts = facts
        self._places_in: dict[Polynomial, tuple[str, ...]] = {}
        self.loops = [facts.loops[i] for i in facts.loops_around(loop.id)] + [loop]
        bounds = [_bound(facts, one, fixed) for one in self.loops]
        self.conditions = [_conditions(facts, one, own) for one, own in zip(self.loops, bounds, strict=True)]
        needed = [
            own.union(*(_closure(facts, c) for c in conditions))
            for own, conditions in zip(bounds, self.conditions, strict=True)
        ]
        self.conditions.append(list(inside))
        needed.append(frozenset[str]().union(*(_closure(facts, c) for c in inside)))
        counters = [one.counter for one in self.loops]
        self.moving = {c for n, c in enumerate(counters) if any(c in later for later in needed[n + 1 :])}
        self.every = frozenset[str]().union(*needed)
        made = made_of(facts, [Polynomial.symbol(n) for n in self.every])
        self.operations = [s for s in made if s.operation is not None and not joins_truths(facts, s)]
        self.ids = sorted(n for n in self.every if n in facts.symbols and facts.symbols[n].kind in _IDS)
        self.bends = bool(self.moving or not needed[-2].isdisjoint(self.ids))
        self.signs = [o - p for s in made if s.operation in COMPARES for o, p in [s.operands]]
        self.signs += [one.trip for one in self.loops if one.trip is not None and one.id not in fixed]
        self.by_ids = [c for c in inside if _closure(facts, c).isdisjoint(counters)]
        self.parts = self._apart(needed)
        trips = [[one.trip] if one.trip is not None and one.id not in fixed else [] for one in self.loops]
        asked = [[*some, *others] for some, others in zip((*trips, []), self.conditions, strict=True)]
        self._seen = [
            frozenset[str]().union(*(self.places_in(p) for own in asked[depth:] for p in own))
            for depth in range(1, len(asked))
        ]
        """The counters and ids that are looked at inside each loop."""
        own = frozenset[str]().union(*(b for n, b in enumerate(bounds) if n in self.parts[-1].depths))
        self.follows_counters = not own.isdisjoint(counters)
        self.slanted = self.follows_counters or not own.isdisjoint(self.ids)

    def _apart(self, needed: Sequence[frozenset[str]]) -> list[_Part]:
        """The loops (and what is inside all, the last) by what they follow from: parts have nothing in common.

        The iterations of the nest are the product of the parts', which takes far fewer places than the whole nest.
        """
        parts: list[tuple[set[int], set[str | int]]] = []
        for depth, names in enumerate(needed):
            own: set[str | int] = {n for n in names if n in self.moving}
            own |= {self._facts.symbols[n].dimension for n in names if n in self.ids}
            if depth < len(self.loops) and self.loops[depth].counter in self.moving:
                own.add(self.loops[depth].counter)
            depths = {depth}
            for part in [p for p in parts if not own.isdisjoint(p[1])]:
                depths, own = depths | part[0], own | part[1]
                parts.remove(part)
            parts.append((depths, own))
        return [_Part(frozenset(d), frozenset(o)) for d, o in parts]

    def places_in(self, number: Polynomial) -> tuple[str, ...]:
        """The counters and ids whose places decide a polynomial's value."""
        if number not in self._places_in:
            read, waiting = set[str](), [*number.symbols]
            while waiting:
                name = waiting.pop()
                if name in read or name not in self._facts.symbols:
                    continue
                read.add(name)
                operands = self._facts.symbols[name].operands
                waiting += [n for operand in operands for n in operand.symbols]
            moved = [one.counter for one in self.loops if one.counter in read]
            # Of ids that go into an operation it also matters whether they have a place.
            moved += [n for n in self.ids if n in _closure(self._facts, number)]
            self._places_in[number] = tuple(sorted(moved))
        return self._places_in[number]

    def seen(self, depth: int, places: Sequence[Fraction | int]) -> Sequence[Fraction | int]:
        """The places of a loop's counter that make a difference inside it: one where all are alike."""
        return places if self.loops[depth].counter in self._seen[depth] else places[:1]

    def part_of(self, depth: int) -> _Part:
        """The part that a loop is in."""
        return next(part for part in self.parts if depth in part.depths)


def _shape_of(facts: KernelFacts, loop: Loop, fixed: Collection[int], inside: Sequence[Polynomial] = ()) -> _Shape:
    """The loops around one, looked at once for each kernel: launches differ in values alone."""
    known: dict[object, _Shape] = facts.kept.setdefault(_Shape, {})
    key = (loop.id, frozenset(fixed), tuple(inside))
    if key not in known:
        known[key] = _Shape(facts, loop, fixed, inside)
    return known[key]


class _Nest:
    """The values of loops one in the other."""

    def __init__(
        self,
        facts: KernelFacts,
        shape: _Shape,
        fixed: Mapping[int, Fraction | None],
        value: Evaluate,
        sizes: Callable[[int], tuple[int, int] | None],
    ) -> None:
        self._facts, self._shape, self._fixed, self._value, self._sizes = facts, shape, fixed, value, sizes
        self._known: dict[Polynomial, _Known] = {}
        self._trips = [self._known_of(one.trip) if one.trip is not None else None for one in shape.loops]
        self._conditions = [[self._known_of(c) for c in own] for own in shape.conditions]
        self._periods: dict[str | int, int] = {}
        self._places_at: dict[tuple[Fraction | int, int, int], Sequence[Fraction | int]] = {}
        moved = (shape.ids, shape.signs, shape.moving)
        self._places_along = ItemPlaces(facts, *moved, lambda p, at: self._value_at(self._known_of(p), at), sizes)

    def mean(self, end: int) -> Fraction | None:
        """Iterations of the first loops, up to `end`, of a work-item; one more: how often what is inside them holds."""
        product = Fraction(1)
        for part in self._shape.parts:
            own = self.mean_of(part, end) if min(part.depths) <= end else Fraction(1)
            if own is None:
                return None
            product *= own
        return product

    def mean_of(self, part: _Part, end: int) -> Fraction | None:
        """Iterations of the loops of one part, up to `end`, of a work-item."""
        looked_at = self._items_of(part)
        if looked_at is None:
            return None
        most, items = looked_at
        return weighted([(self._total(part, most, 0, end, one.at), one.weight) for one in items])

    def means_of(self, part: _Part) -> tuple[Fraction, Fraction] | None:
        """Iterations of the loops of the innermost one's part, and how often that one is reached, of a work-item."""
        looked_at = self._items_of(part)
        if looked_at is None:
            return None
        most, items = looked_at
        return means((self._both(part, most, 0, one.at), one.weight) for one in items)

    def hides(self, part: _Part, *, narrow: bool) -> bool:
        """Whether work-items that are not looked at may do what those near them do not.

        So it is where conditions come round along them, or are narrow and follow from more than one dimension.
        """
        few = _items_along(part, _places_of(len(part.moved)))
        sizes = {d: self._sizes(d) for d in part.moved if isinstance(d, int)}
        if None in sizes.values():
            return True
        between = [d for d, shape in sizes.items() if shape is not None and shape[0] > few]
        uncertain = any(self._period(d) > 1 or (narrow and not self._places_along.cuts(d)[1]) for d in between)
        return uncertain and self._some_between(part)

    def _some_between(self, part: _Part) -> bool:
        """Whether work-items do something next to which some are not looked at."""
        most, items = self._items_of(part) or (0, ())
        end = len(self._shape.loops) + 1
        return any(not one.alone and self._total(part, most, 0, end, one.at) != 0 for one in items)

    def share_of_items(self, part: _Part) -> Fraction | None:
        """The share of a part's work-items for which the conditions on ids inside all loops hold."""
        looked_at = self._items_of(part)
        if looked_at is None:
            return None
        by_ids = [self._known_of(c) for c in self._shape.by_ids]
        holds = [(int(all(self._value_at(c, one.at) != 0 for c in by_ids)), one.weight) for one in looked_at[1]]
        return weighted(holds)

    def _items_of(self, part: _Part) -> tuple[int, Iterator[_Item]] | None:
        """How many places are looked at along each counter of a part, and its work-items; None: sizes are not known."""
        dimensions = sorted(d for d in part.moved if isinstance(d, int))
        if any(self._sizes(d) is None for d in dimensions):
            return None
        most = _places_of(max(len(part.moved), 1))
        few = _items_along(part, most)
        return most, self._items(dimensions, [self._places_along.along(d, few, self._period(d)) for d in dimensions])

    def _items(self, dimensions: Sequence[int], along: Sequence[Sequence[Place]]) -> Iterator[_Item]:
        """Work-items at some places along their dimensions; one without ids where none count."""
        own = [
            [_Item(self._places_along.at(d, p.at), p.weight, p.alone) for p in places]
            for d, places in zip(dimensions, along, strict=True)
        ]
        if len(own) == 1:
            yield from own[0]
            return
        for items in product(*own):
            at: dict[str, Fraction | int] = {}
            for one in items:
                at |= one.at
            weight = prod((one.weight for one in items if one.weight != 1), start=1)
            yield _Item(at, weight, all(one.alone for one in items))

    def _total(
        self, part: _Part, most: int, depth: int, end: int, at: dict[str, Fraction | int]
    ) -> Fraction | int | None:
        """Iterations of a part's loops from `depth` on, up to `end`, under the conditions in front of that one."""
        while depth < end and depth not in part.depths:
            depth += 1
        inside = depth == len(self._shape.loops)
        conditions = self._conditions[depth] if depth in part.depths and (not inside or end > depth) else ()
        if any(self._value_at(c, at) == 0 for c in conditions):
            return 0
        if depth == end or inside:
            return 1
        trips, places = self._places(depth, most, at)
        if not trips or places is None:
            inner = self._total(part, most, depth + 1, end, at) if trips else 1
            return trips * inner if trips is not None and inner is not None else None
        counter, found = self._shape.loops[depth].counter, list[Fraction | int | None]()
        for at[counter] in self._shape.seen(depth, places):
            found.append(self._total(part, most, depth + 1, end, at))
            if found[-1] is None:
                break
        del at[counter]
        inner = mean(found) if len(found) > 1 else found[0]
        return trips * inner if inner is not None else None

    def _both(
        self, part: _Part, most: int, depth: int, at: dict[str, Fraction | int]
    ) -> tuple[Fraction | int, Fraction | int] | None:
        """Iterations of a part's loops from `depth` on, and how often the innermost is reached; None: not known."""
        while depth not in part.depths:
            depth += 1
        if any(self._value_at(c, at) == 0 for c in self._conditions[depth]):
            return 0, 0
        last = depth == len(self._shape.loops) - 1
        trips, places = self._places(depth, most, at)
        if trips is None:
            return None
        if last or not trips:
            return trips, 1 if last else trips
        inner: tuple[Fraction | int, Fraction | int] | None
        if places is None:
            inner = self._both(part, most, depth + 1, at)
        else:
            counter, seen = self._shape.loops[depth].counter, self._shape.seen(depth, places)
            if len(seen) == 1:
                at[counter] = seen[0]
                inner = self._both(part, most, depth + 1, at)
            else:
                inner = means((self._both(part, most, depth + 1, at), 1) for at[counter] in seen)
            del at[counter]
        return (trips * inner[0], trips * inner[1]) if inner is not None else None

    def _places(
        self, depth: int, most: int, at: Mapping[str, Fraction | int]
    ) -> tuple[Fraction | int | None, Sequence[Fraction | int] | None]:
        """Trips of a loop, and the places of its counter that are looked at; None where nothing follows from it."""
        first, known = self._shape.loops[depth], self._trips[depth]
        trips: Fraction | int | None = self._fixed.get(first.id)
        if first.id not in self._fixed and known is not None:
            trips = self._value_at(known, at)
        if trips is None or trips <= 0:
            return None if trips is None else 0, None
        if first.counter not in self._shape.moving:
            return trips, None
        asked = trips, most, self._period(first.counter)
        if asked not in self._places_at:  # many work-items have as many iterations
            self._places_at[asked] = _places(*asked)
        return trips, self._places_at[asked]

    def _known_of(self, p: Polynomial) -> _Known:
        """What is known of a polynomial, by the places of the counters and ids that it follows from."""
        if p not in self._known:
            self._known[p] = _Known(p, self._shape.places_in(p))
        return self._known[p]

    def _value_at(self, known: _Known, at: Mapping[str, Fraction | int]) -> Fraction | int | None:
        """A polynomial's value, worked out once for the places of the counters and ids that it follows from."""
        names = known.names
        places = at.get(names[0]) if len(names) == 1 else tuple(map(at.get, names))
        found = known.values.get(places, _UNASKED)
        if found is _UNASKED:
            found = known.values[places] = self._value(known.number, at)
        return found

    def _period(self, moved: str | int) -> int:
        """After how many steps of a counter, or of ids along a dimension, bounds and conditions repeat."""
        if moved not in self._periods:
            names = {moved} if isinstance(moved, str) else self._places_along.ids[moved]
            own = [s for s in self._shape.operations if not names.isdisjoint(s.depends_on)]
            self._periods[moved] = period_of(own, lambda p: self._value(p, {}) if not p.symbols & names else None, BITS)
        return self._periods[moved]


def _places_of(number: int) -> int:
    """How many places are looked at along each of so many counters and dimensions."""
    return PLACES[number - 1] if number <= len(PLACES) else max(int(MOST_PLACES ** (1 / number)), 1)


def _items_along(part: _Part, most: int) -> int:
    """How many work-items are looked at along each dimension of a part: more than the `most` places of counters."""
    dimensions = sum(isinstance(moved, int) for moved in part.moved)
    if not dimensions:
        return most
    left = MOST_PLACES / most ** (len(part.moved) - dimensions)
    return max(min(int(left ** (1 / dimensions)), PLACES[0]), most)


def _moves(facts: KernelFacts, bound: frozenset[str]) -> frozenset[str]:
    """The counters and ids among what a bound follows from."""
    return frozenset(s for s in bound if s in facts.symbols and facts.symbols[s].kind in {*_IDS, "loop"})


def _bound(facts: KernelFacts, loop: Loop, fixed: Collection[int]) -> frozenset[str]:
    """The symbols that a loop's bound follows from."""
    return _closure(facts, loop.trip) if loop.trip is not None and loop.id not in fixed else frozenset()


def _closure(facts: KernelFacts, number: Polynomial) -> frozenset[str]:
    own = number.symbols
    return own.union(*(facts.symbols[s].depends_on for s in own if s in facts.symbols))


def _conditions(facts: KernelFacts, loop: Loop, bound: frozenset[str]) -> list[Polynomial]:
    """The conditions in front of a loop on what its bound follows from: they choose among its trips."""
    made = [g.condition for g in loop.guards if g.condition is not None and not g.loaded]
    moving = _moves(facts, bound)
    return [c for c in made if not moving.isdisjoint(_closure(facts, c))]


def _places(trips: Fraction | int, most: int, period: int) -> Sequence[Fraction | int]:
    """All places of a counter where they are few, else some whose mean is the counter's own."""
    if period > 1 and trips > most:
        return spread(int(trips), most, period)
    count = int(trips) if trips == int(trips) and trips <= most else most
    if trips == count:
        return range(count)
    above, below = trips.numerator, trips.denominator * count
    return [Fraction((2 * k + 1) * above - below, 2 * below) for k in range(count)]
