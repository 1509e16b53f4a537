"""burstline/applyVariant: edit a kernel into a variant that the kernel view lists.

Parameters: ``{uri, kernel, setting}``, the setting as the view's document has it. Answers: ``{applied, messages}``,
with why nothing was edited, or what is left to do outside the text.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pydantic import ValidationError
from pygls.exceptions import JsonRpcInvalidParams

from burstline_server.exploration.jobs import Setting, edits_of
from burstline_server.exploration.variant_edits import NoSuchEditError
from burstline_server.lsp.session import Session
from burstline_server.words.actions import no_edit_text


async def apply(ls: Session, params: Any) -> dict[str, Any]:
    """Answer requests to make a variant."""
    uri, name = getattr(params, "uri", None), getattr(params, "kernel", None)
    document = await ls.current(uri) if isinstance(uri, str) else None
    if document is None or document.assessment is None:
        raise JsonRpcInvalidParams(f"{uri}: not an open document")
    try:
        setting = Setting.model_validate_json(str(getattr(params, "setting", "")))
    except ValidationError as error:
        raise JsonRpcInvalidParams("setting is a variant's, as the view's document has it") from error
    kernel = next((k for k in document.assessment.kernels if k.facts.name == name), None)
    if kernel is None or name in {w.name for w in document.assessment.withheld}:
        raise JsonRpcInvalidParams(f"no kernel is called {name!r} in {document.path.name}")
    try:
        edits, left = edits_of(setting, document.assessment, kernel)
    except NoSuchEditError as error:
        return {"applied": False, "messages": [str(error)]}
    lines = document.lines
    made = [types.TextEdit(range=ls.range_in(lines, e.start, e.end), new_text=e.text) for e in edits]
    if not made:
        return {"applied": False, "messages": [*left, no_edit_text("same_variant")]}
    edit = types.ApplyWorkspaceEditParams(ls.workspace_edit(document, made), label=f"variant of {name}")
    answer = await ls.workspace_apply_edit_async(edit)
    refused = [answer.failure_reason or no_edit_text("refused")] if not answer.applied else []
    return {"applied": answer.applied, "messages": [*refused, *left]}
