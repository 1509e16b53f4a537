"""The editor at the other end: what it can do, what it is sent, and how it counts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from burstline_model.facts import Span
from burstline_server.lsp.documents import Document
from burstline_server.lsp.notifications import Notified
from burstline_server.lsp.wire.protocol import Protocol
from burstline_server.lsp.wire.reading import converter
from burstline_server.source.lines import Encoding, LineTable
from burstline_server.source.source import Source
from burstline_server.version import tool_name

_log = logging.getLogger(__name__)


class Editor(LanguageServer):
    """A server that knows its client."""

    protocol: Protocol

    def __init__(self) -> None:
        name, _, version = tool_name().partition(" ")
        kind = types.TextDocumentSyncKind.Incremental
        super().__init__(
            name, version, text_document_sync_kind=kind, protocol_cls=Protocol, converter_factory=converter
        )
        self.other_servers: tuple[str, ...] = ()
        """The OpenCL servers that the editor says it runs next to this one."""
        self.follows_commands = False
        """Whether the editor says that links in its hovers may name our commands."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._notified = Notified()

    @property
    def encoding(self) -> Encoding:
        """The units that positions are counted in with this client."""
        agreed = self.workspace.position_encoding
        return "utf-8" if agreed == "utf-8" else "utf-32" if agreed == "utf-32" else "utf-16"

    def can(self, *path: str) -> bool:
        """Whether the client announced a capability, named by the attributes that lead to it."""
        return bool(self._announced(path))

    def listed(self, *path: str) -> tuple[str, ...]:
        """What the client announced a list of, named in the same way; nothing where it is no list."""
        value = self._announced(path)
        return tuple(map(str, value)) if isinstance(value, list) else ()

    def _announced(self, path: Sequence[str]) -> Any:
        value: Any = self.client_capabilities
        for name in path:
            value = getattr(value, name, None)
        return value

    def keep(self, task: asyncio.Task[None]) -> None:
        """Hold a task that runs as long as the session."""
        self._tasks.add(task)

    async def ask_for(self, method: str, options: object) -> None:
        """Register for notifications that editors send on demand only."""
        registration = types.Registration(id=f"burstline {method}", method=method, register_options=options)
        try:
            await self.client_register_capability_async(types.RegistrationParams(registrations=[registration]))
        except Exception:  # noqa: BLE001 - an editor that refuses still gets everything else
            _log.warning("the editor refused to register %s", method)

    def refresh(self) -> None:
        """Have the editor ask again for what it shows; after an edit, editors do so by themselves."""
        if self.can("workspace", "inlay_hint", "refresh_support"):
            self.workspace_inlay_hint_refresh(None)
        if self.can("workspace", "code_lens", "refresh_support"):
            self.workspace_code_lens_refresh(None)
        if self.can("workspace", "diagnostics", "refresh_support"):
            self.workspace_diagnostic_refresh(None)

    def first(self, cause: str) -> bool:
        """Whether the user was not notified of a cause before, in any session; now they count as notified."""
        return self._notified.first(cause)

    def notify_once(self, cause: str, message: str) -> None:
        """Show a message, once for each cause, ever."""
        if self.first(cause):
            self.window_show_message(types.ShowMessageParams(type=types.MessageType.Warning, message=message))

    def workspace_edit(self, document: Document, edits: Sequence[types.TextEdit]) -> types.WorkspaceEdit:
        """Edits of a document, with its version where the client takes one."""
        if self.can("workspace", "workspace_edit", "document_changes"):
            name = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
            return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(text_document=name, edits=edits)])
        return types.WorkspaceEdit(changes={document.uri: edits})

    def offset(self, source: Source, position: types.Position) -> int:
        """The byte of the user's file at a position as the client counts."""
        return source.lines.offset(position.line, position.character, self.encoding)

    def location_of(self, uri: str, source: Source, span: Span) -> types.Location:
        """A span of the file at `uri`, or of one that it includes, as the client counts."""
        where = uri if span.file is None else Path(span.file).as_uri()
        return types.Location(uri=where, range=self.range_of(source, span))

    def range_of(self, source: Source, span: Span) -> types.Range:
        """A span of the user's file as the client counts."""
        return self.range_in(source.lines_of(span.file), span.start, span.end)

    def range_in(self, lines: LineTable, start: int, end: int) -> types.Range:
        """A range of bytes as the client counts."""
        first, last = lines.position(start, self.encoding), lines.position(end, self.encoding)
        return types.Range(start=types.Position(*first), end=types.Position(*last))
