"""Whether a name can be changed, and where it is."""

from __future__ import annotations

import re
from typing import Literal

from burstline_model.facts import Span
from burstline_server.language.vocabulary import find
from burstline_server.names.name import Name
from burstline_server.names.name_table import NameTable
from burstline_server.names.spellings import words_called

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


Obstacle = Literal["member", "elsewhere", "macro", "directive", "no_name", "language", "in_use"]


class CannotRenameError(Exception):
    """A name that must not be changed, or not so: why, and what belongs to it."""

    def __init__(self, kind: Obstacle, *names: str | int) -> None:
        super().__init__(kind, *names)
        self.kind, self.names = kind, names


def check_renamable(names: NameTable, name: Name) -> None:
    """Raises `CannotRenameError` for a name that is not written out everywhere it is used, or not in this file."""
    if name.kind == "field":
        raise CannotRenameError("member")
    places = names.places(name)
    if elsewhere := next((s.file for s in places if s.file is not None), None):
        raise CannotRenameError("elsewhere", name.text, elsewhere)
    if macros := names.macros_with(name):
        raise CannotRenameError("macro", name.text, min(macros))
    known = {(s.start, s.end) for s in places}
    written = words_called(names.source.original, name.text)
    if hidden := next((w for w in written if w.directive and (w.start, w.end) not in known), None):
        line = names.source.lines.line_of(hidden.start) + 1
        raise CannotRenameError("directive", name.text, line)


def renamed(names: NameTable, name: Name, new: str) -> list[Span]:
    """The places that a new name goes to. Raises `CannotRenameError`."""
    check_renamable(names, name)
    if not _IDENTIFIER.fullmatch(new):
        raise CannotRenameError("no_name", new)
    if find(new, "function", "qualifier", "keyword", "type", "constant") is not None:
        raise CannotRenameError("language", new)
    if any(words_called(names.source.original, new)):
        raise CannotRenameError("in_use", new)
    return names.places(name)
