"""Puts the page together: its text, style and scripts lie next to this file, the document goes in as JSON."""

from __future__ import annotations

import base64
import hashlib
import html
from pathlib import Path
from string import Template

from burstline_server.presentation.view_document import ViewDocument

_HERE = Path(__file__).resolve().parent
_SCRIPTS = (
    "dom",
    "tables",
    "charts",
    "roofline",
    "network",
    "source",
    "export",
    "host",
    "controls",
    "edits",
    "kernel",
    "page",
)
_HARMLESS = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})
"""Characters that could end the element that holds the JSON, written so that they cannot."""


def page(document: ViewDocument) -> str:
    """The whole page. Its policy lets nothing run or load but the style and script that it was made with."""
    style = _text("page.css")
    script = "".join(["'use strict';\n", *(_text(f"{name}.js") for name in _SCRIPTS)])
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    return Template(_text("page.html")).substitute(
        title=html.escape(document.title),
        policy=policy,
        style=style,
        script=script,
        document=document.model_dump_json().translate(_HARMLESS),
    )


def _text(name: str) -> str:
    return (_HERE / name).read_text("utf-8")


def _digest(text: str) -> str:
    """What the policy knows an element's text by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
