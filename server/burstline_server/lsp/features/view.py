"""burstline/view and burstline/viewDocument: the kernel view as a page, or its document alone, for what a user tries.

Parameters: ``{uri, kernel?, overrides?: {board?, f_max_mhz?, global_size?, knobs?}}``, `knobs` as pairs of a name and a
number. Answers: ``{html}``, and the document.
"""

from __future__ import annotations

import json
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from burstline_server.assessment.assessor import Assessment
from burstline_server.config.layers import Layer
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.exploration.knobs import NoSuchKnobError, turned
from burstline_server.lsp.session import Session
from burstline_server.presentation.page.page import page
from burstline_server.presentation.variant_table import views_of
from burstline_server.presentation.view_build import controls_of, file_view, view_document
from burstline_server.presentation.view_document import ViewDocument

VIEW = "burstline/view"
DOCUMENT = "burstline/viewDocument"
_OVERRIDES = ("board", "f_max_mhz", "global_size")


def register(session: Session) -> None:
    """Answer requests for the page and for its document."""

    @session.feature(VIEW)
    async def view(ls: Session, params: Any) -> dict[str, str]:
        document = await _asked(ls, params)
        return {"html": await ls.in_turn(page, document)}

    @session.feature(DOCUMENT)
    async def view_document_(ls: Session, params: Any) -> dict[str, Any]:
        document = await _asked(ls, params)
        found: dict[str, Any] = json.loads(document.model_dump_json())
        return found


async def _asked(ls: Session, params: Any) -> ViewDocument:
    """The document that a request asks for."""
    uri, kernel = getattr(params, "uri", None), getattr(params, "kernel", None)
    document = await ls.current(uri) if isinstance(uri, str) else None
    if document is None or document.assessment is None:
        raise JsonRpcInvalidParams(f"{uri}: not an open document")
    assessment = document.assessment
    if kernel is not None and kernel not in [k.facts.name for k in assessment.kernels]:
        raise JsonRpcInvalidParams(f"no kernel is called {kernel!r} in {document.path.name}")
    overrides = getattr(params, "overrides", None)
    if overrides is not None:
        assessment = await ls.assessed_with(document, _options(assessment, kernel, overrides))
        wrong = next((p for p in assessment.problems if p.where == "option"), None)
        if wrong is not None:
            raise JsonRpcInvalidParams(wrong.message)
        if pairs := getattr(overrides, "knobs", None):
            try:
                turns = {str(name): int(value) for name, value in pairs}
                assessment = await ls.in_turn(turned, assessment, kernel or assessment.kernels[0].facts.name, turns)
            except (NoSuchKnobError, TypeError, ValueError) as error:
                raise JsonRpcInvalidParams(f"knobs are pairs of a name and a number: {error}") from error
    return await ls.in_turn(_built, assessment, kernel)


def _options(assessment: Assessment, kernel: str | None, overrides: Any) -> Layer:
    """What the user tries, as the strongest settings; a size is set for each kernel, since its own one would win."""
    if not hasattr(overrides, "_asdict"):  # pygls hands objects on as named tuples
        raise JsonRpcInvalidParams(f"overrides is an object with {', '.join(_OVERRIDES)}")
    keys = {name: value for name in _OVERRIDES if (value := getattr(overrides, name, None)) is not None}
    size = keys.pop("global_size", None)
    if size is not None:
        names = [kernel] if kernel is not None else [k.facts.name for k in assessment.kernels]
        keys["kernels"] = {name: {"global_size": size} for name in names}
    return Layer("option", keys)


def _built(assessment: Assessment, kernel: str | None) -> ViewDocument:
    """The document with its controls; findings are the whole file's."""
    findings = findings_of(assessment)
    if kernel is not None:
        assessment = assessment.with_kernels(tuple(k for k in assessment.kernels if k.facts.name == kernel))
    return view_document(
        [file_view(assessment, findings, variants=views_of(assessment))], controls_of(assessment, kernel)
    )
