"""The words of a text as it is written: outside comments and strings, in directives and in inactive branches too."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from burstline_server.source.preprocess import DIRECTIVE, WORD
from burstline_server.source.source import Source
from burstline_server.source.window import readable_from


@dataclass(frozen=True, slots=True)
class Word:
    """A word and the first word of the directive it stands in (empty in plain text)."""

    text: str
    start: int
    end: int
    directive: str = ""


def words(text: bytes, start: int = 0, stop: int | None = None) -> Iterator[Word]:
    """Every word of a text, in order, or of a part of it that begins and ends outside comments and directives."""
    end = len(text) if stop is None else stop
    directives = [(*m.span(), m[1].decode("ascii", "replace")) for m in DIRECTIVE.finditer(text, start, end)]
    for match in WORD.finditer(text, start, end):
        if match.lastgroup == "name":
            i = bisect_right(directives, match.start(), key=lambda d: d[0]) - 1
            inside = directives[i][2] if i >= 0 and match.start() < directives[i][1] else ""
            yield Word(match[0].decode("ascii"), match.start(), match.end(), inside)


def word_at(source: Source, offset: int) -> Word | None:
    """The word of the user's file that covers a byte, or ends there."""
    text = source.original
    stop = text.find(b"\n", offset)
    around = words(text, readable_from(source, offset), len(text) if stop < 0 else stop)
    return next((w for w in around if w.start <= offset <= w.end), None)
