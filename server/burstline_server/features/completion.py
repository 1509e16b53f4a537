"""textDocument/completion and completionItem/resolve: names in reach, built-ins, pragmas, attributes, members."""

from __future__ import annotations

from lsprotocol import types

from burstline_server.answers.completions import Suggestion, suggestions
from burstline_server.language.vocabulary import find
from burstline_server.session import Session

_KINDS = {
    "kernel": types.CompletionItemKind.Function, "function": types.CompletionItemKind.Function,
    "parameter": types.CompletionItemKind.Variable, "variable": types.CompletionItemKind.Variable,
    "channel": types.CompletionItemKind.Variable, "macro": types.CompletionItemKind.Constant,
    "type": types.CompletionItemKind.Class, "field": types.CompletionItemKind.Field,
    "enumerator": types.CompletionItemKind.EnumMember, "attribute": types.CompletionItemKind.Property,
    "pragma": types.CompletionItemKind.Keyword, "qualifier": types.CompletionItemKind.Keyword,
    "keyword": types.CompletionItemKind.Keyword, "constant": types.CompletionItemKind.Constant,
}  # fmt: skip
_TRIGGERS = [".", ">", "#", "("]


def register(session: Session) -> None:
    """Answer completions; texts are given when an item is looked at."""

    @session.feature(
        types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=_TRIGGERS, resolve_provider=True)
    )
    async def completion(ls: Session, params: types.CompletionParams) -> list[types.CompletionItem]:
        found = await ls.names("completion", params.text_document.uri)
        if found is None:
            return []
        names = found[1]
        offset = ls.offset(names.source, params.position)
        return await ls.work(lambda n: [_item(s) for s in suggestions(n, n.source.original, offset)], names)

    @session.feature(types.COMPLETION_ITEM_RESOLVE)
    def resolve(_ls: Session, item: types.CompletionItem) -> types.CompletionItem:
        kind = item.data.get("kind") if isinstance(item.data, dict) else None
        entry = find(item.label, kind) if kind in _LANGUAGE else None
        if entry is not None and entry.text:
            item.documentation = entry.text
        return item


_LANGUAGE = ("function", "attribute", "pragma", "qualifier", "type", "constant")


def _item(one: Suggestion) -> types.CompletionItem:
    return types.CompletionItem(
        label=one.text,
        kind=_KINDS[one.kind],
        detail=one.detail,
        sort_text=f"{one.nearness:05d}{one.text}",
        data={"kind": one.kind} if one.documentation else None,
    )
