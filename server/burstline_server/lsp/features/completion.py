"""textDocument/completion and completionItem/resolve: names in reach, the language's words, settings in their file."""

from __future__ import annotations

from lsprotocol import types

from burstline_server.config.toml_choices import choices_at
from burstline_server.language.vocabulary import find
from burstline_server.lsp.documents import Document
from burstline_server.lsp.session import Session
from burstline_server.names.name_table import NameTable
from burstline_server.presentation.completions import Suggestion, suggestions

_KINDS = {
    "kernel": types.CompletionItemKind.Function, "function": types.CompletionItemKind.Function,
    "parameter": types.CompletionItemKind.Variable, "variable": types.CompletionItemKind.Variable,
    "channel": types.CompletionItemKind.Variable, "macro": types.CompletionItemKind.Constant,
    "type": types.CompletionItemKind.Class, "field": types.CompletionItemKind.Field,
    "enumerator": types.CompletionItemKind.EnumMember, "attribute": types.CompletionItemKind.Property,
    "pragma": types.CompletionItemKind.Keyword, "qualifier": types.CompletionItemKind.Keyword,
    "keyword": types.CompletionItemKind.Keyword, "constant": types.CompletionItemKind.Constant,
}  # fmt: skip


async def completion(ls: Session, params: types.CompletionParams) -> list[types.CompletionItem]:
    """What can be written at a place."""
    settings = ls.settings_files.get(params.text_document.uri)
    if settings is not None:
        return _keys(ls, settings, params.position)

    def answer(_: Document, names: NameTable) -> list[types.CompletionItem]:
        offset = ls.offset(names.source, params.position)
        return [_item(one) for one in suggestions(names, names.source.original, offset)]

    return await ls.named("completion", params.text_document.uri, answer) or []


def resolve(_ls: Session, item: types.CompletionItem) -> types.CompletionItem:
    """An item with its text, given when somebody looks at it."""
    kind = item.data.get("kind") if isinstance(item.data, dict) else None
    entry = find(item.label, kind) if kind in _LANGUAGE else None
    if entry is not None and entry.text:
        item.documentation = entry.text
    return item


_LANGUAGE = ("function", "attribute", "pragma", "qualifier", "type", "constant")


def _keys(ls: Session, document: Document, position: types.Position) -> list[types.CompletionItem]:
    text = document.text.decode("utf-8", "replace")
    offset = document.lines.offset(position.line, position.character, ls.encoding)
    column = len(document.text[:offset].decode("utf-8", "replace").rpartition("\n")[2])
    return [
        types.CompletionItem(
            label=choice.text,
            kind=types.CompletionItemKind.Property,
            detail=choice.detail,
            insert_text=f'"{choice.text}"' if choice.quoted else None,
        )
        for choice in choices_at(text, position.line, column)
    ]


def _item(one: Suggestion) -> types.CompletionItem:
    return types.CompletionItem(
        label=one.text,
        kind=_KINDS[one.kind],
        detail=one.detail,
        sort_text=f"{one.nearness:05d}{one.text}",
        data={"kind": one.kind} if one.documentation else None,
    )
