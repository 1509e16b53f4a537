"""What one iteration or work-item adds to an address as it is read here, where that is one number."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from burstline_model.facts import Symbol
from burstline_model.polynomial import Polynomial

_DEPTH = 12
_CLAMPS = {"minimum", "maximum"}


def own_step(
    symbols: Mapping[str, Symbol], offset: Polynomial | None, counts: Callable[[Symbol], bool], depth: int = 0
) -> int | None:
    """What one step of the symbols that `counts` finds adds to an offset; None where that is not one number."""
    if offset is None or depth > _DEPTH:
        return None
    total = 0
    for name in offset.symbols:
        symbol = symbols.get(name)
        if symbol is None or not _depends(symbols, symbol, counts):
            continue
        share = offset.coefficient(name)
        own = _step_of(symbols, symbol, counts, depth)
        if share is None or share.constant is None or own is None:
            return None
        total += share.constant * own
    return total


def _depends(symbols: Mapping[str, Symbol], symbol: Symbol, counts: Callable[[Symbol], bool]) -> bool:
    return counts(symbol) or any(counts(s) for n in symbol.depends_on if (s := symbols.get(n)) is not None)


def _step_of(symbols: Mapping[str, Symbol], symbol: Symbol, counts: Callable[[Symbol], bool], depth: int) -> int | None:
    if symbol.kind == "carried" and counts(symbol):
        return symbol.step.constant if symbol.step is not None else None
    if counts(symbol):
        return 1
    if symbol.operation in _CLAMPS:
        steps = {own_step(symbols, o, counts, depth + 1) for o in symbol.operands}
        moving = steps - {0}
        return moving.pop() if len(moving) == 1 else None
    return None
