"""workspace/configuration, workspace/didChangeConfiguration and workspace/didChangeWorkspaceFolders."""

from __future__ import annotations

import logging

from lsprotocol import types
from pygls import uris

from burstline_server.lsp.session import Session

_log = logging.getLogger(__name__)
SECTION = "burstline"


def register(session: Session) -> None:
    """Keep the editor's settings, those of each folder of a workspace with several."""

    @session.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(ls: Session, params: types.DidChangeConfigurationParams) -> None:
        # An editor that is asked says nothing here; where its answer cannot be read, what it said before counts.
        if not await _pull(ls) and (params.settings is not None or not ls.can("workspace", "configuration")):
            ls.take_settings(params.settings)

    @session.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def did_change_folders(ls: Session, _params: types.DidChangeWorkspaceFoldersParams) -> None:
        await _pull(ls)
        ls.assess_again()


async def start(ls: Session) -> None:
    """Ask for the settings, and to hear of it when they change."""
    await _pull(ls)
    ls.settled.set()
    if ls.can("workspace", "did_change_configuration", "dynamic_registration"):
        options = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        await ls.ask_for(types.WORKSPACE_DID_CHANGE_CONFIGURATION, options)


async def _pull(ls: Session) -> bool:
    """Ask the editor for the settings; whether it gave an answer."""
    if not ls.can("workspace", "configuration"):
        return False
    folders = list(ls.workspace.folders) if len(ls.workspace.folders) > 1 else []
    items = [types.ConfigurationItem(section=SECTION, scope_uri=uri) for uri in (None, *folders)]
    ls.settings_asked += 1
    question = ls.settings_asked
    try:
        answers = await ls.workspace_configuration_async(types.ConfigurationParams(items=items))
    except Exception:  # noqa: BLE001 - without settings the defaults hold
        _log.warning("the editor did not answer workspace/configuration")
        return False
    if question != ls.settings_asked:
        return True  # asked again since: an answer that comes late must not undo a newer one
    if not isinstance(answers, list | tuple) or len(answers) != len(items):
        return False
    places = ["", *(uris.to_fs_path(uri) or "" for uri in folders)]
    ls.forget_settings(but=places)
    for place, answer in zip(places, answers, strict=True):
        ls.take_settings(answer, place)
    return True
