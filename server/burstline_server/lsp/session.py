"""The language server's state: documents, settings, and assessments made off the event loop."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls import uris

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.assessment.last_valid import keeping
from burstline_server.commands.build_files import BuildFiles
from burstline_server.config.build_layer import build_layer
from burstline_server.config.layers import FILE_NAME, Layer, Problem, anchored, find_file, read_file, resolve
from burstline_server.config.settings import Service, Settings
from burstline_server.diagnostics.catalogue import CONFIGURATION, findings_of
from burstline_server.diagnostics.finding import Findings
from burstline_server.host.host_launch import HostLaunch
from burstline_server.lsp.client import Editor
from burstline_server.lsp.documents import PAUSE_S, Document, path_of
from burstline_server.lsp.notifications import cause_of
from burstline_server.lsp.progress import InterruptedWorkError, Interruptible, long_work
from burstline_server.source.source import Source
from burstline_server.words.actions import TRYING_EDITS, costing_title, failed_text

if TYPE_CHECKING:  # names are loaded where they are asked for
    from burstline_server.names.name_table import NameTable

_log = logging.getLogger(__name__)
Result = TypeVar("Result")
SETTLE_S = 0.03
"""How long typing must pause before a document is assessed without being asked for."""

LARGE_S = 0.1
"""Processor time of an assessment from which on what it made is kept out of garbage collection."""
SETTINGS_S = 2.0
"""How long the first assessment waits for the editor's settings."""


def _with_build(layers: Sequence[Layer], build: Layer | None) -> list[Layer]:
    """The layers with the build's above the editor's settings and below all others."""
    others = [layer for layer in layers if layer.where != "build"]
    number = sum(layer.where == "editor" for layer in others)
    return [*others[:number], *([build] if build is not None else ()), *others[number:]]


