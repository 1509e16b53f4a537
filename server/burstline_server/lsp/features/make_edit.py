"""The command behind the link of a card's edit: it makes the edit, or has the editor show it first."""

from __future__ import annotations

from lsprotocol import types

from burstline_server.lsp.document_edits import can_preview, offer_with, send
from burstline_server.lsp.features.text_document_content import can_show, show_for, whole_edit
from burstline_server.lsp.session import Session


async def make(ls: Session, uri: str, kernel: str, edit: str, *preview: bool) -> bool:
    """Make the edit of a kernel that has an id; whether it was made, or is shown."""
    document = await ls.current(uri)
    if document is None:
        return False
    found = await offer_with(ls, document, kernel, edit)
    refused = found if isinstance(found, str) else ""
    if not isinstance(found, str):
        asked = any(preview) and can_preview(ls)
        refused = await send(ls, document, found, whole_edit(ls, document, found), asked=asked)
        if not refused and found.host and can_show(ls):
            await show_for(ls, found)
    if refused:
        ls.window_show_message(types.ShowMessageParams(type=types.MessageType.Warning, message=refused))
    return not refused
