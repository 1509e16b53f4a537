"""LLVM asked about open documents once typing pauses, where settings want it; its facts come with the next figures.

A text that has changed since it was asked about keeps our own figures until the next answer.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from burstline_server.analysis.reuse import KernelList
from burstline_server.assessment.assessor import Assessment, OtherReading
from burstline_server.lsp.documents import Document
from burstline_server.lsp.session import Session
from burstline_server.lsp.settled import AskedWhenSettled
from burstline_server.source.source import Source

if TYPE_CHECKING:  # loaded where somebody asks
    from burstline_server.llvm.provider import Llvm

_log = logging.getLogger(__name__)
SETTLED_S = 1.0
"""How long an edited text must not have changed before LLVM is asked about it; at once where it was opened or saved."""


def register(session: Session) -> None:
    """Ask about every document with kernels whose settings want it."""
    _Readings(session, "llvm").follow()


class _Readings(AskedWhenSettled["OtherReading | None"]):
    """The texts that LLVM was asked about, and what becomes of its answers."""

    _llvm: Llvm | None = None

    def __init__(self, session: Session, name: str) -> None:
        super().__init__(session, name)
        self._asked: dict[str, tuple[bytes, bytes]] = {}

    def delay_s(self, document: Document) -> float | None:
        """A text is asked about once."""
        assessment = document.assessment
        if assessment is None or not assessment.settings.enabled or assessment.settings.engine == "tree":
            document.other = None
            self._asked.pop(document.uri, None)
            return None
        if not assessment.kernels or self._asked.get(document.uri) == _text_of(assessment.source):
            return None
        return SETTLED_S if document.edited_at_s is not None else 0.0

    def forget(self, uri: str) -> None:
        """The text is asked about anew when it is opened again."""
        super().forget(uri)
        self._asked.pop(uri, None)

    def answer(self, assessment: Assessment, document: Document) -> OtherReading | None:
        """What LLVM says of a file, in bounded time; None where it says nothing."""
        from burstline_server.llvm.added_facts import overlaid  # noqa: PLC0415
        from burstline_server.llvm.provider import Llvm  # noqa: PLC0415

        if self._llvm is None:
            self._llvm = Llvm()
        asked = _text_of(assessment.source)
        answer = self._llvm.about(assessment.source)
        if answer.why:
            _log.info("LLVM says nothing of %s: %s", document.path, answer.why)
            return None

        def other(source: Source, kernels: KernelList) -> KernelList:
            return overlaid(answer, source, kernels) if _text_of(source) == asked else kernels

        return other

    async def take(self, answer: OtherReading | None, document: Document, assessment: Assessment) -> None:
        """Assess the text anew with LLVM's facts, where it is still the one that was asked about."""
        current, asked = document.assessment, _text_of(assessment.source)
        if current is None or _text_of(current.source) != asked or document.assessed != document.version:
            return
        self._asked[document.uri] = asked
        if answer is None and document.other is None:
            return
        document.other = answer
        document.outdate()
        await self._session.current(document.uri)
        self._session.refresh()


def _text_of(source: Source) -> tuple[bytes, bytes]:
    """The text as it is written, and with what it includes and the values of macros."""
    return source.original, source.text
