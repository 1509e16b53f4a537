"""The names of a file: what each stands for, where it is declared, used, and seen."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from burstline_model.facts import Span
from burstline_server.source.source import Source

Kind = Literal["kernel", "function", "parameter", "variable", "channel", "macro", "type", "field", "enumerator"]
Range = tuple[int, int]


@dataclass(eq=False, slots=True)
class Name:
    """One thing that has a name. `scope` and `since` count in the parsed text; without a scope the file sees it.

    `detail` is its declaration on one line, `space` the address space that the declaration names, `whole` all of a
    definition. `macros` are those whose bodies use the name: there it cannot be seen.
    """

    text: str
    kind: Kind
    place: Span
    whole: Span
    detail: str
    scope: Range | None = None
    since: int = 0
    space: str | None = None
    declared: list[Span] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    macros: set[str] = field(default_factory=set)

    @property
    def places(self) -> list[Span]:
        """Every place that writes the name, in the order of the file; those in other files come last."""
        spans = {*self.declared, *(use.span for use in self.uses)}
        return sorted(spans, key=lambda s: (s.file or "", s.start))


@dataclass(frozen=True, slots=True)
class Use:
    """A place that uses a name, the function it stands in, and whether it is called there."""

    span: Span
    function: Name | None = None
    called: bool = False


@dataclass(frozen=True)
class NameTable:
    """All names of a file. `strangers` are the calls of functions that it does not declare."""

    source: Source
    names: tuple[Name, ...]
    strangers: tuple[tuple[str, Use], ...]
    _places: tuple[tuple[int, int, Name], ...]

    def at(self, offset: int) -> tuple[Name, Span] | None:
        """The name that is written at a byte of the user's file, or that ends there, and its place."""
        i = bisect_right(self._places, offset, key=lambda p: p[0]) - 1
        if i < 0 or self._places[i][1] < offset:
            return None
        start, end, name = self._places[i]
        return name, Span(start=start, end=end)

    def visible(self, offset: int) -> Iterator[Name]:
        """The names that can be used at a byte of the user's file, the innermost first, each text once."""
        place = self.source.offset_of(offset)
        place = offset if place is None else place
        seen: dict[str, Name] = {}
        for name in self.names:
            inside = name.scope is None or name.scope[0] <= place <= name.scope[1]
            if inside and name.kind != "field" and (name.scope is None or name.since < place):
                outer = seen.get(name.text)
                if outer is None or _width(name) <= _width(outer):
                    seen[name.text] = name
        yield from sorted(seen.values(), key=_width)

    def find(self, text: str, *kinds: Kind) -> Name | None:
        """The name of the whole file with this text, of one of these kinds where some are given."""
        of_file = (n for n in self.names if n.text == text and n.scope is None)
        return next((n for n in of_file if not kinds or n.kind in kinds), None)

    @property
    def functions(self) -> list[Name]:
        """Kernels and helper functions."""
        return [n for n in self.names if n.kind in {"kernel", "function"}]


def _width(name: Name) -> int:
    return 1 << 62 if name.scope is None else name.scope[1] - name.scope[0]
