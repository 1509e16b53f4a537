"""What values an index takes, as far as the source shows: the least and the greatest, and whether one comes twice."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from burstline_model.facts import Access, KernelFacts, Loop, Symbol
from burstline_model.polynomial import Polynomial

Range = tuple[int | None, int | None]
"""Least and greatest value, both included; None where nothing bounds it."""
MAX_DEPTH = 8
"""Deepest nesting of operations that is looked through."""
_UNSIGNED = {"uchar": 255, "ushort": 65535}
_NOT_NEGATIVE = {"global_id", "group_id", "global_size", "local_size", "num_groups"}
_NEVER_NEGATIVE = {"uchar", "ushort", "uint", "ulong", "size_t", "unsigned int", "unsigned"}


def bounds(facts: KernelFacts, p: Polynomial, depth: int = 0, divisors: Sequence[int] | None = None) -> Range:
    """The range of a polynomial. A remainder has the sign of what is divided, as in C.

    `divisors` are those that the text divides by with ``%``, None for any: others are masks, which have no sign.
    """
    low: int | None = 0
    high: int | None = 0
    for monomial, coefficient in p.terms:
        term: Range = (1, 1)
        for name in monomial:
            symbol = facts.symbols.get(name)
            term = _product(term, _symbol(facts, symbol, depth, divisors) if symbol is not None else (None, None))
        least, most = term if coefficient > 0 else (term[1], term[0])
        low = None if low is None or least is None else low + coefficient * least
        high = None if high is None or most is None else high + coefficient * most
    return low, high


def _product(a: Range, b: Range) -> Range:
    """The product of two ranges; where one of them has an end, it must be at or above zero."""
    if a == (1, 1):
        return b
    ends = [x * y for x in a for y in b if x is not None and y is not None]
    if None not in a and None not in b:
        return min(ends), max(ends)
    if a[0] is None or b[0] is None or a[0] < 0 or b[0] < 0:
        return None, None
    return a[0] * b[0], None


def _symbol(facts: KernelFacts, symbol: Symbol, depth: int, divisors: Sequence[int] | None) -> Range:
    group = facts.work_group_size
    if symbol.kind == "loop" and symbol.loop is not None:
        trip = facts.loops[symbol.loop].trip
        most = bounds(facts, trip, depth + 1, divisors)[1] if trip is not None and depth < MAX_DEPTH else None
        return 0, None if most is None else max(most - 1, 0)
    if symbol.kind == "local_id":
        return 0, None if group is None else group[symbol.dimension] - 1
    if symbol.kind in _NOT_NEGATIVE:
        return 0, None
    if symbol.kind == "argument":
        argument = facts.argument(symbol.name)
        return (0, None) if argument is not None and argument.type in _NEVER_NEGATIVE else (None, None)
    if symbol.loaded_from is not None:
        access = facts.accesses[symbol.loaded_from]
        direct = symbol.name.partition("#")[0] == f"{access.pointer}[{access.index}]"
        return (0, _UNSIGNED[access.type]) if direct and access.type in _UNSIGNED else (None, None)
    if symbol.operation is None or depth >= MAX_DEPTH:
        return None, None
    ranges = [bounds(facts, o, depth + 1, divisors) for o in symbol.operands]
    lows, highs = [r[0] for r in ranges], [r[1] for r in ranges]
    match symbol.operation:
        case "remainder":
            return _remainder((lows[0], highs[0]), symbol.operands[1].constant, divisors)
        case "quotient":
            low, by = lows[0], symbol.operands[1].constant
            if by is None or by < 1 or low is None or low < 0:
                return None, None
            return low // by, None if highs[0] is None else highs[0] // by
        case "minimum":
            known = [n for n in highs if n is not None]
            return None if None in lows else min(n for n in lows if n is not None), min(known, default=None)
        case "maximum":
            known = [n for n in lows if n is not None]
            return max(known, default=None), None if None in highs else max(n for n in highs if n is not None)
        case _:
            return None, None


def _remainder(dividend: Range, divisor: int | None, divisors: Sequence[int] | None) -> Range:
    if not divisor:
        return None, None
    low, high = dividend
    most = abs(divisor) - 1
    if low is not None and low >= 0:
        return (low, high) if high is not None and high <= most else (0, most)
    signed = divisors is None or any(d % divisor == 0 for d in divisors)
    return (-most if signed else 0), most


def each_place_once(facts: KernelFacts, accesses: Sequence[Access]) -> bool:
    """Whether accesses of one buffer in the same loops reach another place each, in every iteration and work-item.

    Work-items that share the first global id are taken to do the same, which holds where no other id is used.
    """
    first = accesses[0]
    places = [a.offset - first.offset if a.offset is not None and first.offset is not None else None for a in accesses]
    apart = sorted(p.constant for p in places if p is not None and p.constant is not None)
    if len(apart) < len(accesses) or any(a.loops != first.loops for a in accesses) or first.offset is None:
        return False
    size = max(a.element_bytes for a in accesses)
    if any(b - a < size for a, b in pairwise(apart)):
        return False
    ids = [s for s in facts.symbols.values() if s.kind in {"global_id", "local_id", "group_id"}]
    moving = {facts.loops[i].counter: facts.loops[i].trip for i in first.loops}
    if facts.model == "ndrange":
        moving |= dict.fromkeys(s.name for s in ids)
        if not ids or any(s.kind != "global_id" or s.dimension for s in ids):
            return False
    own = [facts.symbols[name] for name in first.offset.symbols if name in facts.symbols]
    if any(s.kind in {"loaded", "carried"} or not moving.keys().isdisjoint(s.depends_on) for s in own):
        return False
    steps = {name: first.offset.coefficient(name) for name in moving}
    known = {name: abs(s.constant) for name, s in steps.items() if s is not None and s.constant}
    if len(known) < len(moving):
        return False
    # Each counter must step over all that those inside it cover.
    covered: int | None = apart[-1] - apart[0] + size
    for name, step in sorted(known.items(), key=lambda one: one[1]):
        if covered is None or step < covered:
            return False
        trip = moving[name]
        covered = step * (trip.constant - 1) + covered if trip is not None and trip.constant is not None else None
    return True


def places_chosen(facts: KernelFacts, loop: Loop, store: Access, load: Access) -> int | None:
    """Among how many places data choose the one that each iteration loads and stores again; None where nothing says.

    A loop that turns more often than that comes back to one of them, whatever the data are.
    """
    offset = store.offset
    if store.pointer != load.pointer or offset is None or offset != load.offset or loop.counter in offset.symbols:
        return None
    fixed = [facts.loops[i].counter for i in store.loops if i != loop.id] + [a.name for a in facts.arguments]
    low, high = bounds(facts, offset.without(fixed))
    places = None if low is None or high is None else (high - low) // max(store.element_bytes, 1) + 1
    trips = loop.trip.constant if loop.trip is not None else None
    return places if places is None or trips is None or trips > places else None
