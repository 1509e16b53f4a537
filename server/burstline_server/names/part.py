"""A part of a file: what it declares, and every place that writes a name. Places count from its start.

A part is a section, or several that the use of one macro makes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Kind = Literal["kernel", "function", "parameter", "variable", "channel", "macro", "type", "field", "enumerator"]
Range = tuple[int, int]
Key = tuple[str, str]
"""A name with C's space of names that it is one of: "type", "field", or empty."""


@lru_cache(maxsize=8192)
def key_of(space: str, text: str) -> Key:
    """The key of a name; most are written often, and share one."""
    return space, text


@dataclass(frozen=True, slots=True)
class Declared:
    """A declared name; `shown` and `whole` hold the declaration without the body and with it.

    Without a `scope` the whole file sees it. `space` is the address space that the declaration names, `body` the scope
    of a function that is defined.
    """

    key: Key
    kind: Kind
    start: int
    end: int
    shown: Range
    whole: Range
    scope: Range | None = None
    space: str | None = None
    body: Range | None = None


@dataclass(frozen=True, slots=True)
class NameUse:
    """A place that uses a name.

    `target` counts the part's declarations (None: the name is the file's, if it is any), and so does `function`, in
    whose body it is. `macro` is the one that makes the text, `base` what a field is taken from, with its target.
    """

    key: Key
    start: int
    end: int
    target: int | None
    function: int | None
    called: bool
    macro: str | None = None
    base: tuple[Key, int | None] | None = None


@dataclass(frozen=True, slots=True)
class ParsedPart:
    """All that a part declares and writes."""

    declared: Sequence[Declared]
    written: Sequence[NameUse]

    def local(self, text: str, place: int) -> int | None:
        """Which declaration a name means at a place, where it is one that only the part sees."""
        inside = (
            (d.scope[1] - d.scope[0], -number)
            for number, d in enumerate(self.declared)
            if d.key == ("", text) and d.scope is not None and d.end <= place and d.scope[0] <= place < d.scope[1]
        )
        innermost = min(inside, default=None)
        return -innermost[1] if innermost is not None else None
