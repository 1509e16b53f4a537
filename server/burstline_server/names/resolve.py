"""What a place that writes a name means: C's scopes and name spaces, on what the user wrote."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property

from burstline_model.facts import Span
from burstline_server.caches.bounded import BoundedCache
from burstline_server.names.name import Name
from burstline_server.names.part import Declared, Key, NameUse, ParsedPart, Range
from burstline_server.names.part_reader import PartReader
from burstline_server.names.parts import Part, Parts, parts_of
from burstline_server.names.spellings import Word, words
from burstline_server.source.origins import Origins
from burstline_server.source.source import Source

_COMMENT = re.compile(r"//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*.*?(?:\*/|\Z)", re.DOTALL)
NAMES = re.compile(rb"[A-Za-z_]\w*")
MAX_DETAIL = 200
"""Longest declaration that is shown whole."""
MAX_WRITTEN = 20_000
"""Most written names that are kept; parts that were read first are read again when they are asked for again."""


class PartCache(BoundedCache[bytes, ParsedPart]):
    """Parts that were read, by content; a part weighs as much as it writes names."""

    def __init__(self) -> None:
        super().__init__("names of a part", MAX_WRITTEN, lambda part: len(part.written))


def _macros(source: Source) -> dict[str, int]:
    files = {None, *source.files}
    return {name: macro.number for name, macro in source.macros.items() if macro.file in files}


class Resolver:
    """What the names of a file mean. Made from that of the text before an edit, it reads what the edit touched."""

    def __init__(self, source: Source, before: Resolver | None = None) -> None:
        self.source = source
        self.parts: Parts = parts_of(source, before.parts if before is not None else None)
        self._parts_read: PartCache = before._parts_read if before is not None else PartCache()
        self._places: dict[int, tuple[int, Origins]] = {}
        self._of_file: dict[Key, list[Name]] = {}
        self._local: dict[tuple[int, int], Name] = {}
        self._macros: dict[str, Name | None] = {}
        same = before is not None and before.source.macros is source.macros
        self.macros: Mapping[str, int] = before.macros if before is not None and same else _macros(source)
        """The macros that the file, or one that it includes, defines, with their numbers."""

    # -- parts -----------------------------------------------------------------------------------------

    def part(self, number: int) -> Part:
        """A part."""
        return self.parts.parts[number]

    def reading(self, number: int) -> ParsedPart:
        """All that a part declares and writes."""
        digest = self.part(number).digest
        known = self._parts_read.find(digest)
        if known is None:
            reader = PartReader(self.source, self.parts.start_of(number), self.parts.ends[number])
            known = self._parts_read.keep(digest, reader.reading)
        return known

    def range_of(self, number: int) -> Range:
        """Where a part is in the user's file."""
        start, stop = self.parts.start_of(number), self.parts.ends[number]
        return self.source.written_at(start), self.source.written_at(stop)

    def span(self, number: int, start: int, end: int) -> Span:
        """Where the user wrote a range of a part."""
        base, origins = self._placed(number)
        origin = origins.of(base + start, base + end)
        return Span(start=origin.start, end=origin.end, file=origin.file)

    def _placed(self, number: int) -> tuple[int, Origins]:
        if number not in self._places:
            start = self.parts.start_of(number)
            self._places = {number: (start, Origins(self.source, start, self.parts.ends[number]))}
        return self._places[number]

    # -- declarations ----------------------------------------------------------------------------------

    def of_file(self, key: Key) -> list[Name]:
        """What the whole file sees by a name, in order; declared again, it is the same."""
        if key not in self._of_file:
            self._of_file[key] = []
            for number in dict.fromkeys(self.parts.declaring.get(key, ())):
                for one in self.part(number).declared:
                    if one.key == key:
                        self._join(self._of_file[key], number, one)
        return self._of_file[key]

    def _join(self, names: list[Name], number: int, one: Declared) -> None:
        again = next((n for n in names if one.kind in {n.kind, "function"} and one.kind != "field"), None)
        if again is None:
            names.append(self._name(number, one))
            return
        new = self._name(number, one)
        again.declared += new.declared
        if one.body is not None:
            again.kind, again.place, again.whole = new.kind, new.place, new.whole
            again.detail, again.part = new.detail, number

    def declared(self, number: int, index: int) -> Name | None:
        """What a declaration of a part declares."""
        one = self.reading(number).declared[index]
        if one.scope is None:
            place = self.span(number, one.start, one.end)
            return next((n for n in self.of_file(one.key) if place in n.declared), None)
        if (number, index) not in self._local:
            self._local[number, index] = self._name(number, one)
            self._local[number, index].local = index
        return self._local[number, index]

    def _name(self, number: int, one: Declared) -> Name:
        place, whole = self.span(number, one.start, one.end), self.span(number, *one.whole)
        detail = self._detail(number, *one.shown)
        return Name(one.key[1], one.kind, place, whole if whole.end > whole.start else place, detail, one.space, number,
                    declared=[place])  # fmt: skip

    def _detail(self, number: int, start: int, end: int) -> str:
        shown = self.span(number, start, end)
        written = self.source.text_of(shown.file)[shown.start : shown.end].decode("utf-8", "replace")
        lines = (line for line in _COMMENT.sub(" ", written).splitlines() if not line.lstrip().startswith("#"))
        text = " ".join(" ".join(lines).split()).lstrip(",;(){} ").rstrip(";{ ")
        return text if len(text) <= MAX_DETAIL else f"{text[:MAX_DETAIL]}…"

    def macro(self, text: str) -> Name | None:
        """The macro of this name that the file or one that it includes defines."""
        if text not in self._macros:
            self._macros[text] = self._macro(text)
        return self._macros[text]

    def _macro(self, text: str) -> Name | None:
        macro = self.source.macros.get(text)
        if macro is None or (macro.file is not None and macro.file not in self.source.files):
            return None
        start, end = self.source.place_of(macro)
        written = self.source.text_of(macro.file)[start:end]
        match = re.search(rb"define\s+(" + re.escape(text.encode()) + rb")\b", written)
        if match is None:
            return None
        place = Span(start=start + match.start(1), end=start + match.end(1), file=macro.file)
        detail = " ".join(written.decode("utf-8", "replace").replace("\\\n", " ").split())
        whole = Span(start=start, end=end, file=macro.file)
        return Name(text, "macro", place, whole, detail[:MAX_DETAIL], declared=[place])

    # -- uses ------------------------------------------------------------------------------------------

    def name_of(self, number: int, written: NameUse) -> Name | None:
        """What a written name of a part means."""
        return self._resolved(number, written.key, written.target) or self._member(number, written)

    def _resolved(self, number: int, key: Key, target: int | None) -> Name | None:
        if target is not None:
            return self.declared(number, target)
        of_file = self.of_file(key)
        # A field is first looked up by its name alone: that is enough in most files.
        return of_file[0] if of_file and (key[0] != "field" or len(of_file) == 1) else None

    def _member(self, number: int, written: NameUse) -> Name | None:
        """A field that several structures have, by the type of the variable or of the field that it is taken from."""
        variable = self._resolved(number, *written.base) if written.base is not None else None
        types = (t for word in variable.type_words for t in self.of_file(("type", word))) if variable else ()
        type_ = next(iter(types), None)
        return next((f for f in self.of_file(written.key) if type_.holds(f)), None) if type_ is not None else None

    def unseen(self, number: int) -> Iterator[tuple[Word, Name]]:
        """The names in a part that its syntax does not show: macros, names in pragmas and in inactive branches."""
        start, end = self.range_of(number)
        piece = self.source.original[start:end]
        if b"#" in piece or not self._macro_words.isdisjoint(NAMES.findall(piece)):
            for word in words(self.source.original, start, end):
                if (name := self.unseen_at(word)) is not None:
                    yield word, name

    @cached_property
    def _macro_words(self) -> frozenset[bytes]:
        return frozenset(name.encode() for name in self.macros)

    def unseen_at(self, word: Word) -> Name | None:
        """What a word means that no syntax shows."""
        if (macro := self.macro(word.text)) is not None:
            return macro
        if word.directive == "pragma":
            place = self.source.offset_of(word.start)
            return self.seen(word.text, place) if place is not None else None
        inactive = self.source.inactive
        after = bisect_right(inactive, word.start, key=lambda r: r[0])
        if not word.directive and after and word.start < inactive[after - 1][1]:
            return next((n for space in ("", "type") for n in self.of_file((space, word.text))), None)
        return None

    def seen(self, text: str, place: int) -> Name | None:
        """What a name means at a place of the parsed text."""
        number = self.parts.around(place)
        local = self.reading(number).local(text, place - self.parts.start_of(number)) if number >= 0 else None
        return self._resolved(number, ("", text), local)