class Session(Editor):
    """The server with its state. Features ask it for documents whose assessment is up to date."""

    def __init__(self) -> None:
        super().__init__()
        self.documents: dict[str, Document] = {}
        self.settings_files: dict[str, Document] = {}
        """The burstline.toml that are being written: they count once they are saved."""
        self.after_assessment: list[Callable[[Document], None]] = []
        self.after_pause: list[Callable[[Document], None]] = []
        self.after_close: list[Callable[[str], None]] = []
        self.at_end: list[Callable[[], None]] = []
        self.settled = asyncio.Event()
        """Set once the editor has given its settings, or has none to give."""
        self._editor_settings: dict[str, dict[str, Any]] = {}
        self.settings_asked = 0
        """How often the editor was asked for its settings: the answer to the last question counts."""
        self.host_changes: dict[str, str] = {}
        self.launched: dict[str, Mapping[str, HostLaunch]] = {}
        """What host programs launch the kernels of a document with, by its path: read when typing pauses."""
        self._assessor = Assessor(launches=self._launches)
        self._build_files = BuildFiles()
        self._kept: dict[type, Any] = {}
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="assess")
        self._aside = ThreadPoolExecutor(max_workers=1, thread_name_prefix="aside")
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._running: dict[str, asyncio.Task[None]] = {}

    def shutdown(self) -> None:
        """The client has left."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._aside.shutdown(wait=False, cancel_futures=True)
        for listener in self.at_end:
            listener()
        super().shutdown()  # type: ignore[no-untyped-call]

    def kept(self, kind: type[Result]) -> Result:
        """What features keep for as long as the session lasts: one of a kind, made when it is first asked for."""
        if kind not in self._kept:
            self._kept[kind] = kind()
        one: Result = self._kept[kind]
        return one

    # -- documents -------------------------------------------------------------------------------------

    def open(self, item: types.TextDocumentItem) -> None:
        """A document was opened, or re-sent."""
        path = path_of(item.uri)
        document = Document(item.uri, path, item.text.encode("utf-8", "replace"), item.version)
        if path.name == FILE_NAME:
            self.settings_files[item.uri] = document
            return
        self.documents[item.uri] = document
        self.schedule(item.uri, delay_s=0)

    def close(self, uri: str) -> None:
        """A document was closed: its findings go."""
        if self.settings_files.pop(uri, None) is not None:
            return
        self.documents.pop(uri, None)
        self._running.pop(uri, None)
        if (task := self._waiting.pop(uri, None)) is not None:
            task.cancel()
        gc.unfreeze()  # what belonged to the text can go
        for listener in self.after_close:
            listener(uri)

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
            if running is None or running.done():
                running = self._running[uri] = asyncio.get_running_loop().create_task(self._assess(document))
            await asyncio.shield(running)
        return document

    async def _assess(self, document: Document) -> None:
        if not self.settled.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self.settled.wait(), SETTINGS_S)
            self.settled.set()
        version, text, outside = document.version, document.text, document.changes_outside
        loop = asyncio.get_running_loop()
        try:
            layers, problems = self._layers(document)
            async with long_work(self, costing_title(document.path.name), cancellable=False):
                assessment, findings = await loop.run_in_executor(
                    self._pool, self._work, text, document, layers, problems
                )
        except Exception as error:  # noqa: BLE001 - one document must not cost the others
            _log.exception("%s could not be assessed", document.path)
            self.notify_once(
                f"{document.uri} {cause_of(error)}",
                failed_text(document.path.name, error),
            )
            document.assessed = version
            return
        document.take(assessment, findings, version)
        if document.changes_outside != outside:
            document.assessed = None
        elif self.documents.get(document.uri) is document:
            for listener in self.after_assessment:
                listener(document)
            if document.faults_waiting():
                loop.call_later(PAUSE_S, self._show_faults, document)

    def _launches(self, path: str) -> Callable[[str], HostLaunch | None] | None:
        found = self.launched.get(path)
        return found.get if found else None

    def _show_faults(self, document: Document) -> None:
        """Typing has paused: the faults that waited for that are shown."""
        current = self.documents.get(document.uri) is document and document.assessed == document.version
        if current and not document.typing:
            document.show_faults()
            if self.can("workspace", "diagnostics", "refresh_support"):
                self.workspace_diagnostic_refresh(None)
            for listener in self.after_pause:
                listener(document)

    def _work(
        self, text: bytes, document: Document, layers: list[Layer], problems: tuple[Problem, ...]
    ) -> tuple[Assessment, Findings]:
        """The slow part, in a separate thread: it changes no document."""
        started_s = time.thread_time()
        layers = _with_build(layers, self._build_line(document.path, text))
        answer = document.answer
        assessment = self._assessor.assess(
            text, str(document.path), layers, answer.join if answer is not None else None, document.other
        )
        # The figures of a text as it was opened or saved do not outlive what libclang says of it.
        before = document.assessment if answer is None or document.edited_at_s is not None else None
        assessment = keeping(before, assessment.with_problems((*problems, *assessment.problems)))
        findings = findings_of(assessment)
        if not assessment.settings.enabled:
            assessment, findings = (
                assessment.with_only(()),
                Findings((), [f for f in findings if f.code == CONFIGURATION]),
            )
        found = assessment, findings
        if time.thread_time() - started_s > LARGE_S:
            # Much was made that stays: the garbage collector need not look through it again at every few edits.
            gc.freeze()
        return found

    async def assessed_with(self, document: Document, options: Layer) -> Assessment:
        """The document's present text under its settings and these over them; nothing of it is kept or shown."""
        layers, _ = self._layers(document)
        path = str(document.path)
        return await self.in_turn(self._assessor.assess, document.text, path, [*layers, options])

    async def in_turn(self, work: Callable[..., Result], *arguments: object) -> Result:
        """Do slow work off the event loop, in the one thread where assessments are made: first asked, first done."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)

    async def aside(self, work: Callable[..., Result], *arguments: object) -> Result:
        """Do slow work off the event loop that no assessment has to wait for."""
        return await asyncio.get_running_loop().run_in_executor(self._aside, work, *arguments)

    async def served(self, service: Service, uri: str) -> tuple[Document, Source] | None:
        """An open document and its source, for a service that is on; None where there is nothing to serve."""
        document = await self.current(uri)
        if document is None or document.assessment is None:
            return None
        source = document.assessment.source
        # A template is no OpenCL until it is rendered.
        on = not source.template and self.serves(service, document.assessment.settings)
        return (document, source) if on else None

    async def named(self, service: Service, uri: str, answer: Callable[[Document, NameTable], Result]) -> Result | None:
        """What is answered of an open document from its names, off the event loop, for a service that is on."""
        found = await self.served(service, uri)
        if found is None:
            return None
        document, source = found

        def work() -> Result:
            from burstline_server.names.name_table import names_of  # noqa: PLC0415 - loaded by the first who asks for names

            document.names = names_of(source, document.names)
            return answer(document, document.names)

        return await self.aside(work)

    def serves(self, service: Service, settings: Settings) -> bool:
        """Whether a language service is on."""
        alone = settings.language_services == "auto" and not self.other_servers
        return settings.services.get(service, settings.language_services == "on" or alone)

    @property
    def settings(self) -> Settings:
        """The editor's settings, where no document is named."""
        return resolve([Layer("editor", self._editor_settings.get("", {}))]).settings

    @asynccontextmanager
    async def trying_edits(self, document: Document) -> AsyncIterator[tuple[Assessor, list[Layer]]]:
        """What a document's edits are priced with; shown as work, which ends where a user stops it or types on."""
        layers, _ = self._layers(document)
        version = document.version
        with suppress(InterruptedWorkError):
            async with long_work(self, TRYING_EDITS) as work:
                yield Interruptible(self._assessor, lambda n: work.went_on(n) and document.version == version), layers

    # -- settings --------------------------------------------------------------------------------------

    def _layers(self, document: Document) -> tuple[list[Layer], tuple[Problem, ...]]:
        """The editor's settings, and burstline.toml over them: a project's own count, the same as on a command line."""
        self._assessor.workspace = roots = self.roots
        top = max((r for r in roots if document.path.is_relative_to(r)), key=lambda r: len(r.parts), default=None)
        file = find_file(document.path, top or document.path.parent)
        problems: tuple[Problem, ...] = ()
        own = (self._editor_settings.get(scope) for scope in ("", str(top)))
        layers = [Layer("editor", keys if top is None else anchored(keys, top)) for keys in own if keys]
        if file is not None:
            layer, problems = read_file(file, roots)
            layers.append(layer)
        known = document.assessment.build_line if document.assessment is not None else None
        return _with_build(layers, known), problems

    def _build_line(self, path: Path, text: bytes) -> Layer | None:
        """The command line that a file is built with; build files are read here, off the event loop."""
        roots = self._assessor.workspace
        top = max((r for r in roots if path.is_relative_to(r)), key=lambda r: len(r.parts), default=path.parent)
        built = self._build_files.for_file(path, text.decode("utf-8", "replace"), top, roots)
        return build_layer(built, (top, *roots)) if built is not None else None

    @property
    def roots(self) -> list[Path]:
        """The workspace's folders; the root where the editor names nothing else."""
        folders = self.workspace.folders or [self.workspace.root_uri or ""]
        return [Path(p) for f in folders if (p := uris.to_fs_path(f))]

    def take_settings(self, settings: object, folder: str = "") -> None:
        """Take the editor's settings, for all or for one folder of the workspace; what is open is assessed anew.

        Whatever is no table of settings takes back those there were.
        """
        own = settings.get("burstline", settings) if isinstance(settings, dict) else {}
        given = own if isinstance(own, dict) else {}
        keys = {k: v for k, v in given.items() if v is not None and k not in {"server", "trace"}}
        changed = keys != self._editor_settings.get(folder, {})
        self._editor_settings[folder] = keys
        if changed:
            self.assess_again()

    def forget_settings(self, *, but: Collection[str]) -> None:
        """Forget the settings of folders that are not among these; what is open is assessed anew if any were known."""
        gone = [folder for folder in self._editor_settings if folder and folder not in but]
        known = {folder: self._editor_settings.pop(folder) for folder in gone}
        if any(known.values()):
            self.assess_again()

    def assess_again(self) -> None:
        """Something outside the texts has changed: everything open is assessed anew, and asked for anew."""
        for document in self.documents.values():
            document.outdate()
            self.schedule(document.uri)
        if self.documents:
            self.refresh()
