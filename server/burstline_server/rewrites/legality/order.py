"""Which accesses of a kernel may reach one place, in program order, over all its loops and statements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import gcd

from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.parallelism.alias import exclusive, may_alias
from burstline_model.pipeline.dependence import asserted, loads_the_same
from burstline_model.polynomial import Polynomial, TooComplexError
from burstline_model.record import fixed

MAX_PAIRS = 20_000
"""Most pairs of accesses that are compared in one kernel."""
MAX_COUNTERS = 6
"""Most counters of two accesses that are tried out for a place where both meet."""
_FIXED = {"argument", "global_id", "local_id", "group_id", "global_size", "local_size", "num_groups", "global_offset"}
_NOT_NEGATIVE = _FIXED - {"argument", "global_offset"}


@fixed
class Meeting:
    """An access reaches a place before another one does. `loop` has an iteration of each; None: in one pass.

    `certain`: they do, where loops run often enough and conditions hold; else it cannot be excluded.
    """

    loop: Loop | None
    certain: bool


def meetings(facts: KernelFacts, first: Access, second: Access) -> Iterator[Meeting]:
    """One meeting for each common loop that carries it, from the outermost; last that within one pass."""
    if not may_alias(facts, first, second):
        return
    common = next(
        (k for k, (a, b) in enumerate(zip(first.loops, second.loops, strict=False)) if a != b),
        min(len(first.loops), len(second.loops)),
    )
    for level in range(common):
        loop = facts.loops[first.loops[level]]
        certain = None if asserted(loop, first, second) else _meet(facts, first, second, level, carried=True)
        if certain is not None:
            yield Meeting(loop, certain)
    if first.id < second.id and not exclusive(first, second):
        certain = _meet(facts, first, second, common, carried=False)
        if certain is not None:
            yield Meeting(None, certain)


def carried_by(facts: KernelFacts, loop: Loop, first: Access, second: Access) -> Meeting | None:
    """Whether an iteration of a loop may reach what an earlier one, at the same point of outer loops, reached."""
    return next((m for m in meetings(facts, first, second) if m.loop is not None and m.loop.id == loop.id), None)


def _meet(facts: KernelFacts, first: Access, second: Access, level: int, *, carried: bool) -> bool | None:
    """True: certainly; False: perhaps; None: never. Iterations of outer loops before `level` are the same ones."""
    if first.pointer != second.pointer:
        return False
    if first.offset is None or second.offset is None:
        return False
    if not carried and level == len(first.loops) == len(second.loops) and first.offset == second.offset:
        return True  # whatever the address is: it is the same in one iteration
    if carried and first.loops == second.loops and first.offset == second.offset:
        again = _again(facts, first.offset, facts.loops[first.loops[level]])
    else:
        again = False
    try:
        pair = _Pair(facts, first, second, level, carried=carried)
        if not pair.known:
            return again and pair.can_run()
        return None if pair.never() else pair.somewhere()
    except TooComplexError:
        return False


def _again(facts: KernelFacts, offset: Polynomial, loop: Loop) -> bool:
    """Whether an address comes again in the next iteration of a loop, in the same iterations of the loops in it."""
    symbols = [facts.symbols.get(name) for name in offset.symbols]
    return all(
        s is not None
        and s.name != loop.counter
        and (s.kind in _FIXED or s.kind == "loop" or loads_the_same(facts, s, loop))
        for s in symbols
    )


def reversed_by_interchange(facts: KernelFacts, first: Access, second: Access, outer: int) -> bool:
    """Whether two accesses may reach one place in the opposite order once a loop and the one in it change places.

    That is where `first` reaches it in an earlier iteration of the outer loop than `second` and in a later one of the
    inner loop. `outer` counts the loops around it.
    """
    if not may_alias(facts, first, second):
        return False
    if first.pointer != second.pointer or first.offset is None or second.offset is None:
        return True
    try:
        pair = _Pair(facts, first, second, outer, carried=True, later=True)
        return not (pair.known and pair.never())
    except TooComplexError:
        return True


def reversed_by_fusion(facts: KernelFacts, first: Access, second: Access, loop: Loop, other: Loop) -> bool:
    """Whether two accesses may reach one place in the opposite order once their two loops are one.

    That is where `first`, in `loop`, reaches it in a later iteration than `second` does in `other`, the loop after it.
    """
    level = first.loops.index(loop.id)
    same = first.loops[:level] == second.loops[:level] and second.loops[level] == other.id
    if not same or first.offset is None or second.offset is None:
        return True
    counters = {other.counter: Polynomial.symbol(loop.counter)}
    try:
        loops = (*first.loops[: level + 1], *second.loops[level + 1 :])
        moved = replace(second, loops=loops, offset=second.offset.substitute(counters))
        pair = _Pair(facts, moved, first, level, carried=True)
        return not (pair.known and pair.never())
    except TooComplexError:
        return True


class _Pair:
    """Two accesses, each with its own counters: how far apart they are, and the range of each counter.

    Loops before `level` have one iteration of both. `carried`: that at `level` has a later iteration of the second;
    `later`: and the loop in it has a later iteration of the first.
    """

    def __init__(
        self, facts: KernelFacts, first: Access, second: Access, level: int, *, carried: bool, later: bool = False
    ) -> None:
        self.facts, self.sizes = facts, (max(first.element_bytes, 1), max(second.element_bytes, 1))
        self.counters: list[tuple[str, int, Polynomial | None]] = []
        """Name, least value and number of values of each free counter; outer ones first."""
        self.positive = {s.name for s in facts.symbols.values() if s.kind in _NOT_NEGATIVE}
        self.least: dict[str, Polynomial] = {}
        """Symbols that are at least as large as a number, by themselves on top of it."""
        shared = {facts.loops[i].counter for i in first.loops[:level]}
        sides: list[dict[str, Polynomial]] = [{}, {}]
        for i in first.loops[:level]:
            self._add(facts.loops[i].counter, 0, facts.loops[i].trip, {})
        for at, side in enumerate([1, 0][: carried + later]):
            loop = facts.loops[first.loops[level + at]]
            name, ahead = loop.counter, f"{loop.counter}+"
            self._add(name, 0, loop.trip, {})
            self._add(ahead, 1, loop.trip, {})
            sides[side][name] = Polynomial.symbol(name) + Polynomial.symbol(ahead)
            shared.add(name)
        for side, access in enumerate((first, second)):
            for i in access.loops[level + carried + later :]:
                loop = facts.loops[i]
                own = f"{loop.counter}@{side}"
                self._add(own, 0, loop.trip, sides[side])
                sides[side][loop.counter] = Polynomial.symbol(own)
        one, other = first.offset or Polynomial(), second.offset or Polynomial()
        loops = {facts.loops[i].counter for i in (*first.loops, *second.loops)}
        self.known = all(self._is_known(name, loops) for name in one.symbols | other.symbols)
        self.apart = one.substitute(sides[0]) - other.substitute(sides[1])

    def _is_known(self, name: str, loops: set[str]) -> bool:
        symbol = self.facts.symbols.get(name)
        if symbol is None or name in loops:
            return name in loops
        if symbol.kind == "opaque":
            return bool(symbol.depends_on) and all(
                (s := self.facts.symbols.get(n)) is not None and s.kind in _FIXED for n in symbol.depends_on
            )
        return symbol.kind in _FIXED

    def _add(self, name: str, least: int, trip: Polynomial | None, renamed: dict[str, Polynomial]) -> None:
        trip = trip.substitute(renamed) if trip is not None else None
        of = [(m[0], c) for m, c in trip.terms if len(m) == 1 and c > 0] if trip is not None else []
        if trip is not None and len(of) == 1 and len(trip.terms) == 1 + (trip.offset != 0) and trip.offset <= 0:
            (symbol, by), short = of[0], 1 - trip.offset  # the access runs, so its loops do
            self.positive.add(symbol)
            self.least[symbol] = Polynomial.symbol(symbol) + Polynomial.number(-(-short // by))
        self.counters.append((name, least, trip))

    def never(self) -> bool:
        """Whether it is proved that the two keep off each other."""
        return self._never(self.apart) or any(self._never_in(row, rest) for row, rest in self._rows())

    def _never(self, apart: Polynomial) -> bool:
        by = 0
        for monomial, coefficient in apart.terms:
            by = gcd(by, coefficient) if monomial else by
        rest = apart.offset % by if by else apart.offset
        first, second = self.sizes
        if by and rest >= second and by - rest >= first:
            return True
        highest, lowest = self._extreme(apart), self._extreme(-apart)
        return self._not_positive(highest, first) or self._not_positive(lowest, second)

    def _rows(self) -> Iterator[tuple[Polynomial, Polynomial]]:
        """A row's length, where addresses are made of rows, and how far apart the two lie within theirs."""
        counters = {name for name, _, _ in self.counters}
        for name in sorted(self.apart.symbols - counters):
            many = self.apart.coefficient(name)
            if many is not None and many.terms and name in self.positive:
                by = gcd(*(c for _, c in many.terms))
                yield Polynomial.symbol(name).scaled(by), self.apart.without([name])
        for name in sorted(counters & self.apart.symbols):
            step = self.apart.coefficient(name)
            if step is not None and step.constant is None:
                row = step if step.terms[-1][1] > 0 else -step
                if len(row.terms) > 1 and all(c > 0 and set(m) <= self.positive for m, c in row.terms):
                    yield row, self._less_rows(row)
        steps = {abs(c) for m, c in self.apart.terms if m and counters.issuperset(m)}
        for by in sorted(steps)[1:]:
            rest = Polynomial.of({m: c for m, c in self.apart.terms if not m or c % by})
            if all(counters.issuperset(m) for m, _ in self.apart.terms):
                yield Polynomial.number(by), rest

    def _less_rows(self, row: Polynomial) -> Polynomial:
        """How far apart the two lie without whole rows of a length that is a sum: ``width + 1``."""
        rest, (longest, by) = self.apart, row.terms[-1]
        for _ in range(MAX_COUNTERS):
            rows = ((_quotient(m, longest), c) for m, c in rest.terms if c % by == 0)
            whole = next(((m, c // by) for m, c in rows if m is not None), None)
            if whole is None:
                break
            rest -= row * Polynomial((whole,))
        return rest

    def _never_in(self, row: Polynomial, rest: Polynomial) -> bool:
        """Whether two that are whole rows and a `rest` apart keep off each other: in one row, and in different ones."""
        first, second = self.sizes
        highest, lowest = self._extreme(rest), self._extreme(-rest)
        if highest is None or lowest is None or not self._never(rest):
            return False
        return self._not_positive(highest - row, first) and self._not_positive(lowest - row, second)

    def _not_positive(self, value: Polynomial | None, more: int) -> bool:
        if value is None:
            return False
        value = value.substitute(self.least) + Polynomial.number(more)
        return all(c <= 0 and set(monomial) <= self.positive for monomial, c in value.terms)

    def _extreme(self, value: Polynomial) -> Polynomial | None:
        """The greatest value over all counters; None where nothing bounds it."""
        for name, least, trip in reversed(self.counters):
            step = value.coefficient(name)
            if step is None:
                return None
            if not step.terms:
                continue
            if all(c < 0 and set(m) <= self.positive for m, c in step.terms):
                value = value.substitute({name: Polynomial.number(least)})
            elif all(c > 0 and set(m) <= self.positive for m, c in step.terms) and trip is not None:
                value = value.substitute({name: trip - Polynomial.number(1)})
            else:
                return None
        return value

    def somewhere(self) -> bool:
        """Whether some iterations, not far from the first, reach one place: whatever the arguments are."""
        free = [c for c in self.counters if c[0] in self.apart.symbols]
        if len(free) > MAX_COUNTERS or not self.can_run():
            return False
        for values in product((0, 1), repeat=len(free)):
            chosen = {name: least + value for (name, least, _), value in zip(free, values, strict=True)}
            if any(not _within(value, trip) for (_, _, trip), value in zip(free, chosen.values(), strict=True)):
                continue
            if self._overlap(self._at(chosen)):
                return True
            if any(self._solved(chosen, one) for one in free):
                return True
        return False

    def can_run(self) -> bool:
        """Whether every counter has a value at all: a loop that carries it runs twice."""
        return all(_within(least, trip) for _, least, trip in self.counters)

    def _at(self, chosen: dict[str, int]) -> Polynomial:
        return self.apart.substitute({name: Polynomial.number(value) for name, value in chosen.items()})

    def _solved(self, chosen: dict[str, int], one: tuple[str, int, Polynomial | None]) -> bool:
        """Whether the two meet at another value of one counter."""
        name, least, trip = one
        step = self.apart.coefficient(name)
        stride = step.constant if step is not None else None
        rest = self._at({**chosen, name: 0}).constant
        if not stride or rest is None:
            return False
        value = -rest // stride
        return any(
            v >= least and _within(v, trip) and self._overlap(Polynomial.number(rest + stride * v))
            for v in (value, value + 1)
        )

    def _overlap(self, apart: Polynomial) -> bool:
        gap = apart.constant
        return gap is not None and -self.sizes[0] < gap < self.sizes[1]


def _quotient(monomial: tuple[str, ...], by: tuple[str, ...]) -> tuple[str, ...] | None:
    """A product of symbols without those of another one; None where it does not have them all."""
    left = list(monomial)
    for name in by:
        if name not in left:
            return None
        left.remove(name)
    return tuple(left)


def _within(value: int, trip: Polynomial | None) -> bool:
    trips = trip.constant if trip is not None else None
    return trips is None or value < trips
