"""A file as it is read: the user's bytes, the text that is parsed, its tree, and the way back."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import tree_sitter
import tree_sitter_c

from burstline_server.source.includes import IncludeFolders
from burstline_server.source.lines import LineTable
from burstline_server.source.macros import Macro
from burstline_server.source.mask import Masked, Note, blank, difference, mask, remask
from burstline_server.source.preprocess import Pragma, Segment, SourceRemark, preprocess

__all__ = ["Macro", "Note", "Origin", "Pragma", "Source", "SourceRemark", "read_source"]

PREDEFINED: dict[str, str] = {
    "INTELFPGA_CL": "1",
    "ALTERA_CL": "1",
    "__OPENCL_VERSION__": "100",
    "__OPENCL_C_VERSION__": "100",
    "CL_VERSION_1_0": "100",
    "CL_VERSION_1_1": "110",
    "CL_VERSION_1_2": "120",
    "CL_VERSION_2_0": "200",
    "__ENDIAN_LITTLE__": "1",
    "CLK_LOCAL_MEM_FENCE": "1",
    "CLK_GLOBAL_MEM_FENCE": "2",
    "CLK_CHANNEL_MEM_FENCE": "4",
    "CHAR_BIT": "8",
    "INT_MAX": "2147483647",
    "UINT_MAX": "4294967295u",
    "NULL": "0",
}
"""What the vendor's compiler defines by itself, as far as it can matter to a condition or an index."""

MAX_PARSED_BYTES = 12_000_000
"""Longest text that is parsed; what follows is left out, and said to be."""
_PRAGMA_OPERATOR = re.compile(rb'\b_Pragma\s*\(\s*"((?:\\.|[^"\\\n])*)"\s*\)')
_TEMPLATE = re.compile(
    rb"\{%[-+]?\s*(?:for|if|set|macro|block|extends|include|import|else|elif|endfor|endif|call|raw)\b"
)
_BURSTLINE = re.compile(rb"//[ \t]*burstline:([^\r\n]*)")


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Comment:
    """A ``// burstline: …`` comment: its byte range in the user's file and what follows the colon."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Source:
    """One file. `text` is what `tree` was parsed from; offsets in it map back through `origin`."""

    path: str | None
    original: bytes
    lines: LineTable
    masked: Masked
    tree: tree_sitter.Tree
    pragmas: tuple[Pragma, ...]
    macros: Mapping[str, Macro]
    includes: tuple[tuple[int, int, str | None], ...]
    inactive: tuple[tuple[int, int], ...]
    remarks: tuple[SourceRemark, ...]
    comments: tuple[Comment, ...]
    template: bool
    files: Mapping[str, bytes]
    _segments: list[Segment]
    _starts: list[int]
    _tables: dict[str, LineTable] = field(default_factory=dict)

    @property
    def text(self) -> bytes:
        """What the tree was parsed from."""
        return self.masked.text

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was masked in `text`, in order."""
        return self.masked.notes

    def origin(self, start: int, end: int) -> Origin:
        """Where the user wrote a range of `text`: its own spelling if there is one, else the macro's use."""
        if not self._segments:
            return Origin(start, end)
        first, last = self._segment(start), self._segment(max(start, end - 1))
        if first.file != last.file:
            last = first
        low = first.start + (start - first.out) if first.verbatim else first.start
        high = last.start + (end - last.out) if last.verbatim else last.end
        for piece in (first, last):
            if piece.use is not None and not piece.verbatim:
                # One end stands in an expansion: the user sees the whole use.
                low, high = min(low, piece.use[0]), max(high, piece.use[1])
        produced = next((s for s in (first, last) if not s.verbatim and s.macro is not None), None)
        macro = produced.macro if produced is not None else None
        definition = (macro.file, macro.start, macro.end) if macro is not None else None
        return Origin(low, max(low, high), macro.name if macro else None, definition, first.file)

    def offset_of(self, place: int) -> int | None:
        """Where a byte of the user's file stands in `text`; None when it is not there as it was written."""
        if not self._segments:
            return place
        return next(
            (
                s.out + place - s.start
                for s in self._segments
                if s.file is None and s.verbatim and s.use is None and s.start <= place < s.end
            ),
            None,
        )

    def layout(self, start: int, end: int) -> list[tuple[object, ...]]:
        """Where the pieces of a range come from, told from where the range starts: equal for text that only moved.

        Places in other files are told as they are.
        """
        if not self._segments:
            return []
        base = self.origin(start, start).start
        found: list[tuple[object, ...]] = []
        i = max(0, bisect_right(self._starts, start) - 1)
        while i < len(self._segments) and self._segments[i].out < end:
            s = self._segments[i]
            i += 1
            ahead = max(0, start - s.out) if s.verbatim else 0
            low, by = s.start + ahead, base if s.file is None else 0
            use = (s.use[0] - by, s.use[1] - by) if s.use is not None else None
            macro = (s.macro.name, s.macro.file) if s.macro is not None else None
            found.append((max(s.out, start) - start, low - by, s.verbatim, s.file, use, macro))
        return found

    def pieces(self, start: int, end: int) -> list[tuple[int, int, Segment]]:
        """The pieces of a range of `text`, each with the part of the range that it makes up; none without macros."""
        first = max(0, bisect_right(self._starts, start) - 1)
        last = bisect_left(self._starts, end)
        found = self._segments[first:last]
        ends = [*(s.out for s in found[1:]), end]
        return [(max(s.out, start), stop, s) for s, stop in zip(found, ends, strict=True)]

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
        return self._segments[max(0, bisect_right(self._starts, offset) - 1)]

    def pragmas_in(self, start: int, end: int) -> tuple[Pragma, ...]:
        """The pragmas that stand in a range of `text`."""
        first = bisect_left(self.pragmas, start, key=lambda p: p.start)
        return self.pragmas[first : bisect_left(self.pragmas, end, key=lambda p: p.start)]

    def notes_in(self, start: int, end: int) -> tuple[Note, ...]:
        """The notes that start in a range of `text`."""
        first = bisect_left(self.notes, start, key=lambda n: n.start)
        return self.notes[first : bisect_left(self.notes, end, key=lambda n: n.start)]


