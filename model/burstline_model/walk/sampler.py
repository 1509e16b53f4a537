"""Integers of a kernel evaluated at points of its iteration space, with assumed values for what is not known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from math import gcd, prod
from zlib import crc32

from burstline_model.facts import Access, Loop, Symbol
from burstline_model.parallelism.assumed_counts import shared_out
from burstline_model.parallelism.assumed_values import most_assumed
from burstline_model.parallelism.extent import Extent
from burstline_model.parallelism.made_of import COMPARES
from burstline_model.parallelism.symbol_values import operate
from burstline_model.polynomial import Polynomial, Turns
from burstline_model.record import fixed
from burstline_model.walk.issue_order import Dimension

UNKNOWN_SIZE = 1021
"""The value assumed for an argument that is not given: no power of two or other tuned size."""
MOST_DATA = 1 << 20
"""Values read from memory lie below this, unless their type or a mask says less."""
MOST_INT = 1 << 31
"""What an `int` holds lies below this: the most that the quotients of data come from."""
TYPICAL_RUN = 16
"""Length of a run whose ends are read from memory and whose trip count nobody gave."""
_DEPTH = 8

Point = dict[str, int]


class Sampler:
    """Evaluates polynomials. What memory holds is made up: spread evenly, and the same at the same place.

    Whether it is equal to something is made up as well: it is in half of all places, as conditions on data hold.

    The two ends of a loop that are read from one array at neighbouring places (rows of a sparse matrix, buckets) are
    taken to follow one another, as such arrays do.
    """

    def __init__(self, extent: Extent) -> None:
        self.extent = extent
        self.facts = extent.facts
        self._sizes = _Sizes(extent)
        self._apart: dict[str, Polynomial] = {}
        self._counted: dict[int, bool] = {}
        self._moved: dict[str, tuple[str, ...]] = {}
        self._turns: dict[str, tuple[int, int, int, int]] = {}

    @cached_property
    def _along(self) -> list[_Run]:
        """What the loops run along."""
        return [run for loop in self.facts.loops if (run := self._run_of(loop)) is not None]

    @cached_property
    def _runs(self) -> list[_Run]:
        """Those whose ends data decide."""
        return [run for run in self._along if run.ends]

    def at(self, places: Sequence[tuple[Dimension, float]]) -> Point:
        """The symbols' values at a place along each dimension."""
        point: Point = {}
        for dimension, place in places:
            for name, by in dimension.moves:
                point[name] = point.get(name, 0) + int(place) * by
        return point

    def value(self, number: Polynomial, point: Point, depth: int = 0) -> int:
        """A polynomial's value; `point` remembers the values of other symbols."""
        total = 0
        for monomial, coefficient in number.terms:
            product = coefficient
            for name in monomial:
                known = point.get(name)
                if known is None:
                    known = point[name] = self._symbol(name, point, depth)
                product *= known
            total += product
        return total

    def settle(self, number: Polynomial, point: Point, moved: frozenset[str]) -> None:
        """Let a point remember the values of a polynomial's symbols that do not vary with those `moved`."""
        for name in number.symbols:
            if name not in moved and moved.isdisjoint(self.moving(Polynomial.symbol(name))):
                self.value(Polynomial.symbol(name), point)

    def divisor(self, number: Polynomial) -> int:
        """What divides every value of a polynomial, whatever the ids, counters and data in it are; 0 divides 0 alone.

        Sizes and arguments that are given take part with their values.
        """
        found = 0
        for monomial, coefficient in number.terms:
            found = gcd(found, coefficient * prod(self._divisor(name) for name in monomial))
        return found

    def _divisor(self, name: str) -> int:
        decided = self.extent.decided(Polynomial.symbol(name))
        if decided is not None or name in self._sizes.assumed:
            return self._sizes[name] if decided is None else int(decided)
        symbol = self.facts.symbols.get(name)
        return symbol.multiple_of if symbol is not None else 1

    def known(self, number: Polynomial) -> bool:
        """Whether a value follows from ids, counters, given arguments and sizes alone."""
        return all(self._known(name) for name in number.symbols)

    def is_counted(self, number: Polynomial) -> bool:
        """Whether a value is known, or would be if work-groups had the size that the compiler takes unasked."""
        return all(self._known(name, usual_groups=True) for name in number.symbols)

    def moving(self, number: Polynomial) -> frozenset[str]:
        """All symbols that a polynomial varies with."""
        own = number.symbols
        return own.union(*(self.facts.symbols[s].depends_on for s in own if s in self.facts.symbols))

    def apart(self, symbol: Symbol) -> Polynomial:
        """What a comparison compares, the second taken from the first.

        Where that holds how far a loop runs from its start to its end, which data decide, and the loop's trips are
        given, it is that distance: such a comparison asks how far the loop has come.
        """
        if symbol.name not in self._apart:
            distance = symbol.operands[0] - symbol.operands[1]
            self._apart[symbol.name] = distance  # how far a loop runs may hold this very comparison
            self._apart[symbol.name] = self._along_run(distance)
        return self._apart[symbol.name]

    def _along_run(self, distance: Polynomial) -> Polynomial:
        for run in self._runs:
            if run.length is None or run.ends.isdisjoint(distance.symbols):
                continue
            for sign in (1, -1):
                rest = distance + run.whole.scaled(sign)
                if run.ends.isdisjoint(rest.symbols) and self.known(rest):
                    return rest - Polynomial.number(sign * int(run.length))
        return distance

    def _run_of(self, loop: Loop) -> _Run | None:
        """What a loop runs along; None where its trips do not follow from two numbers."""
        if loop.trip is None:
            return None
        trips, whole, step = self.extent.trips[loop.id], loop.trip, 1
        name = next(iter(whole.symbols), "")
        symbol = self.facts.symbols.get(name)
        if symbol is not None and symbol.operation == "quotient" and whole == Polynomial.symbol(name):
            step = symbol.operands[1].constant or 0
            if step < 1:
                return None
            whole = symbol.operands[0] - Polynomial.number(step - 1)
        ends = frozenset(n for n in whole.symbols if (s := self.facts.symbols.get(n)) and s.kind == "loaded")
        return _Run(whole, ends, step, float(trips * step - step // 2) if trips is not None else None)

    def place_of(self, name: str, *, ends: bool) -> Polynomial | None:
        """Where a value of any size is loaded from; None of other symbols. `ends`: also where runs begin and end."""
        symbol = self.facts.symbols.get(name)
        if symbol is None or symbol.kind != "loaded" or symbol.operation is not None or symbol.below is not None:
            return None
        access = self.facts.accesses[symbol.loaded_from] if symbol.loaded_from is not None else None
        return access.offset if access is not None and (ends or access.pointer not in self._ends) else None

    def is_made_up(self, number: Polynomial, moved: frozenset[str]) -> bool:
        """Whether a value of any size that nothing is known of enters, another one wherever those `moved` are."""
        symbols = (self.facts.symbols.get(m[0]) for m, _ in number.terms if len(m) == 1)
        own = [s for s in symbols if s is not None and s.below is None and self._is_from_nowhere(s)]
        return any(name in moved and self._is_moving(name) for symbol in own for name in symbol.depends_on)

    def _is_from_nowhere(self, symbol: Symbol) -> bool:
        """Whether nothing is known of a value but what it depends on."""
        if symbol.operation is not None or symbol.advance is not None:
            return False
        place = self.facts.accesses[symbol.loaded_from].offset if symbol.loaded_from is not None else None
        return symbol.kind == "opaque" or (symbol.kind == "loaded" and place is None)

    def _known(self, name: str, *, usual_groups: bool = False) -> bool:
        symbol = self.facts.symbols.get(name)
        if symbol is None:
            return False
        if symbol.operation in COMPARES:
            return all(self._known(n, usual_groups=usual_groups) for n in self.apart(symbol).symbols)
        if symbol.operation is not None:
            return all(self._known(n, usual_groups=usual_groups) for o in symbol.operands for n in o.symbols)
        if symbol.kind in {"loaded", "carried", "opaque"}:
            return symbol.kind == "carried" and symbol.step is not None
        if symbol.kind in {"argument", "global_size", "local_size", "num_groups"}:
            return name in self._sizes.assumed or self.extent.value(Polynomial.symbol(name), {}) is not None
        return usual_groups or symbol.kind not in {"local_id", "group_id"} or self.extent.local_size is not None

    def _symbol(self, name: str, point: Point, depth: int) -> int:
        symbol = self.facts.symbols.get(name)
        if symbol is None or depth > _DEPTH:
            return crc32(name.encode()) % MOST_DATA
        if symbol.operation in COMPARES:
            distance = self.apart(symbol)
            if symbol.operation == "equal" and any(self._is_plain_data(n) for n in distance.symbols):
                return self._made_up(symbol, point)
            return int(operate(symbol.operation, [self.value(distance, point, depth + 1), 0]) or 0)
        if symbol.operation is not None:
            operands: list[int | None] = [self.value(o, point, depth + 1) for o in symbol.operands]
            parts = self._parts_of_data(symbol, operands)
            if parts is not None:
                return _spread(parts, f"{symbol.operands[0]} {operands[0]}")
            found = operate(symbol.operation, operands)
            if found is None and symbol.operation == "power":  # beyond any integer, by an exponent that nobody gave
                return self._made_up(symbol, point)
            return found if found is not None else 0
        match symbol.kind:
            case "loaded" if symbol.advance is None or self._counts_apart(symbol):
                return self._loaded(symbol, point, depth)
            case "carried" | "loaded":
                return self._carried(symbol, point)
            case "opaque":
                return self._made_up(symbol, point)
            case "global_id" | "local_id" | "group_id" | "loop" | "global_offset":
                return 0
            case _:
                return self._sizes[name]

    def _parts_of_data(self, symbol: Symbol, operands: Sequence[int | None]) -> int | None:
        """How many quotients data of any size may have; None of others.

        Data are made up to be small: the high bits of a key would be 0 in all of them.
        """
        if symbol.operation != "quotient" or symbol.below is not None or not (operands[1] or 0) > 1:
            return None
        names = symbol.operands[0].symbols
        whole = len(names) == 1 and symbol.operands[0] == Polynomial.symbol(next(iter(names)))
        if not whole or self.place_of(next(iter(names)), ends=False) is None:
            return None
        return min(max(MOST_INT // (operands[1] or 1), 1), MOST_DATA)

    def _counts_apart(self, symbol: Symbol) -> bool:
        """Whether each work-item has a count of its own that moves on in most iterations: neighbours are at any."""
        return self.facts.model == "ndrange" and symbol.step is not None and bool(symbol.step.terms)

    def _loaded(self, symbol: Symbol, point: Point, depth: int) -> int:
        access = self.facts.accesses[symbol.loaded_from] if symbol.loaded_from is not None else None
        if access is None or access.offset is None:
            return self._made_up(symbol, point)
        if access.op == "atomic":
            return self._counted_in_memory(symbol, access, point)
        place = self.value(access.offset, point, depth + 1)
        length = self._ends.get(access.pointer)
        if length is not None and self._is_direct(symbol):
            return int(place // max(access.element_bytes, 1) * length)
        return _spread(symbol.below, f"{access.pointer} {place}")

    def _counted_in_memory(self, symbol: Symbol, access: Access, point: Point) -> int:
        """What an atomic gives back: whoever adds to a counter gets the next number, most often by one."""
        made_up = self._made_up(symbol, point)
        if not re.fullmatch(r"atom(?:ic)?_(?:add|sub|inc|dec)", access.atomic or ""):
            return made_up
        # Data that decide who asks count as always true: it moves by all, though not in even steps.
        return 2 * (sum(point.get(n, 0) for n in self._moved[symbol.name]) // 2)

    def _carried(self, symbol: Symbol, point: Point) -> int:
        loop = symbol.loop
        trip = point.get(self.facts.loops[loop].counter, 0) if loop is not None else 0
        if symbol.advance is not None:
            # Data that decide count as always true: it moves by all, though not in even steps.
            return 2 * (trip // 2) * (symbol.advance.constant or 1)
        if symbol.turns is not None and self.counts_turns(symbol):
            start, step, every, period = self._figures(symbol.name, symbol.turns)
            return start + step * (trip // every % period if period else trip // every)
        if symbol.step is not None:
            return trip * self.value(symbol.step, point, _DEPTH)
        return self._made_up(symbol, point)

    def _figures(self, name: str, turns: Turns) -> tuple[int, int, int, int]:
        """What a counter that wraps starts at and adds, after how many iterations, and its period; 0: none."""
        if name not in self._turns:
            start, step, every = (self.value(number, {}) for number in (turns.start, turns.step, turns.every))
            period = max(self.value(turns.period, {}), 1) if turns.period is not None else 0
            self._turns[name] = start, step, max(every, 1), period
        return self._turns[name]

    def counts_turns(self, symbol: Symbol) -> bool:
        """Whether the value of a counter that wraps is known in each iteration.

        It counts for nothing where another one of its loop is not known: a column alone would go through one row again
        and again.
        """
        if symbol.turns is None or symbol.kind != "carried" or symbol.loop is None:
            return False
        if symbol.loop not in self._counted:
            every = (s for s in self.facts.symbols.values() if s.kind == "carried" and s.loop == symbol.loop)
            counters = [s.turns for s in every if s.turns is not None or s.step is not None]
            self._counted[symbol.loop] = all(turns is not None and self._is_known(turns) for turns in counters)
        return self._counted[symbol.loop]

    def _is_known(self, turns: Turns) -> bool:
        figures = (turns.start, turns.step, turns.every, turns.period)
        return all(self.extent.value(n, {}) is not None for n in figures if n is not None)

    def turn(self, symbol: Symbol) -> int:
        """After how many iterations a counter that wraps comes round; 0: never, or not known."""
        if symbol.turns is None or symbol.turns.period is None or not self.counts_turns(symbol):
            return 0
        return max(self.value(symbol.turns.every, {}) * self.value(symbol.turns.period, {}), 1)

    def _made_up(self, symbol: Symbol, point: Point) -> int:
        if symbol.name not in self._moved:
            self._moved[symbol.name] = tuple(n for n in symbol.depends_on if self._is_moving(n))
        own = {n: point.get(n, 0) for n in self._moved[symbol.name]}
        return _spread(symbol.below, f"{symbol.name} {own}")

    def _is_plain_data(self, name: str) -> bool:
        """Whether a value is what memory holds: made-up ones equal hardly any number that a kernel asks for."""
        symbol = self.facts.symbols.get(name)
        return symbol is not None and symbol.kind == "loaded" and symbol.operation is None

    def _is_moving(self, name: str) -> bool:
        symbol = self.facts.symbols.get(name)
        return symbol is not None and symbol.kind in {"global_id", "local_id", "group_id", "loop"}

    def _is_direct(self, symbol: Symbol) -> bool:
        access = self.facts.accesses[symbol.loaded_from] if symbol.loaded_from is not None else None
        return access is not None and symbol.name.startswith(f"{access.pointer}[")

    @cached_property
    def _ends(self) -> dict[str, float]:
        """Arrays that hold where runs begin and end, with the mean length of a run.

        A loop that starts where the loop around it is says less than that one.
        """
        found: dict[str, float] = {}
        parts: dict[str, float] = {}
        for run in self._along:
            read = [s for n in run.whole.symbols if (s := self.facts.symbols.get(n)) and self._is_direct(s)]
            pointers = {self.facts.accesses[s.loaded_from].pointer for s in read if s.loaded_from is not None}
            if len(read) == 2 and len(pointers) == 1:
                of = found if len(run.whole.symbols) == 2 else parts
                of[pointers.pop()] = run.length if run.length is not None else TYPICAL_RUN * run.step
        return {**parts, **found}


@fixed
class _Run:
    """What a loop runs along, in elements: `whole` from its start to its end, `step` of them in each trip.

    `ends` are the values from memory in `whole`. `length` is that of the trips which are known: one that takes several
    at a time ends halfway in its last trip.
    """

    whole: Polynomial
    ends: frozenset[str]
    step: int
    length: float | None


class _Sizes(dict[str, int]):
    """Values of arguments and sizes, each looked up once; what loops are assumed to follow from has that value."""

    def __init__(self, extent: Extent) -> None:
        self.assumed = frozenset[str]().union(*extent.assumed.values())
        each, most = extent.launch.assumed_trips or 0, most_assumed(extent.facts)
        shared = {name: n for name, n in _shared_totals(extent).items() if name not in self.assumed}
        super().__init__({**{name: min(each, most.get(name, each)) for name in self.assumed}, **shared})
        self.assumed |= shared.keys()
        self._extent = extent

    def __missing__(self, name: str) -> int:
        known = self._extent.value(Polynomial.symbol(name), {})
        multiple = self._extent.facts.symbols[name].multiple_of
        self[name] = int(known) if known is not None else UNKNOWN_SIZE * multiple
        return self[name]


def _shared_totals(extent: Extent) -> dict[str, int]:
    """The arguments that say how many iterations work-items share, by what is assumed of the part of each."""
    found = dict[str, int]()
    for number, names in extent.assumed.items():
        loop, trips = extent.facts.loops[number], extent.trips[number]
        parts = shared_out(extent.facts, loop) if not names else None
        step = extent.value(parts[1], {}) if parts is not None else None
        if parts is None or step is None or trips is None:
            continue
        plain = [n for n in parts[0].symbols if extent.facts.argument(n) is not None]
        by = parts[0].coefficient(plain[0]) if len(plain) == 1 else None
        if by == Polynomial.number(1) and extent.value(Polynomial.symbol(plain[0]), {}) is None:
            found[plain[0]] = int(trips * step)
    return found


def _spread(below: int | None, key: str) -> int:
    return crc32(key.encode()) * 2654435761 % (1 << 32) % max(below if below is not None else MOST_DATA, 1)
