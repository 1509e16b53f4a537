"""The edit that gives a kernel its missing sizes: as a quick fix, and as the command behind a lens."""

from __future__ import annotations

from lsprotocol import types

from burstline_model.facts import Span
from burstline_server.lsp.documents import Document
from burstline_server.lsp.features.code_lens import GIVE
from burstline_server.lsp.session import Session
from burstline_server.rewrites.sizes import SizesComment, sizes_comment


def register(session: Session) -> None:
    """Answer the command."""

    @session.command(GIVE)
    async def give_sizes(ls: Session, uri: str, name: str) -> bool:
        document = await ls.current(uri)
        if document is None or document.assessment is None:
            return False
        kernel = next((k for k in document.assessment.kernels if k.facts.name == name), None)
        found = sizes_comment(document.assessment, kernel) if kernel is not None else None
        if found is None:
            return False
        edit = types.ApplyWorkspaceEditParams(_edit(ls, document, found), label=f"sizes of {name}")
        return (await ls.workspace_apply_edit_async(edit)).applied


def actions_at(
    ls: Session, document: Document, span: Span, diagnostics: list[types.Diagnostic]
) -> list[types.CodeAction]:
    """The quick fixes that give sizes to the kernels at a place."""
    assessment = document.assessment
    found = []
    for kernel in assessment.near(span).kernels if assessment is not None else ():
        whole = kernel.facts.span
        if assessment is None or whole.file is not None or span.end < whole.start or whole.end < span.start:
            continue
        comment = sizes_comment(assessment, kernel)
        if comment is not None:
            answered = [d for d in diagnostics if d.code == "BL202"] or None
            kind, edit = types.CodeActionKind.QuickFix, _edit(ls, document, comment)
            found.append(types.CodeAction(title=comment.title, kind=kind, diagnostics=answered, edit=edit))
    return found


def _edit(ls: Session, document: Document, comment: SizesComment) -> types.WorkspaceEdit:
    lines = document.lines
    made = [types.TextEdit(range=ls.range_in(lines, e.start, e.end), new_text=e.text) for e in comment.edits]
    return ls.workspace_edit(document, made)
