"""The edit that gives a kernel its missing sizes: a quick fix with usual values, a command with the user's."""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types

from burstline_model.facts import Span
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.assessment.missing_sizes import missing_sizes
from burstline_server.assessment.proposed_sizes import proposed_sizes
from burstline_server.host.host_files import Hosts
from burstline_server.lsp.documents import Document
from burstline_server.lsp.session import Session
from burstline_server.rewrites.sizes_comment import SizeError, SizesComment, sizes_comment
from burstline_server.words.edits import host_text, sizes_title
from burstline_server.words.missing import size_error_text, size_text


async def missing(ls: Session, uri: str, name: str) -> list[dict[str, str]]:
    """The sizes that a kernel's time waits for, with values to propose."""
    found = await _kernel(ls, uri, name)
    sizes = await ls.aside(proposed_sizes, ls.kept(Hosts), *found) if found is not None else []
    return [
        {"name": size_text(one), "setting": one.setting, "usual": one.usual.strip("()"), "from": host_text(one)}
        for one in sizes
    ]


async def give_sizes(ls: Session, uri: str, name: str, *values: Mapping[str, object]) -> bool:
    """Write sizes into the text, above the kernel; whether the editor did."""
    found = await _kernel(ls, uri, name)
    document = ls.documents.get(uri)
    if found is None or document is None:
        return False
    given = {key: str(value) for one in values for key, value in dict(one).items()}
    try:
        comment = sizes_comment(*found, given)
    except SizeError as error:
        ls.window_show_message(types.ShowMessageParams(type=types.MessageType.Error, message=size_error_text(error)))
        return False
    if comment is None:
        return False
    edit = types.ApplyWorkspaceEditParams(_edit(ls, document, comment), label=f"sizes of {name}")
    return (await ls.workspace_apply_edit_async(edit)).applied


async def _kernel(ls: Session, uri: str, name: str) -> tuple[Assessment, KernelAssessment] | None:
    document = await ls.current(uri)
    if document is None or document.assessment is None:
        return None
    found = next((k for k in document.assessment.kernels if k.facts.name == name), None)
    return (document.assessment, found) if found is not None else None


async def actions_at(
    ls: Session, document: Document, span: Span, diagnostics: list[types.Diagnostic]
) -> list[types.CodeAction]:
    """The quick fixes that give sizes to the kernels at a place: those of a host program, or usual ones."""
    assessment = document.assessment
    found = []
    for kernel in assessment.near(span).kernels if assessment is not None else ():
        whole = kernel.facts.span
        if assessment is None or whole.file is not None or span.end < whole.start or whole.end < span.start:
            continue
        if not missing_sizes(assessment, kernel):
            continue
        proposed = await ls.aside(proposed_sizes, ls.kept(Hosts), assessment, kernel)
        comment = sizes_comment(assessment, kernel, {one.setting: one.usual for one in proposed})
        if comment is not None:
            answered = [d for d in diagnostics if d.code == "BL202"] or None
            kind, edit = types.CodeActionKind.QuickFix, _edit(ls, document, comment)
            found.append(types.CodeAction(title=sizes_title(proposed), kind=kind, diagnostics=answered, edit=edit))
    return found


def _edit(ls: Session, document: Document, comment: SizesComment) -> types.WorkspaceEdit:
    lines = document.lines
    made = [types.TextEdit(range=ls.range_in(lines, e.start, e.end), new_text=e.text) for e in comment.edits]
    return ls.workspace_edit(document, made)
