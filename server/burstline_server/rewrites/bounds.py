"""The least and the greatest value that an index can take, as far as the source tells."""

from __future__ import annotations

from burstline_model.facts import KernelFacts, Symbol
from burstline_model.polynomial import Polynomial

Range = tuple[int | None, int | None]
"""Least and greatest value, both included; None where nothing bounds it."""
MAX_DEPTH = 8
"""Deepest nesting of operations that is looked through."""
_UNSIGNED = {"uchar": 255, "ushort": 65535}


def bounds(facts: KernelFacts, p: Polynomial, depth: int = 0) -> Range:
    """The range of a polynomial. Remainders are those of numbers that are not negative, as indices are."""
    low: int | None = 0
    high: int | None = 0
    for monomial, coefficient in p.terms:
        term: Range = (1, 1)
        for name in monomial:
            symbol = facts.symbols.get(name)
            term = _product(term, _symbol(facts, symbol, depth) if symbol is not None else (None, None))
        least, most = term if coefficient > 0 else (term[1], term[0])
        low = None if low is None or least is None else low + coefficient * least
        high = None if high is None or most is None else high + coefficient * most
    return low, high


def _product(a: Range, b: Range) -> Range:
    """The product of two ranges; beyond zero nothing is asked."""
    if a[0] is None or b[0] is None or a[0] < 0 or b[0] < 0:
        return None, None
    return a[0] * b[0], None if a[1] is None or b[1] is None else a[1] * b[1]


def _symbol(facts: KernelFacts, symbol: Symbol, depth: int) -> Range:
    group = facts.work_group_size
    if symbol.kind == "loop" and symbol.loop is not None:
        trip = facts.loops[symbol.loop].trip
        most = bounds(facts, trip, depth + 1)[1] if trip is not None and depth < MAX_DEPTH else None
        return 0, None if most is None else max(most - 1, 0)
    if symbol.kind == "local_id":
        return 0, None if group is None else group[symbol.dimension] - 1
    if symbol.loaded_from is not None:
        access = facts.accesses[symbol.loaded_from]
        direct = symbol.name.partition("#")[0] == f"{access.pointer}[{access.index}]"
        return (0, _UNSIGNED[access.type]) if direct and access.type in _UNSIGNED else (None, None)
    if symbol.operation is None or depth >= MAX_DEPTH:
        return None, None
    ranges = [bounds(facts, o, depth + 1) for o in symbol.operands]
    lows, highs = [r[0] for r in ranges], [r[1] for r in ranges]
    match symbol.operation:
        case "remainder":
            divisor = highs[1]
            return 0, None if divisor is None else divisor - 1
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
