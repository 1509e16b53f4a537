"""The names of a file as they are asked for: at a place, in reach of one, everywhere. An answer reads what it needs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from burstline_model.facts import Span
from burstline_server.names.name import Name, Use
from burstline_server.names.part import Kind, NameUse
from burstline_server.names.resolve import Resolver
from burstline_server.names.spellings import word_at, words_called
from burstline_server.source.source import Source

_WHOLE = 1 << 62
"""More than any scope is wide."""
_BLANK = ord(" ")


class NameTable(Resolver):
    """All names of a file."""

    def at(self, offset: int) -> tuple[Name, Span] | None:
        """The name that is written at a byte of the user's file, or that ends there, and its place."""
        found = self._in_syntax(offset)
        if found is not None:
            return self.macro(found[0].text) or found[0], found[1]
        word = word_at(self.source, offset)
        name = self.unseen_at(word) if word is not None else None
        return (name, Span(start=word.start, end=word.end)) if word is not None and name is not None else None

    def _in_syntax(self, offset: int) -> tuple[Name, Span] | None:
        for place in (*self.source.spelled(offset), *self.source.spelled(offset - 1)):
            number = self.parts.around(place)
            if number < 0 or place < 0:
                continue
            reading, at = self.reading(number), place - self.parts.start_of(number)
            here = [(d, self.declared(number, i)) for i, d in enumerate(reading.declared) if d.start <= at < d.end]
            written = (w for w in reading.written if w.start <= at < w.end and w.macro is None)
            for one, name in here or ((w, self.name_of(number, w)) for w in written):
                span = self.span(number, one.start, one.end)
                if name is not None and span.file is None and span.start <= offset <= span.end:
                    return name, span
        return None

    def visible(self, offset: int, text: str | None = None) -> list[Name]:
        """The names that can be used at a byte of the user's file, the innermost first, each text once.

        Or only those of one text.
        """
        seen: dict[str, tuple[int, Name]] = {}
        keys = self.parts.declaring if text is None else [("", text), ("type", text)]
        of_file = [n for key in keys if key[0] != "field" for n in self.of_file(key)]
        macros = self.source.macros if text is None else [text]
        of_file += [m for m in map(self.macro, macros) if m is not None]
        for name in of_file:
            seen[name.text] = (_WHOLE, name)
        place = self._parsed(offset)
        number = self.parts.around(max(0, place - 1))
        if number >= 0:
            at = place - self.parts.start_of(number)
            for index, one in enumerate(self.reading(number).declared):
                if one.scope is None or not one.scope[0] <= at <= one.scope[1] or one.end >= at:
                    continue
                width, local = one.scope[1] - one.scope[0], self.declared(number, index)
                if local is not None and text in {None, local.text} and width <= seen.get(local.text, (_WHOLE,))[0]:
                    seen[local.text] = (width, local)
        return [name for _, name in sorted(seen.values(), key=lambda one: one[0])]

    def _parsed(self, offset: int) -> int:
        """Where a byte of the user's file, or the end of the one before, is in the parsed text."""
        before = (place + 1 for place in self.source.spelled(offset - 1)) if offset else ()
        found = next(iter((*self.source.spelled(offset), *before)), offset)
        return min(found, len(self.source.text))

    def find(self, text: str, *kinds: Kind) -> Name | None:
        """The name of the whole file with this text, of one of these kinds."""
        of_file = (n for space in ("", "type", "field") for n in self.of_file((space, text)))
        found = next((n for n in of_file if n.kind in kinds), None)
        return found or (self.macro(text) if "macro" in kinds else None)

    @property
    def functions(self) -> list[Name]:
        """Kernels and helper functions."""
        names = (n for key in self.parts.declaring if key[0] == "" for n in self.of_file(key))
        return [n for n in names if n.kind in {"kernel", "function"}]

    def fields(self, type_: Name) -> list[Name]:
        """The fields of a structure."""
        declared = self.part(type_.part).declared if type_.part is not None else ()
        keys = dict.fromkeys(d.key for d in declared if d.kind == "field")
        return [f for key in keys for f in self.of_file(key) if type_.holds(f)]

    # -- everywhere ------------------------------------------------------------------------------------

    def uses(self, name: Name) -> list[Use]:
        """Every place that uses a name, its declarations aside."""
        if name.part is None:
            found = (Span(start=w.start, end=w.end) for w in words_called(self.source.original, name.text))
            return [Use(span) for span in found if span != name.place]
        uses = []
        for number in self._parts_with(name):
            for written in self._written(number, name):
                if written.macro is None:
                    function = self.declared(number, written.function) if written.function is not None else None
                    span = self.span(number, written.start, written.end)
                    uses.append(Use(span, function, written.called))
            uses += [Use(Span(start=w.start, end=w.end)) for w, used in self.unseen(number) if used is name]
        return uses

    def places(self, name: Name) -> list[Span]:
        """Every place that writes a name, in the order of the file; those in other files come last."""
        spans = {*name.declared, *(use.span for use in self.uses(name))}
        return sorted(spans, key=lambda s: (s.file or "", s.start))

    def macros_with(self, name: Name) -> set[str]:
        """The macros whose bodies use a name: there it cannot be seen."""
        numbers = self._parts_with(name) if name.part is not None else ()
        return {w.macro for number in numbers for w in self._written(number, name) if w.macro is not None}

    def calls(self, caller: Name) -> list[tuple[Name, Span]]:
        """The calls in a function of functions that the file declares, in order."""
        if caller.part is None:
            return []
        number, found = caller.part, []
        for written in self.reading(number).written:
            if written.called and written.macro is None and written.function is not None:
                name = self.name_of(number, written)
                function = name is not None and name.kind in {"kernel", "function"}
                if name is not None and function and self.declared(number, written.function) is caller:
                    found.append((name, self.span(number, written.start, written.end)))
        return found

    def _written(self, number: int, name: Name) -> Iterator[NameUse]:
        """The places of a part whose syntax uses a name."""
        for written in self.reading(number).written:
            if written.key[1] == name.text and self.name_of(number, written) is name:
                yield written

    def _parts_with(self, name: Name) -> list[int]:
        """The parts that may write a name."""
        if name.local is not None and name.part is not None:
            return [name.part]
        word = re.compile(rb"(?<![A-Za-z_0-9])" + re.escape(name.text.encode()) + rb"(?![A-Za-z_0-9])")
        found, place = set(), 0
        while (match := word.search(self.source.text, place)) is not None:
            found.add(number := self.parts.around(match.start()))
            place = self.parts.ends[number]
        for match in word.finditer(self.source.original):  # what is blank in the parsed text
            hidden = self.source.offset_of(match.start())
            if hidden is not None and self.source.text[hidden] == _BLANK:
                found.add(self.parts.around(hidden))
        return sorted(found)


def names_of(source: Source, before: NameTable | None = None) -> NameTable:
    """The names of a file; with those of a text before, for what was edited since."""
    return before if before is not None and before.source is source else NameTable(source, before)
