"""textDocument/inlayHint: what lines take of a kernel's time, or each access its units; inlayHint/resolve: a card."""

from typing import Any

from lsprotocol import types

from burstline_server.lsp.documents import Document
from burstline_server.lsp.features.hover import card_at, markup
from burstline_server.lsp.session import Session
from burstline_server.presentation.cards import kernel_card
from burstline_server.presentation.hints import line_hints, unit_hints


async def inlay_hint(ls: Session, params: types.InlayHintParams) -> list[types.InlayHint]:
    """The hints of a range, by the preset of the settings."""
    document = await ls.current(params.text_document.uri)
    if document is None or document.assessment is None:
        return []
    preset = document.assessment.settings.hints
    if preset == "off" or (preset == "on_demand" and not document.hints_shown):
        return []
    lines = document.assessment.source.lines
    start = lines.offset(params.range.start.line, params.range.start.character, ls.encoding)
    end = lines.offset(params.range.end.line, params.range.end.character, ls.encoding)
    return _hints(ls, document, start, end, preset)


async def resolve(ls: Session, hint: types.InlayHint) -> types.InlayHint:
    """A hint with its card, made when somebody points at it."""
    data: dict[str, Any] = hint.data if isinstance(hint.data, dict) else {}
    document = await ls.current(str(data.get("uri", "")))
    if document is None or document.assessment is None or document.version != data.get("version"):
        return hint
    about = int(data.get("about", -1))
    card = await card_at(ls, document, about) if not data.get("of_loop") else None
    if card is not None:
        hint.tooltip = card[0]
    elif kernels := document.assessment.kernels_at(about, about):
        hint.tooltip = markup(ls, kernel_card(document.assessment, kernels[0]))
    return hint


async def toggle_hints(ls: Session, uri: str) -> bool:
    """Show or hide the hints of a file; whether they are shown now."""
    document = ls.documents.get(uri)
    if document is None:
        return False
    document.hints_shown = not document.hints_shown
    if ls.can("workspace", "inlay_hint", "refresh_support"):
        ls.workspace_inlay_hint_refresh(None)
    return document.hints_shown


def _hints(ls: Session, document: Document, start: int, end: int, preset: str) -> list[types.InlayHint]:
    assessment = document.assessment
    if assessment is None:
        return []
    kernels = assessment.kernels_at(start, end)
    if preset == "everything":
        found = unit_hints(kernels)
    else:
        found = line_hints(assessment, kernels, first_only=preset == "quiet")
    drawn = []
    for hint in found:
        if start <= hint.offset <= end:
            line, column = assessment.source.lines.position(hint.offset, ls.encoding)
            data: dict[str, object] = {"uri": document.uri, "version": document.version, "about": hint.about}
            if hint.share is not None:
                data |= {"share": hint.share, "of_loop": hint.of_loop}
            place = types.Position(line, column)
            drawn.append(types.InlayHint(position=place, label=hint.text, padding_left=True, data=data))
    return drawn
