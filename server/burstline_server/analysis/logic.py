"""Comparisons and conditions as numbers: 1 where they hold, 0 where they do not."""

from __future__ import annotations

from burstline_model.polynomial import Polynomial
from burstline_server.analysis.symbol_table import SymbolTable


def compared(symbols: SymbolTable, sign: str, x: Polynomial, y: Polynomial) -> Polynomial:
    """A comparison as 1 or 0."""
    one = Polynomial.number(1)
    match sign:
        case "<":
            return symbols.operation("less", (x, y))
        case ">":
            return symbols.operation("less", (y, x))
        case "<=":
            return one - symbols.operation("less", (y, x))
        case ">=":
            return one - symbols.operation("less", (x, y))
        case "==":
            return symbols.operation("equal", (x, y))
        case _:
            return one - symbols.operation("equal", (x, y))


_MOVING = frozenset({"global_id", "local_id", "group_id", "loop"})


def below(symbols: SymbolTable, sign: str, x: Polynomial, y: Polynomial) -> Polynomial | None:
    """An order of unsigned integers of which one may be taken below zero, and is very large then.

    ``(uint) (x - 1) < n`` asks two things. None for all others, and where arguments alone are taken from each other:
    sizes are as large as the text needs.
    """
    if sign not in {"<", ">", "<=", ">="} or not any(_falls(symbols, one) for one in (x, y)):
        return None
    one, swapped = Polynomial.number(1), sign in {">", "<="}
    small, large = (y, x) if swapped else (x, y)
    holds = symbols.operation("less", (small, large))
    if _falls(symbols, small):
        holds = both(symbols, one - symbols.operation("less", (small, Polynomial())), holds)
    if _falls(symbols, large):
        over = symbols.operation("less", (large, Polynomial()))
        holds = one - both(symbols, one - over, one - holds)
    return holds if sign in {"<", ">"} else one - holds


def _falls(symbols: SymbolTable, number: Polynomial) -> bool:
    """Whether ids or counters are in a number from which something is taken, or are taken from it."""
    return any(c < 0 for _, c in number.terms) and any(symbols.kind(s) in _MOVING for s in number.symbols)


def both(symbols: SymbolTable, x: Polynomial, y: Polynomial) -> Polynomial:
    """1 where two conditions hold, each of which is 1 or 0."""
    for one, other in ((x, y), (y, x)):
        if one.constant is not None:
            return other if one.constant else Polynomial()
    return symbols.operation("and", (x, y))


def truth(symbols: SymbolTable, number: Polynomial) -> Polynomial:
    """1 where a number is not 0, and 0 where it is."""
    if number.constant is not None:
        return Polynomial.number(int(number.constant != 0))
    if _is_truth(symbols, number):
        return number
    return compared(symbols, "!=", number, Polynomial())


def _is_truth(symbols: SymbolTable, number: Polynomial) -> bool:
    """Whether a number can be 1 and 0 alone: a comparison, or one taken from 1."""
    negated = Polynomial.number(1) - number
    return any(len(p.terms) == 1 and not symbols.bits(p) & ~1 for p in (number, negated))
