"""At how many places along some axes a condition holds, and how they lie together: few are looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from functools import cached_property
from itertools import pairwise, product
from math import lcm

from burstline_model.parallelism.periods import GOLDEN, MOST_TIMES, changes, spread
from burstline_model.record import fixed

FEW = 64
"""Places that are counted one by one."""
ALL = 256
"""Places that are looked at one by one where a condition comes round: a few periods show more than their borders."""
MOST_PERIOD = 1024
"""Longest period that is looked at as a whole."""
MANY = 2048
"""Places that are looked at along a dimension with a longer one: rows and planes of an image in one loop."""
OUTER = 12
"""Places along a dimension that a condition shares with others."""
GROUPS = 16
"""Large work-groups in which conditions on local ids are looked at."""
MOST_PLACES, MOST_ROWS = 1 << 18, 512
"""Places at which conditions are asked in all; where these do not do, rows that are looked at instead."""


class TooManyPlacesError(Exception):
    """More places would be looked at than is worth the time."""


@fixed
class Look:
    """Conditions over places along some axes, all of which must hold, each with the axes that move it.

    `distances` are what its comparisons compare, one taken from the other, and the axes that move it: where one
    changes its sign, the condition may change. `period`: after how many places it comes round; 1 where nothing else
    changes it, and a long one is not looked at as a whole. `periods`: the same along each axis, as far as remainders
    and masks make it. `most`: so many places along each outer axis, wherever they are; None: as many as it takes.
    """

    conditions: Sequence[tuple[Callable[[Sequence[int]], bool], frozenset[int]]]
    distances: Sequence[tuple[Callable[[Sequence[int]], int], frozenset[int]]]
    period: int
    periods: Sequence[int]
    most: int | None = None
    group: int = 0
    """So many places along the first axis are a work-group's, in which nothing but comparisons changes; 0: not so."""
    divisors: Sequence[Callable[[Sequence[int]], int]] = ()
    """What the first axis is divided by that the others choose: conditions come round after so many places there."""
    _known: dict[tuple[int, ...], tuple[float, float, float]] = field(default_factory=dict)
    """By how many axes are open, and the places along the others that what is open follows from."""
    _looked: dict[tuple[int, ...], bytes] = field(default_factory=dict)
    """Whether a condition holds at some neighbours: by its number, the first of them, how many, and the other axes."""
    _spent: list[int] = field(default_factory=lambda: [0])
    """Places at which conditions were asked, one number."""
    _changes: dict[tuple[int, ...], set[int]] = field(default_factory=dict)
    """Where a comparison changes along the first axis: by its number, the size, and the other axes."""

    _levels: dict[int, tuple[list[Callable[[Sequence[int]], bool]], list[int]]] = field(default_factory=dict)
    """By how many axes are open: see `_at_level`."""

    @cached_property
    def _along_first(self) -> list[tuple[int, Callable[[Sequence[int]], bool], tuple[int, ...]]]:
        """The conditions that move along the first axis, with their numbers and the places in `rest` that move them."""
        every = enumerate(self.conditions)
        return [(n, condition, _others(moved)) for n, (condition, moved) in every if 0 in moved]

    @cached_property
    def _compared_first(self) -> list[tuple[int, Callable[[Sequence[int]], int], tuple[int, ...]]]:
        """The same of what comparisons compare."""
        return [(n, distance, _others(moved)) for n, (distance, moved) in enumerate(self.distances) if 0 in moved]

    def holds(self, at: Sequence[int]) -> bool:
        """Whether all hold at places along all axes."""
        return all(condition(at) for condition, _ in self.conditions)

    def mean(self, sizes: Sequence[int], rest: tuple[int, ...]) -> tuple[float, float, float]:
        """The share of places at which it holds, how many neighbours along the first axis do, and the share of a row.

        Rows lie along the first axis; those in which it does not hold at all are left out of the last.
        """
        level = len(sizes)
        at = (*[0] * level, *rest)
        if level not in self._levels:
            self._levels[level] = self._at_level(level)
        own, follows = self._levels[level]
        for condition in own:
            if not condition(at):
                return 0.0, 1.0, 0.0
        key = (level, *[at[axis] for axis in follows])
        if key not in self._known:
            self._known[key] = self._over(sizes, rest)
        return self._known[key]

    def _at_level(self, level: int) -> tuple[list[Callable[[Sequence[int]], bool]], list[int]]:
        """The conditions that the axes from a level on decide, and which of these axes move the others."""
        own = [condition for condition, moved in self.conditions if min(moved, default=level) == level]
        inner = [moved for _, moved in self.conditions if min(moved, default=level) < level]
        return own, sorted(axis for axis in frozenset[int]().union(*inner) if axis >= level)

    def _over(self, sizes: Sequence[int], rest: tuple[int, ...]) -> tuple[float, float, float]:
        if len(sizes) == 1:
            if self.most is None and self._spent[0] > MOST_PLACES:
                raise TooManyPlacesError
            share, run = self._along(sizes[0], rest)
            return share, run, share
        found = [(self.mean(sizes[:-1], (place, *rest)), weight) for place, weight in self._few(len(sizes) - 1, sizes)]
        total = sum(share * weight for (share, _, _), weight in found)
        if not total:
            return 0.0, 1.0, 0.0
        rows = sum(share / along * weight for (share, _, along), weight in found if share)
        runs = sum(share / run * weight for (share, run, _), weight in found)
        return total / sum(weight for _, weight in found), total / runs, total / rows

    def _few(self, axis: int, sizes: Sequence[int]) -> list[tuple[int, float]]:
        """A few places along one of the outer axes, each with how many it is one of."""
        size, period = sizes[axis], self.periods[axis]
        if self.most is not None and size > self.most:
            part = size / self.most
            return [(int((n + (n + 2.3 * axis) * GOLDEN % 1) * part), part) for n in range(self.most)]
        if size <= FEW:
            return [(place, 1.0) for place in range(size)]
        found = []
        for low, high in pairwise(self._borders(axis, sizes)):
            places = _within(high - low, OUTER * (high - low) / size, period)
            found += [(low + place, (high - low) / len(places)) for place in places]
        return found

    def _borders(self, axis: int, sizes: Sequence[int]) -> list[int]:
        """The places along an outer axis where comparisons change, with both ends.

        Where one follows from the axes within a row as well, it changes between those of the first and the last places.
        """
        cuts, size, outer = {0, sizes[axis]}, sizes[axis], len(self.periods) - axis - 1
        for distance, moved in self.distances:
            if max(moved, default=-1) != axis:
                continue
            ends = product(*((0, sizes[n] - 1) if n in moved else (0,) for n in range(axis)))
            for inner in ends:
                cuts |= changes(lambda place, d=distance, at=inner: d((*at, place, *(0,) * outer)), size)  # type: ignore[misc]
        return sorted(cuts)

    def shift(self, sizes: Sequence[int]) -> int:
        """By how many places what holds lies further along the first axis at the next place along the second.

        0 where it does not lie together in each row, or is longer in one than in the next.
        """
        if len(sizes) < 2 or sizes[1] < 2:
            return 0
        rest = tuple(size // 2 for size in sizes[2:])
        middle = sizes[1] // 2
        here, there = (self._together(sizes[0], (place, *rest)) for place in (middle - 1, middle))
        if here is None or there is None or here[1] - here[0] != there[1] - there[0]:
            return 0
        return there[0] - here[0]

    def _together(self, size: int, rest: tuple[int, ...]) -> tuple[int, int] | None:
        """Where along the first axis it begins and ends to hold; None where it holds in several runs, or in none."""
        if size <= ALL:
            values = [self.holds((place, *rest)) for place in range(size)]
            found = [(n, n + 1) for n, value in enumerate(values) if value]
        elif self.period == 1:
            found = [cut for cut in pairwise(self._cuts(size, rest)) if self.holds((cut[0], *rest))]
        else:
            return None
        ends = all(a[1] == b[0] for a, b in pairwise(found))
        return (found[0][0], found[-1][1]) if found and ends else None

    def _along(self, size: int, rest: tuple[int, ...]) -> tuple[float, float]:
        """The same along one axis, between the places where its comparisons change; what others decide holds."""
        period = lcm(self.period, *(max(abs(divisor((0, *rest))), 1) for divisor in self.divisors))
        if size <= ALL and period > 1:
            values = self._row(0, size, rest)
            return values.count(1) / size, _run(values)
        if period > MOST_PERIOD and self.group:
            return self._in_groups(size, rest)
        if period > MOST_PERIOD:
            own = [condition for condition, moved in self.conditions if 0 in moved]
            many = MANY // MOST_TIMES if rest else MANY  # there are as many rows more
            self._spent[0] += many
            places = (int(n * GOLDEN % 1 * size) for n in range(many))
            some = sum(all(condition((place, *rest)) for condition in own) for place in places)
            return some / many, _run(self._row(size // 2, min(FEW, size - size // 2), rest))
        count, runs, whole = 0.0, [1.0], 0.0
        for low, high in pairwise(self._cuts(size, rest)):
            width = min(high - low, _whole(period))
            starts = {low, low + (high - low - width) // 2, high - width}
            looks = [self._row(start, width, rest) for start in sorted(starts)]
            values = b"".join(looks)
            share = values.count(1) / len(values)
            count += share * (high - low)
            whole = whole + high - low if share == 1 else 0.0
            if share:
                runs.append(whole or values.count(1) / max(sum(map(_rounds, looks)), 1))
        return min(count / size, 1.0), max(runs)

    def _in_groups(self, size: int, rest: tuple[int, ...]) -> tuple[float, float]:
        """The same in some large work-groups, each from one change to the next."""
        own = [condition for condition, moved in self.conditions if 0 in moved]
        some, held, rises = spread(max(size // self.group, 1), GROUPS), 0, 0
        for first in (number * self.group for number in some):
            cuts, before = {0, self.group}, False
            for distance, moved in self.distances:
                if 0 in moved:
                    cuts |= changes(lambda place, d=distance, at=first: d((at + place, *rest)), self.group)  # type: ignore[misc]
            self._spent[0] += len(cuts)
            for low, high in pairwise(sorted(cuts)):
                now = all(condition((first + low, *rest)) for condition in own)
                held, rises, before = held + now * (high - low), rises + (now and not before), now
        return held / (self.group * len(some)), max(held / rises, 1.0) if rises else 1.0

    def _row(self, start: int, width: int, rest: tuple[int, ...]) -> bytes:
        """Whether what moves along the first axis holds at some neighbours; each condition is looked at once there."""
        whole: bytes | None = None
        for number, condition, others in self._along_first:
            key = (number, start, width, *[rest[axis] for axis in others])
            row = self._looked.get(key)
            if row is None:
                self._spent[0] += width
                row = self._looked[key] = bytes([condition((at, *rest)) for at in range(start, start + width)])
            whole = row if whole is None else _both(whole, row)
        return whole if whole is not None else b"\1" * width

    def _cuts(self, size: int, rest: tuple[int, ...]) -> list[int]:
        """The places where a comparison changes, with both ends."""
        cuts = {0, size}
        for number, distance, others in self._compared_first:
            key = (number, size, *[rest[axis] for axis in others])
            if key not in self._changes:
                self._changes[key] = changes(lambda place, d=distance: d((place, *rest)), size)  # type: ignore[misc]
            cuts |= self._changes[key]
        return sorted(cuts)


def _others(moved: frozenset[int]) -> tuple[int, ...]:
    """Which of the axes behind the first one are among some."""
    return tuple(axis - 1 for axis in sorted(moved) if axis)


def _both(one: bytes, other: bytes) -> bytes:
    """Where both rows hold 1."""
    return (int.from_bytes(one) & int.from_bytes(other)).to_bytes(len(one))


def _within(length: int, number: float, period: int) -> list[int]:
    """About so many of some neighbours, at least two: whole periods that lie evenly, if they are short."""
    if period > OUTER:
        return spread(length, max(round(number), FEW // MOST_TIMES), period)
    if length <= max(2 * period, OUTER):
        return list(range(length))
    times = max(round(number / period), 2)
    return [round((k + 0.5) * length / times - period / 2) + n for k in range(times) for n in range(period)]


def _whole(period: int) -> int:
    """So many neighbours show what a condition does between two changes: one, or whole periods."""
    return period if period < FEW // 4 else -(-FEW // period) * period


def _rounds(row: bytes) -> int:
    """How often it begins to hold in a whole period, the first place coming after the last."""
    return (row[-1:] + row).count(b"\0\1")


def _run(row: bytes) -> float:
    """How many neighbours hold at a time."""
    rises = (b"\0" + row).count(b"\0\1")
    return row.count(1) / rises if rises else 1.0
