"""The names that all sections of a file declare, and which uses of names these do not settle."""

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
    _doubted: dict[int, tuple[Section, tuple[int, ...]]] = field(default_factory=dict, compare=False)
    """Which names of sections are not used as they are declared here, by what stays of a section after edits."""

    def doubted(self, section: Section) -> Sequence[int]:
        """The names of a section that have to be looked at, by their numbers; all of one that is not known."""
        known = self._doubted.get(id(section.declares))
        return known[1] if known is not None else range(len(section.free))

    def note_doubted(self, section: Section, numbers: Sequence[int]) -> None:
        """Remember which names of a section are not used as they are declared."""
        self._doubted[id(section.declares)] = section, tuple(numbers)

    def keep(self, before: Declared, sections: Sequence[Placed]) -> None:
        """Take over what is known of sections that are still there."""
        known = before._doubted
        self._doubted = {key: known[key] for _, one in sections if (key := id(one.declares)) in known}


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
