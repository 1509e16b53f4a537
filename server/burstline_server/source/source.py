"""A file as it is read: the user's bytes, the text that is parsed, its tree, and the way back."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any

import tree_sitter

from burstline_model.record import fixed
from burstline_server.source.edit import Edit
from burstline_server.source.includes import Included
from burstline_server.source.lines import LineTable
from burstline_server.source.macros import Definition, Macro
from burstline_server.source.mask import Masked, Note
from burstline_server.source.placed_records import Runs
from burstline_server.source.preprocessed import BadDirective, Pragma, Segment, SourceRemark
from burstline_server.source.sections import SectionTree, parsed, section_tree

__all__ = ["Macro", "Note", "Origin", "Pragma", "Source", "SourceRemark"]


MAX_SYNTAX = 512
"""Most sections whose trees are kept while a file is read."""
KEPT_SYNTAX = 8
"""Most sections whose trees are kept once it is read."""
MAX_CHANGES = 64
"""Most edits in a row that are remembered."""


@fixed
class Origin:
    """Where a range of the parsed text comes from: in `file`, or (None) in the user's own.

    For text out of a macro it is the macro's use.
    `definition` is that macro's (file or None for this one, start, end).
    """

    start: int
    end: int
    macro: str | None = None
    definition: tuple[str | None, int, int] | None = None
    file: str | None = None


@fixed
class Comment:
    """A ``// burstline: …`` comment: its byte range in the user's file and what follows the colon."""

    start: int
    end: int
    text: str


LookedFor = tuple[tuple[str, Path | None, Included | None], ...]


@fixed
class Given:
    """What a reading follows from in addition to the text: macros and folders, and what was found in them."""

    defines: tuple[tuple[str, str], ...]
    folders: tuple[tuple[Path, ...], tuple[Path, ...]]
    looked_for: LookedFor = ()
    counted: bool = False
    expanded: int = 0
    """See `Preprocessed`."""
    calls: bool = False
    """Whether any macro takes arguments."""


@fixed
class Change:
    """What an edit of the reading numbered `of` did to the parsed text: the sections from `start` to `stop` are new."""

    of: int
    written: Edit
    """The edit of the user's file."""
    start: int
    stop: int
    by: int
    """How far what follows has moved."""
    plain: bool = False
    """Whether it is in one piece of the parsed text that is as the user wrote it, before and after."""
    quiet: Edit | None = None
    """What changed in the parsed text, where that is whole lines of blanks and comments alone: no word, none's line."""
    included: tuple[str, Edit] | None = None
    """The edit of a file that is included, where that one has changed in place of the user's."""

    @property
    def in_file(self) -> tuple[str | None, Edit]:
        """The file that was edited (None: the user's), and its edit."""
        return self.included or (None, self.written)

    @property
    def edit(self) -> Edit:
        """The same as an edit of the parsed text."""
        return Edit(self.start, self.stop - self.by, self.stop)


