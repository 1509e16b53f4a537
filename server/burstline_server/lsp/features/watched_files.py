"""workspace/didChangeWatchedFiles: settings, includes, boards and reports; without a watcher they are looked at."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types
from pygls import uris

from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.dependencies import PATTERNS, concerns, stamps
from burstline_server.lsp.session import Session

LOOK_EVERY_S = 2.0
Stamps = dict[Path, int]


def register(session: Session) -> None:
    """Take notice of changes outside the texts."""

    @session.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def did_change_watched_files(ls: Session, params: types.DidChangeWatchedFilesParams) -> None:
        changed = [Path(p) for event in params.changes if (p := uris.to_fs_path(event.uri)) is not None]
        known = [d.assessment for d in ls.documents.values() if d.assessment is not None]
        if any(concerns(path, assessment) for path in changed for assessment in known):
            ls.assess_again()


async def start(ls: Session) -> None:
    """Have the editor watch, or look every few seconds where it does not."""
    if ls.can("workspace", "did_change_watched_files", "dynamic_registration"):
        watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in PATTERNS]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
        await ls.ask_for(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    else:
        ls.keep(asyncio.get_running_loop().create_task(_look(ls)))


async def _look(ls: Session) -> None:
    """Compare the times of the files outside with those of the look before."""
    before: dict[str, tuple[int, Stamps]] = {}
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        known = [(d.uri, d.revision, d.assessment) for d in ls.documents.values() if d.assessment is not None]
        times = await asyncio.to_thread(_stamps, [assessment for _, _, assessment in known])
        now = {uri: (revision, stamp) for (uri, revision, _), stamp in zip(known, times, strict=True)}
        if any(_differs(before[uri], one) for uri, one in now.items() if uri in before):
            ls.assess_again()
        before = now


def _stamps(assessments: list[Assessment]) -> list[Stamps]:
    return [stamps(assessment) for assessment in assessments]


def _differs(before: tuple[int, Stamps], now: tuple[int, Stamps]) -> bool:
    """Whether files changed; an edit in between may have brought others, or let some go."""
    (revision, old), (later, new) = before, now
    return old != new if revision == later else any(old[path] != new[path] for path in old.keys() & new.keys())
