"""workspace/textDocumentContent: what the host program does for an edit, as a document to read next to the kernel."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from lsprotocol import types

from burstline_server.lsp.documents import Document
from burstline_server.lsp.session import Session
from burstline_server.words.actions import HOST_CHANGE

if TYPE_CHECKING:  # the rewrites are loaded where edits are asked for
    from burstline_server.rewrites.rewrite import Offer, TextEdit

SCHEME = "burstline-host"
SHOW = "burstline.showHostChange"
MAX_KEPT = 64
"""Most documents that are kept; the oldest go first."""


def register(session: Session) -> None:
    """Answer with the documents' text, and show one."""

    @session.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    async def content(ls: Session, params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        return types.TextDocumentContentResult(text=ls.host_changes.get(params.uri, ""))

    @session.command(SHOW)
    async def show(ls: Session, uri: str) -> None:
        await ls.window_show_document_async(types.ShowDocumentParams(uri=uri, take_focus=False))


async def start(ls: Session) -> None:
    """Have the editor ask for the documents, where it shows such."""
    if can_show(ls):
        options = types.TextDocumentContentRegistrationOptions(schemes=[SCHEME])
        await ls.ask_for(types.WORKSPACE_TEXT_DOCUMENT_CONTENT, options)


def can_show(ls: Session) -> bool:
    """Whether the client shows documents that only the server holds."""
    return ls.can("workspace", "text_document_content", "dynamic_registration") and ls.can(
        "window", "show_document", "support"
    )


def command_for(ls: Session, offer: Offer) -> types.Command:
    """The command that shows what an offer asks of the host."""
    return types.Command(title=HOST_CHANGE, command=SHOW, arguments=[_kept(ls, offer)])


async def show_for(ls: Session, offer: Offer) -> None:
    """Show what an offer asks of the host."""
    await ls.window_show_document_async(types.ShowDocumentParams(uri=_kept(ls, offer), take_focus=False))


def _kept(ls: Session, offer: Offer) -> str:
    """The address of the document with what an offer asks of the host."""
    digest = hashlib.sha256(offer.host.encode()).hexdigest()[:8]
    uri = f"{SCHEME}:/{offer.kernel}-{digest}.c"
    ls.host_changes.pop(uri, None)
    ls.host_changes[uri] = offer.host
    while len(ls.host_changes) > MAX_KEPT:
        ls.host_changes.pop(next(iter(ls.host_changes)))
    return uri


def whole_edit(ls: Session, document: Document, offer: Offer) -> list[TextEdit]:
    """An offer's edits; what the host does as a comment at the file's end, where the client cannot show it apart."""
    from burstline_server.rewrites.rewrite import TextEdit, line_end  # noqa: PLC0415 - where edits are asked for

    if not offer.host or can_show(ls):
        return list(offer.edits)
    end = line_end(document.text)
    comment = "".join(f"// {line}".rstrip() + end for line in offer.host.splitlines())
    return [*offer.edits, TextEdit(len(document.text), len(document.text), end + comment)]
