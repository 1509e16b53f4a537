"""textDocument/definition: from a name, or an include, to where it is defined."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from burstline_server.lsp.documents import Document
from burstline_server.lsp.session import Session
from burstline_server.names.name_table import NameTable


async def definition(ls: Session, params: types.DefinitionParams) -> types.Location | None:
    """Answer definitions."""

    def answer(document: Document, names: NameTable) -> types.Location | None:
        offset = ls.offset(names.source, params.position)
        if (at := names.at(offset)) is not None:
            return ls.location_of(document.uri, names.source, at[0].place)
        file = next((f for start, end, f in names.source.includes if start <= offset <= end), None)
        nowhere = types.Position(line=0, character=0)
        return types.Location(uri=Path(file).as_uri(), range=types.Range(nowhere, nowhere)) if file else None

    return await ls.named("definition", params.text_document.uri, answer)
