"""Facts of kernels whose text an edit left alone: kept by content, and placed where the text is now when asked."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property

from burstline_model.facts import KernelFacts, LocalArray, Span
from burstline_model.record import fixed
from burstline_server.analysis.outline import Item, Outline
from burstline_server.analysis.relocated import relocated
from burstline_server.caches.bounded import BoundedCache
from burstline_server.caches.lazy import LazySequence
from burstline_server.source.edit import Edit
from burstline_server.source.source import Source

MAX_SNAPSHOTS = 2048
"""Fewest kernels whose facts are kept."""
Range = tuple[int, int]
Gaps = tuple[tuple[int, Edit], ...]
"""By the number of a piece of text, an edit of the piece as it was read, counted from its start."""


@fixed
class Layout:
    """Where a kernel's text is: its `pieces`, and what changed in their blanks and comments since they were read."""

    pieces: tuple[Range, ...] = ()
    gaps: Gaps = ()

    def within(self, piece: int, place: int, *, ends: bool) -> int:
        """Where a place of a piece as it was read is; both count from the piece's start. `ends`: something ends there.

        What ends where something was written stays in front of it, what begins there moves behind it.
        """
        inside = (edit for number, edit in self.gaps if number == piece)
        return place + sum(one.by for one in inside if (place > one.start if ends else place >= one.old_end))

    def as_read(self, piece: int, place: int, *, ends: bool) -> int:
        """Where a place of a piece was when it was read; the way back."""
        by = 0
        for number, one in self.gaps:
            if number == piece and (place - by > one.start if ends else place - by >= one.new_end):
                by += one.by
        return place - by

    def with_gap(self, piece: int, edit: Edit) -> Layout:
        """The same after an edit in a piece's blanks and comments, one with what was changed there before."""
        ahead, later, shift, there = list[tuple[int, Edit]](), list[tuple[int, Edit]](), 0, list[Edit]()
        for number, one in self.gaps:
            if number != piece or one.new_end + shift < edit.start:
                ahead.append((number, one))
            elif one.start + shift > edit.old_end:
                later.append((number, one))
            else:
                there.append(one)
            shift += one.by if number == piece else 0
        before = sum(one.by for number, one in ahead if number == piece)
        if there:
            end = there[-1].old_end + before
            edit = Edit(there[0].start + before, end, end + sum(one.by for one in there)).followed_by(edit)
        return Layout(self.pieces, (*ahead, (piece, edit.moved(-before)), *later))


def moved(span: Span, then: Layout, now: Layout) -> Span:
    """Where a place in a kernel's text, laid out as `then`, is `now`."""
    if span.file is None:
        for piece, ((start, end), (begins, _)) in enumerate(zip(then.pieces, now.pieces, strict=True)):
            if start <= span.start <= end:
                if then.gaps == now.gaps:
                    by = begins - start
                    return Span(start=span.start + by, end=span.end + by) if by else span
                low, high = (
                    begins + now.within(piece, then.as_read(piece, place - start, ends=ends), ends=ends)
                    for place, ends in ((span.start, False), (span.end, True))
                )
                return Span(start=low, end=max(low, high))
    return span


@fixed
class KernelSnapshot:
    """A kernel's facts, with the places of its text in `home`: its own piece, then those of all it may call.

    `key` is a digest of all the text that the facts follow from; `gaps` is what changed since in its blanks and
    comments, which is not read.
    """

    key: bytes
    facts: KernelFacts
    home: tuple[Range, ...] = ()
    reached: tuple[str, ...] = ()
    called: frozenset[str] = frozenset()
    """Every name that is called in that text, of functions of the file or not."""
    lacks_types: bool = False
    """Whether a pointer's type is declared nowhere in the file: another one is expected to include it."""
    like: bytes = b""
    """The key of a kernel whose facts differ by places alone; empty where none is known."""
    unread: bool = False
    """Whether its body was not read, since it does not compile or is not asked for: the facts are those of its head."""
    gaps: Gaps = ()
    silent: bool = False
    """Whether it was left out since its text shows that it makes no access."""


