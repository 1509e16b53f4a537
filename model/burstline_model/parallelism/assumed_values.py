"""The most that is assumed of values by which loops go: what has a place in an array, and parts of other sizes.

How trip counts and addresses follow from an argument shows what it is: they are shorter by a window's size, and divided
by a step, or by the size of a tile; a border, on both sides, is taken off addresses. What only shortens loops is where
they begin.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Literal

from burstline_model.facts import Access, KernelFacts, LocalArray
from burstline_model.polynomial import Polynomial

START, STEP, BORDER, WINDOW, TILE = 0, 1, 1, 4, 16
"""What is assumed of where a loop begins, of a step, as of a filter, of a border around its data, of its window, and of
a tile's side."""
Use = Literal["more", "twice", "fewer", "divides", "asked", "other"]
"""How a trip count follows from a value: it grows with it, or by twice of it, falls, is divided by it, asks for it, or
follows from it in any other way."""


def most_assumed(facts: KernelFacts) -> Mapping[str, int]:
    """The most that is assumed of values, by name; no other has a bound."""
    known: dict[str, dict[str, int]] = facts.kept.setdefault(most_assumed, {})
    if "most" not in known:
        found = dict(_by_arrays(facts))
        for name, value in (*_parts(facts), *_masked(facts)):
            found[name] = min(value, found.get(name, value))
        known["most"] = found
    return known["most"]


def _parts(facts: KernelFacts) -> Iterator[tuple[str, int]]:
    """The arguments that are a part of other sizes, with what is assumed of them."""
    uses: defaultdict[str, set[Use]] = defaultdict(set)
    for loop in facts.loops:
        own: defaultdict[str, set[Use]] = defaultdict(set)
        for name, use in _uses(facts, loop.trip, "more") if loop.trip is not None else ():
            own[name].add(use)
        for name, here in own.items():  # what a division leaves grows and falls
            uses[name] |= {"other"} if "fewer" in here and here & {"more", "twice"} else here
    for name, every in uses.items():
        if facts.argument(name) is None or "other" in every:
            continue
        if every <= {"divides", "asked"}:
            yield name, STEP
        elif every <= {"fewer", "asked"}:
            yield name, STEP if _scales(facts, name) else START
        elif "divides" in every and every & {"more", "twice"}:
            yield name, TILE
        elif "fewer" in every and every & {"more", "twice"}:
            yield name, WINDOW
        elif every <= {"twice", "asked"} and _is_taken_off(facts, name):
            yield name, BORDER


def _masked(facts: KernelFacts) -> Iterator[tuple[str, int]]:
    """The arguments of which trip counts follow from the lowest bits alone, with the most that these can be.

    A power of two that is assumed of all bits would leave none of them: 1024 & 15 is 0.
    """
    found: dict[str, set[int | None]] = {}
    for loop in facts.loops:
        for name, most in _bits(facts, loop.trip) if loop.trip is not None else ():
            found.setdefault(name, set()).add(most)
    for name, every in found.items():
        known = [most for most in every if most is not None]
        masked = len(known) == len(every) and facts.argument(name) is not None
        if masked and not _is_used_whole(facts, name):
            yield name, max(known)


def _is_used_whole(facts: KernelFacts, name: str) -> bool:
    """Whether more than the lowest bits of a value matter anywhere: in addresses, conditions or other values."""
    places = [a.offset for a in facts.accesses]
    conditions = [g.condition for a in facts.accesses for g in a.guards]
    made = [one for s in facts.symbols.values() if s.operation != "remainder" for one in s.operands]
    return any(one is not None and name in one.symbols for one in (*places, *conditions, *made))


def _bits(facts: KernelFacts, number: Polynomial, most: int | None = None) -> Iterator[tuple[str, int | None]]:
    """The values without an operation that a number is made of, with the most that remainders leave of each."""
    for name in number.symbols:
        symbol = facts.symbols.get(name)
        if symbol is None or symbol.operation is None:
            yield name, most
            continue
        by = symbol.operands[1].constant if symbol.operation == "remainder" else None
        for operand in symbol.operands:
            yield from _bits(facts, operand, most if by is None or by < 2 else by - 1)


