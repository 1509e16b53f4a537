"""The faults of a file, and the kernels that they touch."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from burstline_model.facts import Span
from burstline_model.parallelism.simd_limits import are_built
from burstline_model.record import fixed
from burstline_server.faults.checked import MAX_FAULTS, NONE, Checked, place_of
from burstline_server.faults.checked_sections import Range, sections_of
from burstline_server.faults.declared_names import Declared, declared_in
from burstline_server.faults.delimiters import Broken, open_comment
from burstline_server.faults.fault import Fault, FaultKind, Withheld
from burstline_server.faults.known_names import arguments_of, is_known, is_type
from burstline_server.faults.likely_names import most_alike
from burstline_server.faults.other_branches import hidden
from burstline_server.faults.placed import placed
from burstline_server.faults.section import Free, Section
from burstline_server.source.mask import Note, blank
from burstline_server.source.preprocessed import BadDirective
from burstline_server.source.source import Source

MAX_NAMED = 1
"""Most names that one fault lists."""
_NO_CODE = re.compile(
    rb"""//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)|^[ \t]*+#[^\n]*+""", re.MULTILINE
)
_UNCLOSED = re.compile(r"expected '[)}\]]'")
"""What only a macro in place of a bracket may be to blame for: one that is used like a statement."""
_SWIZZLE = re.compile(r"[xyzw]{1,16}|[rgba]{1,16}|[sS][0-9a-fA-F]{1,16}|lo|hi|even|odd")
_NAME = re.compile(r"[A-Za-z_]\w*")
_NUMBERED = re.compile(r"reqd_work_group_size|num_simd_work_items|num_compute_units|max_global_work_dim")
_COPIES = re.compile(rf"(?:{_NUMBERED.pattern})\w*\s*\(([^()]*)\)")
_GROUP = re.compile(r"reqd_work_group_size\w*\s*\(\s*(\d{1,9})[uU]?\s*[,)]")
_LANES = re.compile(r"num_simd_work_items\w*\s*\(\s*(\d{1,9})[uU]?\s*\)")
_EMPTY_GROUP = re.compile(r"reqd_work_group_size\w*\s*\((?:[^()]*,)?\s*0+[uU]?\s*[,)]")
_UNROLL = re.compile(r"unroll\b(.*)", re.DOTALL)
_FOR = re.compile(rb"\s*+for\s*+\(([^;{}]*+);([^;{}]*+);([^;{}()]*+)")
"""The head of a loop: its start, its condition and its step."""
_CAPITAL = re.compile(rb"[A-Z\x80-\xff]")
"""What a name of the build has at least one of."""
_FREE = re.compile(r"(?<![\w.>])[A-Za-z_]\w*+(?!\s*\()")
"""Names that are no members and not called."""
_MACRO_CALL = re.compile(rb"(?<![\w.])([A-Za-z_]\w*+)\s*+(?:\([^()]*+\)\s*+)?\Z")
"""A name, perhaps with arguments, that no semicolon follows."""
MAX_CALL = 200
"""Bytes before a line in which such a use is looked for."""
_OF_DATA = {"written", "member", "tag", "complete"}
_NUMBER_OR_COMMENT = re.compile(r"\b\d\w*|//.*|/\*.*")


def checked(source: Source) -> Checked:
    """What the compiler would refuse in a file that has kernels, or in which a comment may swallow them."""
    if source.template:
        return NONE
    if not any(n.kind == "qualifier" and n.text.strip("_") == "kernel" for n in source.notes):
        one = open_comment(source.text)
        return Checked((placed(source, "syntax", one.start, one.end, one.message),)) if one is not None else NONE
    sections = sections_of(source)
    missing = any(file is None for _, _, file in source.includes)
    return _Check(source, sections, declared_in(source, sections, missing=missing)).checked()


def is_build_name(name: str) -> bool:
    """Whether a name looks like a macro that a build gives."""
    return name == name.upper() and any(c.isalpha() for c in name)


@fixed
class _Counts:
    """What an attribute says of copies: a work-group's first dimension, SIMD lanes, texts that hold names."""

    group: int
    lanes: int
    empty: bool
    named: tuple[str, ...]


