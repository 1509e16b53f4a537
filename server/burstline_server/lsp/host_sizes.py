"""Host programs around open documents, read once typing pauses: what they launch kernels with is assumed from then on.

Only documents with a kernel whose own sizes are missing are asked about.
"""

from __future__ import annotations

from collections.abc import Mapping

from burstline_server.assessment.assessor import Assessment
from burstline_server.host.host_files import Hosts
from burstline_server.host.host_launch import HostLaunch
from burstline_server.lsp.documents import Document
from burstline_server.lsp.session import Session
from burstline_server.lsp.settled import AskedWhenSettled

SETTLED_S = 1.0
"""How long an edited text must not have changed before host programs are read; at once where it was opened or saved."""


def register(session: Session) -> None:
    """Read the host programs around every document whose kernels lack sizes."""
    _Launches(session, "hosts").follow()


class _Launches(AskedWhenSettled[Mapping[str, HostLaunch]]):
    """The documents that host programs were read for, with the names of the kernels that lacked sizes."""

    def __init__(self, session: Session, name: str) -> None:
        super().__init__(session, name)
        self._hosts = session.kept(Hosts)
        self._asked: dict[str, tuple[bool, frozenset[str]]] = {}

    def delay_s(self, document: Document) -> float | None:
        """A text is asked about when it is opened or saved, and when other kernels lack sizes."""
        assessment = document.assessment
        if assessment is None or not assessment.settings.enabled:
            return None
        rests, lack = asked = _lacking(assessment, document)
        if not lack or self._asked.get(document.uri) == asked:
            return None
        return 0.0 if rests else SETTLED_S

    def forget(self, uri: str) -> None:
        """Host programs are read anew when the document is opened again."""
        super().forget(uri)
        self._asked.pop(uri, None)

    def answer(self, assessment: Assessment, document: Document) -> Mapping[str, HostLaunch]:
        """How host programs launch the document's kernels, by name."""
        names = (k.facts.name for k in assessment.kernels)
        found = {name: self._hosts.launch_of(name, document.path, assessment.workspace) for name in names}
        return {name: one[1] for name, one in found.items() if one is not None}

    async def take(self, answer: Mapping[str, HostLaunch], document: Document, assessment: Assessment) -> None:
        """Assess the document anew where they say something else than before."""
        path = str(document.path)
        self._asked[document.uri] = _lacking(assessment, document)
        if self._session.launched.get(path, {}) == answer:
            return
        self._session.launched[path] = answer
        document.outdate()
        await self._session.current(document.uri)
        self._session.refresh()


def _lacking(assessment: Assessment, document: Document) -> tuple[bool, frozenset[str]]:
    """Whether a document is as it was opened or saved, and the names of its kernels without a time."""
    lack = frozenset(k.facts.name for k in assessment.kernels if k.estimate.time_s is None)
    return document.edited_at_s is None, lack
