"""textDocument/hover: the card of an access, of a kernel on its name, of any other word by its meaning."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import quote

from lsprotocol import types

from burstline_model.facts import Span
from burstline_server.lsp.documents import Document
from burstline_server.lsp.features.registry import MAKE_EDIT
from burstline_server.lsp.session import Session
from burstline_server.presentation.card_text import NO_LINKS, EditLinks, markdown, plain
from burstline_server.presentation.cards import Card, access_card, kernel_card
from burstline_server.presentation.meanings import meaning_at
from burstline_server.source.source import Source

if TYPE_CHECKING:  # loaded where a card is asked for
    from burstline_server.rewrites.catalogue import Fix

EDIT_S = 0.4
"""How long a card waits for its best edit; it is shown without one after that."""


async def hover(ls: Session, params: types.HoverParams) -> types.Hover | None:
    """Answer hovers."""
    document = await ls.current(params.text_document.uri)
    if document is None or document.assessment is None:
        return None
    assessment = document.assessment
    offset = ls.offset(assessment.source, params.position)
    card = await card_at(ls, document, offset)
    if card is not None:
        return types.Hover(contents=card[0], range=ls.range_of(assessment.source, card[1]))
    meaning = await ls.named("hover", document.uri, lambda _, names: meaning_at(names, offset))
    return _shown(ls, meaning[0], assessment.source, meaning[1]) if meaning is not None else None


async def card_at(ls: Session, document: Document, offset: int) -> tuple[types.MarkupContent, Span] | None:
    """The card of the access or the kernel's name at a byte of the document, with its best edit, and its place."""
    found, kernel = document.access_at(offset), document.kernel_at(offset)
    name = found[0] if found is not None else kernel
    if name is None or document.assessment is None:
        return None
    span = found[1].span if found is not None else name.facts.name_span
    fix = await _best(ls, document, name.facts.name, span if found is not None else name.facts.span)
    assessment = document.assessment
    # The text may have changed meanwhile: what is at the place now is shown.
    found, kernel = document.access_at(offset), document.kernel_at(offset)
    if found is not None:
        return markup(ls, access_card(assessment, *found, fix), links_of(ls, document, fix)), found[1].span
    if kernel is not None:
        return markup(ls, kernel_card(assessment, kernel, fix), links_of(ls, document, fix)), kernel.facts.name_span
    return None


async def _best(ls: Session, document: Document, kernel: str, span: Span) -> Fix | None:
    """The best edit of a kernel at a place; None where there is none, or it is not priced soon enough."""
    from burstline_server.lsp.pricing import fixes_at  # noqa: PLC0415 - edits are loaded by the first who asks
    from burstline_server.rewrites.catalogue import most_useful_first  # noqa: PLC0415

    version = document.version
    pricing = asyncio.ensure_future(fixes_at(ls, document, span))
    with suppress(TimeoutError):
        # Pricing goes on where it takes longer: what was found is kept for the next card.
        fixes = await asyncio.wait_for(asyncio.shield(pricing), EDIT_S)
        own = [fix for fix in most_useful_first(fixes) if fix.offer.kernel == kernel and fix.speedup is not None]
        return own[0] if own and document.version == version else None
    ls.keep(asyncio.ensure_future(_ended(pricing)))
    return None


async def _ended(pricing: asyncio.Future[list[Fix]]) -> None:
    with suppress(Exception):
        await pricing


def links_of(ls: Session, document: Document, fix: Fix | None) -> EditLinks:
    """The links that make an edit and that show it first, where the editor follows them."""
    if fix is None or not ls.follows_commands:
        return NO_LINKS
    from burstline_server.lsp.document_edits import can_preview  # noqa: PLC0415 - loaded with the edits

    words = [document.uri, fix.offer.kernel, fix.offer.id]
    return EditLinks(_address(words), _address([*words, True]) if can_preview(ls) else "")


def _address(words: Sequence[str | bool]) -> str:
    """The address of the command that makes an edit, with its words."""
    return f"command:{MAKE_EDIT}?{quote(json.dumps(words), safe='')}"


def _shown(ls: Session, card: Card, source: Source, span: Span) -> types.Hover:
    return types.Hover(contents=markup(ls, card), range=ls.range_of(source, span))


def markup(ls: Session, card: Card, links: EditLinks = NO_LINKS) -> types.MarkupContent:
    """A card in the form that the client shows in hovers."""
    formats = ls.listed("text_document", "hover", "content_format")
    if types.MarkupKind.Markdown.value in formats or not formats:
        return types.MarkupContent(types.MarkupKind.Markdown, markdown(card, links))
    return types.MarkupContent(types.MarkupKind.PlainText, plain(card))
