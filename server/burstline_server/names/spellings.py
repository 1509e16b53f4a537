"""The words of a text as it is written: outside comments and strings, in directives and in inactive branches too."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from burstline_server.source.edit_window import readable_from
from burstline_server.source.preprocess import DIRECTIVE, WORD
from burstline_server.source.source import Source


@dataclass(frozen=True, slots=True)
class Word:
    """A word and the first word of the directive it is in (empty in plain text)."""

    text: str
    start: int
    end: int
    directive: str = ""


def words(text: bytes, start: int = 0, stop: int | None = None) -> Iterator[Word]:
    """Every word of a text, in order, or of a part of it that begins and ends outside comments and directives."""
    return _words(WORD, text, start, len(text) if stop is None else stop)


def words_called(text: bytes, name: str) -> Iterator[Word]:
    """Every place of a text that writes one word."""
    if name.encode() not in text:
        return iter(())
    sought = rb"(?P<name>" + re.escape(name.encode()) + rb")(?!\w)|"
    return _words(re.compile(WORD.pattern.replace(b"(?P<name>", sought + b"(?:")), text, 0, len(text))


def _words(pattern: re.Pattern[bytes], text: bytes, start: int, end: int) -> Iterator[Word]:
    directives: list[tuple[int, int, str]] | None = None
    for match in pattern.finditer(text, start, end):
        if match.lastgroup == "name":
            if directives is None:
                found = DIRECTIVE.finditer(text, start, end)
                directives = [(*m.span(), m[1].decode("ascii", "replace")) for m in found]
            i = bisect_right(directives, match.start(), key=lambda d: d[0]) - 1
            inside = directives[i][2] if i >= 0 and match.start() < directives[i][1] else ""
            yield Word(match[0].decode("ascii"), match.start(), match.end(), inside)


def word_at(source: Source, offset: int) -> Word | None:
    """The word of the user's file that covers a byte, or ends there."""
    text = source.original
    stop = text.find(b"\n", offset)
    around = words(text, readable_from(source, max(0, offset - 1)), len(text) if stop < 0 else stop)
    return next((w for w in around if w.start <= offset <= w.end), None)
