"""Making an edit of an open document: found by its id, executed, sent to the editor, which may show it first."""

from __future__ import annotations

from lsprotocol import types

from burstline_server.interpreter.verdicts import Different
from burstline_server.lsp.client import Editor
from burstline_server.lsp.documents import Document
from burstline_server.lsp.pricing import executed_at
from burstline_server.lsp.session import Session
from burstline_server.rewrites.catalogue import offers_of
from burstline_server.rewrites.host_edit import HostEdit
from burstline_server.rewrites.rewrite import Offer, TextEdit
from burstline_server.source.lines import LineTable
from burstline_server.words.actions import HOST_FILE, no_edit_text
from burstline_server.words.edits import title_text
from burstline_server.words.executions import different_text

_HOST = "burstline-host"
_CONFIRMED = "burstline"
"""The name of the note by which an editor asks before it makes a change."""


async def offer_with(ls: Session, document: Document, kernel: str, offer_id: str) -> Offer | str:
    """The edit of a kernel that has an id, executed where that proves it; else why there is none."""
    version = document.version
    if document.assessment is None:
        return no_edit_text("not_offered")
    offers = await ls.in_turn(offers_of, document.assessment)
    offer = next((o for o in offers if o.kernel == kernel and o.id == offer_id), None)
    if offer is None:
        return no_edit_text("not_offered")
    verdict = await executed_at(ls, document, offer)
    if isinstance(verdict, Different):
        return different_text(verdict)
    if (verdict is None and offer.kind == "proved") or document.version != version:
        return no_edit_text("text_changed")
    return offer


async def send(ls: Session, document: Document, offer: Offer, edits: list[TextEdit], *, asked: bool = False) -> str:
    """Have the editor make an edit, `asked` for first; empty, or why it did not."""
    edit = edit_of(ls, document, edits)
    if asked:
        note = types.ChangeAnnotation(label=title_text(offer.title), needs_confirmation=True)
        edit = _annotated(edit, note)
    params = types.ApplyWorkspaceEditParams(edit, label=title_text(offer.title))
    answer = await ls.workspace_apply_edit_async(params)
    return "" if answer.applied or asked else answer.failure_reason or no_edit_text("refused")


def edit_of(ls: Session, document: Document, edits: list[TextEdit]) -> types.WorkspaceEdit:
    """Edits of a document's present text as the editor takes them."""
    lines = document.lines
    made = [types.TextEdit(range=ls.range_in(lines, e.start, e.end), new_text=e.text) for e in edits]
    return ls.workspace_edit(document, made)


def with_host(ls: Session, edit: types.WorkspaceEdit, host: HostEdit) -> types.WorkspaceEdit:
    """The edit with that of the host program's file, which the editor asks about before it makes it."""
    lines = LineTable(host.before)
    made = [
        types.AnnotatedTextEdit(annotation_id=_HOST, range=ls.range_in(lines, e.start, e.end), new_text=e.text)
        for e in host.edits
    ]
    name = types.OptionalVersionedTextDocumentIdentifier(uri=host.file.as_uri(), version=None)
    change = types.TextDocumentEdit(text_document=name, edits=made)
    note = types.ChangeAnnotation(label=HOST_FILE, needs_confirmation=True)
    return types.WorkspaceEdit(
        document_changes=[*(edit.document_changes or ()), change],
        change_annotations={**(edit.change_annotations or {}), _HOST: note},
    )


def can_preview(ls: Editor) -> bool:
    """Whether the editor shows an edit before it makes it."""
    return ls.can("workspace", "workspace_edit", "change_annotation_support") and ls.can(
        "workspace", "workspace_edit", "document_changes"
    )


def _annotated(edit: types.WorkspaceEdit, note: types.ChangeAnnotation) -> types.WorkspaceEdit:
    changes = list[types.TextDocumentEdit]()
    for change in edit.document_changes or ():
        if isinstance(change, types.TextDocumentEdit):
            marked = [
                types.AnnotatedTextEdit(annotation_id=_CONFIRMED, range=e.range, new_text=e.new_text)
                for e in change.edits
                if isinstance(e, types.TextEdit)
            ]
            changes.append(types.TextDocumentEdit(text_document=change.text_document, edits=marked))
    return types.WorkspaceEdit(document_changes=changes, change_annotations={_CONFIRMED: note})
