"""What a name means, and a place that uses it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from burstline_model.facts import Span
from burstline_server.names.part import Kind

_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(eq=False, slots=True)
class Name:
    """One thing that has a name: `place` names it, `whole` is all of a definition.

    `detail` is its declaration on one line, `space` the address space that the declaration names. `part` is the part of
    the file that defines it (None: a macro), `local` its number there where only that part sees it.
    """

    text: str
    kind: Kind
    place: Span
    whole: Span
    detail: str
    space: str | None = None
    part: int | None = None
    local: int | None = None
    declared: list[Span] = field(default_factory=list)

    @property
    def type_words(self) -> list[str]:
        """The words that its declaration writes before it."""
        return _WORD.findall(re.split(rf"\b{re.escape(self.text)}\b", self.detail, maxsplit=1)[0])

    def holds(self, field: Name) -> bool:
        """Whether a field is one of this structure's."""
        return field.place.file == self.whole.file and self.whole.start <= field.place.start < self.whole.end


@dataclass(frozen=True, slots=True)
class Use:
    """A place that uses a name, the function it is in, and whether it is called there."""

    span: Span
    function: Name | None = None
    called: bool = False
