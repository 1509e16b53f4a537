"""libclang asked about open documents once typing pauses; what it finds comes with their next assessment."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from burstline_server.assessment.assessor import Assessment
from burstline_server.lsp.documents import Document
from burstline_server.lsp.session import Session

if TYPE_CHECKING:  # loaded where somebody asks
    from burstline_server.clang.opinion import Answer
    from burstline_server.clang.process import Clang

_log = logging.getLogger(__name__)
SETTLED_S = 0.3
"""How long a text must not have changed before libclang is asked about it."""


def register(session: Session) -> None:
    """Ask about every document with kernels."""
    asking = _Asking(session)
    session.after_assessment.append(asking.later)
    session.after_close.append(asking.forget)
    session.at_end.append(asking.close)


class _Asking:
    """Which documents wait to be asked about, and the process that answers."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._clang: Clang | None = None
        self._closed = False
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._under_way = set[asyncio.Task[None]]()
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="clang")

    def later(self, document: Document) -> None:
        """Ask about a document that was just assessed, unless it changes before."""
        self.forget(document.uri)
        assessment = document.assessment
        if assessment is None or not assessment.settings.enabled or assessment.settings.clang == "off":
            return
        if assessment.kernels or assessment.withheld:
            loop = asyncio.get_running_loop()
            self._waiting[document.uri] = loop.call_later(SETTLED_S, self._begin, document, assessment)

    def forget(self, uri: str) -> None:
        """Do not ask about a document any more."""
        if (handle := self._waiting.pop(uri, None)) is not None:
            handle.cancel()

    def close(self) -> None:
        """End the process; nobody waits for it."""
        self._closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)
        if self._clang is not None:
            self._clang.close()

    def _begin(self, document: Document, assessment: Assessment) -> None:
        self._waiting.pop(document.uri, None)
        if document.assessed == document.version and not self._closed:
            task = asyncio.get_running_loop().create_task(self._ask(document, assessment))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def _ask(self, document: Document, assessment: Assessment) -> None:
        if self._closed:
            return
        loop = asyncio.get_running_loop()
        try:
            answer = await loop.run_in_executor(self._pool, self._answer, assessment, document.answer)
        except Exception:  # noqa: BLE001 - a second opinion is worth no more than a line in the log
            _log.exception("libclang could not be asked about %s", document.path)
            return
        current = document.assessment is assessment and document.assessed == document.version
        if answer is None or not current or self._session.documents.get(document.uri) is not document:
            return
        document.answer = answer
        document.outdate()
        await self._session.current(document.uri)
        if not document.typing:
            document.show_faults()
            self._session.refresh()

    def _answer(self, assessment: Assessment, known: Answer | None) -> Answer | None:
        """What clang says of a file, where that is news; in a thread of its own."""
        from burstline_server.clang.opinion import answer_about  # noqa: PLC0415
        from burstline_server.clang.process import Clang  # noqa: PLC0415

        if self._clang is None:
            self._clang = Clang()
            if self._closed:
                self._clang.close()
        return answer_about(self._clang, assessment.source, assessment.faults, known)
