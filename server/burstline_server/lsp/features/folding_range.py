"""textDocument/foldingRange: blocks, comments, includes, branches of the preprocessor."""

from __future__ import annotations

from lsprotocol import types

from burstline_server.lsp.session import Session
from burstline_server.source.folds import folds

_KINDS = {
    "comment": types.FoldingRangeKind.Comment,
    "imports": types.FoldingRangeKind.Imports,
    "region": types.FoldingRangeKind.Region,
}


async def folding_range(ls: Session, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """Answer folding ranges."""
    found = await ls.served("folding_range", params.text_document.uri)
    made = await ls.aside(folds, found[1]) if found is not None else []
    return [types.FoldingRange(fold.first, fold.last, kind=_KINDS.get(fold.kind)) for fold in made]
