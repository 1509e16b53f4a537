"""Same-length masking of the OpenCL dialect, so that a grammar of plain C can read it.

Every hidden byte becomes a blank and line ends stay, so no offset moves. What was hidden comes back as
notes with their offsets: qualifiers, attributes, channel and pipe keywords.
"""

from __future__ import annotations

import re
from operator import attrgetter, itemgetter
from typing import Literal

from burstline_model.record import fixed
from burstline_server.source.placed_records import Kind, Runs

_QUALIFIERS = (
    b"__kernel kernel __global global __local local __constant constant __private private __generic generic "
    b"__read_only read_only __write_only write_only __read_write read_write"
).split()
_TYPES = b"void char short int long float double half bool signed unsigned uchar ushort uint ulong size_t".split()
_VECTORS = rb"u(?:char|short|int|long)|half|(?:u?(?:char|short|int|long)|half|float|double)(?:2|3|4|8|16)"
_BEFORE_DECLARATION = re.compile(rb"(?:.*[;{}])?\s*(?:(?:static|const|volatile|__constant|constant)\s+)*", re.DOTALL)
_BRACKETS = rb"\[(?:[^\[\]{};\n\"'/]|/(?![/*])|\[[^\[\]{};\n\"'/]{1,80}+\]){1,160}+\]"
_NAMED = (
    rb"""\((?!(?:bool|half|float|double|size_t|u?(?:char|short|int|long))\d*\))[A-Za-z_]\w*+"""
    rb"""(?:\)(?=[ \t]*[-+][ \t]*\()|(?:%b){1,4}+\)(?=[ \t]*(?:[-+*&\r\n]|\Z)))""" % _BRACKETS
)
_WORDS = rb"""__attribute(?:__)?|channel|pipe|static|const|register|%s|
__restrict__|__restrict|__inline__|__inline|__const|__volatile__|__volatile""" % b"|".join(_QUALIFIERS)
_HALF = rb"(?:\d++\.\d*+(?:[eE][-+]?\d++)?|\d++[eE][-+]?\d++|(?<=\.)\d++(?:[eE][-+]?\d++)?)[hH]\b"
"""A number of half precision, ``1.0h`` (cl_khr_fp16)."""
_ATTRIBUTES = rb"(?:__attribute(?:__)?\s*\([^;{}=]{1,400}?\)\s*(?=\w))*+"
_TOKEN = re.compile(
    rb"""(?:[^\w"'/\[(<\xc2\xe2\xe3\xef]++|(?!(?:%(words)s)\b|%(half)s|(?<=[ ]{5})(?:%(vectors)s)[ \t]*\()\w++"""
    rb"""|/(?![/*])|(?!%(named)s)\()*+(?:"""
    rb"""(?P<skip>//(?:[^\n\\]++|\\\r?\n|[^\n])*"""
    rb"""|/\*(?:[^*]++|\*(?!/))*(?:\*/|\Z)|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n]){0,16}+')"""
    rb"""|(?P<attribute>\b__attribute(?:__)?\b)"""
    rb"""|(?P<bracket>\[\[\s*(?:intel|intelfpga|clang|gnu)\s*::)"""
    rb"""|(?P<qualifier>(?<![\w.#])(?:%(qualifiers)s)\b(?!\s*(?:[=;,)\]\[.+\-%%&|<>?:]|/(?![/*])|\*=)))"""
    rb"""|(?P<channel>(?<![\w.])(?:channel|pipe)(?=\s+%(attributes)s(?:\w+\s+){0,4}\w+[\s*]+\w+))"""
    rb"""|(?P<name>(?:(?<=[-=(,\[+*/%%&|^<>?:!~])|(?<=[-=(,\[+*/%%&|^<>?:!~]\ )|(?<=\breturn\ ))%(named)s)"""
    rb"""|(?P<bits>(?:(?<=\bap_int)|(?<=\bap_uint))<[^<>;{}()\n]{1,60}>)"""
    rb"""|(?P<half>%(half)s)"""
    rb"""|(?P<untyped>\b(?:static|const|register)"""
    rb"""(?=[ \t]++(?!__attribute|(?:%(types)s)\b)[A-Za-z_]\w*+[ \t]*+(?:=(?!=)|;|\((?![ \t]*\*))))"""
    rb"""|(?P<pointer>(?<=[ ]{5})(?:%(vectors)s)(?=[ \t]*+\([ \t]*+\*[\w \t]{1,80}\)[ \t]*+\[))"""
    rb"""|(?P<space>\xc2\xa0|\xe2\x80[\x80-\x8a\xaf]|\xe3\x80\x80|\xef\xbb\xbf)"""
    rb"""|(?P<same>\b(?:__restrict__|__restrict|__inline__|__inline|__const|__volatile__|__volatile)\b)"""
    rb"""|(?P<none>.))"""
    % {
        b"attributes": _ATTRIBUTES,
        b"half": _HALF,
        b"words": _WORDS,
        b"named": _NAMED,
        b"qualifiers": b"|".join(_QUALIFIERS),
        b"types": b"|".join(_TYPES),
        b"vectors": _VECTORS,
    },
    re.DOTALL | re.VERBOSE,
)
"""What is masked, behind all that cannot be; or one byte that could have been."""
_SAME = {
    b"__restrict__": b"restrict    ",
    b"__restrict": b"restrict  ",
    b"__inline__": b"inline    ",
    b"__inline": b"inline  ",
    b"__const": b"const  ",
    b"__volatile__": b"volatile    ",
    b"__volatile": b"volatile  ",
}
_TO_ARRAY = re.compile(rb"[ \t]++[A-Za-z_]\w*+[ \t]*+\([ \t]*+\*[\w \t]{1,80}\)[ \t]*+\[")
"""A type and a pointer to an array of it."""
_DECLARING = b"auto "
"""What makes the grammar read `T (*p)[4]` as a declaration, not as a call of T; it says nothing else."""
_BLANKS = bytes(byte if byte in b"\r\n" else ord(" ") for byte in range(256))
"""What each byte is blanked to."""
_PARENTHESES = re.compile(
    rb'[()]|//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*(?:[^*]++|\*(?!/))*(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"', re.DOTALL
)
_SPACE = re.compile(rb"\s*")
HALF_SUFFIX = b"w"
"""What is read in place of the ``h`` of a number, which the grammar does not know: no suffix of the language."""
MAX_ATTRIBUTE_BYTES = 4096
MAX_QUALIFIERS = 80
"""How far back a declaration's beginning is looked for."""


