"""Whether a name can be changed, and where it stands."""

from __future__ import annotations

import re

from burstline_model.facts import Span
from burstline_server.language.vocabulary import find
from burstline_server.names.table import Name, NameTable
from burstline_server.names.words import words

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


class CannotRenameError(Exception):
    """A name that must not be changed, or not so; the message says why."""


def check_renamable(names: NameTable, name: Name) -> None:
    """Raises `CannotRenameError` for a name that is not written out everywhere it is meant, or not in this file."""
    if name.kind == "field":
        raise CannotRenameError("Members are not followed through their types: rename them by hand.")
    if elsewhere := next((s.file for s in name.places if s.file is not None), None):
        raise CannotRenameError(f"{name.text} is also written in {elsewhere}: rename it there as well, by hand.")
    if name.macros:
        raise CannotRenameError(f"{name.text} is also used in the macro {min(name.macros)}: rename it by hand.")
    known = {(s.start, s.end) for s in name.places}
    own = (w for w in words(names.source.original) if w.text == name.text and w.directive)
    if hidden := next((w for w in own if (w.start, w.end) not in known), None):
        line = names.source.lines.line_of(hidden.start) + 1
        raise CannotRenameError(f"{name.text} is also written in the directive in line {line}: rename it by hand.")


def renamed(names: NameTable, name: Name, new: str) -> list[Span]:
    """The places that a new name goes to. Raises `CannotRenameError`."""
    check_renamable(names, name)
    if not _IDENTIFIER.fullmatch(new):
        raise CannotRenameError(f"{new!r} is no name.")
    if find(new, "function", "qualifier", "keyword", "type", "constant") is not None:
        raise CannotRenameError(f"{new} is a name of the language.")
    if any(w.text == new for w in words(names.source.original)):
        raise CannotRenameError(f"{new} is written in this file already.")
    return name.places