@fixed
class Source:
    """One file. `text` is what is parsed, section by section or as a whole; offsets in it map back through `origin`."""

    path: str | None
    original: bytes
    lines: LineTable
    masked: Masked
    sections: Runs[int]
    """Where each section ends."""
    pragmas: Runs[Pragma]
    macros: Mapping[str, Macro]
    """The macros at the end of the text."""
    definitions: Runs[Definition]
    long: Runs[tuple[int, int]]
    """The comments that go over several lines."""
    includes: tuple[tuple[int, int, str | None], ...]
    inactive: tuple[tuple[int, int], ...]
    remarks: tuple[SourceRemark | BadDirective, ...]
    comments: tuple[Comment, ...]
    template: bool
    files: Mapping[str, bytes]
    segments: Runs[Segment]
    given: Given
    number: int
    """Distinguishes one reading from every other."""
    changes: tuple[Change, ...] = ()
    """What was new in each reading up to this one, as far back as that is known."""
    in_force: tuple[int, Mapping[str, Macro]] | None = None
    """The macros where the last edit was made, and by how many definitions."""
    kept: dict[Any, Any] = field(default_factory=dict)
    """What was read from sections, by reader; readings that follow each other by edits share it."""
    _tables: dict[str, LineTable] = field(default_factory=dict)
    _syntax: dict[int, SectionTree] = field(default_factory=dict)
    _before: Mapping[int, SectionTree] = field(default_factory=dict)
    """The trees that were known of the text before an edit."""

    @property
    def text(self) -> bytes:
        """What is parsed."""
        return self.masked.text

    @property
    def change(self) -> Change | None:
        """What is new since the reading before, where that is known."""
        return self.changes[-1] if self.changes else None

    def edit_since(self, number: int) -> Edit | None:
        """The edit of the parsed text, whole sections of it, since an earlier reading; None where that is not known."""
        edit: Edit | None = None
        for change in reversed(self.changes):
            edit = change.edit.followed_by(edit) if edit is not None else change.edit
            if change.of == number:
                return edit
        return None

    @cached_property
    def tree(self) -> tree_sitter.Tree:
        """The tree of the whole text."""
        return parsed(self.text)

    def section_at(self, place: int) -> tuple[int, int]:
        """The section around a place; behind the last, and without any, what is left of the text."""
        number = self.sections.rank(place + 1)
        stop = self.sections[number] if number < len(self.sections) else len(self.text)
        return self.sections[number - 1] if number else 0, stop

    def syntax(self, section: tuple[int, int]) -> tree_sitter.Node:
        """The root of a section's tree; its places are those of the text."""
        known = self._syntax.get(section[0])
        if known is None:
            if len(self._syntax) >= MAX_SYNTAX:
                self._syntax.clear()
            known = self._syntax[section[0]] = section_tree(self.text, *section, self._before.get(section[0]))
        return known.root

    @property
    def trees(self) -> Mapping[int, SectionTree]:
        """The trees that are known of sections, by where these start."""
        return self._syntax

    def forget_syntax(self) -> None:
        """Let go of trees, which are many once a whole file is read."""
        if len(self._syntax) > KEPT_SYNTAX:
            self._syntax.clear()

    @property
    def notes(self) -> Runs[Note]:
        """What was masked in `text`, in order."""
        return self.masked.notes

    def origin(self, start: int, end: int) -> Origin:
        """Where the user wrote a range of `text`: its own spelling if there is one, else the macro's use."""
        if not self.segments or self._as_written:
            return Origin(start, end)
        first, last = self._segment(start), self._segment(max(start, end - 1))
        if first.file != last.file:
            last = first
        low = first.start + (start - first.out) if first.verbatim else first.start
        high = last.start + (end - last.out) if last.verbatim else last.end
        for piece in (first, last):
            if piece.use is not None and not piece.verbatim:
                # One end is in an expansion: the user sees the whole use.
                low, high = min(low, piece.use[0]), max(high, piece.use[1])
        produced = next((s for s in (first, last) if not s.verbatim and s.macro is not None), None)
        macro = produced.macro if produced is not None else None
        definition = (macro.file, *self.place_of(macro)) if macro is not None else None
        return Origin(low, max(low, high), macro.name if macro else None, definition, first.file)

    def use_of(self, place: int) -> tuple[int, int] | None:
        """The use of a macro in the user's file whose argument holds a place; None where none does."""
        piece = self._segment(place) if self.segments and not self._as_written else None
        return piece.use if piece is not None and piece.verbatim and piece.file is None else None

    @cached_property
    def _as_written(self) -> bool:
        """Whether the parsed text is the user's, place for place."""
        return len(self.segments) == 1 and self.segments[0].plain and self.segments[0].out == self.segments[0].start

    def place_of(self, macro: Macro) -> tuple[int, int]:
        """Where a macro is defined, in its file."""
        if macro.number < 0:
            return macro.start, macro.end
        definition = self.definitions[macro.number]
        return definition.start, definition.end

    def offset_of(self, place: int) -> int | None:
        """Where a byte of the user's file is in `text`; None when it is not there as it was written."""
        if not self.segments:
            return place
        found = self.segments[max(0, bisect_right(self.segments, place, key=lambda s: s.place) - 1)]
        return found.out + place - found.start if found.plain and found.start <= place < found.end else None

    def around(self, place: int) -> tuple[int, int]:
        """The range of `text` that a byte of the user's file gives, as a use of a macro does; empty where none."""
        exact = self.offset_of(place)
        if exact is not None:
            return exact, exact
        after = bisect_right(self.segments, place, key=lambda s: s.place)
        stop = self.segments[after].out if after < len(self.segments) else len(self.text)
        if after == 0:
            return 0, stop
        last = self.segments[after - 1]
        if last.plain:
            return min(last.out + last.end - last.start, stop), stop
        return self.segments[bisect_left(self.segments, last.place, key=lambda s: s.place)].out, stop

    def spelled(self, place: int) -> list[int]:
        """Every place of `text` that spells a byte of the user's file, as arguments of macros do often, or never."""
        found = []
        for number in range(bisect_right(self.segments, place, key=lambda s: s.place) - 1, -1, -1):
            s = self.segments[number]
            if s.file is None and s.verbatim and s.start <= place < s.end:
                found.append(s.out + place - s.start)
            if s.file is not None or s.use is None:
                break
        return found[::-1] if self.segments else [place]

    def written_at(self, place: int) -> int:
        """Where the user's file asks for what is at a place of `text`."""
        if not self.segments or place >= len(self.text):
            return len(self.original) if place >= len(self.text) else place
        segment = self._segment(place)
        return segment.start + place - segment.out if segment.plain else segment.place

    def divides(self, place: int) -> bool:
        """Whether no macro's use reaches from before a place of `text` to behind it."""
        if not self.segments or place >= len(self.text):
            return True
        segment = self._segment(place)
        return segment.use is None or (segment.out == place > 0 and self._segment(place - 1).use != segment.use)

    def layout(self, start: int, end: int) -> list[tuple[object, ...]]:
        """Where the pieces of a range come from, counted from where the range starts: equal for text that only moved.

        Places in other files are left as they are.
        """
        if not self.segments:
            return []
        base = self.origin(start, start).start
        found: list[tuple[object, ...]] = []
        first = max(0, self.segments.rank(start + 1) - 1)
        for by_out, by_place, segments in self.segments.unmoved(first, self.segments.rank(end)):
            shift, by = by_out - start, base - by_place
            found += [
                (
                    out + shift,
                    low - by if file is None else low,
                    verbatim,
                    file,
                    use if use is None or file is not None else (use[0] - by, use[1] - by),
                    (macro.name, macro.file) if macro is not None else None,
                )
                for out, low, _, verbatim, macro, use, file, _ in segments
            ]
        begun = self.segments[first]
        if begun.out < start:  # the first piece begins before the range
            low = begun.start + (start - begun.out if begun.verbatim else 0)
            found[0] = (0, low - (base if begun.file is None else 0), *found[0][2:])
        return found

    def pieces(self, start: int, end: int) -> list[tuple[int, int, Segment]]:
        """The pieces of a range of `text`, each with the part of the range that it makes up; none without macros."""
        found = self.segments[max(0, self.segments.rank(start + 1) - 1) : self.segments.rank(end)]
        ends = [*(s.out for s in found[1:]), end]
        return [(max(s.out, start), stop, s) for s, stop in zip(found, ends, strict=False)]

    def lines_of(self, file: str | None) -> LineTable:
        """The line table of the user's file (None) or of an included one."""
        if file is None:
            return self.lines
        if file not in self._tables:
            self._tables[file] = LineTable(self.files.get(file, b""))
        return self._tables[file]

    def text_of(self, file: str | None) -> bytes:
        """The bytes of the user's file (None) or of an included one."""
        return self.original if file is None else self.files.get(file, b"")

    def _segment(self, offset: int) -> Segment:
        return self.segments[max(0, self.segments.rank(offset + 1) - 1)]

    def pragmas_in(self, start: int, end: int) -> tuple[Pragma, ...]:
        """The pragmas in a range of `text`."""
        return self.pragmas.between(start, end)

    def notes_in(self, start: int, end: int) -> tuple[Note, ...]:
        """The notes that start in a range of `text`."""
        return self.notes.between(start, end)