NoteKind = Literal["qualifier", "attribute", "channel", "number"]
_NOTED: dict[str, NoteKind] = {"qualifier": "qualifier", "channel": "channel", "half": "number"}


@fixed
class Note:
    """Something that was masked, with its place in the parsed text."""

    start: int
    end: int
    kind: NoteKind
    text: str
    """Of a number it is the suffix alone."""


def _moved_note(note: Note, by: int, _: int = 0) -> Note:
    return Note(note.start + by, note.end + by, note.kind, note.text)


_NOTES = Kind(attrgetter("start"), _moved_note)
SPANS: Kind[tuple[int, int]] = Kind(itemgetter(0), lambda span, by, _: (span[0] + by, span[1] + by))


def within(spans: Runs[tuple[int, int]], offset: int) -> bool:
    """Whether an offset lies within one of some ranges; only what does not end as it should reaches over others."""
    before = spans.rank(offset + 1)
    near = spans.between(offset - MAX_ATTRIBUTE_BYTES, offset + 1)
    return any(offset < end for _, end in near) or (before > 0 and offset < spans[before - 1][1])


def blank(piece: bytes) -> bytes:
    """Blanks of the same length; line ends stay."""
    return piece.translate(_BLANKS)


@fixed
class Masked:
    """What a text was masked to, of the same length. `long` are the ranges of tokens over several lines."""

    text: bytes
    notes: Runs[Note]
    long: Runs[tuple[int, int]]

    def spliced(self, start: int, stop: int, part: Masked) -> Masked:
        """The same with `part` for what was `start` to `stop`."""
        by = len(part.text) - (stop - start)
        return Masked(
            text=b"".join((self.text[:start], part.text, self.text[stop:])),
            notes=self.notes.spliced(start, stop, (_moved_note(n, start) for n in part.notes), by),
            long=self.long.spliced(start, stop, ((a + start, b + start) for a, b in part.long), by),
        )

    def inside(self, offset: int) -> bool:
        """Whether an offset lies within a token over several lines."""
        return within(self.long, offset)


