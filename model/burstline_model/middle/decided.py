"""Remainders, minima and choices that conditions around an access, and the bounds of its loops, decide.

In ``if (i < 256) sum += x[i & 255];`` the mask changes nothing where the access runs, and what ``i == 0 ? a : b`` picks
under ``if (i > 0)`` is known, and so is ``min(start + 32, 128)`` where `start` is a multiple of 32 below 128. LLVM
removes such operations, and so do compilers that are built on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from burstline_model.facts import Access, Guard, KernelFacts, Symbol
from burstline_model.polynomial import Monomial, Polynomial, TooComplexError

ONE = Polynomial.number(1)
MOST_BOUNDS = 24
"""Most bounds that are kept of what is around an access."""
MOST_USED = 3
"""Most bounds that one proof adds up."""
_DEPTH = 4
_DECIDED = {"remainder", "quotient", "minimum", "maximum", "select"}
_AT_LEAST_ZERO = {"global_id", "local_id", "group_id", "global_size", "local_size", "num_groups", "loop"}
_COMPARES = {"less", "equal"}


def decided(facts: KernelFacts) -> KernelFacts:
    """The facts with addresses without what is decided where they are used.

    What one access of a buffer needs is left in all of them: accesses at one place have to be seen as such.
    """
    facts = _with_loops(facts)
    found: dict[tuple[str, str], list[Polynomial | None]] = {}
    for access in facts.accesses:
        names = _operated(facts, access.offset)
        around = _Around(facts, access.loops, access.guards) if names else None
        for name in names:
            value = around.value(facts.symbols[name]) if around is not None else None
            found.setdefault((access.pointer, name), []).append(value)
    known = {key: values[0] for key, values in found.items() if values[0] is not None and len({*values}) == 1}
    if not known:
        return facts
    return facts.model_copy(update={"accesses": tuple(_with(facts, access, known) for access in facts.accesses)})


def _with_loops(facts: KernelFacts) -> KernelFacts:
    """The facts with trip counts without what the loops around decide: blocks that divide a size evenly."""
    loops = list(facts.loops)
    for number, loop in enumerate(loops):
        if loop.trip is None or not _operated(facts, loop.trip):
            continue
        trip = _Around(facts, facts.loops_around(number), loop.guards).without(loop.trip)
        if trip != loop.trip:
            loops[number] = loop.model_copy(update={"trip": trip})
    return facts.model_copy(update={"loops": tuple(loops)}) if loops != [*facts.loops] else facts


def _operated(facts: KernelFacts, number: Polynomial | None) -> list[str]:
    """The symbols of an address or a count that may be decided."""
    if number is None:
        return []
    return [n for n in number.symbols if (s := facts.symbols.get(n)) is not None and s.operation in _DECIDED]


def _with(facts: KernelFacts, access: Access, known: Mapping[tuple[str, str], Polynomial | None]) -> Access:
    values = {name: value for name in _operated(facts, access.offset) if (value := known.get((access.pointer, name)))}
    if not values or access.offset is None:
        return access
    try:
        return replace(access, offset=access.offset.substitute(values))
    except TooComplexError:
        return access


class _Around:
    """What holds in some loops and under some conditions."""

    def __init__(self, facts: KernelFacts, around: Sequence[int], guards: Sequence[Guard]) -> None:
        self._symbols = facts.symbols
        self._group = facts.work_group_size
        self._holds: dict[str, int] = {}
        bounds = list[Polynomial]()
        loops = [facts.loops[number] for number in around]
        for guard in (*guards, *(guard for loop in loops for guard in loop.guards)):
            bounds += self._bounds(guard.condition) if guard.condition is not None else ()
        bounds += [loop.trip - ONE - Polynomial.symbol(loop.counter) for loop in loops if loop.trip is not None]
        self._never_negative = bounds[:MOST_BOUNDS]

    def _bounds(self, condition: Polynomial, depth: int = 0) -> Iterator[Polynomial]:
        """Numbers that are not negative where a condition holds."""
        negated = condition.offset != 0
        own = ONE - condition if negated else condition
        symbol = self._symbols.get(next(iter(own.symbols), ""))
        if symbol is None or own != Polynomial.symbol(symbol.name) or depth > _DEPTH:
            return
        self._holds[symbol.name] = int(not negated)
        if symbol.operation == "less":
            first, second = symbol.operands
            yield first - second if negated else second - first - ONE
        elif symbol.operation == "equal" and not negated:
            first, second = symbol.operands
            yield from (first - second, second - first)
        elif symbol.operation == ("or" if negated else "and"):
            for operand in symbol.operands:
                yield from self._bounds(ONE - operand if negated else operand, depth + 1)

    def value(self, symbol: Symbol, depth: int = 0) -> Polynomial | None:
        """What a symbol is here without its operation; None where that is not decided."""
        if symbol.name in self._holds:
            return Polynomial.number(self._holds[symbol.name])
        if symbol.operation is None or depth > _DEPTH:
            return None
        operands = [self.without(operand, depth + 1) for operand in symbol.operands]
        if symbol.operation == "select":
            chosen = operands[0].constant
            return None if chosen is None else operands[1] if chosen else operands[2]
        if len(operands) != 2:
            return None
        return self._of_two(symbol.operation, *operands)

    def _of_two(self, operation: str, a: Polynomial, b: Polynomial) -> Polynomial | None:
        match operation:
            case "remainder" | "quotient" if self._is_less(a, b) and self._is_at_least(a, Polynomial()):
                return a if operation == "remainder" else Polynomial()
            case "minimum" | "maximum" if self._is_at_least(b, a):
                return a if operation == "minimum" else b
            case "minimum" | "maximum" if self._is_at_least(a, b):
                return b if operation == "minimum" else a
            case "less" if self._is_less(a, b):
                return ONE
            case "less" if self._is_at_least(a, b):
                return Polynomial()
            case "equal" if self._is_less(a, b) or self._is_less(b, a):
                return Polynomial()
            case "equal" if self._is_at_least(a, b) and self._is_at_least(b, a):
                return ONE
            case _:
                return None

    def _is_less(self, a: Polynomial, b: Polynomial) -> bool:
        return self._is_at_least(b, a + ONE)

    def without(self, number: Polynomial, depth: int = 0) -> Polynomial:
        """A number without what is decided here."""
        found = {}
        for name in number.symbols:
            if (symbol := self._symbols.get(name)) is not None and (value := self.value(symbol, depth)) is not None:
                found[name] = value
        try:
            return number.substitute(found)
        except TooComplexError:
            return number

    def _is_at_least(self, a: Polynomial, b: Polynomial) -> bool:
        return self._is_never_negative(a - b, MOST_USED)

    def _is_never_negative(self, number: Polynomial, left: int) -> bool:
        if (least := self._least(number)) is not None and least >= 0:
            return True
        if not left:
            return False
        for monomial, factor in number.terms:
            if not monomial:
                continue
            for bound in self._never_negative:
                own = next((c for m, c in bound.terms if m == monomial), 0)
                if own * factor > 0 and factor % own == 0:
                    rest = number - bound.scaled(factor // own)
                    if self._is_never_negative(rest, left - 1):
                        return True
        return False

    def _least(self, number: Polynomial, depth: int = 0) -> int | None:
        """The least that a number can be by its symbols alone; None where they do not say."""
        total = 0
        for monomial, factor in number.terms:
            if not monomial:
                total += factor
                continue
            ends = self._ends(monomial, depth)
            end = ends[0] if factor > 0 else ends[1]
            if end is None:
                return None
            total += factor * end
        return total

    def _ends(self, monomial: Monomial, depth: int) -> tuple[int | None, int | None]:
        """The least and the most that a product of symbols can be."""
        low: int | None = 1
        high: int | None = 1
        for name in monomial:
            first, last = self._ends_of(name, depth)
            if first is None or first < 0:
                return None, None
            low = low * first if low is not None else None
            high = high * last if high is not None and last is not None else None
        return low, high

    def _ends_of(self, name: str, depth: int) -> tuple[int | None, int | None]:
        symbol = self._symbols.get(name)
        if symbol is None or depth > _DEPTH:
            return None, None
        last = symbol.below - 1 if symbol.below is not None else None
        if symbol.kind == "local_id" and self._group is not None:
            last = self._group[symbol.dimension] - 1
        if symbol.kind in _AT_LEAST_ZERO or symbol.operation in _COMPARES:
            return 0, last
        if symbol.operation in {"quotient", "remainder"}:
            # What is divided may be negative: ``(padding - i) / 2``.
            parts = [self._least(operand, depth + 1) for operand in symbol.operands]
            return (0, last) if all(part is not None and part >= 0 for part in parts) else (None, None)
        return symbol.least, last
