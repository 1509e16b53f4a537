"""window/showDocument: the page about a finding, for editors that do not link to it from the finding's code."""

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


def actions(ls: Session, diagnostics: Sequence[types.Diagnostic]) -> list[types.Command]:
    """A command for each code among findings; none where the code itself leads to its page."""
    linked = ls.can("text_document", "publish_diagnostics", "code_description_support")
    if linked or not ls.can("window", "show_document", "support"):
        return []
    codes = dict.fromkeys(str(d.code) for d in diagnostics if d.source == "burstline")
    return [
        types.Command(explain_title(code), EXPLAIN, arguments=[code]) for code in codes if page_of(code) is not None
    ]
