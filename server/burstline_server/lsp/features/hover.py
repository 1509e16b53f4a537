"""textDocument/hover: the card of an access, of a kernel on its name, of any other word by its meaning."""

from __future__ import annotations

from lsprotocol import types

from burstline_model.facts import Span
from burstline_server.lsp.session import Session
from burstline_server.presentation.cards import Card, access_card, kernel_card, markdown, plain
from burstline_server.presentation.meanings import meaning_at
from burstline_server.source.source import Source


def register(session: Session) -> None:
    """Answer hovers."""

    @session.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(ls: Session, params: types.HoverParams) -> types.Hover | None:
        document = await ls.current(params.text_document.uri)
        if document is None or document.assessment is None:
            return None
        assessment = document.assessment
        offset = ls.offset(assessment.source, params.position)
        found = document.access_at(offset)
        if found is not None:
            return _shown(ls, access_card(assessment, *found), assessment.source, found[1].span)
        kernel = document.kernel_at(offset)
        if kernel is not None:
            return _shown(ls, kernel_card(assessment, kernel), assessment.source, kernel.facts.name_span)
        meaning = await ls.named("hover", document.uri, lambda _, names: meaning_at(names, offset))
        return _shown(ls, meaning[0], assessment.source, meaning[1]) if meaning is not None else None


def _shown(ls: Session, card: Card, source: Source, span: Span) -> types.Hover:
    return types.Hover(contents=markup(ls, card), range=ls.range_of(source, span))


def markup(ls: Session, card: Card) -> types.MarkupContent:
    """A card in the form that the client shows in hovers."""
    formats = ls.listed("text_document", "hover", "content_format")
    if types.MarkupKind.Markdown.value in formats or not formats:
        return types.MarkupContent(types.MarkupKind.Markdown, markdown(card))
    return types.MarkupContent(types.MarkupKind.PlainText, plain(card))
