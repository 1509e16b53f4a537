"""$/progress: what takes long is shown, and can be cancelled by the user."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from lsprotocol import types

from burstline_server.assessment.assessor import Assessment, Assessor, OtherReading, SecondOpinion
from burstline_server.config.layers import Layer
from burstline_server.lsp.client import Editor

PATIENCE_S = 0.5
"""Work that is shorter is not worth a word."""
STEP_S = 0.2
"""Reports of one work are at least this far apart."""


@dataclass
class Work:
    """A piece of work under way. `went_on` is called from the thread that does it."""

    editor: Editor
    loop: asyncio.AbstractEventLoop
    token: types.ProgressToken | None = None
    cancelled: bool = False
    _reported: float = field(default_factory=time.monotonic)

    def went_on(self, done: int, of: int = 0) -> bool:
        """Say how far the work is; False when it is to stop."""
        now = time.monotonic()
        if self.token is not None and now - self._reported >= STEP_S:
            self._reported = now
            self.loop.call_soon_threadsafe(self._report, done, of)
        return not self.cancelled

    def stop(self) -> None:
        """Have the work end at its next step."""
        self.cancelled = True

    def _report(self, done: int, of: int) -> None:
        if self.token is not None:
            report = types.WorkDoneProgressReport(message=f"{done} of {of}" if of else f"{done}", cancellable=True)
            self.editor.work_done_progress.report(self.token, report)


@asynccontextmanager
async def long_work(
    editor: Editor, title: str, token: types.ProgressToken | None = None, *, cancellable: bool = True
) -> AsyncIterator[Work]:
    """Show what is done inside once it takes long: under the client's token, or one of our own where it allows."""
    work = Work(editor, asyncio.get_running_loop())
    showing = work.loop.create_task(_show(work, title, token, cancellable=cancellable))
    try:
        yield work
    finally:
        showing.cancel()
        work.cancelled = True
        if work.token is not None:
            editor.work_done_progress.end(work.token, types.WorkDoneProgressEnd())
            editor.work_done_progress.tokens.pop(work.token, None)
            work.token = None


async def _show(work: Work, title: str, token: types.ProgressToken | None, *, cancellable: bool) -> None:
    await asyncio.sleep(PATIENCE_S)
    progress = work.editor.work_done_progress
    if token is None:
        if not work.editor.can("window", "work_done_progress"):
            return
        token = f"burstline {uuid.uuid4()}"
        try:
            await progress.create_async(token)
        except Exception:  # noqa: BLE001 - an editor that refuses goes without
            return
    progress.begin(token, types.WorkDoneProgressBegin(title=title, cancellable=cancellable))
    work.token = token
    progress.tokens[token].add_done_callback(lambda future: work.stop() if future.cancelled() else None)


class InterruptedWorkError(Exception):
    """The user cancelled what was under way."""


class Interruptible(Assessor):
    """An assessor that asks before each text whether it is still needed."""

    def __init__(self, inner: Assessor, went_on: Callable[[int], bool]) -> None:
        super().__init__(inner.workspace)
        self._inner = inner
        self._went_on = went_on
        self._done = 0

    def assess(
        self,
        text: str | bytes,
        path: str,
        layers: Sequence[Layer],
        second: SecondOpinion | None = None,
        other: OtherReading | None = None,
        names: Collection[str] = (),
    ) -> Assessment:
        """As the inner one does. Raises `InterruptedWorkError`."""
        self._ask()
        return self._inner.assess(text, path, layers, second, other, names)

    def tried(self, text: bytes, before: Assessment, layers: Sequence[Layer], names: Collection[str]) -> Assessment:
        """As the inner one does. Raises `InterruptedWorkError`."""
        self._ask()
        return self._inner.tried(text, before, layers, names)

    def _ask(self) -> None:
        self._done += 1
        if not self._went_on(self._done):
            raise InterruptedWorkError
