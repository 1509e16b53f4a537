"""The text of a file as LLVM's compiler reads it, and the way back to its places."""

from __future__ import annotations

import re
from collections.abc import Iterator

from burstline_model.record import fixed
from burstline_server.analysis.pragmas import attributes, integer
from burstline_server.clang.clang_text import MOST_BYTES, holds_directive, unmasked
from burstline_server.source.preprocessed import BadDirective
from burstline_server.source.source import Source

LAYOUT = re.compile(r"overloadable|ext_vector_type|vector_size|packed|aligned")
"""Attributes that decide which types there are, how they lie in memory, and which functions of one name."""
_PACK = re.compile(r"pack[ \t]*\([\w \t,]*\)", re.ASCII)
_WORD = re.compile(r"\s*(\w+)\s*(.*)", re.DOTALL)
_LOOP = re.compile(rb"(?:\s++|\w++\s*+:(?!:))*+(?:for|while|do)\b")


@fixed
class Question:
    """A text for clang, and what was put into it: (place in this text, bytes), in order."""

    text: bytes
    inserted: tuple[tuple[int, int], ...]
    lines: tuple[int, ...]
    """Where each line begins."""

    def place(self, line: int, column: int) -> int:
        """The place in the parsed text of a line and column, both counted from 1."""
        if not 0 < line <= len(self.lines):
            return -1
        at = self.lines[line - 1] + max(column - 1, 0)
        return at - sum(min(size, at - start) for start, size in self.inserted if start < at)


def question(source: Source, *, unrolled: bool) -> Question | None:
    """What clang is asked about a file; None where the file is too long, a template, or refused already.

    The text is preprocessed: clang opens no file of the user's. Of the pragmas it has those that pack structures and,
    with `unrolled`, those that ask for unrolled loops.
    """
    if source.template or len(source.text) > MOST_BYTES or any(isinstance(r, BadDirective) for r in source.remarks):
        return None
    text = unmasked(source, LAYOUT)
    if holds_directive(text):
        return None
    asked = sorted((*_packed(source), *(_unrolled(source, text) if unrolled else ())))
    out: list[bytes] = []
    inserted: list[tuple[int, int]] = []
    done = ahead = 0
    for place, written in asked:
        out += (text[done:place], written)
        inserted.append((place + ahead, len(written)))
        done, ahead = place, ahead + len(written)
    full = b"".join((*out, text[done:]))
    return Question(full, tuple(inserted), (0, *(m.end() for m in re.finditer(b"\n", full))))


def _packed(source: Source) -> Iterator[tuple[int, bytes]]:
    """The directives that decide how structures lie in memory, each with its place."""
    for pragma in source.pragmas:
        if _PACK.fullmatch(pragma.text.strip()):
            yield pragma.end, b'_Pragma("%s") ' % pragma.text.strip().encode("ascii")


def _unrolled(source: Source, text: bytes) -> Iterator[tuple[int, bytes]]:
    """The requests to unroll a loop, each with its place: right before the loop."""
    found: dict[int, bytes] = {}
    for pragma in source.pragmas:
        match = _WORD.match(pragma.text)
        if match and match[1] == "unroll":
            found |= _before_loop(source, text, pragma.end, match[2])
    for note in source.notes:
        if note.kind == "attribute" and "unroll_hint" in note.text:
            for name, rest in attributes(note.text).items():
                if name.endswith("unroll_hint"):
                    found |= _before_loop(source, text, note.end, rest)
    yield from found.items()


def _before_loop(source: Source, text: bytes, after: int, rest: str) -> dict[int, bytes]:
    loop = _LOOP.match(text, after)
    factor = integer(source, rest) if rest.strip(" ()") else 0
    if loop is None or factor is None or factor == 1:
        return {}
    start = loop.end() - len(loop[0].split()[-1].split(b":")[-1])
    return {start: b'_Pragma("unroll%s") ' % (b" %d" % factor if factor else b"")}


def user_line(source: Source, place: int) -> tuple[str | None, int]:
    """The file (None: the user's own) and the line, counted from 1, where a place of the parsed text was written."""
    origin = source.origin(place, place + 1)
    return origin.file, source.lines_of(origin.file).line_of(origin.start) + 1


__all__ = ["Question", "question", "user_line"]
