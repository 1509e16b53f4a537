"""Facts of kernels whose text an edit left alone: kept by content, and told where the text stands now when asked."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from burstline_model.facts import KernelFacts, LocalArray, Span
from burstline_server.source.edit import Edit
from burstline_server.source.source import Macro

MAX_READINGS = 2048
"""Fewest kernels whose facts are kept."""
Range = tuple[int, int]


def moved(span: Span, home: tuple[Range, ...], now: tuple[Range, ...]) -> Span:
    """Where a place in the pieces of text `home` is when they stand where they are `now`."""
    if span.file is None:
        for (start, end), (begins, _) in zip(home, now, strict=True):
            if start <= span.start <= end:
                by = begins - start
                return Span(start=span.start + by, end=span.end + by) if by else span
    return span


@dataclass(frozen=True)
class Reading:
    """A kernel that was read. `key` stands for all the text that its facts follow from.

    `told` are the facts with the places of the text `home`; `pieces` is where in the user's file that text is now.
    """

    key: bytes
    told: KernelFacts
    home: tuple[Range, ...] = ()
    pieces: tuple[Range, ...] = ()
    tables: Mapping[str, LocalArray] = field(default_factory=dict)
    macros: Mapping[str, Macro] = field(default_factory=dict)
    lacks_types: bool = False
    """Whether a pointer's type is declared nowhere in the file: another one is meant to include it."""

    @cached_property
    def facts(self) -> KernelFacts:
        """The facts with their places now."""
        facts = self.told
        if self.pieces != self.home:
            used = {a.macro.name for a in facts.accesses if a.macro is not None}
            own = {n: m for n in used if (m := self.macros.get(n)) is not None and m.file is None}
            facts = facts.relocated(self.at, {n: Span(start=m.start, end=m.end) for n, m in own.items()})
        if all(self.tables.get(a.name, a) == a for a in facts.arrays):
            return facts
        return facts.model_copy(update={"arrays": tuple(self.tables.get(a.name, a) for a in facts.arrays)})

    def at(self, span: Span) -> Span:
        """Where a place of the facts as they were told is now."""
        return moved(span, self.home, self.pieces)

    def covers(self, start: int, end: int) -> bool:
        """Whether text of the kernel, or of a function that it calls, stands in a range of the user's file."""
        return not self.pieces or any(a <= end and start <= b for a, b in self.pieces)

    def moved(self, edit: Edit, tables: Mapping[str, LocalArray]) -> Reading:
        """The same kernel after an edit elsewhere in the user's file."""
        if tables is self.tables and all(b <= edit.start for _, b in self.pieces):
            return self
        pieces = tuple((a, b) if b <= edit.start else (a + edit.by, b + edit.by) for a, b in self.pieces)
        return replace(self, pieces=pieces, tables=tables)


@dataclass(slots=True)
class Readings:
    """The most recent readings by key."""

    most: int = MAX_READINGS
    _known: OrderedDict[bytes, Reading] = field(default_factory=OrderedDict)

    def find(self, key: bytes) -> Reading | None:
        """The reading of the same text."""
        known = self._known.get(key)
        if known is not None:
            self._known.move_to_end(key)
        return known

    def keep(self, reading: Reading) -> Reading:
        """Remember a reading; the oldest goes when there are too many."""
        self._known[reading.key] = reading
        self._known.move_to_end(reading.key)
        while len(self._known) > self.most:
            self._known.popitem(last=False)
        return reading
