"""The language server's state: documents, settings, and assessments made off the event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from burstline_model.facts import Span
from burstline_server.answers.build import tool_name
from burstline_server.answers.locate import place_of
from burstline_server.assess import Assessment, Assessor
from burstline_server.config.layers import Layer, Problem, find_file, read_file
from burstline_server.documents import Document
from burstline_server.rewrites.catalogue import Fix, offers_of, priced, refusals_of, safe_text
from burstline_server.rewrites.rewrite import Refusal
from burstline_server.rules.catalogue import findings_of
from burstline_server.rules.finding import Finding
from burstline_server.source.lines import Encoding
from burstline_server.source.source import Source

_log = logging.getLogger(__name__)
SETTLE_S = 0.03
"""How long typing must pause before a document is assessed without being asked for."""


class Session(LanguageServer):
    """The server with its state. Features ask it for documents whose assessment is up to date."""

    def __init__(self) -> None:
        name, _, version = tool_name().partition(" ")
        super().__init__(name, version, text_document_sync_kind=types.TextDocumentSyncKind.Incremental)
        self.documents: dict[str, Document] = {}
        self.editor_settings: dict[str, Any] = {}
        self.host_changes: dict[str, str] = {}
        self._assessor = Assessor()
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="assess")
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._told: set[str] = set()

    # -- what the client is ----------------------------------------------------------------------------

    @property
    def encoding(self) -> Encoding:
        """The units that positions are counted in with this client."""
        agreed = self.workspace.position_encoding
        return "utf-8" if agreed == "utf-8" else "utf-32" if agreed == "utf-32" else "utf-16"

    def can(self, *path: str) -> bool:
        """Whether the client announced a capability, named by the attributes that lead to it."""
        value: Any = self.client_capabilities
        for name in path:
            value = getattr(value, name, None)
        return bool(value)

    # -- documents -------------------------------------------------------------------------------------

    def open(self, item: types.TextDocumentItem) -> None:
        """A document was opened, or re-sent."""
        path = Path(uris.to_fs_path(item.uri) or item.uri)
        self.documents[item.uri] = Document(item.uri, path, item.text.encode("utf-8", "replace"), item.version)
        self.schedule(item.uri, delay_s=0)

    def close(self, uri: str) -> None:
        """A document was closed: its findings go."""
        self.documents.pop(uri, None)
        if (task := self._waiting.pop(uri, None)) is not None:
            task.cancel()
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))

    def schedule(self, uri: str, delay_s: float = SETTLE_S) -> None:
        """Assess a document soon; a later call replaces an earlier one that has not begun."""
        if (task := self._waiting.pop(uri, None)) is not None:
            task.cancel()

        async def later() -> None:
            await asyncio.sleep(delay_s)
            self._waiting.pop(uri, None)
            await self.current(uri)

        self._waiting[uri] = asyncio.get_running_loop().create_task(later())

    async def current(self, uri: str) -> Document | None:
        """The document with an assessment of its present text; None when it is not open."""
        while (document := self.documents.get(uri)) is not None and document.assessed != document.version:
            running = self._running.get(uri)
            if running is None:
                running = asyncio.get_running_loop().create_task(self._assess(document))
                self._running[uri] = running
                running.add_done_callback(lambda _t, u=uri: self._running.pop(u, None))  # type: ignore[misc]
            await asyncio.shield(running)
        return document

    async def _assess(self, document: Document) -> None:
        version, text = document.version, document.text
        layers, problems = self._layers(document)
        loop = asyncio.get_running_loop()
        try:
            assessment, findings = await loop.run_in_executor(
                self._pool, self._work, text, str(document.path), layers, problems
            )
        except Exception as error:  # noqa: BLE001 - one document must not cost the others
            _log.exception("%s could not be assessed", document.path)
            self.tell(f"Burstline could not analyse {document.path.name}: {error} (see the log)")
            document.assessed = version
            return
        document.assessment, document.findings, document.assessed = assessment, findings, version
        if self.documents.get(document.uri) is document:
            self._publish(document, version)

    def _work(
        self, text: bytes, path: str, layers: list[Layer], problems: tuple[Problem, ...]
    ) -> tuple[Assessment, tuple[Finding, ...]]:
        """The slow part, in a thread of its own: it touches no document."""
        assessment = self._assessor.assess(text.decode("utf-8", "replace"), path, layers)
        assessment = assessment.with_problems((*problems, *assessment.problems))
        return assessment, findings_of(assessment)

    async def fixes_at(self, document: Document, span: Span) -> list[Fix]:
        """The fixes offered at a place of an assessed document."""
        assessment = document.assessment
        if assessment is None:
            return []
        here = [offer for offer in offers_of(assessment) if _touches(offer.spans, span)]
        layers, _ = self._layers(document)

        def work() -> list[Fix]:
            found = (priced(self._assessor, assessment, layers, offer) for offer in here)
            return [fix for fix in found if fix is not None]

        return await asyncio.get_running_loop().run_in_executor(self._pool, work) if here else []

    def refusals_at(self, document: Document, span: Span) -> list[Refusal]:
        """The fixes that suggest themselves at a place and cannot be offered."""
        if document.assessment is None:
            return []
        return [one for one in refusals_of(document.assessment) if _touches(one.spans, span)]

    async def with_safe_fixes(self, document: Document) -> str | None:
        """The document's text with every proved fix made, None where there is none."""
        assessment = document.assessment
        if assessment is None:
            return None
        layers, _ = self._layers(document)
        loop = asyncio.get_running_loop()
        text = await loop.run_in_executor(self._pool, safe_text, self._assessor, assessment, layers)
        return text if text.encode() != document.text else None

    # -- settings --------------------------------------------------------------------------------------

    def _layers(self, document: Document) -> tuple[list[Layer], tuple[Problem, ...]]:
        """burstline.toml, then the editor's settings over it."""
        roots = [Path(p) for f in self.workspace.folders if (p := uris.to_fs_path(f)) is not None]
        self._assessor.workspace = roots
        top = next((r for r in roots if document.path.is_relative_to(r)), document.path.parent)
        file = find_file(document.path, top)
        problems: tuple[Problem, ...] = ()
        layers = []
        if file is not None:
            layer, problems = read_file(file)
            layers.append(layer)
        if self.editor_settings:
            layers.append(Layer("editor", self.editor_settings))
        return layers, problems

    def settings_changed(self, settings: object) -> None:
        """Take the editor's settings; everything open is assessed anew."""
        if isinstance(settings, dict):
            own = settings.get("burstline", settings)
            if isinstance(own, dict):
                self.editor_settings = {k: v for k, v in own.items() if v is not None and k not in {"server", "trace"}}
        self.assess_again()

    def assess_again(self) -> None:
        """Something outside the texts has changed; after an edit, editors ask again by themselves."""
        for document in self.documents.values():
            document.assessed = None
            self.schedule(document.uri)
        if self.documents and self.can("workspace", "inlay_hint", "refresh_support"):
            self.workspace_inlay_hint_refresh(None)
        if self.documents and self.can("workspace", "code_lens", "refresh_support"):
            self.workspace_code_lens_refresh(None)

    # -- telling ---------------------------------------------------------------------------------------

    def _publish(self, document: Document, version: int) -> None:
        assessment = document.assessment
        if assessment is None:
            return
        items = [diagnostic_of(self, document.uri, assessment.source, f) for f in document.findings]
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=document.uri, version=version, diagnostics=items)
        )

    def tell(self, message: str) -> None:
        """Show a message, once per session."""
        if message not in self._told:
            self._told.add(message)
            self.window_show_message(types.ShowMessageParams(type=types.MessageType.Warning, message=message))

    def range_of(self, source: Source, span: Span) -> types.Range:
        """A span of the user's file as the client counts."""
        place = place_of(source, span, self.encoding)
        return types.Range(
            start=types.Position(line=place.line, character=place.column),
            end=types.Position(line=place.end_line, character=place.end_column),
        )


def _touches(spans: Sequence[Span], span: Span) -> bool:
    return any(s.file is None and s.start <= span.end and span.start <= s.end for s in spans)


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
    here = Path(__file__).resolve().parent
    candidates = (here / "pages" / f"{code}.md", here.parents[1] / "docs" / "rules" / f"{code}.md")
    return next((c for c in candidates if c.is_file()), None)
