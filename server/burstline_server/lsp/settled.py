"""Documents that somebody slow is asked about, in a thread of its own, once their text has not changed for a while."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from burstline_server.assessment.assessor import Assessment
from burstline_server.lsp.documents import Document
from burstline_server.lsp.session import Session

_log = logging.getLogger(__name__)
Answer = TypeVar("Answer")


class AskedWhenSettled(ABC, Generic[Answer]):
    """Which documents wait to be asked about, and the thread that asks about one after the other."""

    def __init__(self, session: Session, name: str) -> None:
        self._session = session
        self._name = name
        self._closed = False
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._under_way = set[asyncio.Task[None]]()
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    def follow(self) -> None:
        """Ask about the session's documents from now on."""
        self._session.after_assessment.append(self.later)
        self._session.after_close.append(self.forget)
        self._session.at_end.append(self.close)

    def later(self, document: Document) -> None:
        """Ask about a document that was just assessed, unless it changes before."""
        self._wait_no_more(document.uri)
        delay_s = self.delay_s(document)
        if delay_s is not None and document.assessment is not None:
            loop = asyncio.get_running_loop()
            self._waiting[document.uri] = loop.call_later(delay_s, self._begin, document, document.assessment)

    def forget(self, uri: str) -> None:
        """Do not ask about a document any more: it is closed."""
        self._wait_no_more(uri)

    def close(self) -> None:
        """Ask nothing more; nobody waits for what is under way."""
        self._closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)

    @abstractmethod
    def delay_s(self, document: Document) -> float | None:
        """How long a document that was just assessed must not change before it is asked about; None: not at all."""

    @abstractmethod
    def answer(self, assessment: Assessment, document: Document) -> Answer:
        """What is answered about a file, in the thread."""

    @abstractmethod
    async def take(self, answer: Answer, document: Document, assessment: Assessment) -> None:
        """Take over the answer for an open document, which may have changed since it was asked about."""

    def _wait_no_more(self, uri: str) -> None:
        if (handle := self._waiting.pop(uri, None)) is not None:
            handle.cancel()

    def _begin(self, document: Document, assessment: Assessment) -> None:
        self._waiting.pop(document.uri, None)
        if document.assessed == document.version and not self._closed:
            task = asyncio.get_running_loop().create_task(self._ask(document, assessment))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def _ask(self, document: Document, assessment: Assessment) -> None:
        if self._closed:
            return
        try:
            answer = await asyncio.get_running_loop().run_in_executor(self._pool, self.answer, assessment, document)
        except Exception:  # noqa: BLE001 - what another says is worth no more than a line in the log
            _log.exception("%s could not be asked about %s", self._name, document.path)
            return
        if not self._closed and self._session.documents.get(document.uri) is document:
            await self.take(answer, document, assessment)
