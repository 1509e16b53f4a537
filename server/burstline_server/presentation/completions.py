"""What can be written at a place of a file: the user's names first, then the language's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from burstline_model.record import fixed
from burstline_server.language.vocabulary import LANES, SCALARS, Entry, WordKind, entries
from burstline_server.names.cursor_context import Context, context_at
from burstline_server.names.members import members_of
from burstline_server.names.name_table import NameTable
from burstline_server.names.part import Kind

_DIRECTIVES = ("define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "pragma", "error")
_CODE: tuple[WordKind, ...] = ("qualifier", "keyword", "type", "function", "constant")


@fixed
class Suggestion:
    """A word to offer: `own` for the user's names, `nearness` smaller for what is declared nearer."""

    text: str
    kind: Kind | WordKind
    detail: str
    documentation: str = ""
    nearness: int = 0


def suggestions(names: NameTable, text: bytes, offset: int) -> list[Suggestion]:
    """Every word that fits at a byte of a text; choosing by what is typed is the editor's part."""
    context = context_at(text, offset)
    match context.where:
        case "pragma":
            return [_entry(e, 0) for e in entries("pragma")]
        case "attribute":
            return [_entry(e, 0) for e in entries("attribute")]
        case "directive":
            return [Suggestion(word, "keyword", f"#{word}") for word in _DIRECTIVES]
        case "member":
            return list(_members(names, context, offset))
        case "code":
            own = [Suggestion(n.text, n.kind, n.detail, "", i) for i, n in enumerate(names.visible(offset))]
            own_words = {s.text for s in own}
            return own + [s for s in _language(len(own)) if s.text not in own_words]
        case _:
            return []


def _members(names: NameTable, context: Context, offset: int) -> Iterator[Suggestion]:
    for i, (text, detail) in enumerate(members_of(names, context.base, offset)):
        yield Suggestion(text, "field", detail, "", i)


def _language(nearness: int) -> Iterable[Suggestion]:
    yield from (_entry(entry, nearness) for entry in entries(*_CODE))
    # Vectors of every type and width are types as well; bool and the like have none.
    for scalar in SCALARS:
        for lanes in LANES:
            yield Suggestion(f"{scalar}{lanes}", "type", f"{lanes} × {scalar}", "", nearness + 1)


def _entry(entry: Entry, nearness: int) -> Suggestion:
    return Suggestion(entry.name, entry.kind, entry.usage, entry.text, nearness)