@fixed
class PlacedKernel:
    """A kernel that was read; `pieces` is where in the user's file its text is now."""

    snapshot: KernelSnapshot
    pieces: tuple[Range, ...] = ()
    tables: Mapping[str, LocalArray] = field(default_factory=dict)
    source: Source | None = None
    """The reading of the file; its macros may have moved."""

    @property
    def key(self) -> bytes:
        """A digest of all the text that the facts follow from."""
        return self.snapshot.key

    @property
    def span(self) -> Span:
        """Where the kernel's definition is now."""
        return moved(self.snapshot.facts.span, Layout(self.snapshot.home), self.layout)

    @property
    def layout(self) -> Layout:
        """Where its text is now."""
        return Layout(self.pieces, self.snapshot.gaps)

    @cached_property
    def facts(self) -> KernelFacts:
        """The facts with their places now."""
        facts = self.snapshot.facts
        read, now, macros = Layout(self.snapshot.home), self.layout, self._definitions()
        # A macro may have moved where the kernel has not, by an edit between them that outweighs one in front.
        uses = (a.macro for a in facts.accesses if a.macro is not None)
        if now != read or any(macros.get(use.name, use.definition) != use.definition for use in uses):
            facts = relocated(facts, lambda span: moved(span, read, now), macros)
        if all(self.tables.get(a.name, a) == a for a in facts.arrays):
            return facts
        return facts.model_copy(update={"arrays": tuple(self.tables.get(a.name, a) for a in facts.arrays)})

    def _definitions(self) -> dict[str, Span]:
        """Where the user's file defines the macros that hold accesses."""
        found = {}
        for name in {a.macro.name for a in self.snapshot.facts.accesses if a.macro is not None}:
            macro = self.source.macros.get(name) if self.source is not None else None
            if self.source is not None and macro is not None and macro.file is None:
                start, end = self.source.place_of(macro)
                found[name] = Span(start=start, end=end)
        return found


class KernelList(LazySequence[PlacedKernel]):
    """The kernels of a file; their places are worked out when one is asked for."""

    def __init__(
        self,
        snapshots: tuple[KernelSnapshot, ...],
        outline: Outline,
        source: Source,
        tables: Mapping[str, LocalArray],
        before: tuple[KernelList, Edit] | None = None,
    ) -> None:
        super().__init__(len(snapshots))
        self.snapshots = snapshots
        self._outline, self._source, self._tables = outline, source, tables
        # Kernels of one name and text are distinguished by their number alone.
        same = before is not None and len(before[0]) == len(snapshots)
        self._before = (before[0].made, before[1]) if before is not None and same else ({}, Edit(0, 0, 0))

    def make(self, number: int) -> PlacedKernel:
        """A kernel with its places now."""
        snapshot = self.snapshots[number]
        made, edit = self._before
        old = made.get(number)
        pieces = _moved(old.pieces, edit) if old is not None and old.snapshot is snapshot else None
        if pieces is None:
            item = self._outline.items[self._outline.kernels[number]]
            items = (item, *(self._outline.function(name) for name in snapshot.reached))
            pieces = tuple(place_of(self._source, one) for one in items)
        return PlacedKernel(snapshot, pieces, self._tables, self._source)

    def with_snapshots(self, snapshots: tuple[KernelSnapshot, ...]) -> KernelList:
        """The same kernels with other facts, whose places are those of now."""
        return KernelList(snapshots, self._outline, self._source, self._tables)

    def texts(self, number: int) -> list[int]:
        """Where a kernel's own text and that of all it may call start in the parsed text."""
        functions = self._outline.functions
        own = self._outline.items[self._outline.kernels[number]].start
        reached = (name for name in self.snapshots[number].reached if name in functions)
        return [own, *(self._outline.function(name).start for name in reached)]

    def own(self, start: int, end: int) -> Sequence[int]:
        """Which kernels have text of their own in a range of the user's file, what is right above them included."""
        low, high = self._items(start, end)
        return range(*(bisect_left(self._outline.kernels, n) for n in (low, high)))

    def touching(self, start: int, end: int) -> list[int]:
        """Which kernels have text in a range of the user's file, functions that they call included."""
        low, high = self._items(start, end)
        names = {item.name for item in self._outline.items[low:high] if item.name is not None}
        calling = (n for n, one in enumerate(self.snapshots) if not names.isdisjoint(one.reached))
        return sorted({*self.own(start, end), *calling})

    def _items(self, start: int, end: int) -> tuple[int, int]:
        """The items in a range of the user's file, first and after last."""
        items, source = self._outline.items, self._source
        first = source.around(start)[0]
        last = source.around(end)[1] if end < len(source.original) else len(source.text)
        low = bisect_left(items, first, key=lambda i: i.stop)
        return low, bisect_right(items, last, low, key=lambda i: i.begin)


def _moved(pieces: tuple[Range, ...], edit: Edit) -> tuple[Range, ...] | None:
    """Where pieces are after an edit; None where it is made in one of them."""
    if all(end <= edit.start for _, end in pieces):
        return pieces
    if any(start < edit.old_end and end > edit.start for start, end in pieces):
        return None
    return tuple(
        (edit.after(start), edit.after(end)) if start >= edit.old_end else (start, end) for start, end in pieces
    )


def place_of(source: Source, item: Item) -> Range:
    """Where an item is in the user's file; (-1, -1) for one of another file."""
    origin = source.origin(item.begin, item.stop)
    return (origin.start, origin.end) if origin.file is None else (-1, -1)


class SnapshotCache(BoundedCache[bytes, KernelSnapshot]):
    """The kernels that were read last, by the digest of all the text that their facts follow from."""

    def __init__(self) -> None:
        super().__init__("kernel facts", MAX_SNAPSHOTS)
