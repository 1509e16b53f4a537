"""window/showDocument: the page about a finding. Many editors link to it from the finding's code, where few look."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from burstline_server.lsp.features.registry import EXPLAIN
from burstline_server.lsp.session import Session
from burstline_server.presentation.pages import page_of
from burstline_server.words.actions import explain_title


async def show_page(ls: Session, code: str) -> bool:
    """Answer the command that opens a page."""
    page = page_of(code)
    if page is None or not ls.can("window", "show_document", "support"):
        return False
    params = types.ShowDocumentParams(uri=page.as_uri(), take_focus=True)
    return (await ls.window_show_document_async(params)).success


def actions(ls: Session, diagnostics: Sequence[types.Diagnostic]) -> list[types.CodeAction]:
    """A command for each code among findings."""
    if not ls.can("window", "show_document", "support"):
        return []
    answered: dict[str, list[types.Diagnostic]] = {}
    for diagnostic in diagnostics:
        if diagnostic.source == "burstline":
            answered.setdefault(str(diagnostic.code), []).append(diagnostic)
    return [
        types.CodeAction(
            title=explain_title(code),
            kind=types.CodeActionKind.QuickFix,
            diagnostics=of_code,
            command=types.Command(explain_title(code), EXPLAIN, arguments=[code]),
        )
        for code, of_code in answered.items()
        if page_of(code) is not None
    ]
