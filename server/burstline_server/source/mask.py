"""Same-length masking of the OpenCL dialect, so that a grammar of plain C can read it.

Every hidden byte becomes a blank and line ends stay, so no offset moves. What was hidden comes back as
notes with their offsets: qualifiers, attributes, channel and pipe keywords.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_QUALIFIERS = (
    b"__kernel kernel __global global __local local __constant constant __private private __generic generic "
    b"__read_only read_only __write_only write_only __read_write read_write"
).split()
_TOKEN = re.compile(
    rb"""(?P<skip>//(?:\\\r?\n|[^\n])*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    rb"""|(?P<attribute>\b__attribute(?:__)?\b)"""
    rb"""|(?P<bracket>\[\[\s*(?:intel|intelfpga|clang|gnu)\s*::)"""
    rb"""|(?P<qualifier>(?<![\w.#])(?:%s)\b(?!\s*(?:[=;,)\]\[.+\-%%&|<>?:]|/(?![/*])|\*=)))"""
    rb"""|(?P<channel>(?<![\w.])(?:channel|pipe)(?=\s+(?:\w+\s+){0,4}\w+[\s*]+\w+))"""
    rb"""|(?P<same>\b(?:__restrict__|__restrict|__inline__|__inline|__const|__volatile__|__volatile)\b)"""
    % b"|".join(_QUALIFIERS),
    re.DOTALL | re.VERBOSE,
)
_SAME = {
    b"__restrict__": b"restrict    ",
    b"__restrict": b"restrict  ",
    b"__inline__": b"inline    ",
    b"__inline": b"inline  ",
    b"__const": b"const  ",
    b"__volatile__": b"volatile    ",
    b"__volatile": b"volatile  ",
}
_VISIBLE = re.compile(rb"[^\r\n]")
_PARENTHESES = re.compile(rb'[()]|"(?:\\.|[^"\\\n])*"')
_SPACE = re.compile(rb"\s*")
MAX_ATTRIBUTE_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was masked, with its place in the parsed text."""

    start: int
    end: int
    kind: Literal["qualifier", "attribute", "channel"]
    text: str


def blank(piece: bytes) -> bytes:
    """Blanks of the same length; line ends stay."""
    return _VISIBLE.sub(b" ", piece)


def mask(text: bytes) -> tuple[bytes, tuple[Note, ...]]:
    """The masked text and what was masked, in order."""
    out: list[bytes] = []
    notes: list[Note] = []
    done = position = 0
    while match := _TOKEN.search(text, position):
        kind = match.lastgroup
        start, end = match.span()
        position = end
        if kind == "skip":
            continue
        if kind == "same":
            out += (text[done:start], _SAME[match[0]])
            done = end
            continue
        if kind == "attribute":
            end = _closed(text, end)
        elif kind == "bracket":
            closing = text.find(b"]]", end, end + MAX_ATTRIBUTE_BYTES)
            end = closing + 2 if closing >= 0 else -1
        if end < 0:
            continue
        position = end
        out += (text[done:start], blank(text[start:end]))
        done = end
        written = text[start:end].decode("utf-8", "replace")
        noted: Literal["qualifier", "attribute", "channel"] = (
            "channel" if kind == "channel" else "qualifier" if kind == "qualifier" else "attribute"
        )
        notes.append(Note(start, end, noted, written))
    out.append(text[done:])
    return b"".join(out), tuple(notes)


def _closed(text: bytes, start: int) -> int:
    """The offset after the parentheses that open at `start` (blanks aside), or -1."""
    space = _SPACE.match(text, start)
    opening = space.end() if space else start
    if text[opening : opening + 1] != b"(":
        return -1
    depth = 0
    for match in _PARENTHESES.finditer(text, opening, opening + MAX_ATTRIBUTE_BYTES):
        depth += (match[0] == b"(") - (match[0] == b")")
        if depth == 0:
            return match.end()
    return -1
