"""Whether a name can be changed, and where it is."""

from __future__ import annotations

import re

from burstline_model.facts import Span
from burstline_server.language.vocabulary import find
from burstline_server.names.name import Name
from burstline_server.names.table import NameTable
from burstline_server.names.words import words_called

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


class CannotRenameError(Exception):
    """A name that must not be changed, or not so; the message says why."""


def check_renamable(names: NameTable, name: Name) -> None:
    """Raises `CannotRenameError` for a name that is not written out everywhere it is used, or not in this file."""
    if name.kind == "field":
        raise CannotRenameError("Members are not followed through their types: rename them by hand.")
    places = names.places(name)
    if elsewhere := next((s.file for s in places if s.file is not None), None):
        raise CannotRenameError(f"{name.text} is also written in {elsewhere}: rename it there as well, by hand.")
    if macros := names.macros_with(name):
        raise CannotRenameError(f"{name.text} is also used in the macro {min(macros)}: rename it by hand.")
    known = {(s.start, s.end) for s in places}
    written = words_called(names.source.original, name.text)
    if hidden := next((w for w in written if w.directive and (w.start, w.end) not in known), None):
        line = names.source.lines.line_of(hidden.start) + 1
        raise CannotRenameError(f"{name.text} is also written in the directive in line {line}: rename it by hand.")


def renamed(names: NameTable, name: Name, new: str) -> list[Span]:
    """The places that a new name goes to. Raises `CannotRenameError`."""
    check_renamable(names, name)
    if not _IDENTIFIER.fullmatch(new):
        raise CannotRenameError(f"{new!r} is no name.")
    if find(new, "function", "qualifier", "keyword", "type", "constant") is not None:
        raise CannotRenameError(f"{new} is a name of the language.")
    if any(words_called(names.source.original, new)):
        raise CannotRenameError(f"{new} is written in this file already.")
    return names.places(name)
