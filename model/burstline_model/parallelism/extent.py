"""How often things happen: work-items, trip counts and executions under a launch; None is not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from fractions import Fraction
from functools import cached_property, partial
from math import ceil, prod
from types import MappingProxyType
from typing import Any

from burstline_model.facts import Access, KernelFacts, Loop, Symbol
from burstline_model.launch import Launch
from burstline_model.lsu import Lsu
from burstline_model.parallelism.assumed_counts import (
    assumed_mean,
    each_of_group,
    is_of_group,
    is_rest,
    most_of,
    polls,
)
from burstline_model.parallelism.assumed_values import most_assumed
from burstline_model.parallelism.kept_means import given_by
from burstline_model.parallelism.nest import is_slanted, mean_passing, mean_trips
from burstline_model.parallelism.periods import GOLDEN
from burstline_model.parallelism.symbol_values import operate
from burstline_model.polynomial import Polynomial

_SIZES = {"global_size", "local_size", "num_groups", "global_offset"}
_ITEM_IDS = {"local_id", "global_id"}
ITEMS_LOOKED_AT = 64
"""Work-items over which a value is averaged; all of them in a group of no more, else spread without a period."""
NEAR = 0.2
"""By how much the share of some work-items may differ from that of all of them, to be used for it."""
LOOPS_LOOKED_AT = 32
"""Up to so many loops in a kernel the mean trips of each are worked out at assumed sizes, which takes a while."""
LOOPS_AVERAGED = 512
"""Up to so many loops in a kernel the trips of a loop are the mean over what they follow from."""
_NONE = frozenset[str]()
MAX_VALUE = 1 << 64
"""What no counter can hold is a mistake in the text or the launch: such a value is not known."""


class Extent:
    """The iteration space of a kernel under a launch."""

    def __init__(self, facts: KernelFacts, launch: Launch, copies: Mapping[int, int]) -> None:
        self.facts = facts
        self.launch = launch
        self.copies = copies
        self.entered: dict[tuple[object, ...], Mapping[int, float]] = {}
        """What `walk.entries` has worked out, by lanes and copies; the same launch with other copies shares it."""
        self.shares: dict[object, tuple[float, float, float, int]] = {}
        """What `walk.guards` has counted, by dimensions and conditions; shared in the same way."""
        self.walks: dict[object, Any] = {}
        """What `walk.walk` has found, by units and how they are copied; shared in the same way."""
        self._means: dict[str, Fraction] = {}
        self._items_of: dict[str, str | None] = {}

    def with_copies(self, facts: KernelFacts, copies: Mapping[int, int]) -> Extent:
        """The same launch with other copies of loops, and other lanes."""
        other = copy(self)
        other.facts, other.copies = facts, copies
        return other

    def exchanged(self, facts: KernelFacts, launch: Launch) -> Extent:
        """That of the kernel with two dimensions in each other's place: its loops run as often."""
        other = Extent(facts, launch, self.copies)
        other._counted = self._counted
        return other

    def under(self, launch: Launch) -> Extent:
        """The same under a launch that gives the same sizes."""
        other = copy(self)
        other.launch = launch
        return other

    @cached_property
    def local_size(self) -> tuple[int, ...] | None:
        """The work-group's size: the launch's, else what the kernel requires."""
        return self.launch.local_size or self.facts.work_group_size

    @cached_property
    def items(self) -> tuple[int, int, int] | None:
        """Work-items by dimension; one for a single work-item kernel."""
        if self.facts.model != "ndrange":
            return (1, 1, 1)
        size = self.launch.global_size
        if size is None:
            return None
        padded = (*size, 1, 1)[:3]
        return (padded[0], padded[1], padded[2])

    @cached_property
    def work_items(self) -> int | None:
        """All work-items."""
        return prod(self.items) if self.items is not None else None

    @property
    def groups(self) -> Fraction | None:
        """All work-groups; None where their size is not known."""
        if self.facts.model != "ndrange" or self.local_size is None or self.work_items is None:
            return None
        return Fraction(self.work_items, prod(self.local_size))

    @property
    def trips(self) -> dict[int, Fraction | None]:
        """Trips of each loop; where its bound depends on counters around it, the mean over all that reach it."""
        return self._counted[0]

    @property
    def assumed(self) -> Mapping[int, frozenset[str]]:
        """The loops whose trips are assumed, by id, with the arguments they then follow from; none: the trips alone."""
        return self._counted[1]

    @cached_property
    def _counted(self) -> tuple[dict[int, Fraction | None], dict[int, frozenset[str]]]:
        found: dict[int, Fraction | None] = {}
        assumed: dict[int, frozenset[str]] = {}
        fixed = self._fixed
        for loop in self.facts.loops:
            if any(g.condition is not None and self.decided(g.condition) == 0 for g in loop.guards):
                found[loop.id] = Fraction(0)
                continue
            value = fixed.get(loop.id)
            if value is None and loop.trip is not None:
                value = self._mean(loop, fixed, found)
                missing = self._assumed_around(loop, found) if value is None else {}
                least = 0 if missing and is_of_group(self.facts, loop) else 1
                mean = (self._mean(loop, fixed, found, missing) if missing else None) or Fraction(0)
                if mean > least and (loop.most is None or mean < loop.most):
                    value = assumed_mean(self.facts, loop, mean, self.launch.assumed_trips)
                    assumed[loop.id] = frozenset(missing)
                value = value if value is not None else self.value(loop.trip, found)
                value = self._limited(loop, value, found)
            if value is None and loop.most is not None:
                value = Fraction(loop.most)
            if value is None and self.launch.assumed_trips is not None:
                value, assumed[loop.id] = self._assumed_trips(loop, found, self.launch.assumed_trips)
            found[loop.id] = max(value, Fraction(0)) if value is not None else None
            if loop.trip is None:
                fixed[loop.id] = found[loop.id]
        arguments = {s.name for s in self.facts.symbols.values() if s.kind == "argument"}
        return found, {i: names if names <= arguments else frozenset() for i, names in assumed.items()}

    def _limited(self, loop: Loop, trips: Fraction | None, found: Mapping[int, Fraction | None]) -> Fraction | None:
        """Trips, or what else is known to end the loop before them; by the means of what these follow from."""
        known = (self.value(limit, found) for limit in loop.trip_limits)
        ends = [max(limit, Fraction(0)) for limit in known if limit is not None]
        return min([trips, *ends]) if trips is not None else min(ends, default=None)

    def _mean(
        self,
        loop: Loop,
        fixed: Mapping[int, Fraction | None],
        found: Mapping[int, Fraction | None],
        missing: Mapping[str, int] = MappingProxyType({}),
    ) -> Fraction | None:
        """Trips that follow from loops or ids around the loop; None of others, or while something is not known.

        In kernels of very many loops they are taken at the middle of what they follow from, which is faster.
        """
        if len(self.facts.loops) > LOOPS_AVERAGED:
            return None
        return mean_trips(
            self.facts, loop, fixed, lambda p, at: self._number(p, found, {**missing, **at}), self._sizes_along,
            partial(given_by, self.launch, (self.items, self.local_size), fixed, found, missing),
        )  # fmt: skip

    def _assumed_around(self, loop: Loop, found: Mapping[int, Fraction | None]) -> dict[str, int]:
        """What is assumed of values that a loop and those around it follow from; nothing in kernels of many loops."""
        if len(self.facts.loops) > LOOPS_LOOKED_AT:
            return {}
        return self._assumed_values([*self.facts.loops_around(loop.id), loop.id], found)

    def _assumed_values(self, loops: Sequence[int], found: Mapping[int, Fraction | None]) -> dict[str, int]:
        """What is assumed of all values that the trips of loops follow from and that nobody knows."""
        each, names = self.launch.assumed_trips, set[str]()
        if each is None:
            return {}
        for trip in (one for i in loops if (one := self.facts.loops[i].trip) is not None):
            own = (s for n in trip.symbols if (s := self.facts.symbols.get(n)) is not None)
            names = names.union(*((s.name, *s.depends_on) for s in own))
        plain = {n for n in names if (s := self.facts.symbols.get(n)) is not None and s.operation is None}
        most = most_assumed(self.facts)
        return {n: min(each, most.get(n, each)) for n in plain if self._symbol(n, found, {}) is None}

    def _assumed_trips(
        self, loop: Loop, found: Mapping[int, Fraction | None], each: int
    ) -> tuple[Fraction, frozenset[str]]:
        """What is assumed of a loop that nobody counts, and the values it follows from: its count, if it then runs."""
        if polls(self.facts, loop):
            return Fraction(1), frozenset()  # How long others keep a work-item waiting is no work of its own.
        missing = self._assumed_values([loop.id], found)
        value = self.value(loop.trip, found, missing) if loop.trip is not None and missing else None
        most = most_of(self.facts, loop)
        if value is not None and 1 < value <= (most or value):
            return Fraction(ceil(value)), frozenset(missing)
        if most is not None:
            whole = value is not None and is_rest(self.facts, loop, missing)
            return (Fraction(max(value or 0, 0)), frozenset(missing)) if whole else (Fraction(min(each, most)), _NONE)
        return Fraction(each_of_group(self.facts, loop, each, lambda p: self.value(p, found))), _NONE

    @cached_property
    def _fixed(self) -> dict[int, Fraction | None]:
        """Trips that do not follow from the text: given ones, and assumed ones as they are found."""
        return {i: Fraction(n) for i, n in self.launch.trips.items()}

    def is_slanted(self, loop: int, conditions: Sequence[Polynomial]) -> bool:
        """Whether conditions in a loop are on what decides how long it, or one around it, is: counters, or ids."""
        return is_slanted(self.facts, self.facts.loops[loop], conditions, self._fixed)

    def share_within(
        self, loop: int, conditions: Sequence[Polynomial], of_items: float, *, narrow: bool
    ) -> float | None:
        """The share of a loop's iterations at which conditions hold that are on what decides how long it is.

        `of_items`: the share of all work-items that fulfils the conditions on ids alone; `narrow`: few iterations do.
        None where the work-items that are looked at do not show it, or something is not known.
        """
        trips = self.trips

        def value(p: Polynomial, at: Mapping[str, int | Fraction]) -> Fraction | int | None:
            return self._number(p, trips, at)

        inner = self.facts.loops[loop]
        found = mean_passing(self.facts, inner, conditions, self._fixed, value, self._sizes_along, narrow=narrow)
        every = self._iterations(loop)
        if found is None or every is None or abs(found[1] - of_items) > of_items * NEAR:
            return None
        return min(float(found[0] / every) * of_items / float(found[1]), 1.0) if every and of_items else 0.0

    def _iterations(self, loop: int) -> Fraction | None:
        """Iterations of a loop and of those around it, in the mean work-item."""
        whole = [self.trips[i] for i in (*self.facts.loops_around(loop), loop)]
        known = [one for one in whole if one is not None]
        return prod(known, start=Fraction(1)) if len(known) == len(whole) else None

    def _sizes_along(self, dimension: int) -> tuple[int, int] | None:
        """Work-items along a dimension, and those of a group; None where not known."""
        if self.items is None:
            return None
        group = (*self.local_size, 1, 1)[dimension] if self.local_size is not None else None
        asks = group is None and dimension in self._in_groups
        return None if asks else (self.items[dimension], group or self.items[dimension])

    @cached_property
    def _in_groups(self) -> set[int]:
        """The dimensions along which the kernel asks for its group, or its place in it."""
        return {s.dimension for s in self.facts.symbols.values() if s.kind in {"local_id", "group_id"}}

    def decided(self, p: Polynomial) -> Fraction | None:
        """A polynomial's value where given arguments and sizes alone decide it; None elsewhere."""
        return self.value(p, {}) if all(self._is_given(name) for name in p.symbols) else None

    def _is_given(self, name: str) -> bool:
        symbol = self.facts.symbols.get(name)
        if symbol is None:
            return False
        if symbol.operation is not None:
            return all(self._is_given(n) for operand in symbol.operands for n in operand.symbols)
        return symbol.kind in {"argument", *_SIZES}

    def value(
        self,
        p: Polynomial,
        trips: Mapping[int, Fraction | None],
        at: Mapping[str, int | Fraction] = MappingProxyType({}),
    ) -> Fraction | None:
        """A polynomial's mean value under the launch, at some ids; None while something in it is not known."""
        found = self._number(p, trips, at)
        return Fraction(found) if found is not None else None

    def _number(
        self, p: Polynomial, trips: Mapping[int, Fraction | None], at: Mapping[str, int | Fraction]
    ) -> Fraction | int | None:
        """The same, a whole number as an integer where it was made of such: they take a fraction of the time."""
        if self._asks_for_groups:
            p = self._whole_launch(p)
        total: Fraction | int = 0
        for monomial, coefficient in p.terms:
            product: Fraction | int = coefficient
            for name in monomial:
                known = self._symbol(name, trips, at)
                if known is None:
                    return None
                product = product * known
            total = total + product
        return total if -MAX_VALUE <= total <= MAX_VALUE else None

    @cached_property
    def _asks_for_groups(self) -> bool:
        """Whether the kernel asks for the number of work-groups."""
        return any(s.kind == "num_groups" for s in self.facts.symbols.values())

    def _whole_launch(self, p: Polynomial) -> Polynomial:
        """Groups times their size are all work-items, also where neither is known."""
        if self.local_size is not None or self.items is None:
            return p
        kinds = {name: (s.kind, s.dimension) for name in p.symbols if (s := self.facts.symbols.get(name)) is not None}
        total = Polynomial()
        for monomial, coefficient in p.terms:
            names, times = list(monomial), coefficient
            for d, size in enumerate(self.items):
                both = [next((n for n in names if kinds.get(n) == (k, d)), None) for k in ("local_size", "num_groups")]
                if None not in both:
                    names = [n for n in names if n not in both]
                    times *= size
            total = total + Polynomial.of({tuple(names): times})
        return total

    def _symbol(
        self, name: str, trips: Mapping[int, Fraction | None], at: Mapping[str, int | Fraction]
    ) -> Fraction | int | None:
        symbol = self.facts.symbols.get(name)
        if symbol is None:
            return None
        if name in at:
            return at[name]
        if symbol.operation is not None:
            if (item := self._item_of(symbol)) is not None and item not in at:
                mean = self._means.get(name) if not at else None
                if mean is None and (mean := self._mean_over(item, Polynomial.symbol(name), trips, at)) is not None:
                    self._means.update({name: mean} if not at else {})
                return mean
            operands = [self._number(o, trips, at) for o in symbol.operands]
            return operate(symbol.operation, [int(o) if o is not None else None for o in operands])
        if symbol.kind == "argument":
            known = self.launch.arguments.get(name)
            if name == "get_work_dim" and self.launch.global_size is not None:
                return len(self.launch.global_size)
            return known if known is not None else self.facts.unit_place(name)
        if symbol.kind == "loop" and symbol.loop is not None:
            count = trips.get(symbol.loop)
            return (count - 1) / 2 if count else None
        return self._size(symbol.kind, symbol.dimension)

    def _item_of(self, symbol: Symbol) -> str | None:
        """The one id that an operation is made of; None of another."""
        if symbol.name not in self._items_of:
            self._items_of[symbol.name] = self._found_item(symbol)
        return self._items_of[symbol.name]

    def _found_item(self, symbol: Symbol) -> str | None:
        ids = [n for n in symbol.depends_on if (s := self.facts.symbols.get(n)) is not None and s.kind in _ITEM_IDS]
        return ids[0] if len(ids) == 1 else None

    def _mean_over(
        self, item: str, p: Polynomial, trips: Mapping[int, Fraction | None], at: Mapping[str, int | Fraction]
    ) -> Fraction | None:
        """A value's mean over an id: an operation's mean is not that of its operands' means."""
        symbol = self.facts.symbols[item]
        size = self._size("local_size" if symbol.kind == "local_id" else "global_size", symbol.dimension)
        if not size:
            return None
        count = min(int(size), ITEMS_LOOKED_AT)
        places = range(count) if size <= count else [int(n * GOLDEN % 1 * size) for n in range(1, count + 1)]
        found = [self._number(p, trips, {**at, item: place}) for place in places]
        known = [value for value in found if value is not None]
        return Fraction(sum(known)) / count if len(known) == count else None

    def _size(self, kind: str, dimension: int) -> Fraction | int | None:
        items, local = self.items, self.local_size
        whole = items[dimension] if items is not None else None
        group = (*local, 1, 1)[dimension] if local is not None else None
        match kind:
            case "global_size":
                return whole
            case "local_size":
                return group
            case "num_groups":
                return Fraction(whole, group) if whole is not None and group else None
            case "global_offset":
                return 0
            case "global_id":
                return Fraction(whole - 1, 2) if whole is not None else None
            case "local_id":
                return Fraction(group - 1, 2) if group is not None else None
            case "group_id":
                return Fraction(whole - group, 2 * group) if whole is not None and group else None
            case _:
                return None

    def per_item(self, unit: Lsu) -> Fraction | None:
        """Executions of a unit's accesses in one work-item, those that move no data left out."""
        return _countable(self._product(unit, items=False))

    def executions(self, unit: Lsu) -> Fraction | None:
        """Executions in the whole launch, those that move no data left out."""
        return _countable(self._product(unit, items=True))

    def _product(self, unit: Lsu, *, items: bool) -> Fraction | None:
        """The iteration space's size along every dimension that brings new data (M21, Table 2: ls_acc).

        A step of zero between neighbours is one transfer, then none, unless an operation has to be made each time;
        copies of an unrolled loop that read the same address read it once; a cache keeps what it holds.
        """
        access = self.facts.accesses[unit.members[0]]
        made = unit.op == "atomic"
        symbols = self._symbols(access)
        kept = self._cached(unit, access, symbols)
        total = Fraction(1)
        rolled = [i for i in access.loops if self.copies.get(i, 1) == 1]
        for i in access.loops:
            trips = self.trips[i]
            moves = self.facts.loops[i].counter in symbols or access.offset is None
            still = unit.stride == 0 and self.facts.model != "ndrange" and rolled and i == rolled[-1]
            if not moves and not made and (kept or still):
                continue
            if trips is None:
                return None
            total *= trips if moves or made else trips / self.copies.get(i, 1)
        if not items or self.facts.model != "ndrange":
            return total
        if self.items is None:
            return None
        for dimension, size in enumerate(self.items):
            moves = self._moves_with(dimension, symbols) or access.offset is None
            if not moves and not made and (kept or (dimension == 0 and unit.stride == 0)):
                continue
            total *= size
        return total

    def _symbols(self, access: Access) -> frozenset[str]:
        own = access.offset.symbols if access.offset is not None else frozenset[str]()
        return own.union(*(self.facts.symbols[s].depends_on for s in own if s in self.facts.symbols))

    def _moves_with(self, dimension: int, symbols: frozenset[str]) -> bool:
        moving = {"global_id", "local_id", "group_id"}
        known = (self.facts.symbols[s] for s in symbols if s in self.facts.symbols)
        return any(s.kind in moving and s.dimension == dimension for s in known)

    def _cached(self, unit: Lsu, access: Access, symbols: frozenset[str]) -> bool:
        """Whether a private cache holds all that is read again."""
        if unit.cache_bytes is None or unit.stride is None:
            return False
        footprint = Fraction(unit.useful_bytes)
        for i in access.loops:
            if self.facts.loops[i].counter in symbols:
                if (trips := self.trips[i]) is None:
                    return False
                footprint *= trips
        return footprint <= unit.cache_bytes


def _countable(executions: Fraction | None) -> Fraction | None:
    return executions if executions is not None and executions <= MAX_VALUE**2 else None
