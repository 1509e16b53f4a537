"""What a section of a file declares, needs from elsewhere, and does that C refuses. Places count from its start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from burstline_model.record import fixed
from burstline_server.faults.delimiters import Broken
from burstline_server.source.edit import Edit

Use = Literal["value", "call", "type", "member", "constant", "written", "tag", "complete"]


@fixed
class Free:
    """A name that the section does not declare: how it is used there, and by how many arguments it is called.

    The name of a structure (`tag`) must be that of one that is defined before where its size counts (`complete`).
    """

    name: str
    start: int
    end: int
    use: Use
    arguments: int = -1


@fixed
class Declares:
    """Something that the whole file sees: the arguments that a function takes, whether a variable is constant."""

    name: str
    kind: Literal["function", "variable", "type"]
    arguments: int = -1
    constant: bool = False


@fixed
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
    """A section as it was read; `broken` ones are not understood, and only `words` are known of them.

    Places are those of the text that was read; `now` has them after the `edits` since then.
    """

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
    exact: bool = False
    """Whether the grammar understands all of it."""
    spills: bool = False
    """Whether it holds what belongs into the function before it."""
    kernel: tuple[str, int, int] | None = None
    """Name and place of a kernel whose definition is not understood."""
    edits: tuple[Edit, ...] = ()
    """What has changed since it was read, none of its words."""

    @property
    def broken(self) -> bool:
        """Whether it is not understood."""
        return bool(self.syntax)

    def like(self, other: Section) -> bool:
        """Whether the other one is this one `after` edits, or the reverse."""
        return self.declares is other.declares

    def after(self, edit: Edit) -> Section:
        """The same after an edit that changed none of its words; for one that is understood."""
        last = self.edits[-1] if self.edits else None
        if last is not None and last.start <= edit.start <= last.new_end:
            return replace(self, edits=(*self.edits[:-1], last.followed_by(edit)))
        if len(self.edits) < MOST_EDITS:
            return replace(self, edits=(*self.edits, edit))
        return replace(
            self,
            refused=[Broken(*self.now(b.start, b.end), b.message) for b in self.refused],
            free=[Free(f.name, *self.now(f.start, f.end), f.use, f.arguments) for f in self.free],
            definitions=[
                Definition(d.name, *self.now(d.start, d.end), *self.now(d.name_start, d.name_end), d.kernel, d.calls)
                for d in self.definitions
            ],
            edits=(edit,),
        )

    def now(self, start: int, end: int) -> tuple[int, int]:
        """Where a range of the text that was read is after the edits since then."""
        for edit in self.edits:
            start, end = edit.after(start), end if end <= edit.start else end + edit.by
        return start, end


MOST_EDITS = 16
"""From so many edits on, at different places, all places are set anew."""
