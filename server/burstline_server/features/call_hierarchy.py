"""textDocument/prepareCallHierarchy and callHierarchy/…Calls: from kernels to their helpers and back."""

from __future__ import annotations

from lsprotocol import types

from burstline_server.documents import Document
from burstline_server.names.table import Name, NameTable
from burstline_server.session import Session


def register(session: Session) -> None:
    """Answer call hierarchies."""

    @session.feature(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)
    async def prepare(ls: Session, params: types.CallHierarchyPrepareParams) -> list[types.CallHierarchyItem]:
        found = await ls.names("call_hierarchy", params.text_document.uri)
        at = found[1].at(ls.offset(found[1].source, params.position)) if found is not None else None
        if found is None or at is None or at[0].kind not in {"kernel", "function"}:
            return []
        return [_item(ls, found[0], found[1], at[0])]

    @session.feature(types.CALL_HIERARCHY_INCOMING_CALLS)
    async def incoming(
        ls: Session, params: types.CallHierarchyIncomingCallsParams
    ) -> list[types.CallHierarchyIncomingCall]:
        found = await _asked(ls, params.item)
        if found is None:
            return []
        document, names, called = found
        calls: dict[Name, list[types.Range]] = {}
        for use in called.uses:
            if use.called and use.function is not None:
                calls.setdefault(use.function, []).append(ls.range_of(names.source, use.span))
        return [types.CallHierarchyIncomingCall(_item(ls, document, names, n), ranges) for n, ranges in calls.items()]

    @session.feature(types.CALL_HIERARCHY_OUTGOING_CALLS)
    async def outgoing(
        ls: Session, params: types.CallHierarchyOutgoingCallsParams
    ) -> list[types.CallHierarchyOutgoingCall]:
        found = await _asked(ls, params.item)
        if found is None:
            return []
        document, names, caller = found
        calls = []
        for name in names.functions:
            here = [u for u in name.uses if u.called and u.function is caller]
            if here:
                ranges = [ls.range_of(names.source, use.span) for use in here]
                calls.append(types.CallHierarchyOutgoingCall(_item(ls, document, names, name), ranges))
        return calls


async def _asked(ls: Session, item: types.CallHierarchyItem) -> tuple[Document, NameTable, Name] | None:
    """The function that an item stands for: the one of this name in the document that it was found in."""
    uri = item.data.get("uri") if isinstance(item.data, dict) else item.uri
    found = await ls.names("call_hierarchy", str(uri))
    name = found[1].find(item.name, "kernel", "function") if found is not None else None
    return (*found, name) if found is not None and name is not None else None


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
