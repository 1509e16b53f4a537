"""Memory words that a sequence of requests fetches: joined at run time, and what a private cache keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import dropwhile
from math import ceil, copysign, gcd, prod

from burstline_model.record import fixed
from burstline_model.walk.steps import Step


@fixed
class Leg:
    """`size` requests along one dimension, `step` apart."""

    size: float
    step: Step

    @property
    def distance(self) -> float:
        """Bytes from one to the next."""
        return abs(self.step.bytes)


@fixed
class Start:
    """Where in a word the first address may be: at `at`, or any multiple of `grain` further; a word: it is known."""

    at: int
    grain: int

    def places(self, legs: Sequence[Leg], span: float, word: int) -> frozenset[int]:
        """Where in a word requests are that begin along some legs, from there on."""
        grain, few = gcd(max(self.grain, 1), word), list[tuple[int, int]]()
        for leg in legs:
            by = _grain_of(leg, span)
            times = word // gcd(by, word)
            if leg.step.kind == "same" or times == 1:
                continue
            if leg.step.kind == "steady" and leg.size <= times - 1:
                few.append((int(copysign(by, leg.step.bytes)), max(ceil(leg.size), 1)))
            else:  # it reaches all multiples
                grain = gcd(grain, by)
        found = frozenset(range(self.at % grain, word, grain))
        for by, times in few:
            found = frozenset([(place + n * by) % word for place in found for n in range(times)])
        return found


@fixed
class Fetched:
    """Words fetched. `thrash`: a private cache cannot keep what is read again."""

    words: float
    thrash: bool = False


def fetched(legs: Sequence[Leg], span_bytes: float, start: Start, word: int, cache_bytes: int | None) -> Fetched:
    """The words that requests of `span_bytes` fetch along `legs`, the fastest first.

    Without a cache a unit holds the word it is at, and neighbouring requests share it. A private cache, of lines of one
    word, keeps what is touched until it is touched again, if all that comes in between fits.
    """
    legs = _joined([leg for leg in legs if leg.size > 1 or leg.step.kind == "anywhere"])
    room = max((cache_bytes or 0) // word, 1)
    kept = 0
    while kept < len(legs) and _fits(legs[: kept + 1], span_bytes, start, word, room):
        kept += 1
    end = kept + 1
    again = kept < len(legs) and not _comes_back(legs[:end], room, word)
    while end < len(legs) and _goes_further(legs[:end], legs[end]):
        end += 1
    words, _ = footprint(legs[:end], span_bytes, start, word, revisit=again and end == kept + 1, sweeps=legs[end:])
    for leg in legs[end:]:
        words *= leg.size
    if room == 1 and end == kept + 1 and not (kept < len(legs) and _goes_further(legs[:kept], legs[kept])):
        words = max(words, _across(legs, kept, span_bytes, start, word))
    lost = cache_bytes is not None and any(leg.step.kind == "same" for leg in legs[kept + 1 :])
    return Fetched(words, thrash=lost)


def _goes_further(legs: Sequence[Leg], after: Leg) -> bool:
    """Whether each sweep of some legs begins where the one before ended, or beyond: no word is come back to."""
    moving = list(dropwhile(lambda leg: leg.step.kind == "same", (*legs, after)))
    if any(leg.step.kind != "steady" or leg.step.bytes * after.step.bytes < 0 for leg in moving):
        return False  # one that stays sweeps them again
    return after.distance > 0 and after.distance >= sum(leg.distance * (leg.size - 1) for leg in legs)


def _across(legs: Sequence[Leg], kept: int, span: float, start: Start, word: int) -> float:
    """Words of a range that is swept again and again while it moves on: where it lies across two, both each time."""
    moving = [n for n, leg in enumerate(legs[:kept]) if leg.distance]
    shifts = any(leg.distance % word for leg in legs[kept:])
    if not moving or not shifts:
        return 0.0
    _, cover = footprint(legs[:kept], span, Start(0, word), word)
    places = Start(start.at - _down(legs[:kept]), start.grain).places(legs[kept:], span, word)
    across = sum(place + cover > word for place in places) / len(places)
    return 2 * across * prod(leg.size for leg in legs[moving[-1] + 1 :])


def _comes_back(legs: Sequence[Leg], room: int, word: int) -> bool:
    """Whether a cache keeps the places that the last leg comes round to."""
    reach = legs[-1].step.reach if legs else None
    return reach is not None and reach / word <= room


def _fits(legs: Sequence[Leg], span: float, start: Start, word: int, room: int) -> bool:
    """Whether a direct-mapped cache holds all words of some legs: not those that fall into the same few lines."""
    words, _ = footprint(legs, span, start, word)
    if words > room + 1e-9:
        return False
    for leg in legs:
        apart = leg.distance / word
        even = room > 1 and leg.step.kind != "anywhere" and apart >= 1 and apart == int(apart)
        if even and leg.size > room / gcd(room, int(apart)):
            return False
        uneven = room > 1 and leg.step.kind != "anywhere" and apart > 1 and not even
        if uneven and _crowded(apart, int(min(leg.size, room)), room) > MOST_CROWDED:
            return False
    return True


ROUNDING = 1e-6
"""The part of a word by which sums of bytes may miss a whole one."""
MOST_CROWDED = 0.5
"""The share of its words that take each other's place from which on a cache counts as one that keeps none."""


