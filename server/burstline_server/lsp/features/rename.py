"""textDocument/prepareRename and textDocument/rename: a new name for what the user named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from burstline_server.lsp.documents import Document
from burstline_server.lsp.session import Session
from burstline_server.names.name_table import NameTable
from burstline_server.names.renaming import CannotRenameError, check_renamable, renamed
from burstline_server.words.renames import cannot_rename_text


async def prepare(ls: Session, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    """What would be renamed at a place; an error that says why it cannot be."""

    def answer(_: Document, names: NameTable) -> types.PrepareRenamePlaceholder | None:
        at = names.at(ls.offset(names.source, params.position))
        if at is None:
            return None
        check_renamable(names, at[0])
        return types.PrepareRenamePlaceholder(range=ls.range_of(names.source, at[1]), placeholder=at[0].text)

    with _refused():
        return await ls.named("rename", params.text_document.uri, answer)


async def rename(ls: Session, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """The edits that rename it everywhere."""

    def answer(document: Document, names: NameTable) -> types.WorkspaceEdit | None:
        at = names.at(ls.offset(names.source, params.position))
        if at is None:
            return None
        places = (ls.range_of(names.source, span) for span in renamed(names, at[0], params.new_name))
        return ls.workspace_edit(document, [types.TextEdit(range=r, new_text=params.new_name) for r in places])

    with _refused():
        return await ls.named("rename", params.text_document.uri, answer)


@contextmanager
def _refused() -> Iterator[None]:
    """Shows the client why a name cannot be changed."""
    try:
        yield
    except CannotRenameError as error:
        raise JsonRpcException(
            message=cannot_rename_text(error), code=types.LSPErrorCodes.RequestFailed.value
        ) from None
