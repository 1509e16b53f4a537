"""What a section of a file declares, needs from elsewhere, and does that C refuses. Places count from its start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from burstline_server.faults.delimiters import Broken
from burstline_server.source.edit import Edit

Use = Literal["value", "call", "type", "member", "constant", "written", "tag", "complete"]


@dataclass(frozen=True, slots=True)
class Free:
    """A name that the section does not declare: how it is used there, and by how many arguments it is called.

    The name of a structure (`tag`) must be that of one that is defined before where its size counts (`complete`).
    """

    name: str
    start: int
    end: int
    use: Use
    arguments: int = -1


@dataclass(frozen=True, slots=True)
class Declares:
    """Something that the whole file sees: the arguments that a function takes, whether a variable is constant."""

    name: str
    kind: Literal["function", "variable", "type"]
    arguments: int = -1
    constant: bool = False


@dataclass(frozen=True, slots=True)
class Definition:
    """A function that is defined: the range of the definition and of its name, and what it calls."""

    name: str
    start: int
    end: int
    name_start: int
    name_end: int
    kernel: bool
    calls: frozenset[str]


@dataclass(slots=True)
class Section:
    """A section as it was read; `broken` ones are not understood, and only `words` are known of them."""

    syntax: Sequence[Broken] = ()
    refused: list[Broken] = field(default_factory=list)
    free: list[Free] = field(default_factory=list)
    declares: list[Declares] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)
    """Structures and unions that are defined."""
    members: set[str] = field(default_factory=set)
    locals: set[str] = field(default_factory=set)
    definitions: list[Definition] = field(default_factory=list)
    words: frozenset[str] = frozenset()
    spills: bool = False
    """Whether it holds what belongs into the function before it."""
    kernel: tuple[str, int, int] | None = None
    """Name and place of a kernel whose definition is not understood."""

    @property
    def broken(self) -> bool:
        """Whether it is not understood."""
        return bool(self.syntax)

    @property
    def asks_for_order(self) -> bool:
        """Whether something in it has to be defined in front of it: equal sections may differ in that."""
        return any(one.use == "complete" for one in self.free)

    def like(self, other: Section) -> bool:
        """Whether the other one is this one `after` edits, or the reverse."""
        return self.declares is other.declares

    def after(self, edit: Edit) -> Section:
        """The same after an edit that changed none of its words; for one that is understood."""

        def place(start: int, end: int) -> tuple[int, int]:
            return edit.after(start), end if end <= edit.start else end + edit.by

        return replace(
            self,
            refused=[Broken(*place(b.start, b.end), b.message) for b in self.refused],
            free=[
                f if f.end <= edit.start else Free(f.name, *place(f.start, f.end), f.use, f.arguments)
                for f in self.free
            ],
            definitions=[
                Definition(d.name, *place(d.start, d.end), *place(d.name_start, d.name_end), d.kernel, d.calls)
                for d in self.definitions
            ],
        )
