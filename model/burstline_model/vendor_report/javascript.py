"""The variables of a ``report_data.js``: JSON values, since 17.0 inside JavaScript strings. Nothing is evaluated."""

from __future__ import annotations

import json
import re
from typing import Any

_VARIABLE = re.compile(r"(?:^|[;\s])var\s+(\w+)\s*=\s*")
_CLOSING = re.compile(r"(?<!\\)(?:\\\\)*'")
MAX_VARIABLES = 64
"""Most variables that are looked for: reports have about fifteen, and each may cost a look at all that follows."""
_OCTAL = re.compile(r"\\([0-7]{3})")


def variables(text: str) -> dict[str, Any]:
    """Each variable that holds a JSON value, by name; one that cannot be read is left out."""
    found: dict[str, Any] = {}
    at = 0
    for _ in range(MAX_VARIABLES):
        match = _VARIABLE.search(text, at)
        if match is None:
            break
        start = match.end()
        if text.startswith("'", start):
            closing = _CLOSING.search(text, start + 1)
            end = closing.end() - 1 if closing is not None else len(text)
            candidates = (text[start + 1 : end].replace("\\'", "'"),)
            at = end
        else:
            candidates = (text[start:],)
            at = start
        for candidate in candidates:
            value, length = decoded(candidate)
            if value is not None:
                found[match[1]] = value
                at = max(at, start + length)
    return found


def decoded(text: str) -> tuple[Any, int]:
    """The JSON value a text begins with, and how many characters it took; (None, 0) when there is none.

    Old reports write control characters in octal, and some escape what lies in a string twice.
    """
    decoder = json.JSONDecoder(strict=False)
    try:
        return decoder.raw_decode(text)
    except (ValueError, RecursionError):
        pass
    plain = _OCTAL.sub(lambda m: f"\\u{int(m[1], 8):04x}", text)
    for candidate in (plain, plain.replace("\\\\", "\\")):
        try:
            return decoder.raw_decode(candidate)[0], 0
        except (ValueError, RecursionError):
            continue
    return None, 0
