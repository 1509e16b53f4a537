"""window/showMessageRequest: whether code that is written for GPUs is costed, asked once for each folder."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from lsprotocol import types

from burstline_server.lsp.documents import Document
from burstline_server.lsp.session import Session
from burstline_server.presentation.dialect import written_for
from burstline_server.words.actions import COST_HERE, NOT_HERE, ask_text, not_written_text

_log = logging.getLogger(__name__)
SETTINGS = "burstline.toml"
OFF = "enabled = false\n"


def register(session: Session) -> None:
    """Look at each file when it is opened."""
    seen = set[str]()

    def look(document: Document) -> None:
        if document.uri not in seen:
            seen.add(document.uri)
            _look(session, document)

    session.after_assessment.append(look)
    session.after_close.append(seen.discard)


def _look(ls: Session, document: Document) -> None:
    assessment = document.assessment
    folder = next((root for root in ls.roots if document.path.is_relative_to(root)), None)
    # Who has settings here has decided.
    if folder is None or assessment is None or not assessment.kernels or (folder / SETTINGS).exists():
        return
    written = written_for(assessment)
    if written is not None and written[0] == "gpu" and ls.first(f"gpu {folder}"):
        ls.keep(asyncio.get_running_loop().create_task(_ask(ls, document, folder, written[1])))


async def _ask(ls: Session, document: Document, folder: Path, word: str) -> None:
    actions = [types.MessageActionItem(COST_HERE), types.MessageActionItem(NOT_HERE)]
    message = ask_text(document.path.name, word, folder.name)
    question = types.ShowMessageRequestParams(types.MessageType.Info, message, actions)
    try:
        chosen = await ls.window_show_message_request_async(question)
    except Exception:  # noqa: BLE001 - an editor that cannot ask keeps what it has
        _log.warning("the editor did not ask: %s", message)
        return
    if chosen is None or chosen.title != NOT_HERE:
        return
    try:
        with (folder / SETTINGS).open("x", encoding="utf-8") as file:
            file.write(OFF)
    except OSError as error:
        failed = not_written_text(SETTINGS, error.strerror or str(error))
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Error, failed))
        return
    ls.assess_again()
