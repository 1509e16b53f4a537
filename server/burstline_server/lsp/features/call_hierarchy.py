"""textDocument/prepareCallHierarchy and callHierarchy/…Calls: from kernels to their helpers and back."""

from __future__ import annotations

from lsprotocol import types

from burstline_server.lsp.documents import Document
from burstline_server.lsp.session import Session
from burstline_server.names.name import Name
from burstline_server.names.name_table import NameTable


async def prepare(ls: Session, params: types.CallHierarchyPrepareParams) -> list[types.CallHierarchyItem]:
    """The item that a hierarchy starts at."""

    def answer(document: Document, names: NameTable) -> list[types.CallHierarchyItem]:
        at = names.at(ls.offset(names.source, params.position))
        found = at is not None and at[0].kind in {"kernel", "function"}
        return [_item(ls, document, names, at[0])] if at is not None and found else []

    return await ls.named("call_hierarchy", params.text_document.uri, answer) or []


async def incoming(
    ls: Session, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall]:
    """Who calls a function."""

    def answer(document: Document, names: NameTable) -> list[types.CallHierarchyIncomingCall]:
        called = _function(names, params.item)
        calls: dict[Name, list[types.Range]] = {}
        for use in names.uses(called) if called is not None else ():
            if use.called and use.function is not None:
                calls.setdefault(use.function, []).append(ls.range_of(names.source, use.span))
        return [
            types.CallHierarchyIncomingCall(_item(ls, document, names, name), ranges) for name, ranges in calls.items()
        ]

    return await ls.named("call_hierarchy", _uri(params.item), answer) or []


async def outgoing(
    ls: Session, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall]:
    """What a function calls."""

    def answer(document: Document, names: NameTable) -> list[types.CallHierarchyOutgoingCall]:
        caller = _function(names, params.item)
        calls: dict[Name, list[types.Range]] = {}
        for name, span in names.calls(caller) if caller is not None else ():
            calls.setdefault(name, []).append(ls.range_of(names.source, span))
        return [
            types.CallHierarchyOutgoingCall(_item(ls, document, names, name), ranges) for name, ranges in calls.items()
        ]

    return await ls.named("call_hierarchy", _uri(params.item), answer) or []


def _uri(item: types.CallHierarchyItem) -> str:
    """The document that an item was found in."""
    return str(item.data.get("uri")) if isinstance(item.data, dict) else item.uri


def _function(names: NameTable, item: types.CallHierarchyItem) -> Name | None:
    """The function of an item: the one of this name."""
    return names.find(item.name, "kernel", "function")


def _item(ls: Session, document: Document, names: NameTable, name: Name) -> types.CallHierarchyItem:
    place = ls.location_of(document.uri, names.source, name.place)
    return types.CallHierarchyItem(
        name=name.text,
        kind=types.SymbolKind.Class if name.kind == "kernel" else types.SymbolKind.Function,
        detail=name.detail,
        uri=place.uri,
        range=ls.range_of(names.source, name.whole),
        selection_range=place.range,
        data={"uri": document.uri},
    )
