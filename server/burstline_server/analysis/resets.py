"""Which private arrays are 0 where a loop begins: given so, or set so element by element before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from burstline_model.facts import LocalArray
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.frames import OpenGuard
from burstline_server.analysis.values import Value

MOST_PLACES = 4096
"""Most elements that are followed one by one."""

Guards = tuple[OpenGuard, ...]
Places = frozenset[Polynomial]


@dataclass(slots=True)
class Resets:
    """The elements that are 0 now, by array: their offsets, each with the conditions under which it was set."""

    _places: dict[str, dict[Polynomial, Guards]] = field(default_factory=dict)
    _whole: dict[str, Guards] = field(default_factory=dict)

    def copy(self) -> Resets:
        """The same, to read ahead with."""
        return Resets({root: dict(places) for root, places in self._places.items()}, dict(self._whole))

    def declared(self, root: str, guards: Sequence[OpenGuard]) -> None:
        """An array begins with 0 in all elements."""
        self._whole[root] = tuple(guards)

    def written(self, root: str, offset: Polynomial | None, guards: Sequence[OpenGuard], *, zero: bool) -> None:
        """An element is set to 0, or to something else: then nothing is known of any."""
        if not zero:
            self._forget(root)
        elif offset is not None and len(places := self._places.setdefault(root, {})) < MOST_PLACES:
            places.setdefault(offset, tuple(guards))

    def entered(self, root: str, array: LocalArray | None, guards: Sequence[OpenGuard]) -> Places | None:
        """A loop begins that changes an array: the elements that are 0 then, None where all are.

        What is known ends here: an iteration starts with what the one before left.
        """
        places = frozenset(p for p, under in self._places.get(root, {}).items() if _still(under, guards))
        under = self._whole.get(root)
        whole = under is not None and _still(under, guards)
        self._forget(root)
        if whole or (array is not None and _covers(places, array)):
            return None
        return places

    def left(self, root: str, counter: str, trips: int | None) -> None:
        """A loop ends: what its iterations set to 0, one element each, are 0 now."""
        places = self._places.get(root)
        moving = [p for p in places if counter in p.symbols] if places else []
        for place in moving:
            under = self._places[root].pop(place)
            if trips is None or len(self._places[root]) + trips > MOST_PLACES:
                continue
            for at in range(trips):
                self._places[root].setdefault(place.substitute({counter: Polynomial.number(at)}), under)

    def _forget(self, root: str) -> None:
        self._places.pop(root, None)
        self._whole.pop(root, None)


def _still(under: Guards, now: Sequence[OpenGuard]) -> bool:
    """Whether the conditions under which something was set hold here as well."""
    return len(under) <= len(now) and all(a is b for a, b in zip(under, now, strict=False))


def _covers(places: Places, array: LocalArray) -> bool:
    """Whether these are all elements of an array."""
    if not array.length or array.length > len(places):
        return False
    known = {p.constant for p in places}
    return all(i * array.element_bytes in known for i in range(array.length))


def is_zero(value: Value) -> bool:
    """Whether a value is the constant 0."""
    ratio = value.as_ratio
    return ratio is not None and ratio[0].constant == 0
