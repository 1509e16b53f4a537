"""The values of numbers at places along some axes: a guard is asked at thousands of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from burstline_model.facts import Symbol
from burstline_model.parallelism.made_of import COMPARES
from burstline_model.parallelism.symbol_values import OF_TWO, operate
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_model.walk.issue_order import Dimension
from burstline_model.walk.sampler import Point, Sampler

Value = Callable[[Sequence[int]], int]
"""The values of a number at places along all axes."""
_COUNTS = {"global_id", "local_id", "group_id", "loop", "global_offset"}
_GIVEN = {"argument", "global_size", "local_size", "num_groups"}


@fixed
class Axis:
    """Dimensions that one number counts through: a loop, or work-items with those of the other groups."""

    dimensions: tuple[Dimension, ...]

    @property
    def size(self) -> int:
        """How many places there are."""
        total = 1.0
        for one in self.dimensions:
            total *= one.size * one.lanes
        return max(int(total), 1)

    @cached_property
    def _slowest_first(self) -> list[tuple[Dimension, int]]:
        """The dimensions, with how many places those inside each have."""
        within = [1]
        for one in self.dimensions:
            within.append(max(round(within[-1] * one.size * one.lanes), 1))
        return [*zip(self.dimensions, within[:-1], strict=True)][::-1]

    def moves(self, place: int) -> list[tuple[str, int]]:
        """By how much a place moves each symbol; of items in flight, the last share of a group may be a smaller one."""
        found = []
        for one, inner in self._slowest_first:
            found += [(name, place // inner * by // one.lanes) for name, by in one.moves]
            place %= inner
        return found


class _Table(dict[int, int]):
    """What the places along an axis add, each worked out once."""

    def __init__(self, axis: int, of: Callable[[int], int]) -> None:
        super().__init__()
        self.axis = axis
        self._of = of

    def __missing__(self, place: int) -> int:
        self[place] = found = self._of(place)
        return found


def _sum(constant: int, tables: Sequence[_Table], products: Sequence[tuple[int, Sequence[Value]]]) -> Value:
    """A constant, what axes add, and products, each with its coefficient."""
    if not products and len(tables) == 1:
        first, a = tables[0], tables[0].axis
        return lambda at: constant + first[at[a]]
    if not products and len(tables) == 2:
        first, a, second, b = tables[0], tables[0].axis, tables[1], tables[1].axis
        return lambda at: constant + first[at[a]] + second[at[b]]
    if not tables and len(products) == 1 and len(products[0][1]) == 1:
        ((coefficient, (value,)),) = products
        return value if (constant, coefficient) == (0, 1) else lambda at: constant + coefficient * value(at)

    along = [(table.axis, table) for table in tables]

    def total(at: Sequence[int]) -> int:
        found = constant
        for axis, table in along:
            found += table[at[axis]]
        for coefficient, values in products:
            product = coefficient
            for value in values:
                product *= value(at)
            found += product
        return found

    return total


def _once(value: Value) -> Value:
    """The same, worked out once for a place that several ask about one after the other."""
    last: Sequence[int] | None = None
    found = 0

    def known(at: Sequence[int]) -> int:
        nonlocal last, found
        if at is not last:
            found = value(at)
            last = at
        return found

    return known


class Values:
    """Makes functions of places out of numbers."""

    def __init__(self, sampler: Sampler, axes: Sequence[Axis]) -> None:
        self._sampler = sampler
        self._axes = axes
        self._of_symbols: dict[str, Value | None] = {}
        self._moves: list[dict[int, list[tuple[str, int]]]] = [{} for _ in axes]

    def axes_of(self, p: Polynomial) -> frozenset[int]:
        """The axes that move a number."""
        names = self._sampler.moving(p)
        return frozenset(
            n for n, axis in enumerate(self._axes) if any(not names.isdisjoint(d.names) for d in axis.dimensions)
        )

    def of(self, p: Polynomial) -> Value:
        """The values of a number."""
        return self._made(p) or self._sampled(p)

    def _sampled(self, p: Polynomial) -> Value:
        """The same by the sampler, worked out once for the places that move it: data and counters that start over."""
        on, known = sorted(self.axes_of(p)), dict[tuple[int, ...], int]()

        def at_places(at: Sequence[int]) -> int:
            key = tuple([at[n] for n in on])
            if key not in known:
                point: Point = {}
                for n, place in zip(on, key, strict=True):
                    for name, by in self._moved(n, place):
                        point[name] = point.get(name, 0) + by
                known[key] = self._sampler.value(p, point)
            return known[key]

        return at_places

    def _moved(self, axis: int, place: int) -> list[tuple[str, int]]:
        known = self._moves[axis]
        if place not in known:
            known[place] = self._axes[axis].moves(place)
        return known[place]

    def _made(self, p: Polynomial) -> Value | None:
        """The same of what ids, counters of loops and given sizes decide; None of another."""
        constant, counts, products = 0, dict[str, int](), list[tuple[int, list[Value]]]()
        for monomial, by in p.terms:
            moving: list[Value] = []
            coefficient, count = by, ""
            for name in monomial:
                symbol = self._sampler.facts.symbols.get(name)
                if symbol is None:
                    return None
                if symbol.operation is None and symbol.kind in _GIVEN:
                    coefficient *= self._sampler.value(Polynomial.symbol(name), {})
                elif symbol.operation is None and symbol.kind in _COUNTS and len(monomial) == 1:
                    count = name
                elif (value := self._symbol(symbol)) is not None:
                    moving.append(value)
                else:
                    return None
            if count:
                counts[count] = coefficient
            elif moving:
                products.append((coefficient, moving))
            else:
                constant += coefficient
        tables = [table for n in range(len(self._axes)) if (table := self._table(n, counts)) is not None]
        return _sum(constant, tables, products)

    def _table(self, axis: int, counts: dict[str, int]) -> _Table | None:
        names = {name for dimension in self._axes[axis].dimensions for name in dimension.names}
        own = {name: by for name, by in counts.items() if name in names}
        if not own:
            return None
        return _Table(axis, lambda place: sum([own.get(name, 0) * by for name, by in self._moved(axis, place)]))

    def _symbol(self, symbol: Symbol) -> Value | None:
        if symbol.name not in self._of_symbols:
            self._of_symbols[symbol.name] = None  # a comparison may hold itself, by how far a loop runs
            value = self._operation(symbol)
            self._of_symbols[symbol.name] = _once(value) if value is not None else None
        return self._of_symbols[symbol.name]

    def _operation(self, symbol: Symbol) -> Value | None:
        if symbol.operation in COMPARES:
            distance = self._made(self._sampler.apart(symbol))
            if distance is None:
                return None
            return (lambda at: distance(at) < 0) if symbol.operation == "less" else (lambda at: distance(at) == 0)
        if symbol.operation is None:
            name = Polynomial.symbol(symbol.name)
            return self._made(name) if symbol.kind in _COUNTS else None
        operands = [self._made(o) for o in symbol.operands]
        if any(o is None for o in operands):
            return None
        operation, made = symbol.operation, [o for o in operands if o is not None]
        if operation == "and":
            first, second = made
            return lambda at: (found := first(at)) and found & second(at)
        if operation == "select":
            chosen, one, other = made
            return lambda at: one(at) if chosen(at) else other(at)
        if operation in OF_TWO and len(made) == 2:
            of_two, (first, second) = OF_TWO[operation], made
            return lambda at: of_two(first(at), second(at)) or 0
        return lambda at: operate(operation, [value(at) for value in made]) or 0
