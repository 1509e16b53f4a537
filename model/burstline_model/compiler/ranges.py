"""Whether the compiler knows how large an index gets."""

from __future__ import annotations

from burstline_model.facts import KernelFacts, Symbol
from burstline_model.polynomial import Polynomial


def is_bounded(facts: KernelFacts, number: Polynomial) -> bool:
    """Whether every value lies below a constant: by trip counts, types, masks, remainders and clamps."""
    return _bounded(facts, number, {})


def is_constant(facts: KernelFacts, number: Polynomial) -> bool:
    """Whether a number is one that the compiler knows: names that the file uses and does not define are."""
    known = [facts.symbols.get(name) for name in number.symbols]
    return all(s is not None and s.kind == "argument" and facts.argument(s.name) is None for s in known)


def _bounded(facts: KernelFacts, number: Polynomial, known: dict[str, bool]) -> bool:
    """The same; `known` remembers symbols, which hashes and the like use over and over."""
    for name in number.symbols:
        if name not in known:
            symbol = facts.symbols.get(name)
            known[name] = symbol is not None and _symbol_bounded(facts, symbol, known)
    return all(known[name] for name in number.symbols)


def _symbol_bounded(facts: KernelFacts, symbol: Symbol, known: dict[str, bool]) -> bool:
    if symbol.below is not None or is_constant(facts, Polynomial.symbol(symbol.name)):
        return True
    operands = [_bounded(facts, p, known) for p in symbol.operands]
    match symbol.operation:
        case "and" | "minimum":
            return any(operands)
        case "remainder":
            return operands[1]
        case "quotient" | "or" | "xor" | "maximum":
            return all(operands)
        case "select":
            return all(operands[1:])
        case "element":
            return True
        case _:
            return False
