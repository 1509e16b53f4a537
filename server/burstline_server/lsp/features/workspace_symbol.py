"""workspace/symbol: kernels and helper functions of every OpenCL file in the workspace."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from burstline_server.lsp.progress import long_work
from burstline_server.lsp.session import Session
from burstline_server.names.workspace_index import WorkspaceIndex
from burstline_server.words.actions import READING_KERNELS


async def workspace_symbol(ls: Session, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
    """Answer workspace symbols."""
    if not ls.serves("workspace_symbol", ls.settings):
        return []
    async with long_work(ls, READING_KERNELS, params.work_done_token) as work:
        found = await asyncio.to_thread(ls.kept(WorkspaceIndex).search, ls.roots, params.query, work.went_on)
    return [
        types.WorkspaceSymbol(
            name=symbol.name,
            kind=types.SymbolKind.Class if symbol.kernel else types.SymbolKind.Function,
            location=types.Location(
                symbol.path.as_uri(), ls.range_in(symbol.lines, symbol.place.start, symbol.place.end)
            ),
        )
        for symbol in found
    ]
