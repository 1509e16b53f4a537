"""What a check of a file finds: its faults, by the sections and kernels that they touch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from burstline_model.facts import Span
from burstline_model.record import fixed
from burstline_server.faults.checked_sections import Range, sections_of
from burstline_server.faults.fault import Fault, Withheld
from burstline_server.faults.section import Section
from burstline_server.source.source import Source

MAX_FAULTS = 100
"""Most faults of a file that are reported."""


def place_of(fault: Fault) -> tuple[int, int]:
    """Where a fault begins and ends, for sorting."""
    return fault.span.start, fault.span.end


@fixed
class Checked:
    """The faults of a file, and its kernels without figures: places in the parsed text, names and faults."""

    faults: tuple[Fault, ...] = ()
    everywhere: tuple[Fault, ...] = ()
    """Those that touch every kernel."""
    sections: tuple[tuple[Range, tuple[Fault, ...]], ...] = ()
    """The sections with faults, in order."""
    lost: tuple[Withheld, ...] = ()
    """The kernels whose definitions are not understood."""

    def touching(self, place: int) -> tuple[Fault, ...]:
        """The faults in the section around a place of the parsed text."""
        return next((faults for (start, stop), faults in self.sections if start <= place < stop), ())

    def touches_any(self, ranges: Sequence[Range]) -> bool:
        """Whether faults touch any of some functions, from their start to their end in the parsed text."""
        return bool(self.everywhere) or any(self.touching(start) for start, _ in ranges)

    def with_more(self, more: Sequence[tuple[Range, Fault]]) -> Checked:
        """The same with more faults, each with its section."""
        sections = {place: list(own) for place, own in self.sections}
        for place, fault in more:
            sections.setdefault(place, []).append(fault)
        every = sorted(dict.fromkeys((*self.faults, *(fault for _, fault in more))), key=place_of)
        touched = tuple((place, tuple(dict.fromkeys(own))) for place, own in sorted(sections.items()))
        return replace(self, faults=tuple(every[:MAX_FAULTS]), sections=touched)

    def confirmed(self, others: Sequence[Checked], own: str) -> Checked:
        """Without the names that are declared where other files include this one, called `own`.

        `others` are the faults of these files; a name that one of them knows is no fault. What each of them lacks a
        header for may be what this file lacks.
        """
        lack = all(any(f.given for f in o.faults) for o in others)
        places = [{f.written.start for f in o.faults if f.written and f.written.file == own} for o in others]

        def holds(fault: Fault) -> bool:
            if fault.kind != "undeclared" or (fault.given and lack):
                return True
            return all(fault.span.start in seen for seen in places)

        sections = [(place, tuple(filter(holds, faults))) for place, faults in self.sections]
        # Names that are no faults may have been so many that others were not among the first.
        every = dict.fromkeys((*self.everywhere, *(fault for _, faults in sections for fault in faults)))
        return replace(
            self,
            faults=tuple(sorted(every, key=place_of)[:MAX_FAULTS]),
            sections=tuple((place, faults) for place, faults in sections if faults),
        )


NONE = Checked()
_ELSEWHERE = re.compile(r"in [^,]+, line \d+: ")


def without_place(message: str) -> str:
    """The message of a fault without the file and line that it names first."""
    return _ELSEWHERE.sub("", message, count=1)


def common(others: Sequence[Checked], own: str) -> list[Fault]:
    """What every file that includes the one called `own` finds wrong in it, at its places there.

    That may be more than the file by itself shows: without the types of those files much of it is not understood.
    """
    seen = [
        {
            (f.kind, f.written.start, f.written.end, without_place(f.message))
            for f in other.faults
            if f.written is not None and f.written.file == own and not f.given
        }
        for other in others
    ]
    shared = sorted(set.intersection(*seen), key=lambda one: one[1:]) if seen else []
    return [Fault(kind, Span(start=start, end=end), message) for kind, start, end, message in shared]


def _used(section: Section) -> frozenset[tuple[bool, str]]:
    """The structures (True) and other names that a section does not declare, members left out."""
    return frozenset((free.use in {"tag", "complete"}, free.name) for free in section.free if free.use != "member")


def inherited(source: Source, found: Checked) -> Checked:
    """The same, where what uses a type or a variable at file scope has the faults of its declaration."""
    own = dict(found.sections)
    if not own:
        return found
    wrong: dict[tuple[bool, str], dict[Fault, None]] = {}
    for place, section in sections_of(source):
        used = _used(section) if wrong else frozenset[tuple[bool, str]]()
        handed_on = {fault: None for name in used & wrong.keys() for fault in wrong[name]}
        if handed_on:
            own[place] = tuple({**dict.fromkeys(own.get(place, ())), **handed_on})
        errors = handed_on | dict.fromkeys(own.get(place, ()))
        if errors and not section.definitions:
            names = [(False, one.name) for one in section.declares if one.kind != "function"]
            for name in (*names, *((True, tag) for tag in section.tags)):
                wrong.setdefault(name, {}).update(errors)
    return replace(found, sections=tuple(sorted(own.items())))
