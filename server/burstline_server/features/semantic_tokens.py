"""textDocument/semanticTokens: names by what they stand for, with their address space; channels and built-ins."""

from __future__ import annotations

from lsprotocol import types

from burstline_model.facts import Span
from burstline_server.documents import Document
from burstline_server.names.legend import MODIFIERS, TYPES
from burstline_server.names.table import NameTable
from burstline_server.names.tokens import Token, tokens
from burstline_server.session import Session


def register(session: Session) -> None:
    """Answer semantic tokens: all of a file's, those of a range, and what changed."""

    @session.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL)
    async def full(ls: Session, params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        found = await ls.names("semantic_tokens", params.text_document.uri)
        return _remembered(found[0], await _all(ls, found[1])) if found is not None else None

    @session.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE)
    async def of_range(ls: Session, params: types.SemanticTokensRangeParams) -> types.SemanticTokens | None:
        found = await ls.names("semantic_tokens", params.text_document.uri)
        if found is None:
            return None
        start, end = (ls.offset(found[1].source, p) for p in (params.range.start, params.range.end))
        return types.SemanticTokens(data=await _all(ls, found[1], Span(start=start, end=end)))

    @session.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA)
    async def delta(
        ls: Session, params: types.SemanticTokensDeltaParams
    ) -> types.SemanticTokens | types.SemanticTokensDelta | None:
        found = await ls.names("semantic_tokens", params.text_document.uri)
        if found is None:
            return None
        before = found[0].tokens
        now = _remembered(found[0], await _all(ls, found[1]))
        if before is None or before[0] != params.previous_result_id:
            return now
        return types.SemanticTokensDelta(edits=_changes(before[1], list(now.data)), result_id=now.result_id)


async def _all(ls: Session, names: NameTable, within: Span | None = None) -> list[int]:
    """The tokens of a file, or of a part of it, as numbers."""

    def work(of: NameTable) -> list[int]:
        found = tokens(of)
        inside = [t for t in found if within is None or (t.end > within.start and t.start < within.end)]
        return _encoded(ls, of, inside)

    return await ls.aside(work, names)


def _remembered(document: Document, data: list[int]) -> types.SemanticTokens:
    document.tokens = (document.stamp, data)
    return types.SemanticTokens(data=data, result_id=document.tokens[0])


def _encoded(ls: Session, names: NameTable, found: list[Token]) -> list[int]:
    """Five numbers a token: lines and columns from the token before, length, type, modifiers."""
    data: list[int] = []
    line, column = 0, 0
    for token in found:
        at, start = names.source.lines.position(token.start, ls.encoding)
        _, end = names.source.lines.position(token.end, ls.encoding)
        modifiers = sum(1 << MODIFIERS.index(m) for m in token.modifiers)
        data += (at - line, start - column if at == line else start, end - start, TYPES.index(token.type), modifiers)
        line, column = at, start
    return data


def _changes(before: list[int], now: list[int]) -> list[types.SemanticTokensEdit]:
    """The one edit between two lists of numbers."""
    shorter = min(len(before), len(now))
    start = next((i for i in range(shorter) if before[i] != now[i]), shorter)
    tail = next((i for i in range(shorter - start) if before[-1 - i] != now[-1 - i]), shorter - start)
    if start == len(before) == len(now):
        return []
    return [types.SemanticTokensEdit(start, len(before) - tail - start, now[start : len(now) - tail])]
