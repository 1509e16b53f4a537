"""Words that requests fetch one after the other, where integers that are known decide each address."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from math import prod

from burstline_model.parallelism.periods import GOLDEN
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_model.walk.issue_order import Dimension
from burstline_model.walk.place_values import Axis, Value, Values
from burstline_model.walk.sampler import Sampler

MOST = 2560
"""Requests that are made one by one."""
ROW = 64
"""Neighbours that are looked at together, in rows at many places of a longer walk."""
SEAMS = 96
"""Places at which the first word of a row is compared with the last one of the row before."""
FAR = 64
"""So far from the end of a row its first or last request is looked for."""
ASKED = 4096
"""Places along the dimensions of one condition that are asked whether it ever holds there."""
FEW = 12
"""So many words must be seen to say how many there are."""

NOWHERE = (1 << 62, 1 << 62)
"""Words that no request asks for."""

Words = Callable[[Sequence[int]], tuple[int, int] | None]
"""The first and the last word that a place asks for; None where conditions do not hold."""


@fixed
class Requests:
    """Requests of `span` bytes each at `offset`, wherever all `conditions` hold, along `every` dimension."""

    offset: Polynomial
    conditions: tuple[Polynomial, ...]
    every: tuple[Dimension, ...]
    span: int


def words_one_by_one(sampler: Sampler, asked: Requests, word: int) -> float | None:
    """The words that requests fetch of a unit that holds those of the request before.

    All requests are made one by one. Of very many, those in rows of neighbours are, and whether a row begins in another
    word than the one before ends in is looked at apart. None where too few are made to say.
    """
    values = Values(sampler, [Axis((d,)) for d in asked.every])
    address, conditions = values.of(asked.offset), [(values.of(c), values.axes_of(c)) for c in asked.conditions]
    places = _held(asked.every, conditions)
    if not all(places):
        return 0.0
    holds = [condition for condition, _ in conditions]
    moved = values.axes_of(asked.offset).union(*(axes for _, axes in conditions))
    for n in range(min(moved, default=len(places))):
        places[n] = places[n][:1]  # those that follow there ask for the same

    def words(at: Sequence[int]) -> tuple[int, int] | None:
        for condition in holds:
            if not condition(at):
                return None
        start = address(at)
        return start // word, (start + asked.span - 1) // word

    sizes = [len(own) for own in places]
    if prod(sizes) <= MOST:
        fetched, last = _look(words, _in_order(places, ()), None)
        return fetched + 1.0 if last is not None else 0.0
    inner = 1
    while prod(sizes[:inner]) < ROW:
        inner += 1
    row = _Row(words, places[: inner - 1], places[inner - 1], places[inner:])
    each, seen = row.mean()
    if seen < FEW and not moved.isdisjoint(range(inner)):
        return None
    return prod(sizes[inner:]) * (each + row.anew())


@fixed
class _Row:
    """A row of neighbours that comes again and again, along other dimensions: `last` is its slowest dimension."""

    words: Words
    inner: Sequence[Sequence[int]]
    last: Sequence[int]
    outer: Sequence[Sequence[int]]

    def mean(self) -> tuple[float, int]:
        """Words that are fetched in a row, but for its first one, from some pieces; how many were seen in these."""
        piece = prod(len(own) for own in self.inner)
        along = min(len(self.last), -(-ROW // piece))
        pieces = -(-len(self.last) // along)
        every = pieces * prod(len(own) for own in self.outer)
        looks, seen = min(MOST // (piece * along), every), 0
        for look in _spread(looks, every):
            rest, part = divmod(look, pieces)
            outer = _digits(rest, self.outer)
            here = self.last[part * along : (part + 1) * along]
            before = self.last[max(part * along - FAR, 0) : part * along]
            found = _first(self.words, [*self.inner, before], outer, backwards=True)
            last = found or (NOWHERE if part else None)
            fetched, _ = _look(self.words, _in_order([*self.inner, here], outer), last)
            seen += fetched
        return seen / looks * pieces, seen

    def anew(self) -> float:
        """The share of rows whose first request is in another word than the last one of the row before."""
        row, rows = [*self.inner, self.last], prod(len(own) for own in self.outer)
        looks = min(SEAMS, rows - 1)
        changes = 0
        for before in _spread(looks, rows - 1):
            last = _first(self.words, row, _digits(before, self.outer), backwards=True)
            first = _first(self.words, row, _digits(before + 1, self.outer), backwards=False)
            changes += first is not None and (last is None or not last[0] <= first[0] <= last[1])
        return changes / looks if looks else 1.0


def _held(every: Sequence[Dimension], conditions: Sequence[tuple[Value, frozenset[int]]]) -> list[Sequence[int]]:
    """The places along each dimension, those left out at which a condition never holds."""
    found: list[Sequence[int]] = [range(0, int(d.size) * d.lanes, d.lanes) for d in every]
    for condition, axes in conditions:
        asked = [own if n in axes else (0,) for n, own in enumerate(found)]
        if prod(len(own) for own in asked) > ASKED:
            continue
        held = [at for at in _in_order(asked, ()) if condition(at)]
        for n in axes:
            some = {at[n] for at in held}
            found[n] = [place for place in found[n] if place in some]
    return found


def _in_order(inner: Sequence[Sequence[int]], outer: Sequence[int]) -> Iterable[Sequence[int]]:
    """Places in the order of issue, the first dimension being the fastest."""
    return ((*reversed(at), *outer) for at in product(*reversed(inner)))


def _look(
    words: Words, row: Iterable[Sequence[int]], last: tuple[int, int] | None
) -> tuple[int, tuple[int, int] | None]:
    """Words that are fetched in a row after the `last` ones, which are known or come first; the last ones in the end.

    A request that reaches into the next word finds there what the one before it did, and in the first one as well.
    """
    fetched = 0
    for at in row:
        if (found := words(at)) is not None:
            low, high = found
            held = 1 if last is None else max(min(high, last[1]) - max(low, last[0]) + 1, 0)
            fetched += high - low + 1 - held
            last = found
    return fetched, last


def _first(
    words: Words, row: Sequence[Sequence[int]], outer: Sequence[int], *, backwards: bool
) -> tuple[int, int] | None:
    """The first words that are asked for near the beginning of a row, or the last ones near its end."""
    end = prod(len(own) for own in row) - 1
    for n in range(min(FAR, end + 1)):
        if (found := words((*_digits(end - n if backwards else n, row), *outer))) is not None:
            return found
    return None


def _spread(number: int, size: int) -> Iterable[int]:
    """Numbers below a size, some distance apart; of many, as many of each remainder by 8 as of the others."""
    step = 8 if size >= 16 * number else 1
    for n in range(number):
        place = int((n + (n + 0.5) * GOLDEN % 1) / number * size)
        yield place // step * step + n % step


def _digits(number: int, places: Sequence[Sequence[int]]) -> list[int]:
    """The place along each dimension of one among all."""
    found = []
    for own in places:
        number, digit = divmod(number, len(own))
        found.append(own[digit])
    return found
