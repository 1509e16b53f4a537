"""workspace/didChangeConfiguration and workspace/configuration, and watching burstline.toml."""

import logging

from lsprotocol import types

from burstline_server.features.text_document_content import SCHEME, can_show
from burstline_server.session import Session

_log = logging.getLogger(__name__)
SECTION = "burstline"


def register(session: Session) -> None:
    """Keep the editor's settings."""

    @session.feature(types.INITIALIZED)
    async def initialized(ls: Session, _params: types.InitializedParams) -> None:
        wanted: list[tuple[str, str, object]] = []
        if ls.can("workspace", "did_change_configuration", "dynamic_registration"):
            options = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
            wanted.append(("burstline-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options))
        if ls.can("workspace", "did_change_watched_files", "dynamic_registration"):
            watchers = [
                types.FileSystemWatcher(glob_pattern=p) for p in ("**/burstline.toml", "**/*.{h,hpp,clh,cl,ocl,inc}")
            ]
            watching = types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
            wanted.append(("burstline-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, watching))
        if can_show(ls):
            schemes = types.TextDocumentContentRegistrationOptions(schemes=[SCHEME])
            wanted.append(("burstline-host", types.WORKSPACE_TEXT_DOCUMENT_CONTENT, schemes))
        for name, method, how in wanted:
            registration = types.Registration(id=name, method=method, register_options=how)
            try:
                await ls.client_register_capability_async(types.RegistrationParams(registrations=[registration]))
            except Exception:  # noqa: BLE001 - a client that refuses still gets everything else
                _log.warning("the client refused to register %s", method)
        await _pull(ls)

    @session.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(ls: Session, params: types.DidChangeConfigurationParams) -> None:
        if ls.can("workspace", "configuration"):
            await _pull(ls)
        else:
            ls.settings_changed(params.settings)

    @session.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def did_change_watched_files(ls: Session, _params: types.DidChangeWatchedFilesParams) -> None:
        ls.assess_again()


async def _pull(ls: Session) -> None:
    """Ask the client for the settings, where it can be asked."""
    if not ls.can("workspace", "configuration"):
        return
    try:
        item = types.ConfigurationItem(section=SECTION)
        answer = await ls.workspace_configuration_async(types.ConfigurationParams(items=[item]))
    except Exception:  # noqa: BLE001 - without settings the defaults hold
        _log.warning("the client did not answer workspace/configuration")
        return
    if answer and answer[0] is not None:
        ls.settings_changed(answer[0])
