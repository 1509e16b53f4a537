"""The members of a variable's type, as far as its declaration shows them."""

from __future__ import annotations

import re

from burstline_server.language.vocabulary import find
from burstline_server.names.name_table import NameTable

_LETTERS = "xyzw"


def members_of(names: NameTable, base: str, offset: int) -> list[tuple[str, str]]:
    """The members that can follow `base.` at a byte of the file, with what they are: fields, or a vector's elements."""
    variable = next(iter(names.visible(offset, base)), None)
    for word in variable.type_words if variable is not None else ():
        type_ = names.find(word, "type")
        if type_ is not None:
            return [(field.text, field.detail) for field in names.fields(type_)]
        lanes = re.fullmatch(r"[a-z]+(\d+)", word)
        if lanes is not None and find(word, "type") is not None:
            count = int(lanes[1])
            elements = (*_LETTERS[:count], "lo", "hi", "even", "odd", *(f"s{i:x}" for i in range(count)))
            return [(element, f"element of {word}") for element in elements]
    return []
