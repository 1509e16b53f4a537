"""textDocument/inlayHint: what will be built and what it costs, behind each access; inlayHint/resolve: its card."""

from typing import Any

from lsprotocol import types

from burstline_server.lsp.documents import Document
from burstline_server.lsp.features.hover import markup
from burstline_server.lsp.session import Session
from burstline_server.presentation.build import UnitIndex
from burstline_server.presentation.cards import access_card, hint_text

TOGGLE = "burstline.toggleHints"


def register(session: Session) -> None:
    """Answer inlay hints by the preset of the settings."""

    @session.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay_hint(ls: Session, params: types.InlayHintParams) -> list[types.InlayHint]:
        document = await ls.current(params.text_document.uri)
        if document is None or document.assessment is None:
            return []
        preset = document.assessment.settings.hints
        if preset == "off" or (preset == "on_demand" and not document.hints_shown):
            return []
        lines = document.assessment.source.lines
        start = lines.offset(params.range.start.line, params.range.start.character, ls.encoding)
        end = lines.offset(params.range.end.line, params.range.end.character, ls.encoding)
        return _hints(ls, document, start, end, everything=preset == "everything")

    @session.feature(types.INLAY_HINT_RESOLVE)
    async def resolve(ls: Session, hint: types.InlayHint) -> types.InlayHint:
        data: dict[str, Any] = hint.data if isinstance(hint.data, dict) else {}
        document = await ls.current(str(data.get("uri", "")))
        if document is None or document.assessment is None or document.version != data.get("version"):
            return hint
        end = int(data.get("end", -1))
        found = document.access_at(end - 1)
        if found is not None:
            hint.tooltip = markup(ls, access_card(document.assessment, *found))
        return hint

    @session.command(TOGGLE)
    async def toggle_hints(ls: Session, uri: str) -> bool:
        document = ls.documents.get(uri)
        if document is None:
            return False
        document.hints_shown = not document.hints_shown
        if ls.can("workspace", "inlay_hint", "refresh_support"):
            ls.workspace_inlay_hint_refresh(None)
        return document.hints_shown


def _hints(ls: Session, document: Document, start: int, end: int, *, everything: bool) -> list[types.InlayHint]:
    assessment = document.assessment
    labels: dict[int, list[str]] = {}
    for kernel in assessment.kernels_at(start, end) if assessment is not None else ():
        index = UnitIndex(kernel.estimate)
        for access in kernel.facts.accesses:
            written = access.span.file is None and access.span.start < access.span.end
            inside = written and start <= access.span.end <= end
            if inside and (access.space == "global" or everything):
                shown = [hint_text(unit) for unit in index.on(access)]
                texts = labels.setdefault(access.span.end, [])
                texts += [t for t in shown if t not in texts]
    if assessment is None:
        return []
    found = []
    for offset, texts in sorted(labels.items()):
        if texts:
            line, column = assessment.source.lines.position(offset, ls.encoding)
            position = types.Position(line=line, character=column)
            data = {"uri": document.uri, "version": document.version, "end": offset}
            found.append(types.InlayHint(position=position, label=" + ".join(texts), padding_left=True, data=data))
    return found
