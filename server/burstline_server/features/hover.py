"""textDocument/hover: the card of an access, or of a kernel on its name."""

from lsprotocol import types

from burstline_model.facts import Span
from burstline_server.answers.cards import Card, access_card, kernel_card, markdown, plain
from burstline_server.session import Session
from burstline_server.source.source import Source


def register(session: Session) -> None:
    """Answer hovers."""

    @session.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(ls: Session, params: types.HoverParams) -> types.Hover | None:
        document = await ls.current(params.text_document.uri)
        if document is None or document.assessment is None:
            return None
        assessment = document.assessment
        offset = assessment.source.lines.offset(params.position.line, params.position.character, ls.encoding)
        found = document.access_at(offset)
        if found is not None:
            return _shown(ls, access_card(assessment, *found), assessment.source, found[1].span)
        kernel = document.kernel_at(offset)
        if kernel is not None:
            return _shown(ls, kernel_card(assessment, kernel), assessment.source, kernel.facts.name_span)
        return None


def _shown(ls: Session, card: Card, source: Source, span: Span) -> types.Hover:
    hover = ls.client_capabilities.text_document.hover if ls.client_capabilities.text_document else None
    formats = (hover.content_format if hover else None) or ()
    if types.MarkupKind.Markdown in formats or not formats:
        content = types.MarkupContent(types.MarkupKind.Markdown, markdown(card))
    else:
        content = types.MarkupContent(types.MarkupKind.PlainText, plain(card))
    return types.Hover(contents=content, range=ls.range_of(source, span))
