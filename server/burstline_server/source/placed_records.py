"""Sorted records with places, taken over after an edit without touching those that only moved."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

from burstline_model.record import fixed

Record = TypeVar("Record")
MAX_PARTS = 24
"""From this many parts on, records are moved for good."""


@fixed
class Kind(Generic[Record]):
    """What records are: the place they are sorted by (None: they are places), and how they move.

    A record moves by two amounts: the first for its place, the second for places that it names in another text.
    """

    place: Callable[[Record], int] | None
    moved: Callable[[Record, int, int], Record]


class Runs(Sequence[Record], Generic[Record]):
    """Records in order of their places. Unchanging; `spliced` shares what it takes over."""

    __slots__ = ("_kind", "_length", "_parts")

    def __init__(self, kind: Kind[Record], records: Iterable[Record] = ()) -> None:
        self._kind = kind
        self._take([(0, 0, tuple(records))])

    def _take(self, parts: list[tuple[int, int, tuple[Record, ...]]]) -> None:
        self._parts = [part for part in parts if part[2]]
        self._length = sum(len(part[2]) for part in self._parts)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Record]:
        moved = self._kind.moved
        for by, other, records in self._parts:
            yield from ((moved(r, by, other) for r in records) if by or other else records)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Record, ...]: ...
    def __getitem__(self, index: Any) -> Record | tuple[Record, ...]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._length)
            return self._range(start, stop) if step == 1 else tuple(self[i] for i in range(start, stop, step))
        left = index + self._length if index < 0 else index
        if left >= 0:
            for by, other, records in self._parts:
                if left < len(records):
                    return self._kind.moved(records[left], by, other) if by or other else records[left]
                left -= len(records)
        raise IndexError(index)

    def _range(self, start: int, stop: int) -> tuple[Record, ...]:
        found: list[Record] = []
        moved = self._kind.moved
        for by, other, some in self.unmoved(start, stop):
            found += [moved(r, by, other) for r in some] if by or other else some
        return tuple(found)

    def unmoved(self, start: int, stop: int) -> Iterator[tuple[int, int, tuple[Record, ...]]]:
        """The records from one index to another as they were, with how far their places have moved."""
        before = 0
        for by, other, records in self._parts:
            if before >= stop:
                break
            if some := records[max(start - before, 0) : stop - before]:
                yield by, other, some
            before += len(records)

    def those(self, test: Callable[[Record], bool]) -> Iterator[Record]:
        """The records that a test which asks for no place holds for."""
        moved = self._kind.moved
        for by, other, records in self._parts:
            some = filter(test, records)
            yield from ((moved(r, by, other) for r in some) if by or other else some)

    def rank(self, place: int) -> int:
        """How many records come before a place."""
        of, before = self._kind.place, 0
        for by, _, records in self._parts:
            plain: Any = records
            if (plain[-1] if of is None else of(plain[-1])) + by >= place:
                return before + bisect_left(plain, place - by, key=of)
            before += len(records)
        return before

    def between(self, start: int, stop: int) -> tuple[Record, ...]:
        """The records whose places are in `start` to `stop`, the latter left out."""
        first, last = self.rank(start), self.rank(stop)
        return self[first:last] if first < last else ()

    def spliced(self, start: int, stop: int, records: Iterable[Record], by: int, other: int = 0) -> Runs[Record]:
        """These records instead of those placed in `start` to `stop`; what follows moves."""
        head, cut = self._seek(start)
        tail, rest = self._seek(stop)
        parts = self._parts[:head]
        if head < len(self._parts):
            part = self._parts[head]
            parts.append((part[0], part[1], part[2][:cut]))
        parts.append((0, 0, tuple(records)))
        for number, part in enumerate(self._parts[tail:]):
            parts.append((part[0] + by, part[1] + other, part[2][rest:] if number == 0 else part[2]))
        made: Runs[Record] = Runs(self._kind)
        made._take(parts)
        if len(made._parts) > MAX_PARTS:
            made._take([(0, 0, tuple(made))])
        return made

    def _seek(self, place: int) -> tuple[int, int]:
        """The first record at or after a place: which part, and where in it."""
        of = self._kind.place
        for number, (by, _, records) in enumerate(self._parts):
            last: Any = records[-1] if of is None else of(records[-1])
            if last + by >= place:
                plain: Any = records
                return number, bisect_left(plain, place - by, key=of)
        return len(self._parts), 0


PLACES: Kind[int] = Kind(None, lambda place, by, _: place + by)
"""Records that are places."""
