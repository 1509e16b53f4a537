"""The names that all sections of a file declare, and the sections in which every name is in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from burstline_server.faults.section import Section
from burstline_server.source.source import Source

Placed = tuple[tuple[int, int], Section]


@dataclass(slots=True)
class Declared:
    """What sections declare."""

    missing: bool
    """Whether a header is not found."""
    functions: dict[str, set[int]] = field(default_factory=dict)
    """The numbers of arguments that each takes."""
    variables: dict[str, bool] = field(default_factory=dict)
    types: set[str] = field(default_factory=set)
    tags: dict[str, int] = field(default_factory=dict)
    """Structures, with the first section that defines each."""
    members: set[str] = field(default_factory=set)
    constants: set[str] = field(default_factory=set)
    """Names that are used where a constant is required."""
    doubtful: dict[str, int] = field(default_factory=dict)
    """Words of sections that are not understood, by section: what these declare is not known."""
    _in_order: dict[int, Section] = field(default_factory=dict, compare=False)
    """Sections that use names as they are declared here alone, by their identities."""

    def in_order(self, section: Section) -> bool:
        """Whether a section is known to use names as they are declared alone."""
        return id(section) in self._in_order

    def note_in_order(self, section: Section) -> None:
        """Remember that a section uses names as they are declared alone."""
        self._in_order[id(section)] = section

    def keep(self, before: Declared, sections: Sequence[Placed]) -> None:
        """Take over what is known of sections that are still there."""
        self._in_order = {id(one): one for _, one in sections if before.in_order(one)}


def declared_in(source: Source, sections: Sequence[Placed], *, missing: bool) -> Declared:
    """What the sections of a file declare; worked out anew where an edit has changed it."""
    known: tuple[Sequence[Placed], Declared] | None = source.kept.get(Declared)
    if known is not None and known[1].missing == missing and _alike(known[0], sections):
        now = known[1]
    else:
        now = _collected(sections, missing=missing)
    if known is not None and now == known[1]:
        now.keep(known[1], sections)
    source.kept[Declared] = sections, now
    return now


def _alike(before: Sequence[Placed], now: Sequence[Placed]) -> bool:
    """Whether sections were read from the same words."""
    return len(before) == len(now) and all(a is b or a.like(b) for (_, a), (_, b) in zip(before, now, strict=True))


def _collected(sections: Sequence[Placed], *, missing: bool) -> Declared:
    found = Declared(missing)
    for number, (_, section) in enumerate(sections):
        for one in section.declares:
            if one.kind == "function":
                found.functions.setdefault(one.name, set()).add(one.arguments)
            elif one.kind == "type":
                found.types.add(one.name)
            else:
                found.variables[one.name] = one.constant
        found.members |= section.members
        for tag in section.tags:
            found.tags.setdefault(tag, number)
        found.constants.update(f.name for f in section.free if f.use == "constant")
        for word in section.words:
            found.doubtful.setdefault(word, number)
    return found
