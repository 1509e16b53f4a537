"""textDocument/prepareRename and textDocument/rename: a new name for what the user named."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from burstline_server.names.rename import CannotRenameError, check_renamable, renamed
from burstline_server.session import Session


def register(session: Session) -> None:
    """Answer renames; what cannot be renamed is told with the reason."""

    @session.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(ls: Session, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        found = await ls.names("rename", params.text_document.uri)
        at = found[1].at(ls.offset(found[1].source, params.position)) if found is not None else None
        if found is None or at is None:
            return None
        names = found[1]
        try:
            await ls.aside(lambda n: check_renamable(n, at[0]), names)
        except CannotRenameError as error:
            raise _refused(error) from None
        return types.PrepareRenamePlaceholder(range=ls.range_of(names.source, at[1]), placeholder=at[0].text)

    @session.feature(types.TEXT_DOCUMENT_RENAME)
    async def rename(ls: Session, params: types.RenameParams) -> types.WorkspaceEdit | None:
        found = await ls.names("rename", params.text_document.uri)
        at = found[1].at(ls.offset(found[1].source, params.position)) if found is not None else None
        if found is None or at is None:
            return None
        document, names = found
        try:
            places = await ls.aside(lambda n: renamed(n, at[0], params.new_name), names)
        except CannotRenameError as error:
            raise _refused(error) from None
        edits = [types.TextEdit(range=ls.range_of(names.source, span), new_text=params.new_name) for span in places]
        return ls.workspace_edit(document, edits)


def _refused(error: CannotRenameError) -> JsonRpcException:
    return JsonRpcException(message=str(error), code=types.LSPErrorCodes.RequestFailed.value)