def mask(text: bytes) -> Masked:
    """The masked text and what was masked, in order."""
    out: list[bytes] = []
    notes: list[Note] = []
    long: list[tuple[int, int]] = []
    spare: list[int] = []
    done = position = 0
    while match := _TOKEN.match(text, position):
        kind = match.lastgroup or "none"
        start, end = match.span(kind)
        position = end
        if kind == "none":
            continue
        if kind == "attribute":
            end = _closed(text, end)
        elif kind == "bracket":
            closing = text.find(b"]]", end, end + MAX_ATTRIBUTE_BYTES)
            end = closing + 2 if closing >= 0 else -1
        if end < 0:
            long.append((start, start + MAX_ATTRIBUTE_BYTES))  # what is typed later may close it
            continue
        position = end
        if kind == "untyped":
            if _declares_int(text, start):
                out += (text[done:start], b"int".ljust(end - start))
                done = end
            continue
        if kind != "qualifier" and b"\n" in text[start:end]:
            long.append((start, end))
        if kind == "skip":
            continue
        if kind == "name":
            # The grammar reads `(x) + (y) * 2` as a cast of `+(y)` to a type x, and `(x[i]) + y` as one to an array.
            out += (text[done:start], b" ")
            spare.append(end - 1)
            done = position = start + 1
            continue
        if kind == "pointer":
            at = start - len(_DECLARING)
            out += (text[done:at], _DECLARING)
            notes.append(Note(at, start, "qualifier", text[at:start].decode()))
            done = start
            continue
        hidden = text[start:end]
        out += (text[done:start], _shown(kind, text, start, end))
        done = end
        if kind in {"same", "bits", "space"}:  # compilers of the language take Unicode's spaces as spaces
            continue
        at = end - 1 if kind == "half" else start
        notes.append(Note(at, end, _NOTED.get(kind, "attribute"), hidden[at - start :].decode("utf-8", "replace")))
    out.append(text[done:])
    return Masked(_blanked(b"".join(out), spare), Runs(_NOTES, notes), Runs(SPANS, long))


def _declares_int(text: bytes, start: int) -> bool:
    """Whether a qualifier begins a declaration; one without a type is of an int, as compilers have it since C90."""
    near = max(0, start - MAX_QUALIFIERS)
    line = text.rfind(b"\n", near, start) + 1 or near
    return _BEFORE_DECLARATION.fullmatch(text, line, start) is not None


def _blanked(text: bytes, places: list[int]) -> bytes:
    """A text with blanks at some places."""
    if not places:
        return text
    changed = bytearray(text)
    for place in places:
        changed[place] = ord(" ")
    return bytes(changed)


def _shown(kind: str | None, text: bytes, start: int, end: int) -> bytes:
    """What the grammar reads in place of a word that it does not know."""
    hidden = text[start:end]
    if kind == "same":
        return _SAME[hidden]
    if kind == "half":
        return hidden[:-1] + HALF_SUFFIX
    declares = kind == "qualifier" and _TO_ARRAY.match(text, end) is not None
    return _DECLARING.ljust(len(hidden)) if declares else blank(hidden)


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
