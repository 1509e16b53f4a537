"""Bytes to lines and columns, in the units each client counts in."""

from __future__ import annotations

import re
from typing import Literal

from burstline_server.source.placed_records import PLACES, Runs

Encoding = Literal["utf-8", "utf-16", "utf-32"]

_LINE_END = re.compile(rb"\r\n|\n|\r")


def with_line_feeds(text: bytes) -> bytes:
    """The text with a line feed for each carriage return that ends a line by itself; no place moves."""
    if b"\r" not in text or text.count(b"\r") == text.count(b"\r\n"):
        return text
    return _LONE_RETURN.sub(b"\n", text)


_LONE_RETURN = re.compile(rb"\r(?!\n)")


class LineTable:
    """The lines of a UTF-8 text. Only LF, CR LF and CR end one; everything is 0-based."""

    def __init__(self, text: bytes, starts: Runs[int] | None = None) -> None:
        self._text = text
        self._starts = starts if starts is not None else Runs(PLACES, [0, *(m.end() for m in _LINE_END.finditer(text))])

    def edited(self, text: bytes, start: int, old_end: int, new_end: int) -> LineTable:
        """The lines of a text in which `start` to `new_end` replace what was `start` to `old_end`."""
        # Whether a line starts at a place follows from the byte before it and the one there.
        found = (m.end() for m in _LINE_END.finditer(text, max(0, start - 1), new_end + 1))
        starts = [at for at in found if start <= at <= new_end]
        return LineTable(text, self._starts.spliced(max(1, start), old_end + 1, starts, new_end - old_end))

    @property
    def count(self) -> int:
        """How many lines there are; a text that ends with a line end has an empty last one."""
        return len(self._starts)

    def line_of(self, offset: int) -> int:
        """The line a byte offset is on."""
        return self._starts.rank(max(0, offset) + 1) - 1

    def start_of(self, line: int) -> int:
        """Where a line starts; the end of the text for lines beyond it."""
        return self._starts[line] if line < len(self._starts) else len(self._text)

    def end_of(self, line: int) -> int:
        """Where a line's text ends, before what ends the line."""
        start, end = self.start_of(line), self.start_of(line + 1)
        return start + len(self._text[start:end].rstrip(b"\r\n"))

    def position(self, offset: int, encoding: Encoding = "utf-16") -> tuple[int, int]:
        """Line and column of a byte offset, the column in the encoding's units."""
        offset = min(max(0, offset), len(self._text))
        line = self.line_of(offset)
        before = self._text[self._starts[line] : offset]
        return line, units(before, encoding)

    def offset(self, line: int, column: int, encoding: Encoding = "utf-16") -> int:
        """The byte offset of a position; a column beyond the line means its end."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self._text)
        start, end = self._starts[line], self.start_of(line + 1)
        body = self._text[start:end].rstrip(b"\r\n") if line + 1 < len(self._starts) else self._text[start:end]
        if encoding == "utf-8" or body.isascii():
            return start + min(max(0, column), len(body))
        units, used = 0, 0
        for character in body.decode("utf-8", "replace"):
            if units >= column:
                break
            units += 2 if encoding == "utf-16" and ord(character) > _LAST_BASIC else 1
            used += len(character.encode("utf-8", "replace"))
        return start + used


_LAST_BASIC = 0xFFFF


def units(piece: bytes, encoding: Encoding) -> int:
    """The length of a piece of a line in the encoding's units."""
    if encoding == "utf-8" or piece.isascii():
        return len(piece)
    text = piece.decode("utf-8", "replace")
    if encoding == "utf-32":
        return len(text)
    return len(text) + sum(1 for c in text if ord(c) > _LAST_BASIC)
