"""What each word of a file is, for colouring: the user's names, address spaces, channels, the language's functions."""

from __future__ import annotations

from dataclasses import dataclass

from burstline_server.language.vocabulary import find
from burstline_server.names.legend import SPACES
from burstline_server.names.table import Kind, Name, NameTable

_TYPE_OF: dict[Kind, str] = {
    "kernel": "function", "function": "function", "parameter": "parameter", "variable": "variable",
    "channel": "variable", "macro": "macro", "type": "type", "field": "property", "enumerator": "enumMember",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the user's file, with one of `TYPES` and some of `MODIFIERS`."""

    start: int
    end: int
    type: str
    modifiers: tuple[str, ...] = ()


def tokens(names: NameTable) -> list[Token]:
    """The tokens of a file, in order."""
    found: dict[int, Token] = {}
    for note in names.source.notes:
        origin = names.source.origin(note.start, note.end)
        word = note.text.strip("_")
        mark = word if word in SPACES else "channel" if note.kind == "channel" else None
        if mark and origin.file is None and origin.macro is None:
            found[origin.start] = Token(origin.start, origin.end, "modifier", (mark,))
    for text, use in names.strangers:
        entry = find(text, "function") if use.span.file is None else None
        if entry is not None:
            channel = ("channel",) if "channel" in entry.name else ()
            found[use.span.start] = Token(use.span.start, use.span.end, "function", ("defaultLibrary", *channel))
    for name in names.names:
        declared, modifiers = set(name.declared), _modifiers(name)
        for span in name.places:
            if span.file is None:
                marks = ("declaration", *modifiers) if span in declared else modifiers
                found[span.start] = Token(span.start, span.end, _TYPE_OF[name.kind], marks)
    return [found[start] for start in sorted(found)]


def _modifiers(name: Name) -> tuple[str, ...]:
    if name.kind in {"kernel", "channel"}:
        return (name.kind,)
    if name.space == "constant":
        return ("readonly", "constant")
    return (name.space,) if name.space in SPACES else ()
