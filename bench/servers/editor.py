"""One document open at one server, edited and asked about as an editor does it."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.servers.client import Client
from bench.servers.keystrokes import Edit, made, position

CAPABILITIES = Path(__file__).parents[2] / "tests" / "server" / "capabilities"
VISIBLE_LINES = 60
_WORD = re.compile(r"\b[A-Za-z_]\w{2,}\b")


@dataclass(frozen=True)
class Server:
    """A command that serves, and the editor (a recording of what it can do) that it is shown."""

    name: str
    command: Sequence[str]
    editor: str = "vscode_1_139"
    options: dict[str, object] = field(default_factory=dict)


class Editor:
    """A client with one document."""

    def __init__(self, server: Server, folder: Path) -> None:
        self._client = Client(server.command, folder)
        recorded = json.loads((CAPABILITIES / f"{server.editor}.json").read_text("utf-8"))
        root = {"uri": folder.as_uri(), "name": folder.name}
        greeting = self._client.ask(
            "initialize", processId=os.getpid(), rootUri=root["uri"], workspaceFolders=[root], trace="off",
            capabilities=recorded["capabilities"], initializationOptions=server.options,
        )  # fmt: skip
        at_s, greeted = self._client.answer(greeting)
        self.start_s = at_s - self._client.started_s
        self._offers: dict[str, Any] = greeted["capabilities"]
        self._client.notify("initialized", _=None)
        self._uri, self._version, self._changed_s, self.text = "", 0, 0.0, ""
        self._in_sight: dict[str, Any] = {}
        self.diagnostics: list[dict[str, Any]] = []
        """The last ones sent of the document."""

    def open(self, path: Path, text: str) -> float:
        """Open a text as a file; seconds until its diagnostics."""
        self._uri, self._version, self.text = path.as_uri(), 1, text
        item = {"uri": self._uri, "languageId": "opencl", "version": 1, "text": text}
        self._changed_s = started_s = time.perf_counter()
        self._client.notify("textDocument/didOpen", textDocument=item)
        return self._diagnosed(self._ask_diagnostics()) - started_s

    def type(self, *edits: Edit) -> float:
        """Make edits, all at once; seconds until diagnostics of the text after the last."""
        started_s = self._change(edits)
        return self._diagnosed(self._ask_diagnostics()) - started_s

    def type_and_ask(self, *edits: Edit) -> tuple[float, float]:
        """Make edits and ask for the hints that are in sight; seconds until the hints, and until diagnostics too.

        A server without hints is asked for none.
        """
        started_s = self._change(edits)
        asked = self._ask_diagnostics()
        if not self._offers.get("inlayHintProvider"):
            pushed_s = self._diagnosed(asked) - started_s
            return pushed_s, pushed_s
        hints = self._client.ask("textDocument/inlayHint", textDocument={"uri": self._uri}, range=self._in_sight)
        hinted_s = self._client.answer(hints)[0]
        return hinted_s - started_s, max(hinted_s, self._diagnosed(asked)) - started_s

    def hover(self, places: int) -> Iterator[float]:
        """Seconds of hovers on words spread over the text; none of a server without hovers."""
        words = [m.start() for m in _WORD.finditer(self.text)] if self._offers.get("hoverProvider") else []
        for place in words[:: max(1, len(words) // places)]:
            at = position(self.text, place + 1)
            started_s = time.perf_counter()
            asked = self._client.ask("textDocument/hover", textDocument={"uri": self._uri}, position=at)
            yield self._client.answer(asked)[0] - started_s

    @property
    def memory_mb(self) -> tuple[float, float]:
        """Resident memory of the server now, and at its peak."""
        return self._client.memory_mb

    @property
    def busy_s(self) -> float:
        """How long the server's threads have been on a processor."""
        return self._client.busy_s

    def close(self) -> None:
        """End the session."""
        self._client.stop()

    def _change(self, edits: Sequence[Edit]) -> float:
        """Send edits; when the first was sent."""
        changes: list[dict[str, Any]] = []
        for edit in edits:
            start, end = position(self.text, edit.start), position(self.text, edit.end)
            self.text = made(self.text, edit)
            part = {"range": {"start": start, "end": end}, "text": edit.new}
            changes.append({"text": self.text} if self._wants_whole_texts else part)
        line = position(self.text, edits[-1].start)["line"]
        first = max(0, line - VISIBLE_LINES // 2)
        last = min(self.text.count("\n"), first + VISIBLE_LINES)
        self._in_sight = {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}
        self._changed_s = started_s = time.perf_counter()
        for change in changes:
            self._version += 1
            document = {"uri": self._uri, "version": self._version}
            self._client.notify("textDocument/didChange", textDocument=document, contentChanges=[change])
        return started_s

    @property
    def _wants_whole_texts(self) -> bool:
        how = self._offers.get("textDocumentSync")
        return (how.get("change") if isinstance(how, dict) else how) == 1

    def _ask_diagnostics(self) -> int | None:
        """Ask where the server wants to be asked; nothing where it sends by itself."""
        if self._offers.get("diagnosticProvider") is None:
            return None
        return self._client.ask("textDocument/diagnostic", textDocument={"uri": self._uri})

    def _diagnosed(self, asked: int | None) -> float:
        """When the diagnostics of the present text arrived."""
        if asked is not None:
            at_s, report = self._client.answer(asked)
            self.diagnostics = report["items"]
            return at_s
        self._client.wait(self._pushed)
        at_s, _, self.diagnostics = self._client.findings[self._uri]
        return at_s

    def _pushed(self) -> bool:
        found = self._client.findings.get(self._uri)
        if found is None:
            return False
        at_s, version, _ = found
        return at_s >= self._changed_s if version is None else version >= self._version
