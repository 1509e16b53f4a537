"""The members of a variable's type, as far as its declaration tells them."""

from __future__ import annotations

import re

from burstline_server.language.vocabulary import find
from burstline_server.names.table import NameTable

_WORD = re.compile(r"[A-Za-z_]\w*")
_LETTERS = "xyzw"


def members_of(names: NameTable, base: str, offset: int) -> list[tuple[str, str]]:
    """The members that can follow `base.` at a byte of the file, with what they are: fields, or a vector's elements."""
    variable = next((n for n in names.visible(offset) if n.text == base), None)
    if variable is None:
        return []
    words = _WORD.findall(variable.detail.partition(base)[0])
    for word in words:
        type_ = names.find(word, "type")
        if type_ is not None:
            inside = (n for n in names.names if n.kind == "field" and n.place.file == type_.whole.file)
            return [(n.text, n.detail) for n in inside if type_.whole.start <= n.place.start < type_.whole.end]
        lanes = re.fullmatch(r"[a-z]+(\d+)", word)
        if lanes is not None and find(word, "type") is not None:
            count = int(lanes[1])
            halves = ["lo", "hi", "even", "odd"]
            elements = (*_LETTERS[:count], *halves, *(f"s{i:x}" for i in range(count)))
            return [(element, f"element of {word}") for element in elements]
    return []
