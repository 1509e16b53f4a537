"""libclang asked about open documents once typing pauses; what it finds comes with their next assessment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from burstline_server.assessment.assessor import Assessment
from burstline_server.lsp.documents import Document
from burstline_server.lsp.session import Session
from burstline_server.lsp.settled import AskedWhenSettled

if TYPE_CHECKING:  # loaded where somebody asks
    from burstline_server.clang.opinion import Answer
    from burstline_server.clang.process import Clang

SETTLED_S = 0.3
"""How long a text must not have changed before libclang is asked about it."""


def register(session: Session) -> None:
    """Ask about every document with kernels."""
    _Libclang(session, "libclang").follow()


class _Libclang(AskedWhenSettled["Answer | None"]):
    """The process that answers, and what becomes of its answers."""

    _clang: Clang | None = None

    def delay_s(self, document: Document) -> float | None:
        """All documents with kernels are asked about, where settings want it."""
        assessment = document.assessment
        if assessment is None or not assessment.settings.enabled or assessment.settings.clang == "off":
            return None
        return SETTLED_S if assessment.kernels or assessment.withheld else None

    def close(self) -> None:
        """End the process as well."""
        super().close()
        if self._clang is not None:
            self._clang.close()

    def answer(self, assessment: Assessment, document: Document) -> Answer | None:
        """What clang says of a file, where that is news."""
        from burstline_server.clang.opinion import answer_about  # noqa: PLC0415
        from burstline_server.clang.process import Clang  # noqa: PLC0415

        known = document.answer
        if self._clang is None:
            self._clang = Clang()
            if self._closed:
                self._clang.close()
        return answer_about(self._clang, assessment.source, assessment.faults, known)

    async def take(self, answer: Answer | None, document: Document, assessment: Assessment) -> None:
        """Assess the text anew with the answer, where it is still the one that was asked about."""
        current = document.assessment is assessment and document.assessed == document.version
        if answer is None or not current:
            return
        document.answer = answer
        document.outdate()
        await self._session.current(document.uri)
        if not document.typing:
            document.show_faults()
            self._session.refresh()
