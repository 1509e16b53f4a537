"""What conditions and addresses are made of."""

from __future__ import annotations

from collections.abc import Sequence, Set

from burstline_model.facts import KernelFacts, Symbol
from burstline_model.polynomial import Polynomial

COMPARES = {"less", "equal"}
"""Operations that compare two numbers."""


def is_truth(facts: KernelFacts, condition: Polynomial) -> bool:
    """Whether a condition is 0 or 1, and no mask."""
    own = condition if condition.offset == 0 else Polynomial.number(1) - condition
    symbol = facts.symbols.get(next(iter(own.symbols), ""))
    if symbol is None or own != Polynomial.symbol(symbol.name):
        return False
    is_bit = symbol.operation == "remainder" and symbol.operands[1].constant == 2
    return symbol.operation in COMPARES or is_bit or joins_truths(facts, symbol)


def joins_truths(facts: KernelFacts, symbol: Symbol) -> bool:
    """Whether a value joins conditions that hold or not, and no bits."""
    return symbol.operation in {"and", "or"} and all(is_truth(facts, o) for o in symbol.operands)


def made_of(facts: KernelFacts, conditions: Sequence[Polynomial]) -> list[Symbol]:
    """The symbols of conditions and of what they are made of."""
    found: dict[str, Symbol] = {}
    waiting = [n for c in conditions for n in c.symbols]
    while waiting:
        name = waiting.pop()
        symbol = facts.symbols.get(name)
        if symbol is not None and name not in found:
            found[name] = symbol
            waiting += [n for o in symbol.operands for n in o.symbols]
    return [found[name] for name in sorted(found)]


def differs_with(facts: KernelFacts, name: str, own: Set[str]) -> bool:
    """Whether a symbol is one of some, or may have another value for other values of them.

    A value that is made in front of a loop is the same in all its iterations, though what it comes from may go back to
    an earlier run of that loop.
    """
    symbol = facts.symbols.get(name)
    if name in own or symbol is None or own.isdisjoint(symbol.depends_on):
        return name in own
    if symbol.operation is not None:
        return any(differs_with(facts, one, own) for operand in symbol.operands for one in operand.symbols)
    made = symbol.made_in
    if symbol.kind not in {"loaded", "opaque"} or made is None:
        return True
    counters = {o.counter: o.id for o in facts.loops}
    return any(one not in counters or counters[one] in made for one in own & set(symbol.depends_on))
