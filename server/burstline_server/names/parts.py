"""The parts of a file in order, with the names that the whole file sees: after an edit only what it touched is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from burstline_server.names.part import Declared, Key
from burstline_server.names.part_reader import PartReader
from burstline_server.source.edit import Edit
from burstline_server.source.placed_records import PLACES, Runs
from burstline_server.source.source import Source


@dataclass(eq=False, slots=True)
class Part:
    """A part, identified by its content, wherever it is. `declared` is what the whole file sees of it.

    `encoded` is kept here by those who make it.
    """

    digest: bytes
    declared: tuple[Declared, ...]
    encoded: Any = field(default=None, repr=False)

    @property
    def said(self) -> list[tuple[object, ...]]:
        """What the names that the whole file sees are, places aside."""
        return [(d.key, d.kind, d.space, d.body is None) for d in self.declared]


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of the reading `number`: where each ends, and which of them declare a name that the file sees.

    `declaring` is the same object as long as these names are the same, places aside.
    """

    number: int
    ends: Runs[int]
    parts: Sequence[Part]
    declaring: Mapping[Key, Sequence[int]]

    def start_of(self, number: int) -> int:
        """Where a part starts in the parsed text."""
        return self.ends[number - 1] if number else 0

    def around(self, place: int) -> int:
        """Which part holds a byte of the parsed text."""
        return min(self.ends.rank(place + 1), len(self.parts) - 1)


def parts_of(source: Source, before: Parts | None = None) -> Parts:
    """The parts of a file; those of the reading before an edit are taken over."""
    if before is not None and before.number == source.number:
        return before
    old = before or Parts(0, Runs(PLACES), (), {})
    edit = source.edit_since(old.number) if before is not None else None
    if edit is None:
        edit = Edit(0, old.ends[-1] if old.parts else 0, len(source.text))
    first = old.ends.rank(edit.start + 1)
    last = min(max(first, old.ends.rank(edit.old_end) + 1), len(old.parts))
    start, stop = old.start_of(first), old.start_of(last) + edit.by
    kept = {p.digest: p for p in old.parts[first:last]}
    ends = [end for end in source.sections.between(start + 1, stop + 1) if end == stop or source.divides(end)]
    new = [_part(source, begin, end, kept) for begin, end in zip((start, *ends), ends, strict=False)]
    parts = [*old.parts[:first], *new, *old.parts[last:]]
    same = [p.said for p in old.parts[first:last]] == [p.said for p in new]
    return Parts(
        source.number,
        old.ends.spliced(start + 1, stop - edit.by + 1, ends, edit.by),
        parts,
        old.declaring if same else _declaring(parts),
    )


def _declaring(parts: Sequence[Part]) -> dict[Key, list[int]]:
    found: dict[Key, list[int]] = {}
    for number, part in enumerate(parts):
        for one in part.declared:
            found.setdefault(one.key, []).append(number)
    return found


def _part(source: Source, start: int, stop: int, kept: dict[bytes, Part]) -> Part:
    """The part in a range of the parsed text, one of the kept ones where it says the same."""
    digest = _digest(source, start, stop)
    if digest not in kept:
        declared = PartReader(source, start, stop).declared
        kept[digest] = Part(digest, tuple(d for d in declared if d.scope is None))
    return kept[digest]


def _digest(source: Source, start: int, stop: int) -> bytes:
    """A digest of all that the names of a part follow from."""
    notes = [(n.start - start, n.end - start, n.kind, n.text) for n in source.notes_in(start, stop)]
    written = source.original[source.written_at(start) : source.written_at(stop)]
    said = (source.text[start:stop], notes, source.layout(start, stop), written)
    return blake2b(repr(said).encode(), digest_size=16).digest()
