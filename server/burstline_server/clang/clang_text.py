"""The text of a file as clang reads it, with every byte at its place in the parsed text."""

from __future__ import annotations

import re
from collections.abc import Collection

from burstline_server.faults.fault import Fault
from burstline_server.source.preprocessed import BadDirective
from burstline_server.source.source import Note, Source

MOST_BYTES = 1_000_000
"""Longest text that is shown to clang."""
_TYPES = re.compile(r"overloadable|ext_vector_type|vector_size")
"""Attributes that decide which types there are, and which functions of one name."""
_UNREAD = re.compile(
    rb"""//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n]){0,16}+'?"""
)
_DIRECTIVE = re.compile(rb"#|%:|\?\?=")


def question(source: Source, faults: Collection[Fault]) -> bytes | None:
    """What clang is asked about a file; None where its answer would say nothing of the file as it is built.

    That is where a header or a definition of the build is missing, by the file's own `faults` as well. The text is
    preprocessed: clang opens no file and expands no macro of it.
    """
    missing = any(file is None for _, _, file in source.includes) or any(f.given for f in faults)
    if (
        missing
        or source.template
        or len(source.text) > MOST_BYTES
        or any(isinstance(r, BadDirective) for r in source.remarks)
    ):
        return None
    text = unmasked(source, _TYPES)
    return None if holds_directive(text) else text


def holds_directive(text: bytes) -> bool:
    """Whether a text still holds what may be a directive: clang would act on it."""
    return _DIRECTIVE.search(_UNREAD.sub(b" ", text)) is not None


def unmasked(source: Source, attributes: re.Pattern[str]) -> bytes:
    """The parsed text with what clang knows of the dialect, and those attributes that the pattern finds."""
    text, done = source.text, 0
    out: list[bytes] = []
    for note in source.notes:
        written = note.text.encode()
        if _is_known(note, attributes) and len(written) == note.end - note.start and note.start >= done:
            out += (text[done : note.start], written)
            done = note.end
    return b"".join((*out, text[done:]))


def _is_known(note: Note, attributes: re.Pattern[str]) -> bool:
    if note.kind == "attribute":
        return attributes.search(note.text) is not None
    return note.kind in {"qualifier", "number"} or note.text == "pipe"
