"""Shares of places at which conditions hold, kept by what they follow from: most edits leave conditions as they are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache

from burstline_model.facts import Symbol
from burstline_model.parallelism.made_of import COMPARES
from burstline_model.polynomial import Polynomial
from burstline_model.walk.sampler import Sampler

Counted = tuple[float, float, float, int]
"""The share, how many neighbours hold at a time, the share of a row, and how far they lie apart from row to row."""
_GIVEN = frozenset({"argument", "global_size", "local_size", "num_groups"})
_COUNTS = frozenset({"global_id", "local_id", "group_id", "loop", "global_offset"})


@lru_cache(maxsize=1024)
def _shares(_content: Hashable) -> list[Counted]:
    """What was counted for what it follows from, to be filled."""
    return []


def forget_shares() -> None:
    """Count everything anew."""
    _shares.cache_clear()


def kept_share(
    sampler: Sampler,
    places: Hashable,
    conditions: Sequence[Sequence[Sequence[Polynomial]]],
    count: Callable[[], Counted],
) -> Counted:
    """What is counted of conditions along dimensions (`places`), once for what it follows from.

    Of conditions that ids, counters, arguments and sizes decide: all that these are is in the key. What data enter is
    counted each time.
    """
    made = _made_of(sampler, [one for each in conditions for several in each for one in several])
    if made is None:
        return count()
    known = _shares((places, tuple(conditions), made))
    if not known:
        known.append(count())
    return known[0]


def _made_of(sampler: Sampler, numbers: Sequence[Polynomial]) -> Hashable | None:
    """The symbols of numbers and of what these are made of, each with what a sampler says of it; None where data enter.

    With it, a sampler gives the same value for the numbers at each place.
    """
    found: dict[str, Hashable] = {}
    waiting = [name for number in numbers for name in number.symbols]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        symbol = sampler.facts.symbols.get(name)
        if symbol is None or symbol.turns is not None or not (symbol.operation or symbol.kind in _GIVEN | _COUNTS):
            return None
        found[name], parts = _said(sampler, symbol)
        waiting += [n for part in parts for n in part.symbols]
    return tuple(found[name] for name in sorted(found))


def _said(sampler: Sampler, symbol: Symbol) -> tuple[Hashable, Sequence[Polynomial]]:
    """A symbol, with its value where it is given, what it compares, and whether that is known; what it is made of."""
    number = Polynomial.symbol(symbol.name)
    apart = sampler.apart(symbol) if symbol.operation in COMPARES else None
    given = sampler.value(number, {}) if symbol.operation is None and symbol.kind in _GIVEN else None
    parts = (*symbol.operands, *((apart,) if apart is not None else ()))
    return (symbol, apart, given, sampler.known(number)), parts
