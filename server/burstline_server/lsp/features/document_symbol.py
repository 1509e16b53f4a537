"""textDocument/documentSymbol: kernels with their estimates, and helper functions."""

from lsprotocol import types

from burstline_model.facts import Span
from burstline_server.lsp.session import Session
from burstline_server.source.queries import functions
from burstline_server.words.verdict import headline


async def document_symbol(ls: Session, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    """Answer document symbols."""
    served = await ls.served("document_symbol", params.text_document.uri)
    if served is None or served[0].assessment is None:
        return []
    source = served[1]
    kernels = {k.facts.name: k for k in served[0].assessment.kernels}
    found = []
    for function in await ls.aside(functions, source):
        if function.span.file is not None:
            continue
        kernel = kernels.get(function.name)
        whole = ls.range_of(source, function.span)
        name = ls.range_of(source, _within(function.name_span, function.span))
        found.append(
            types.DocumentSymbol(
                name=function.name,
                detail=headline(served[0].assessment, kernel) if kernel is not None else None,
                kind=types.SymbolKind.Class if kernel is not None else types.SymbolKind.Function,
                range=whole,
                selection_range=name,
            )
        )
    return found


def _within(inner: Span, outer: Span) -> Span:
    """The protocol wants the name inside the whole."""
    start = min(max(inner.start, outer.start), outer.end)
    return Span(start=start, end=min(max(inner.end, start), outer.end))
