"""What a word of the text means, as a card: the user's own name, or something of the language."""

from __future__ import annotations

import re

from burstline_model.facts import Span
from burstline_server.language.vocabulary import Entry, WordKind, find
from burstline_server.names.name import Name
from burstline_server.names.name_table import NameTable
from burstline_server.names.spellings import Word, word_at
from burstline_server.presentation.cards import Card, Paragraph

_KINDS = {
    "kernel": "kernel", "function": "function", "parameter": "argument", "variable": "variable",
    "channel": "channel", "macro": "macro", "type": "type", "field": "member", "enumerator": "constant",
}  # fmt: skip


def meaning_at(names: NameTable, offset: int) -> tuple[Card, Span] | None:
    """The card of the word at a byte of the user's file, and its place."""
    if (at := names.at(offset)) is not None:
        return name_card(at[0]), at[1]
    source = names.source
    word = word_at(source, offset)
    if word is None:
        return None
    entry = find(word.text, *_possible(names, word)) or find(word.text.strip("_"), *_possible(names, word))
    return (entry_card(entry), Span(start=word.start, end=word.end)) if entry is not None else None


def _possible(names: NameTable, word: Word) -> tuple[WordKind, ...]:
    if word.directive == "pragma":
        return ("pragma",)
    place = names.source.offset_of(word.start)
    notes = names.source.notes_in(max(0, place - 4096), place + 1) if place is not None else ()
    if place is not None and any(n.kind == "attribute" and n.start < place < n.end for n in notes):
        return ("attribute",)
    return ("qualifier", "function", "type", "constant")


def name_card(name: Name) -> Card:
    """What the user named, by its declaration."""
    space = f"__{name.space} " if name.space else ""
    return Card(name.detail, (), (Paragraph("is", f"{space}{_KINDS[name.kind]}"),))


def entry_card(entry: Entry) -> Card:
    """Something of the language."""
    group = re.sub(r"s$", "", entry.group) if entry.kind in {"attribute", "pragma", "qualifier"} else entry.group
    usage = f"#pragma {entry.usage}" if entry.kind == "pragma" else entry.usage
    return Card(usage, (), (Paragraph("meaning", entry.text, group),) if entry.text else ())
