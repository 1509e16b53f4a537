"""Same-length masking of the OpenCL dialect, so that a grammar of plain C can read it.

Every hidden byte becomes a blank and line ends stay, so no offset moves. What was hidden comes back as
notes with their offsets: qualifiers, attributes, channel and pipe keywords. After an edit, only the region
around it is masked again (`remask`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, slots=True)
class Masked:
    """A text and what it was masked to, of the same length. `long` are the ranges of tokens over several lines."""

    source: bytes
    text: bytes
    notes: tuple[Note, ...]
    long: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """Where two texts differ: bytes `start` to `old_end` of the one are `start` to `new_end` of the other."""

    start: int
    old_end: int
    new_end: int


def mask(text: bytes) -> Masked:
    """The masked text and what was masked, in order."""
    return _masked(text, 0, len(text))


def _masked(text: bytes, begin: int, stop: int) -> Masked:
    """Mask from a safe point on, until a safe point at or after `stop`; the result covers what was masked."""
    out: list[bytes] = []
    notes: list[Note] = []
    long: list[tuple[int, int]] = []
    done = position = begin
    while match := _TOKEN.search(text, position):
        kind = match.lastgroup
        start, end = match.span()
        if start >= stop and (stop := _safe_after(text, max(position, stop))) <= start:
            break
        position = end
        if kind == "attribute":
            end = _closed(text, end)
        elif kind == "bracket":
            closing = text.find(b"]]", end, end + MAX_ATTRIBUTE_BYTES)
            end = closing + 2 if closing >= 0 else -1
        if end < 0:
            long.append((start, start + MAX_ATTRIBUTE_BYTES))  # what is typed later may close it
            continue
        position = end
        if kind != "qualifier" and b"\n" in match[0] + text[match.end() : end]:
            long.append((start, end))
        if kind == "skip":
            continue
        hidden = text[start:end]
        out += (text[done:start], _SAME[hidden] if kind == "same" else blank(hidden))
        done = end
        if kind == "same":
            continue
        noted: Literal["qualifier", "attribute", "channel"] = (
            "channel" if kind == "channel" else "qualifier" if kind == "qualifier" else "attribute"
        )
        notes.append(Note(start, end, noted, hidden.decode("utf-8", "replace")))
    else:
        stop = len(text)
    out.append(text[done:stop])
    return Masked(text[begin:stop], b"".join(out), tuple(notes), tuple(long))


def difference(old: bytes, new: bytes) -> Edit:
    """The one edit between two texts."""
    start = _common(len(old), len(new), lambda n: old[:n] == new[:n])
    tail = _common(len(old) - start, len(new) - start, lambda n: old[len(old) - n :] == new[len(new) - n :])
    return Edit(start, len(old) - tail, len(new) - tail)


def _common(a: int, b: int, equal: Callable[[int], bool]) -> int:
    """The largest length up to `a` and `b` at which two texts are equal."""
    low, high = 0, min(a, b)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if equal(middle) else (low, middle - 1)
    return low


def remask(before: Masked, text: bytes) -> Masked:
    """The mask of an edited text, made from that of the text before: the same as `mask`, for less."""
    edit = difference(before.source, text)
    begin = _safe_before(before, edit.start)
    part = _masked(text, begin, edit.new_end + 1)
    stop = begin + len(part.source)
    moved = edit.new_end - edit.old_end
    if stop < len(text) and _inside(before.long, stop - moved):
        return mask(text)
    first, last = (bisect_left(before.notes, at, key=lambda n: n.start) for at in (begin, stop - moved))
    after = before.notes[last:]
    if moved:
        after = tuple(replace(n, start=n.start + moved, end=n.end + moved) for n in after)
    kept = [x for x in before.long if x[0] < begin]
    rest = [(a + moved, b + moved) for a, b in before.long if a >= stop - moved]
    return Masked(
        source=text,
        text=b"".join((before.text[:begin], part.text, before.text[stop - moved :])),
        notes=(*before.notes[:first], *part.notes, *after),
        long=(*kept, *part.long, *rest),
    )


def _inside(long: tuple[tuple[int, int], ...], offset: int) -> bool:
    """Whether an offset lies within a token over several lines."""
    i = bisect_right(long, offset, key=lambda x: x[0]) - 1
    return i >= 0 and offset < long[i][1]


_SAFE = re.compile(rb"[;{}][ \t]*\r?\n")
"""What no token but a comment or an attribute reaches across, and no look-ahead."""


def _safe_after(text: bytes, offset: int) -> int:
    match = _SAFE.search(text, offset)
    return match.end() if match else len(text)


def _safe_before(masked: Masked, offset: int) -> int:
    """The last safe point up to an offset of a masked text."""
    text = masked.source
    while (end := text.rfind(b"\n", 0, offset)) >= 0:
        if text[:end].rstrip(b" \t\r")[-1:] in {b";", b"{", b"}"} and not _inside(masked.long, end):
            return end + 1
        offset = end
    return 0


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