@lru_cache(maxsize=512)
def _crowded(apart: float, number: int, room: int) -> float:
    """The share of `number` words, so many `apart`, that fall into a line of a cache with another of them."""
    lines = Counter(int(n * apart) % room for n in range(number))
    return sum(n for n in lines.values() if n > 1) / number if number else 0.0


def footprint(
    legs: Sequence[Leg], span: float, start: Start, word: int, *, revisit: bool = False, sweeps: Sequence[Leg] = ()
) -> tuple[float, float]:
    """Different words that some legs touch, and how many bytes lie side by side.

    `revisit`: places that the last leg comes round to count each time. `sweeps`: the legs along which all of this
    comes again, elsewhere.
    """
    cover, runs, whole, side_by_side, apart = span, 1.0, True, list[Leg](), [*sweeps]
    last = legs[-1] if legs else None
    for leg in sorted(legs, key=lambda one: (one.step.kind == "anywhere", one.distance)):
        reach = None if revisit and leg is last else leg.step.reach
        if leg.step.kind == "same":
            continue
        if leg.step.kind == "anywhere":
            most = leg.size if reach is None else min(leg.size, max(reach / word, 1.0))
            runs *= most
            apart.append(leg)
        elif leg.distance < cover + word:
            # What lies between two requests in one word is fetched along with them.
            far = leg.distance * (leg.size - 1)
            cover += min(far, max(reach - leg.distance, 0.0)) if reach is not None else far
            whole = whole and leg.size == int(leg.size)
            side_by_side.append(leg)
        else:
            runs *= leg.size if reach is None else min(leg.size, max(reach / leg.distance, 1.0))
            apart.append(leg)
    if not apart and start.grain < word:
        start = Start(0, word)  # one sweep from anywhere is best taken for one that begins a word
    places = Start(start.at - _down(side_by_side), start.grain).places(apart, span, word)
    if whole:
        words = sum(ceil((place + cover) / word - ROUNDING) for place in places) / len(places)
    else:
        words = cover / word + 1 - 1 / len(places)
    return runs * max(words, 1.0), cover


def _down(legs: Sequence[Leg]) -> int:
    """Bytes that lie in front of the first address."""
    return int(sum(leg.distance * (leg.size - 1) for leg in legs if leg.step.bytes < 0))


def _grain_of(leg: Leg, span: float) -> int:
    """What divides every address along a leg."""
    if leg.step.kind == "anywhere" and leg.step.grain:
        return leg.step.grain
    even = leg.step.kind == "steady" and leg.distance == int(leg.distance)
    return int(leg.distance) if even else _element(span)


def _element(span: float) -> int:
    """What divides the address of an element anywhere: the power of two that its size is a multiple of."""
    whole = max(int(span), 1)
    return whole & -whole


def _joined(legs: Sequence[Leg]) -> list[Leg]:
    """The legs, those as one that go on where the one before ends."""
    found: list[Leg] = []
    for leg in legs:
        before = found[-1] if found else None
        if before is not None and _goes_on(before, leg):
            step = replace(before.step, reach=leg.step.reach or before.step.reach)
            found[-1] = Leg(before.size * leg.size, step)
        else:
            found.append(leg)
    return found


def _goes_on(before: Leg, leg: Leg) -> bool:
    steady = {"steady", "mostly"}
    if before.step.kind not in steady or leg.step.kind not in steady or before.step.reach is not None:
        return False
    whole = before.distance * before.size
    return before.step.bytes * leg.step.bytes > 0 and abs(whole - leg.distance) <= ALIKE * whole


ALIKE = 0.02
"""Legs that miss each other by no more than this, as rows with a border do, count as one."""
