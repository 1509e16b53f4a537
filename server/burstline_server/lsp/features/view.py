"""The kernel view: its page, its document alone for what a user tries, the edits it lists, and making one of them.

burstline/view and burstline/viewDocument take ``{uri, kernel?, overrides?}`` and answer ``{html}``, and the document.
Overrides are ``{board?, f_max_mhz?, sizes?, knobs?}``: `sizes` are pairs of a setting, as a comment takes it
(``global_size``, an argument's name, ``trip[LINE]``), and its value as text; `knobs` pairs of an id and a number.
burstline/viewEdits takes the same and answers ``{edits}``; burstline/applyEdit takes ``{uri, kernel, edit}``, with the
id of one of them, and answers ``{applied, messages}``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from burstline_server.assessment.assessor import Assessment
from burstline_server.config.layers import Layer
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.exploration.what_if import NoSuchKnobError, turned
from burstline_server.lsp.document_edits import offer_with, send
from burstline_server.lsp.documents import Document
from burstline_server.lsp.pricing import fixes_under
from burstline_server.lsp.session import Session
from burstline_server.presentation.page.page import page
from burstline_server.presentation.variant_table import views_of
from burstline_server.presentation.view_build import controls_of, file_view, view_document
from burstline_server.presentation.view_document import ViewDocument
from burstline_server.presentation.view_edits import edit_views
from burstline_server.words.settings import problem_text

_OVERRIDES = ("board", "f_max_mhz", "sizes", "knobs")


async def view(ls: Session, params: Any) -> dict[str, str]:
    """The page."""
    document = await _asked(ls, params)
    return {"html": await ls.in_turn(page, document)}


async def shown(ls: Session, params: Any) -> dict[str, Any]:
    """Its document alone."""
    document = await _asked(ls, params)
    found: dict[str, Any] = json.loads(document.model_dump_json())
    return found


async def edits(ls: Session, params: Any) -> dict[str, Any]:
    """The edits that it lists."""
    document, kernel = await _open(ls, params)
    overrides = getattr(params, "overrides", None)
    if kernel is None or document.assessment is None:
        return {"edits": []}
    options = _options(document.assessment, kernel, overrides) if overrides is not None else None
    assessment, fixes = await fixes_under(ls, document, kernel, options)
    views = edit_views(assessment, fixes, kernel) if assessment is not None else []
    return {"edits": [json.loads(edit.model_dump_json()) for edit in views]}


async def apply(ls: Session, params: Any) -> dict[str, Any]:
    """Make one of them."""
    document, kernel = await _open(ls, params)
    found = await offer_with(ls, document, kernel or "", str(getattr(params, "edit", "")))
    if isinstance(found, str):
        return {"applied": False, "messages": [found]}
    refused = await send(ls, document, found, list(found.edits))
    return {"applied": not refused, "messages": [refused] if refused else []}


async def _open(ls: Session, params: Any) -> tuple[Document, str | None]:
    """The open document and the kernel that a request is about."""
    uri, kernel = getattr(params, "uri", None), getattr(params, "kernel", None)
    document = await ls.current(uri) if isinstance(uri, str) else None
    if document is None or document.assessment is None:
        raise JsonRpcInvalidParams(f"{uri}: not an open document")
    if kernel is not None and kernel not in [k.facts.name for k in document.assessment.kernels]:
        raise JsonRpcInvalidParams(f"no kernel is called {kernel!r} in {document.path.name}")
    return document, kernel


async def _asked(ls: Session, params: Any) -> ViewDocument:
    """The document that a request asks for."""
    document, kernel = await _open(ls, params)
    assessment = document.assessment
    assert assessment is not None  # noqa: S101 - `_open` has seen to it
    overrides = getattr(params, "overrides", None)
    if overrides is not None:
        assessment = await ls.assessed_with(document, _options(assessment, kernel, overrides))
        wrong = next((p for p in assessment.problems if p.where == "option"), None)
        if wrong is not None:
            raise JsonRpcInvalidParams(problem_text(wrong))
        if pairs := getattr(overrides, "knobs", None):
            try:
                turns = {str(knob): int(value) for knob, value in pairs}
                assessment = await ls.in_turn(turned, assessment, kernel or assessment.kernels[0].facts.name, turns)
            except (NoSuchKnobError, TypeError, ValueError) as error:
                raise JsonRpcInvalidParams(f"knobs are pairs of an id and a number: {error}") from error
    return await ls.in_turn(_built, assessment, kernel)


def _options(assessment: Assessment, kernel: str | None, overrides: Any) -> Layer:
    """What the user tries, as the strongest settings; a size is set for each kernel, since its own one would win."""
    if not hasattr(overrides, "_asdict"):  # pygls hands objects on as named tuples
        raise JsonRpcInvalidParams(f"overrides is an object with {', '.join(_OVERRIDES)}")
    keys = {name: value for name in ("board", "f_max_mhz") if (value := getattr(overrides, name, None)) is not None}
    sizes = getattr(overrides, "sizes", None)
    if sizes is not None:
        try:
            own = _launch({str(name): str(value) for name, value in sizes})
        except (TypeError, ValueError) as error:
            raise JsonRpcInvalidParams(f"sizes are pairs of a setting and whole numbers: {error}") from error
        names = [kernel] if kernel is not None else [k.facts.name for k in assessment.kernels]
        keys["kernels"] = dict.fromkeys(names, own)
    return Layer("option", keys)


def _launch(sizes: Mapping[str, str]) -> dict[str, Any]:
    """The settings of a kernel that give these sizes, each by the setting that a comment takes."""
    found: dict[str, Any] = {}
    for setting, text in sizes.items():
        numbers = [int(one) for one in text.split(",")]
        if setting in {"global_size", "local_size"}:
            found[setting] = numbers
        elif setting.startswith("trip["):
            found.setdefault("trips", {})[setting[len("trip[") : -1]] = numbers[0]
        else:
            found.setdefault("arguments", {})[setting] = numbers[0]
    return found


def _built(assessment: Assessment, kernel: str | None) -> ViewDocument:
    """The document with its controls; findings and networks are the whole file's."""
    findings, every = findings_of(assessment), assessment
    if kernel is not None:
        assessment = assessment.with_kernels(tuple(k for k in assessment.kernels if k.facts.name == kernel))
    file = file_view(assessment, findings, variants=views_of(assessment), networks_in=every)
    return view_document([file], controls_of(assessment, kernel))
