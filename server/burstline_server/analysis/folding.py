"""What full unrolling leaves of operations on the elements of constant tables: they are numbers then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from math import prod

from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.analysis.symbol_table import SymbolTable

MAX_TRIPS = 1024
"""Most iterations over which elements are looked up."""

Remaining = Callable[[int | None, int | None], str | None]
"""The operation that two operands need, each a number or not known; None where it is wires, or the compiler's work."""


@fixed
class Left:
    """What is left where `loops` are fully unrolled: so many of an operation, over all their copies."""

    loops: tuple[int, ...]
    operation: str
    count: int


def left_of(symbols: SymbolTable, a: Polynomial | None, b: Polynomial | None, remaining: Remaining) -> Left | None:
    """What is left of an operation with elements that counters of loops pick; None where it has no such."""
    picked = picks(symbols, a, b)
    if picked is None:
        return None
    loops, found = picked
    if not set(loops) <= set(symbols.open_loops):
        return None
    kinds = [kind for values in found if (kind := remaining(_number(a, values), _number(b, values))) is not None]
    return Left(loops, max(set(kinds), key=kinds.count) if kinds else "", len(kinds))


def picks(
    symbols: SymbolTable, *numbers: Polynomial | None
) -> tuple[tuple[int, ...], Iterator[Mapping[str, int]]] | None:
    """The loops that pick the elements in some numbers, and these elements in each of their iterations.

    None where there are none, or where anything but loops of constant trip counts picks one.
    """
    known = [number for number in numbers if number is not None]
    names = {s for number in known for s in number.symbols if symbols.kind(s) == "loaded"}
    tables = {s: operands for s in names if (operands := symbols.elements(s)) is not None}
    if not tables:
        return None
    counters = {s: symbols.trips(s) for operands in tables.values() for s in operands[0].symbols}
    trips = {s: found for s, found in counters.items() if found is not None}
    if len(trips) < len(counters) or prod(n for _, n in trips.values()) > MAX_TRIPS:
        return None
    order = sorted(trips, key=lambda s: trips[s][0])
    iterations = (dict(zip(order, at, strict=True)) for at in product(*(range(trips[s][1]) for s in order)))
    return tuple(trips[s][0] for s in order), (_elements(tables, at) for at in iterations)


def _elements(tables: Mapping[str, tuple[Polynomial, ...]], counters: Mapping[str, int]) -> dict[str, int]:
    """The element that each symbol is; those behind a table's end are left out."""
    found = {}
    for name, (index, *elements) in tables.items():
        at = index.evaluate(counters)
        value = elements[int(at)].constant if at is not None and 0 <= at < len(elements) else None
        if value is not None:
            found[name] = value
    return found


def _number(number: Polynomial | None, values: Mapping[str, int]) -> int | None:
    """What a polynomial is with these values; None where other symbols remain."""
    if number is None:
        return None
    total = 0
    for monomial, coefficient in number.terms:
        factor = coefficient * prod(values.get(name, 1) for name in monomial)
        if factor and not values.keys() >= set(monomial):
            return None
        total += factor
    return total


def picking_loops(symbols: SymbolTable, offset: Polynomial | None) -> frozenset[int] | None:
    """The loops of constant trip counts whose counters alone make an offset; None where anything else does."""
    found = set[int]()
    for name in symbols.closure(offset.symbols) if offset is not None else ():
        if (counter := symbols.trips(name)) is not None:
            found.add(counter[0])
        elif symbols.kind(name) != "opaque" or symbols.closure([name]) == {name}:
            return None  # what is computed of counters is as constant as they are
    return frozenset(found) if offset is not None else None
