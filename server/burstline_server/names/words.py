"""The words of a text as it is written: outside comments and strings, in directives and in inactive branches too."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from burstline_server.source.preprocess import DIRECTIVE, WORD


@dataclass(frozen=True, slots=True)
class Word:
    """A word and the first word of the directive it stands in (empty in plain text)."""

    text: str
    start: int
    end: int
    directive: str = ""


def words(text: bytes) -> list[Word]:
    """Every word of a text, in order."""
    directives = [(*m.span(), m[1].decode("ascii", "replace")) for m in DIRECTIVE.finditer(text)]
    found = []
    for match in WORD.finditer(text):
        if match.lastgroup == "name":
            i = bisect_right(directives, match.start(), key=lambda d: d[0]) - 1
            inside = directives[i][2] if i >= 0 and match.start() < directives[i][1] else ""
            found.append(Word(match[0].decode("ascii"), match.start(), match.end(), inside))
    return found


def word_at(text: bytes, offset: int) -> Word | None:
    """The word that covers a byte, or ends there."""
    return next((w for w in words(text) if w.start <= offset <= w.end), None)
