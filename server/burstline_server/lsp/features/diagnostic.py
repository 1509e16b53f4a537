"""textDocument/diagnostic where the editor asks, textDocument/publishDiagnostics where it does not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from lsprotocol import types

from burstline_model.facts import Span
from burstline_server.diagnostics.finding import Finding, Group
from burstline_server.lsp.documents import Document
from burstline_server.lsp.session import Session
from burstline_server.lsp.wire.protocol import Json
from burstline_server.presentation.pages import page_of
from burstline_server.source.source import Source
from burstline_server.words.findings import message_text, part_text

Plain = dict[str, Any]
"""What is sent as it is."""
MAX_EARLY = 256


def register(ls: Session) -> None:
    """Settle how this editor gets its findings; its capabilities must be known."""
    # An editor that cannot be asked to ask again would miss what changes outside its texts: it is sent the findings.
    if ls.can("text_document", "diagnostic") and ls.can("workspace", "diagnostics", "refresh_support"):
        _answer(ls)
    else:
        ls.after_assessment.append(lambda document: _publish(ls, document))
        ls.after_pause.append(lambda document: _publish(ls, document))
        ls.after_close.append(lambda uri: _clear(ls, uri))


def _answer(session: Session) -> None:
    early: set[str] = set()
    """Asked for before it was opened: the editor takes it that there is nothing to find until it is sent more."""
    session.after_assessment.append(lambda document: _ask_again(session, early, document))
    options = types.DiagnosticOptions(identifier="burstline", inter_file_dependencies=True, workspace_diagnostics=False)

    @session.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def diagnostic(ls: Session, params: types.DocumentDiagnosticParams) -> Plain | Json:
        document = await ls.current(params.text_document.uri)
        await asyncio.sleep(0)  # what is pointed at, and hints, waited for the same assessment: they go first
        if document is None:
            if len(early) < MAX_EARLY:
                early.add(params.text_document.uri)
            return {"kind": "full", "items": []}
        if params.previous_result_id == document.stamp:
            return {"kind": "unchanged", "resultId": document.stamp}
        head = json.dumps({"kind": "full", "resultId": document.stamp})
        return Json((f'{head[:-1]}, "items": '.encode(), *_diagnostics(ls, document), b"}"))


def _ask_again(ls: Session, early: set[str], document: Document) -> None:
    if document.uri in early:
        early.discard(document.uri)
        ls.workspace_diagnostic_refresh(None)


def _publish(ls: Session, document: Document) -> None:
    head = json.dumps({"uri": document.uri, "version": document.assessed})
    message = Json((f'{head[:-1]}, "diagnostics": '.encode(), *_diagnostics(ls, document), b"}"))
    ls.protocol.notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, message)


def _clear(ls: Session, uri: str) -> None:
    ls.protocol.notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, {"uri": uri, "diagnostics": []})


def _diagnostics(ls: Session, document: Document) -> Iterator[bytes]:
    """All findings of a file as a list in JSON; those of kernels that have not moved are sent again."""
    yield b"["
    if document.assessment is not None:
        source, before, now = document.assessment.source, document.diagnosed, dict[object, bytes]()
        sent = _written(ls, document.uri, source, [f for f in document.findings.others if not document.is_waiting(f)])
        yield sent
        for group in document.findings.groups:
            key = _place(ls, source, group)
            known = before.get(key)
            now[key] = known if known is not None else _written(ls, document.uri, source, group)
            if sent:
                yield b", "
            yield (sent := now[key])
        document.diagnosed = now
    yield b"]"


def _place(ls: Session, source: Source, group: Group) -> object:
    """What a group's findings are known by: their kernel, its text, and where that is."""
    positions = tuple(source.lines.position(start, ls.encoding) for start, _ in group.now.pieces)
    return group.kernel, positions, tuple(source.original[start:end] for start, end in group.now.pieces)


def _written(ls: Session, uri: str, source: Source, findings: Iterable[Finding]) -> bytes:
    """Findings as JSON, without the brackets of a list."""
    return json.dumps([_diagnostic(ls, uri, source, finding) for finding in findings])[1:-1].encode()


_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


def _diagnostic(ls: Session, uri: str, source: Source, finding: Finding) -> Plain:
    diagnostic: Plain = {
        "range": _range(ls, source, finding.span),
        "message": message_text(finding),
        "severity": _SEVERITIES[finding.severity].value,
        "code": finding.code,
        "source": "burstline",
        "data": {"code": finding.code},
    }
    page = _page(finding.code)
    if page is not None:
        diagnostic["codeDescription"] = {"href": page}
    if finding.related:
        places = ({"uri": uri, "range": _range(ls, source, other.span)} for other in finding.related)
        diagnostic["relatedInformation"] = [
            {"location": place, "message": part_text(other.part)}
            for place, other in zip(places, finding.related, strict=True)
        ]
    return diagnostic


def _range(ls: Session, source: Source, span: Span) -> Plain:
    lines = source.lines_of(span.file)
    line, character = lines.position(span.start, ls.encoding)
    last, end = lines.position(span.end, ls.encoding)
    return {"start": {"line": line, "character": character}, "end": {"line": last, "character": end}}


@cache
def _page(code: str) -> str | None:
    page = page_of(code)
    return page.as_uri() if page is not None else None