@lru_cache(maxsize=1024)
def _counts(text: str) -> _Counts | None:
    """What an attribute says of copies; None for one that says nothing."""
    if not _NUMBERED.search(text):
        return None
    group, lanes = (next(iter(one.findall(text)), "0") for one in (_GROUP, _LANES))
    named = tuple(inside for inside in _COPIES.findall(text) if _NAME.search(_NUMBER_OR_COMMENT.sub(" ", inside)))
    return _Counts(int(group), int(lanes), _EMPTY_GROUP.search(text) is not None, named)


@lru_cache(maxsize=1024)
def _names_in(text: str) -> tuple[str, ...]:
    """The names in what gives a number of copies."""
    return tuple(_NAME.findall(_NUMBER_OR_COMMENT.sub(" ", text)))


@dataclass(slots=True)
class _Check:
    """Joins what sections declare with what they need."""

    source: Source
    sections: list[tuple[Range, Section]]
    names: Declared
    found: dict[int, list[Fault]] = field(default_factory=dict)
    needed: dict[str, list[int]] = field(default_factory=dict)
    """Names that a missing header must declare, with the sections that use them."""
    placed: set[tuple[int, str]] = field(default_factory=set)
    """Names that are reported at their first use, by section."""
    leaning: list[tuple[int, int]] = field(default_factory=list)
    """Sections that use what another one may declare that is not understood."""
    doubts: int = 0
    """How many uses of names were not in order."""
    starts: list[int] = field(default_factory=list)
    """Where each section begins."""
    candidates: dict[str | int, tuple[str, ...]] = field(default_factory=dict)
    """The names that are declared, in order, by the use or the section."""

    def checked(self) -> Checked:
        """All faults."""
        self.starts = [place[0] for place, _ in self.sections]
        whole = [_refused(r) for r in self.source.remarks if isinstance(r, BadDirective)]
        missing = [i for i in self.source.includes if i[2] is None]
        for number, (place, section) in enumerate(self.sections):
            if section.broken:
                self._broken(number, place, section, missing=bool(missing))
            for one in section.refused:
                self._add(number, self._fault("refused", place, Broken(*section.now(one.start, one.end), one.message)))
            doubted = list[int]()
            for n in self.names.doubted(section):
                doubts, free = self.doubts, section.free[n]
                self._name(number, place, free, missing=bool(missing))
                # What has to be defined in front of a section depends on where that is.
                if doubts != self.doubts or free.use == "complete":
                    doubted.append(n)
            if section.free:
                self.names.note_doubted(section, doubted)
        self._factors(missing=bool(missing))
        self._recursion()
        if self.needed:
            self._missing(missing)
        self._spread()
        every = sorted({f: None for own in self.found.values() for f in own} | dict.fromkeys(whole), key=place_of)
        touched = [(self.sections[n][0], tuple(self.found[n])) for n in sorted(self.found)]
        return Checked(tuple(every[:MAX_FAULTS]), tuple(whole), tuple(touched), tuple(self._lost(whole)))

    def _add(self, number: int, fault: Fault) -> None:
        own = self.found.setdefault(number, [])
        if fault not in own:
            own.append(fault)

    def _fault(self, kind: FaultKind, place: Range, one: Broken, *, given: bool = False) -> Fault:
        return placed(self.source, kind, place[0] + one.start, place[0] + one.end, one.message, given=given)

    # -- text that is not understood -------------------------------------------------------------------

    def _broken(self, number: int, place: Range, section: Section, *, missing: bool) -> None:
        unknown = [w for w in section.words if is_build_name(w) and not self._declared(w)]
        for one in section.syntax:
            near = self._unknown_near(place, one, unknown)
            if near is not None and missing:
                self.needed.setdefault(near, []).append(number)
            elif near is not None:
                message = (
                    f"{near} is not defined here, and the text around it is not understood: give it with -D {near}=…"
                )
                self._add(number, self._fault("undeclared", place, Broken(one.start, one.end, message), given=True))
            else:
                self._add(number, self._fault("syntax", place, one))

    def _unknown_near(self, place: Range, one: Broken, unknown: Collection[str]) -> str | None:
        """A name of the build right at a fault, or used like a statement that ends there or just before its line."""
        text = _NO_CODE.sub(lambda m: blank(m[0]), self.source.text[place[0] : place[1]])
        line = max(0, text.rfind(b"\n", 0, one.start))
        around = [] if _UNCLOSED.match(one.message) else text[line : one.end].decode("utf-8", "replace").split()[-3:]
        words = [w for piece in around for w in _NAME.findall(piece)]
        for end in (line, one.end):
            before = _MACRO_CALL.search(text[max(0, end - MAX_CALL) : end])
            if before is not None:
                words.append(before[1].decode())
        return next((w for w in words if w in unknown), None)

    # -- names -----------------------------------------------------------------------------------------

    def _declared(self, name: str) -> bool:
        known = name in self.names.functions or name in self.names.variables or name in self.names.types
        return known or is_known(name)

    def _name(self, number: int, place: Range, free: Free, *, missing: bool) -> None:
        name, use = free.name, free.use
        if use in _OF_DATA:
            self._data(number, place, free, missing=missing)
        elif use == "call" and name in self.names.functions:
            self._arguments(number, place, free, self.names.functions[name])
        elif use == "call" and (counts := arguments_of(name)) is not None:
            if not counts[0] <= free.arguments <= counts[1]:
                self._refuse(number, place, free, _miscounted(name, counts, free.arguments))
        elif self._declared(name) or (use == "type" and is_type(name)):
            return
        elif use in {"type", "call"} or not (is_build_name(name) or name in self.names.constants):
            self._unknown(number, place, free, _unknown_text(free), missing=missing)

    def _data(self, number: int, place: Range, free: Free, *, missing: bool) -> None:
        """A constant that is written, a member, or a structure."""
        name = free.name
        if free.use == "written":
            if self.names.variables.get(name):
                self._refuse(number, place, free, f"cannot assign to '{name}': it is constant")
        elif free.use == "member":
            if name not in self.names.members and not _SWIZZLE.fullmatch(name):
                self._unknown(number, place, free, f"no member named '{name}'", missing=missing)
        elif free.use == "complete":
            known = missing or name in self.names.doubtful or self.names.tags.get(name, number) < number
            if not known:
                self._refuse(number, place, free, f"field has incomplete type '{name}'")

    def _arguments(self, number: int, place: Range, free: Free, counts: set[int]) -> None:
        if -1 not in counts and free.arguments not in counts:
            count = min(counts, key=lambda c: abs(c - free.arguments))
            self._refuse(number, place, free, _miscounted(free.name, (count, count), free.arguments))

    def _refuse(self, number: int, place: Range, free: Free, message: str) -> None:
        self.doubts += 1
        self._add(number, self._fault("refused", place, self._at(number, free, message)))

    def _at(self, number: int, free: Free, message: str) -> Broken:
        return Broken(*self.sections[number][1].now(free.start, free.end), message)

    def _unknown(self, number: int, place: Range, free: Free, message: str, *, missing: bool) -> None:
        self.doubts += 1
        if free.name in self.names.doubtful:
            self.leaning.append((number, self.names.doubtful[free.name]))
            return
        if missing:
            self._from_header(number, place, free, message)
            return
        macro = self.source.macros.get(free.name)
        if macro is not None and macro.parameters is not None:
            low = len(macro.parameters) - macro.variadic
            counts = (low, 9999 if macro.variadic else low)
            if counts[0] <= free.arguments <= counts[1]:
                return  # a use that is too large to be expanded
            message = _miscounted(free.name, counts, free.arguments) if free.arguments >= 0 else message
        other = hidden(self.source, free.name)
        given = is_build_name(free.name) and free.use in {"type", "call"} and macro is None
        if other is not None:
            given = True
            what = f"give -D {other.given}" if other.given else "check its -D"
            message = f"'{free.name}' is declared on line {other.line}, in a branch that is not compiled: {what}"
        elif given:
            message = f"{free.name} is not defined here: give it with -D {free.name}=…, or include what defines it"
        else:
            message += self._nearest(number, free)
        self._add(number, self._fault("undeclared", place, self._at(number, free, message), given=given))

    def _from_header(self, number: int, place: Range, free: Free, message: str) -> None:
        """A name that a missing header may declare: said at its first use, where it may as well be misspelt.

        Headers declare functions, types and names in capitals; a variable is rarely one of theirs.
        """
        near = self._nearest(number, free)
        if not near and (free.use in {"type", "call", "member"} or is_build_name(free.name)):
            self.needed.setdefault(free.name, []).append(number)
        elif (number, free.name) not in self.placed:
            self.placed.add((number, free.name))
            message += f"{near} Or" if near else "; or"
            message += " a header that is not found declares it"
            self._add(number, self._fault("undeclared", place, self._at(number, free, message), given=True))

    def _nearest(self, number: int, free: Free) -> str:
        group = free.use if free.use in {"member", "type", "call"} else number
        if group not in self.candidates:
            self.candidates[group] = tuple(sorted(self._names_for(free.use, self.sections[number][1])))
        near = most_alike(free.name, self.candidates[group])
        return f"; did you mean '{near}'?" if near else ""

    def _names_for(self, use: str, section: Section) -> set[str]:
        """The names that one in a section may be a misspelling of."""
        match use:
            case "member":
                return self.names.members
            case "type":
                return {*self.names.types, "float", "double", "int", "uint", "long", "ulong", "char", "short", "size_t"}
            case "call":
                return {*self.names.functions}
            case _:
                return {*section.locals, *self.names.variables}

    # -- pragmas and attributes ------------------------------------------------------------------------

    def _factors(self, *, missing: bool) -> None:
        """Names that give a number of copies must be numbers: unroll factors, trips of unrolled loops, attributes."""
        for pragma in self.source.pragmas:
            if (asked := _UNROLL.match(pragma.text)) is None:
                continue
            self._factor(asked[1], pragma.start, None, missing=missing)
            head = _FOR.match(self.source.text, pragma.start) if not asked[1].strip() else None
            for start, end in head.regs[1:] if head is not None else ():
                if not _CAPITAL.search(self.source.text, start, end):
                    continue
                names = _FREE.findall(self.source.text[start:end].decode("utf-8", "replace"))
                self._factor(" ".join(filter(is_build_name, names)), start, end, missing=missing)
        groups: list[tuple[int, int]] = []
        lanes: list[tuple[int, int, int]] = []
        for note, counts in self._counting():
            if counts.group:
                groups.append((note.start, counts.group))
            if counts.lanes:
                lanes.append((counts.lanes, note.start, note.end))
            if counts.empty:
                self._empty_group(note.start, note.end)
            for inside in counts.named:
                self._factor(inside, note.start, note.end, missing=missing)
        if any(size % count for count in {one[0] for one in lanes} for size in {one[1] for one in groups}):
            self._lanes(lanes, {bisect_right(self.starts, start): size for start, size in groups})

    def _counting(self) -> Iterator[tuple[Note, _Counts]]:
        """The attributes that say something of copies."""
        for note in self.source.notes.those(lambda note: note.kind == "attribute"):
            if (counts := _counts(note.text)) is not None:
                yield note, counts

    def _lanes(self, lanes: Iterable[tuple[int, int, int]], groups: Mapping[int, int]) -> None:
        """SIMD lanes that do not divide the work-group; `groups` are the first dimensions by section."""
        for count, start, end in lanes:
            number = bisect_right(self.starts, start)
            if number and are_built(count) and groups.get(number, 0) % count:
                message = f"num_simd_work_items({count}) does not divide reqd_work_group_size({groups[number]}, …)"
                self._add(number - 1, Fault("refused", self._place(start, end), message))

    def _empty_group(self, start: int, end: int) -> None:
        number = bisect_right(self.starts, start) - 1
        if number >= 0:
            message = "reqd_work_group_size: each dimension must be greater than 0"
            self._add(number, Fault("refused", self._place(start, end), message))

    def _factor(self, text: str, start: int, end: int | None, *, missing: bool) -> None:
        """Check one; without an `end` the fault is the rest of the line."""
        names, number = _names_in(text), bisect_right(self.starts, start) - 1
        if not names or number < 0 or start >= self.sections[number][0][1]:
            return
        own = self.sections[number][1]
        for name in names:
            if self._declared(name) or name in own.locals or name in own.words or name in self.source.macros:
                continue
            if missing:
                self.needed.setdefault(name, []).append(number)
            else:
                message = f"{name} is not defined here, and must be a number in the build: give it with -D {name}=…"
                fault = Fault("undeclared", self._place(start, end), message, given=is_build_name(name))
                self._add(number, fault)

    def _place(self, start: int, end: int | None) -> Span:
        origin = self.source.origin(start, end if end is not None else start + 1)
        if end is not None:
            return Span(start=origin.start, end=origin.end)
        stop = self.source.original.find(b"\n", origin.start)
        return Span(start=origin.start, end=stop if stop >= 0 else len(self.source.original))

    # -- the file as a whole ---------------------------------------------------------------------------

    def _recursion(self) -> None:
        """Functions that come back to themselves."""
        calls = {d.name: (n, d) for n, (_, section) in enumerate(self.sections) for d in section.definitions}
        for name, (number, definition) in calls.items():
            seen, waiting = set[str](), list(definition.calls)
            while waiting:
                one = waiting.pop()
                if one not in seen and one in calls:
                    seen.add(one)
                    waiting += calls[one][1].calls
            if name in seen:
                what = "itself" if name in definition.calls else "itself through others"
                place, section = self.sections[number]
                there = section.now(definition.name_start, definition.name_end)
                broken = Broken(*there, f"recursion is not allowed: '{name}' calls {what}")
                self._add(number, self._fault("refused", place, broken))

    def _missing(self, missing: list[tuple[int, int, str | None]]) -> None:
        """One fault for the headers that are not found and what they must declare."""
        written = " ".join(self.source.original[a:b].decode("utf-8", "replace") for a, b, _ in missing)
        lacking = dict.fromkeys(r.names[0] for r in self.source.remarks if r.kind == "not_found")
        headers = [f"<{name}>" if f"<{name}>" in written else f'"{name}"' for name in lacking]
        names = sorted(self.needed)
        listed = ", ".join(names[:MAX_NAMED]) + (
            f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
        )
        which = ", ".join(headers[:MAX_NAMED]) or "a header"
        message = f"{which} not found, and nothing else declares {listed}: give its folder (-I)"
        fault = Fault("undeclared", Span(start=missing[0][0], end=missing[0][1]), message, given=True)
        for number in {n for numbers in self.needed.values() for n in numbers}:
            self._add(number, fault)

    def _spread(self) -> None:
        """What is used of a broken section is touched by its faults."""
        for number, broken in self.leaning:
            for fault in self.found.get(broken, [])[:1]:
                self._add(number, fault)
        for number in [n for n, (_, section) in enumerate(self.sections) if section.spills]:
            before = next((n for n in range(number - 1, -1, -1) if self.sections[n][1].definitions), number)
            for fault in list(self.found.get(number, ())):
                self._add(before, fault)

    def _lost(self, whole: list[Fault]) -> Iterator[Withheld]:
        for number, ((start, _), section) in enumerate(self.sections):
            if section.kernel is not None:
                name, low, high = section.kernel
                origin = self.source.origin(start + low, start + high)
                if origin.file is None:
                    span = Span(start=origin.start, end=origin.end)
                    yield Withheld(name, span, span, (*self.found.get(number, ()), *whole))


_DIRECTIVES = {
    "unclosed_if": "#if without #endif: the file ends inside it",
    "without_if": "#{0} without #if",
    "incomplete_define": "#define without a complete name and parameter list",
    "error": "#error {0}",
}


def _refused(directive: BadDirective) -> Fault:
    span, name = Span(start=directive.start, end=directive.end), directive.lacks
    message = _DIRECTIVES[directive.kind].format(directive.text).rstrip()
    if not name:
        return Fault("refused", span, message)
    return Fault("refused", span, f"{message}: {name} is not defined here, give it with -D {name}=…", given=True)


def _unknown_text(free: Free) -> str:
    match free.use:
        case "type":
            return f"unknown type name '{free.name}'"
        case "call":
            return f"call of undeclared function '{free.name}'"
        case _:
            return f"use of undeclared identifier '{free.name}'"


def _miscounted(name: str, counts: tuple[int, int], given: int) -> str:
    low, high = counts
    many = str(low) if low == high else f"{low} or more" if high > 99 else f"{low} to {high}"
    return f"'{name}' takes {many} argument{'' if many == '1' else 's'}, {given} given"
