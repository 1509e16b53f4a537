"""How large a number can get, as far as the text of a kernel bounds it."""

from __future__ import annotations

from burstline_model.facts import KernelFacts, Symbol
from burstline_model.polynomial import Polynomial


def largest(facts: KernelFacts, number: Polynomial) -> int | None:
    """The largest value that trip counts, types, masks, remainders and clamps allow; None where nothing bounds it.

    What is subtracted, and names that are constants of unknown value, count as 0.
    """
    return _largest(facts, number, {})


def is_constant(facts: KernelFacts, number: Polynomial) -> bool:
    """Whether a number is one that the compiler knows: names that the file uses and does not define are."""
    known = [facts.symbols.get(name) for name in number.symbols]
    return all(s is not None and s.kind == "argument" and _is_outside(facts, s.name) for s in known)


def _is_outside(facts: KernelFacts, name: str) -> bool:
    """Whether a name is neither that of an argument of the kernel nor that of a part of one (``size.x``)."""
    return facts.argument(name.partition(".")[0]) is None


def _largest(facts: KernelFacts, number: Polynomial, known: dict[str, int | None]) -> int | None:
    """The same; `known` remembers symbols, which hashes and the like use over and over."""
    total = 0
    for monomial, coefficient in number.terms:
        product = max(coefficient, 0)
        for name in monomial:
            if name not in known:
                symbol, known[name] = facts.symbols.get(name), None
                known[name] = _largest_symbol(facts, symbol, known) if symbol is not None else None
            most = known[name]
            if most is None:
                return None
            product *= most
        total += product
    return total


def _largest_symbol(facts: KernelFacts, symbol: Symbol, known: dict[str, int | None]) -> int | None:
    below = max(symbol.below - 1, 0) if symbol.below is not None else None
    chosen = symbol.operation == "select" and len(known) <= MOST_LOOKED_AT
    if below is not None and not chosen:
        return below
    if is_constant(facts, Polynomial.symbol(symbol.name)):
        return 0
    operands = [_largest(facts, p, known) for p in symbol.operands]
    sure = [one for one in operands if one is not None]
    match symbol.operation:
        case "and" | "minimum":
            return min(sure, default=None)
        case "remainder":
            return operands[1]
        case "select" | "element":
            arms = operands[1:]
            most = max((one for one in arms if one is not None), default=0) if _all_known(symbol, arms) else below
            return min(most, below) if most is not None and below is not None else most
        case "quotient":
            divisor = symbol.operands[1].constant or 1
            return operands[0] // divisor if operands[0] is not None and divisor > 0 else None
        case "maximum":
            return max(sure) if len(sure) == len(operands) else None
        case "or" | "xor":
            return sum(sure) if len(sure) == len(operands) else None
        case _:
            return None


def _all_known(symbol: Symbol, arms: list[int | None]) -> bool:
    return symbol.operation == "element" or None not in arms


MOST_LOOKED_AT = 100
"""So many symbols behind one another are looked through for a choice that has a range of its own."""