def _uses(facts: KernelFacts, number: Polynomial, way: Use) -> Iterator[tuple[str, Use]]:
    """The values without an operation that a number is made of, and how it follows from each."""
    for monomial, coefficient in number.terms:
        here = way if coefficient > 0 else _OPPOSITE[way]
        for name in monomial:
            symbol = facts.symbols.get(name)
            if symbol is None or symbol.operation is None:
                both_sides = here == "more" and coefficient == 2 and len(monomial) == 1
                yield name, "twice" if both_sides else here
                continue
            for at, operand in enumerate(symbol.operands):
                yield from _uses(facts, operand, _in_operand(symbol.operation, at, here))


def _in_operand(operation: str, at: int, way: Use) -> Use:
    if way == "asked" or operation in {"less", "equal", "and", "or", "xor"} or (operation == "select" and at == 0):
        return "asked"
    if operation in {"minimum", "maximum", "select"} or (operation in {"quotient", "logarithm"} and at == 0):
        return way
    return "divides" if operation == "quotient" and way == "more" else "other"


_OPPOSITE: Mapping[Use, Use] = {
    "more": "fewer", "twice": "fewer", "fewer": "more", "divides": "other", "asked": "asked", "other": "other",
}  # fmt: skip


def _scales(facts: KernelFacts, name: str) -> bool:
    """Whether a value multiplies or divides what moves, so that it is a distance as well: 0 of it would leave none."""
    moving = {n for n, symbol in facts.symbols.items() if symbol.kind != "argument"}
    offsets = (a.offset for a in facts.accesses if a.offset is not None)
    factors = (monomial for offset in offsets for monomial, _ in offset.terms if name in monomial)
    divides = (name in one.symbols for s in facts.symbols.values() if s.operation in _PARTS for one in s.operands[1:])
    return any(not moving.isdisjoint(monomial) for monomial in factors) or any(divides)


_PARTS = frozenset({"quotient", "remainder"})


def _is_taken_off(facts: KernelFacts, name: str) -> bool:
    """Whether addresses in global memory follow from a value, and fall with it wherever they do."""
    offsets = (a.offset for a in facts.accesses if a.space == "global" and a.offset is not None)
    signs = {c > 0 for offset in offsets for monomial, c in offset.terms if name in monomial}
    return signs == {False}


def _by_arrays(facts: KernelFacts) -> Mapping[str, int]:
    """The most that values may be by which loops run over the elements of an array on chip: it has no more places."""
    arrays = {one.name: one for one in facts.arrays if one.space != "global"}
    found = dict[str, int]()
    for access in (*facts.accesses, *facts.private_accesses, *facts.register_accesses):
        if access.pointer in arrays and not access.guards:
            for name, most in _bounded(facts, access, arrays[access.pointer]):
                found[name] = max(min(most, found.get(name, most)), 1)
    return found


def _bounded(facts: KernelFacts, access: Access, array: LocalArray) -> Iterator[tuple[str, int]]:
    """The values that say how far loops go along an array, and the most that each can be: in ``s[i]``, `i` below n.

    A counter that moves within a row, as `k` in ``s[i][k]``, stays in it.
    """
    offset = access.offset
    if offset is None or not array.length or not _adds_alone(facts, offset):
        return
    last = array.length * array.element_bytes - access.element_bytes - offset.offset
    for loop in (facts.loops[i] for i in access.loops):
        by, trip = offset.coefficient(loop.counter), loop.trip
        step = by.constant if by is not None else None
        if trip is None or len(trip.symbols) != 1 or not step or step < 0 or last < 0:
            continue
        (bound,) = trip.symbols
        rise = trip.coefficient(bound)
        times = rise.constant if rise is not None else None
        if (
            rise is None
            or not times
            or times < 0
            or trip != rise * Polynomial.symbol(bound) + Polynomial.number(trip.offset)
        ):
            continue
        row = min((one for one in array.rows if one > step), default=None)
        places = last // step + 1 if row is None else row // step
        yield bound, int((places - trip.offset) // times)


def _adds_alone(facts: KernelFacts, offset: Polynomial) -> bool:
    """Whether an offset is made of counters and ids, which begin at 0, and nothing is taken off."""
    symbols = (facts.symbols.get(name) for name in offset.symbols)
    counts = all(s is not None and s.kind in _FROM_ZERO for s in symbols)
    return counts and all(coefficient > 0 for monomial, coefficient in offset.terms if monomial)


_FROM_ZERO = frozenset({"loop", "global_id", "local_id", "group_id"})
