"""textDocument/references and textDocument/documentHighlight: where a name is written."""

from __future__ import annotations

from lsprotocol import types

from burstline_server.lsp.documents import Document
from burstline_server.lsp.session import Session
from burstline_server.names.name_table import NameTable


async def references(ls: Session, params: types.ReferenceParams) -> list[types.Location]:
    """Where a name is used."""

    def answer(document: Document, names: NameTable) -> list[types.Location]:
        at = names.at(ls.offset(names.source, params.position))
        if at is None:
            return []
        left_out = set() if params.context.include_declaration else set(at[0].declared)
        places = (span for span in names.places(at[0]) if span not in left_out)
        return [ls.location_of(document.uri, names.source, span) for span in places]

    return await ls.named("references", params.text_document.uri, answer) or []


async def highlight(ls: Session, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    """The same within the file, to be highlighted."""

    def answer(_: Document, names: NameTable) -> list[types.DocumentHighlight]:
        at = names.at(ls.offset(names.source, params.position))
        places = names.places(at[0]) if at is not None else ()
        return [types.DocumentHighlight(ls.range_of(names.source, s)) for s in places if s.file is None]

    return await ls.named("references", params.text_document.uri, answer) or []
