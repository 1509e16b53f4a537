"""The members of a variable's type, as far as its declaration tells them."""

from __future__ import annotations

import re

from burstline_server.language.vocabulary import find
from burstline_server.names.table import Name, NameTable

_WORD = re.compile(r"[A-Za-z_]\w*")
_LETTERS = "xyzw"


def members_of(names: NameTable, base: str, offset: int) -> list[tuple[str, str]]:
    """The members that can follow `base.` at a byte of the file, with what they are: fields, or a vector's elements."""
    variable = next((n for n in names.visible(offset) if n.text == base), None)
    for word in type_words(variable) if variable is not None else ():
        type_ = names.find(word, "type")
        if type_ is not None:
            return [(n.text, n.detail) for n in names.names if n.kind == "field" and belongs(n, type_)]
        lanes = re.fullmatch(r"[a-z]+(\d+)", word)
        if lanes is not None and find(word, "type") is not None:
            count = int(lanes[1])
            elements = (*_LETTERS[:count], "lo", "hi", "even", "odd", *(f"s{i:x}" for i in range(count)))
            return [(element, f"element of {word}") for element in elements]
    return []


def type_words(variable: Name) -> list[str]:
    """The words that a declaration writes before what it declares."""
    return _WORD.findall(re.split(rf"\b{re.escape(variable.text)}\b", variable.detail, maxsplit=1)[0])


def belongs(field: Name, type_: Name) -> bool:
    """Whether a field is one of a structure's."""
    whole = type_.whole
    return field.place.file == whole.file and whole.start <= field.place.start < whole.end
