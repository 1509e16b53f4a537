"""Names that text declares which is not compiled: where, and the macro that lets it be."""

from __future__ import annotations

import re

from burstline_model.record import fixed
from burstline_server.source.preprocess import DIRECTIVE
from burstline_server.source.source import Source

_BEFORE = rb"\b(?!(?:return|else|case|sizeof|goto|const|in|out)\b)[A-Za-z_]\w*[\s*]+"
_ASKED = re.compile(rb"\s*(?:defined\s*)?\(?\s*([A-Za-z_]\w*)\s*\)?\s*(?:/[/*].*)?")
"""A condition that holds where one name is defined, or not 0."""

_CONDITIONS = {b"if", b"ifdef", b"ifndef", b"elif", b"else", b"endif"}


@fixed
class Hidden:
    """The line of a declaration that is not compiled; `given`: the name that -D has to define for it, or empty."""

    line: int
    given: str


def hidden(source: Source, name: str) -> Hidden | None:
    """Where a name is defined or declared in text that is not compiled; None where nowhere."""
    there = [one for one in source.inactive if source.original.find(name.encode(), *one) >= 0]
    if not there:
        return None
    own = re.escape(name.encode())
    # A word between another one and no further one, nor a star, is declared there; it is not the type of a name.
    word = re.compile(rb"#[ \t]*define[ \t]+" + own + rb"\b|" + _BEFORE + own + rb"\b(?!\s*[\w*])")
    for start, end in there:
        if (match := word.search(source.original, start, end)) is not None:
            return Hidden(source.lines.line_of(match.end() - 1) + 1, _given(source.original, start, match.start()))
    return None


def _given(text: bytes, start: int, place: int) -> str:
    """The name that the condition asks for under which a place is, in a branch that begins at `start`; else empty."""
    line = text.rfind(b"\n", 0, max(start - 1, 0)) + 1
    conditions = [one for one in DIRECTIVE.finditer(text, line, place) if one[1] in _CONDITIONS]
    if len(conditions) != 1 or conditions[0][1] not in {b"if", b"ifdef", b"elif"}:
        return ""
    only = _ASKED.fullmatch(conditions[0][2])
    return only[1].decode() if only is not None else ""