@cache
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_c.language()))


def _parsed(text: bytes, before: Source | None) -> tree_sitter.Tree:
    """The tree of a text; what an edit left alone is taken over from the tree before it."""
    if before is None:
        return _parser().parse(text)
    old, edit = before.text, difference(before.text, text)
    tree = before.tree.copy()
    tree.edit(
        edit.start,
        edit.old_end,
        edit.new_end,
        _point(old, edit.start),
        _point(old, edit.old_end),
        _point(text, edit.new_end),
    )
    return _parser().parse(text, tree)


def _point(text: bytes, offset: int) -> tree_sitter.Point:
    return tree_sitter.Point(text.count(b"\n", 0, offset), offset - text.rfind(b"\n", 0, offset) - 1)


def read_source(
    text: str,
    path: str | None = None,
    defines: Mapping[str, str] | None = None,
    include_paths: Sequence[Path] = (),
    workspace: Sequence[Path] = (),
    before: Source | None = None,
) -> Source:
    """Preprocess, mask and parse a file. Never fails: what cannot be read is a remark.

    With the reading of the text `before` an edit, only what the edit touches is masked and parsed again.
    """
    original = text.encode("utf-8", "replace")
    folders = IncludeFolders(path, include_paths, workspace)
    done = preprocess(original.replace(b"\0", b" "), path, {**PREDEFINED, **(defines or {})}, folders)
    remarks = list(done.remarks.values())
    whole = bytes(done.out)
    if len(whole) > MAX_PARSED_BYTES:
        cut = whole.rfind(b"\n", 0, MAX_PARSED_BYTES) + 1 or MAX_PARSED_BYTES
        whole = whole[:cut]
        remarks.append(SourceRemark(0, 0, f"only the first {MAX_PARSED_BYTES} bytes are analysed"))
    pragmas = list(done.pragmas)
    for match in _PRAGMA_OPERATOR.finditer(whole):
        pragmas.append(Pragma(match.start(), match.start(), match[1].decode("utf-8", "replace")))
        whole = whole[: match.start()] + blank(match[0]) + whole[match.end() :]
    masked = mask(whole) if before is None else remask(before.masked, whole)
    return Source(
        path=path,
        original=original,
        lines=LineTable(original),
        masked=masked,
        tree=_parsed(masked.text, before),
        pragmas=tuple(sorted(pragmas, key=lambda p: p.start)),
        macros=done.macros,
        includes=tuple(done.includes),
        inactive=tuple(done.inactive),
        remarks=tuple(remarks),
        comments=tuple(
            Comment(m.start(), m.end(), m[1].decode("utf-8", "replace").strip()) for m in _BURSTLINE.finditer(original)
        ),
        template=bool(_TEMPLATE.search(original)),
        files=done.files,
        _segments=done.segments,
        _starts=[s.out for s in done.segments],
    )
