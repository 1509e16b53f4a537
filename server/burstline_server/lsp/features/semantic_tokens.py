"""textDocument/semanticTokens: names by what they are, with their address space; channels and built-ins."""

from __future__ import annotations

from array import array

from lsprotocol import types

from burstline_server.lsp.documents import Document, stamp_of
from burstline_server.lsp.session import Session
from burstline_server.names.encoded_tokens import all_numbers, encode_some, numbers_between
from burstline_server.names.name_table import NameTable
from burstline_server.source.edit import difference


async def full(ls: Session, params: types.SemanticTokensParams) -> types.SemanticTokens | None:
    """The tokens of a whole file."""
    found = await _all(ls, params.text_document.uri)
    return _whole(*found) if found is not None else None


async def of_range(ls: Session, params: types.SemanticTokensRangeParams) -> types.SemanticTokens | None:
    """The tokens of a range."""

    def answer(_: Document, names: NameTable) -> types.SemanticTokens:
        start, end = (ls.offset(names.source, p) for p in (params.range.start, params.range.end))
        return types.SemanticTokens(data=numbers_between(names, ls.encoding, start, end))

    return await ls.named("semantic_tokens", params.text_document.uri, answer)


async def delta(
    ls: Session, params: types.SemanticTokensDeltaParams
) -> types.SemanticTokens | types.SemanticTokensDelta | None:
    """What has changed since an answer before."""
    document = ls.documents.get(params.text_document.uri)
    before = document.tokens if document is not None else None
    found = await _all(ls, params.text_document.uri)
    if found is None or before is None or before[0] != params.previous_result_id:
        return _whole(*found) if found is not None else None
    return types.SemanticTokensDelta(edits=_changes(before[1], found[1]), result_id=found[0])


async def _all(ls: Session, uri: str) -> tuple[str, array[int]] | None:
    """The tokens of a file with their stamp; others have their turn while they are made."""

    def some(_: Document, names: NameTable) -> tuple[NameTable, int]:
        return names, encode_some(names, ls.encoding, 0)

    begun = await ls.named("semantic_tokens", uri, some)
    document = ls.documents.get(uri)
    if begun is None or document is None:
        return None
    names, done = begun
    while done < len(names.parts.parts):
        done = await ls.aside(encode_some, names, ls.encoding, done)
    document.tokens = (stamp_of(names.source.number), await ls.aside(all_numbers, names, ls.encoding))
    return document.tokens


def _whole(stamp: str, data: array[int]) -> types.SemanticTokens:
    return types.SemanticTokens(data=list(data), result_id=stamp)


def _changes(before: array[int], now: array[int]) -> list[types.SemanticTokensEdit]:
    """The one edit between two lists of numbers."""
    edit, size = difference(before.tobytes(), now.tobytes()), now.itemsize
    start, old_end, new_end = edit.start // size, -(-edit.old_end // size), -(-edit.new_end // size)
    if start == old_end == new_end:
        return []
    return [types.SemanticTokensEdit(start, old_end - start, list(now[start:new_end]))]
