"""The places that an access may be at, where a border is clamped: each branch of a choice between neighbours."""

from __future__ import annotations

from collections.abc import Iterator

from burstline_model.facts import Access, KernelFacts
from burstline_model.polynomial import Polynomial, TooComplexError

MOST_PLACES = 16
"""Most places of an access that are looked at."""


def places_of(facts: KernelFacts, access: Access) -> tuple[Polynomial, ...]:
    """The byte offsets of an access, with each of what a choice has in its place; none where there are too many.

    ``x == 0 ? c : c - 1`` is one of two neighbours, and so is ``max(x - 1, 0)``, but for its bound: a place that no
    counter moves is what the border is set to.
    """
    if access.offset is None:
        return ()
    try:
        found = list(dict.fromkeys(_places(facts, access.offset, MOST_PLACES)))
    except TooComplexError:
        return ()
    return tuple(found) if len(found) <= MOST_PLACES else ()


def _places(facts: KernelFacts, offset: Polynomial, left: int) -> Iterator[Polynomial]:
    name, options = next(((n, o) for n in offset.symbols if (o := _options(facts, n))), ("", []))
    if not options or left <= 1:
        yield offset
        return
    for one in options:
        yield from _places(facts, offset.substitute({name: one}), left - len(options) + 1)


def _options(facts: KernelFacts, name: str) -> list[Polynomial]:
    """The values of which a symbol is one; those that a counter moves, where some are."""
    symbol = facts.symbols.get(name)
    if symbol is None or symbol.operation not in {"select", "minimum", "maximum"}:
        return []
    values = symbol.operands[symbol.operation == "select" :]
    moving = [one for one in values if any(_is_counter(facts, n) for n in one.symbols)]
    return moving or [*values]


def _is_counter(facts: KernelFacts, name: str) -> bool:
    symbol = facts.symbols.get(name)
    return symbol is not None and (
        symbol.kind == "loop" or any(facts.symbols[n].kind == "loop" for n in symbol.depends_on if n in facts.symbols)
    )
