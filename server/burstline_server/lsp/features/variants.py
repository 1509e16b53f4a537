"""The command that shows the variants of a kernel: their table, where an editor has no view for them."""

from __future__ import annotations

from lsprotocol import types

from burstline_server.exploration.jobs import usual
from burstline_server.exploration.ranking import ranked
from burstline_server.lsp.session import Session
from burstline_server.presentation.variant_table import text_table

MOST_VARIANTS = 10
"""Most variants of a list in a message."""


async def show_variants(ls: Session, uri: str, name: str) -> str | None:
    """Answer the command."""
    document = await ls.current(uri)
    if document is None or document.assessment is None:
        return None
    kernel = next((k for k in document.assessment.kernels if k.facts.name == name), None)
    outcome = await ls.in_turn(usual, document.assessment, kernel) if kernel is not None else None
    if outcome is None:
        return None
    text = text_table(ranked([outcome], None, front=False), [outcome], MOST_VARIANTS)
    ls.window_show_message(types.ShowMessageParams(type=types.MessageType.Info, message=text))
    return text
