"""A text without its comments: whether an edit changed a word of it."""

from __future__ import annotations

import re
from functools import lru_cache

_GAP = re.compile(
    rb"""(?:\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)++|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?""", re.DOTALL
)
_CONTINUED = re.compile(rb"\\\r?\n")


@lru_cache(maxsize=8)
def words_of(text: bytes) -> bytes | None:
    """The text with each gap between words as one blank or end of line; None where that is not sure.

    Whether two words are on one line counts as well: reports name lines. Texts with lines that go on are not compared.
    """
    return None if _CONTINUED.search(text) else _GAP.sub(_gap, text)


def _gap(match: re.Match[bytes]) -> bytes:
    """Strings and characters are words."""
    piece = match[0]
    if piece[0] in b"\"'":
        return piece
    return b"\n" if b"\n" in piece else b" "
