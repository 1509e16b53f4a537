"""textDocument/references and textDocument/documentHighlight: where a name is written."""

from __future__ import annotations

from lsprotocol import types

from burstline_server.session import Session


def register(session: Session) -> None:
    """Answer references and highlights."""

    @session.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(ls: Session, params: types.ReferenceParams) -> list[types.Location]:
        found = await ls.names("references", params.text_document.uri)
        at = found[1].at(ls.offset(found[1].source, params.position)) if found is not None else None
        if found is None or at is None:
            return []
        document, names = found
        left_out = set() if params.context.include_declaration else set(at[0].declared)
        return [ls.location_of(document.uri, names.source, s) for s in at[0].places if s not in left_out]

    @session.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlight(ls: Session, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        found = await ls.names("references", params.text_document.uri)
        at = found[1].at(ls.offset(found[1].source, params.position)) if found is not None else None
        if found is None or at is None:
            return []
        source = found[1].source
        return [types.DocumentHighlight(range=ls.range_of(source, s)) for s in at[0].places if s.file is None]
