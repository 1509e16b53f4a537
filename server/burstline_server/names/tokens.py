"""What each word of a file is, for colouring: the user's names, address spaces, channels, the language's functions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from burstline_model.facts import Span
from burstline_server.language.vocabulary import find
from burstline_server.names.name import Name
from burstline_server.names.name_table import NameTable
from burstline_server.names.part import Declared, Kind
from burstline_server.names.token_legend import SPACES

Looks = tuple[str, tuple[str, ...]]
"""One of the legend's types and some of its modifiers."""
_TYPE_OF: dict[Kind, str] = {
    "kernel": "function", "function": "function", "parameter": "parameter", "variable": "variable",
    "channel": "variable", "macro": "macro", "type": "type", "field": "property", "enumerator": "enumMember",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the user's file, with one of the types and some of the modifiers of the legend."""

    start: int
    end: int
    type: str
    modifiers: tuple[str, ...] = ()


def tokens(names: NameTable) -> list[Token]:
    """The tokens of a file, in order."""
    return [token for number in range(len(names.parts.parts)) for token in tokens_of(names, number)]


def tokens_of(names: NameTable, number: int) -> list[Token]:
    """The tokens of a part, in order."""
    found: dict[int, Token] = {}

    def add(span: Span, looks: Looks, *more: str) -> None:
        if span.file is None:
            found[span.start] = Token(span.start, span.end, looks[0], (*more, *looks[1]))

    start, stop = names.range_of(number)
    if start == stop:  # another file's text
        return []
    begin, reading = names.parts.start_of(number), names.reading(number)
    for note in names.source.notes_in(begin, names.parts.ends[number]):
        origin, word = names.source.origin(note.start, note.end), note.text.strip("_")
        mark = word if word in SPACES else "channel" if note.kind == "channel" else None
        if mark and origin.macro is None:
            add(Span(start=origin.start, end=origin.end, file=origin.file), ("modifier", (mark,)))
    for written in reading.written:
        if written.macro is None:
            # A field looks like one, whichever structure's it is.
            of_file = names.of_file(written.key) if written.target is None else ()
            one = reading.declared[written.target] if written.target is not None else next(iter(of_file), None)
            looks = looks_of(one) if one is not None else _built_in(written.key[1]) if written.called else None
            if looks is not None:
                add(names.span(number, written.start, written.end), looks)
    for index, declared in enumerate(reading.declared):
        means = declared if declared.scope is not None else names.declared(number, index)
        if means is not None:
            add(names.span(number, declared.start, declared.end), looks_of(means), "declaration")
    for place, name in names.unseen(number):
        span = Span(start=place.start, end=place.end)
        add(span, looks_of(name), *(("declaration",) if span == name.place else ()))
    return [found[start] for start in sorted(found)]


def looks_of(name: Name | Declared) -> Looks:
    """How a name looks, wherever it is written."""
    return _looks(name.kind, name.space)


@cache
def _looks(kind: Kind, space: str | None) -> Looks:
    if kind in {"kernel", "channel"}:
        return _TYPE_OF[kind], (kind,)
    if space is None or space not in SPACES:
        return _TYPE_OF[kind], ()
    return _TYPE_OF[kind], ("readonly", space) if space == "constant" else (space,)


@lru_cache(maxsize=4096)
def _built_in(text: str) -> Looks | None:
    """How a function of the language looks."""
    entry = find(text, "function")
    channel = ("channel",) if entry is not None and "channel" in entry.name else ()
    return ("function", ("defaultLibrary", *channel)) if entry is not None else None
