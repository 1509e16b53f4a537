"""textDocument/diagnostic where the editor asks, textDocument/publishDiagnostics where it does not."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from burstline_server.documents import Document
from burstline_server.rules.finding import Finding
from burstline_server.session import Session
from burstline_server.source.source import Source


def register(ls: Session) -> None:
    """Settle how this editor gets its findings; its capabilities must be known."""
    # An editor that cannot be asked to ask again would miss what changes outside its texts: it is told instead.
    if ls.can("text_document", "diagnostic") and ls.can("workspace", "diagnostics", "refresh_support"):
        _answer(ls)
    else:
        ls.after_assessment.append(lambda document: _publish(ls, document))
        ls.after_close.append(lambda uri: _clear(ls, uri))


def _answer(session: Session) -> None:
    options = types.DiagnosticOptions(identifier="burstline", inter_file_dependencies=True, workspace_diagnostics=False)

    @session.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def diagnostic(ls: Session, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        document = await ls.current(params.text_document.uri)
        if document is None:
            return types.RelatedFullDocumentDiagnosticReport(items=[])
        if params.previous_result_id == document.stamp:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=document.stamp)
        return types.RelatedFullDocumentDiagnosticReport(items=_diagnostics(ls, document), result_id=document.stamp)


def _publish(ls: Session, document: Document) -> None:
    ls.text_document_publish_diagnostics(
        types.PublishDiagnosticsParams(
            uri=document.uri, version=document.assessed, diagnostics=_diagnostics(ls, document)
        )
    )


def _clear(ls: Session, uri: str) -> None:
    ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))


def _diagnostics(ls: Session, document: Document) -> list[types.Diagnostic]:
    if document.assessment is None:
        return []
    return [diagnostic_of(ls, document.uri, document.assessment.source, f) for f in document.findings]


_SEVERITIES = {
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


def diagnostic_of(session: Session, uri: str, source: Source, finding: Finding) -> types.Diagnostic:
    """A finding as the protocol's diagnostic."""
    page = page_of(finding.code)
    related = [
        types.DiagnosticRelatedInformation(
            location=types.Location(uri=uri, range=session.range_of(source, other.span)), message=other.message
        )
        for other in finding.related
    ]
    return types.Diagnostic(
        range=session.range_of(source, finding.span),
        message=finding.message,
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(href=page.as_uri()) if page is not None else None,
        source="burstline",
        related_information=related or None,
        data={"code": finding.code},
    )


def page_of(code: str) -> Path | None:
    """The documentation page of a code: inside the installed package, or in the repository's docs."""
    here = Path(__file__).resolve().parents[1]
    candidates = (here / "pages" / f"{code}.md", here.parents[1] / "docs" / "rules" / f"{code}.md")
    return next((c for c in candidates if c.is_file()), None)
