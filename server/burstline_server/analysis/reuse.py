"""Facts of kernels whose text an edit left alone: kept by content, and moved to where the text stands now."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from burstline_model.facts import KernelFacts, LocalArray, Span
from burstline_server.source.source import Macro, Source

_NAME = re.compile(rb"[A-Za-z_]\w*")
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
MAX_READINGS = 1024
"""Most kernels whose facts are kept."""
Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Reading:
    """A kernel's facts. `key` stands for all the text they follow from, `pieces` says where in the user's file."""

    key: bytes
    facts: KernelFacts
    pieces: tuple[Range, ...]


@dataclass(slots=True)
class Readings:
    """The most recent readings by key."""

    _known: OrderedDict[bytes, Reading] = field(default_factory=OrderedDict)
    _names: dict[bytes, frozenset[str]] = field(default_factory=dict)

    def find(
        self, key: bytes, pieces: tuple[Range, ...], tables: Mapping[str, LocalArray], macros: Mapping[str, Macro]
    ) -> Reading | None:
        """The reading of the same text, its places told anew; tables and macros are the file's, where they are now."""
        known = self._known.get(key)
        if known is None:
            return None
        self._known.move_to_end(key)
        if known.pieces == pieces and all(tables.get(a.name, a) == a for a in known.facts.arrays):
            return known
        facts = _relocated(known.facts, known.pieces, pieces, macros)
        arrays = tuple(tables.get(a.name, a) for a in facts.arrays)
        return self.keep(Reading(key, facts.model_copy(update={"arrays": arrays}), pieces))

    def names(self, digest: bytes, text: bytes) -> frozenset[str]:
        """The names in a piece of text, found once for each digest."""
        if digest not in self._names:
            if len(self._names) >= 4 * MAX_READINGS:
                self._names.clear()
            self._names[digest] = frozenset(n.decode() for n in _NAME.findall(text))
        return self._names[digest]

    def keep(self, reading: Reading) -> Reading:
        """Remember a reading; the oldest goes when there are too many."""
        self._known[reading.key] = reading
        self._known.move_to_end(reading.key)
        if len(self._known) > MAX_READINGS:
            self._known.popitem(last=False)
        return reading


def _relocated(
    facts: KernelFacts, before: tuple[Range, ...], after: tuple[Range, ...], macros: Mapping[str, Macro]
) -> KernelFacts:
    moves = [(a[0], a[1], b[0] - a[0]) for a, b in zip(before, after, strict=True) if a[0] != b[0]]
    used = {a.macro.name for a in facts.accesses if a.macro is not None}
    defined = {n: Span(start=m.start, end=m.end) for n in used if (m := macros.get(n)) is not None and m.file is None}

    def at(span: Span) -> Span:
        if span.file is None:
            for start, end, by in moves:
                if start <= span.start <= end:
                    return Span(start=span.start + by, end=span.end + by)
        return span

    return facts.relocated(at, defined)


class Fingerprints:
    """What the pieces of a file's text are told apart by: text, what was masked in it, pragmas, and its origins."""

    def __init__(
        self, source: Source, context: Sequence[Range], functions: Mapping[str, Range], known: Readings
    ) -> None:
        self._source = source
        self._functions = functions
        self._readings = known
        self._known: dict[Range, bytes] = {}
        shared = blake2b(digest_size=16)
        for piece in context:
            # Types and constants have no places: only what they say counts.
            words = " ".join(_COMMENT.sub(b" ", source.text[piece[0] : piece[1]]).decode("utf-8", "replace").split())
            shared.update(repr((words, [n.text for n in source.notes_in(*piece)])).encode())
        ends = [end for _, end in context]
        for pragma in source.pragmas:
            if pragma.text.startswith("pack"):
                shared.update(f"{bisect_left(ends, pragma.start)}:{pragma.text}".encode())
        self._shared = shared.digest()

    def kernel(self, piece: Range) -> tuple[bytes, tuple[Range, ...]]:
        """The key of a kernel with all the functions it may reach, and where they stand in the user's file."""
        reached = [piece]
        for one in reached:
            called = self._readings.names(self._of(one), self._source.text[one[0] : one[1]])
            for name in sorted(called & self._functions.keys()):
                if self._functions[name] not in reached:
                    reached.append(self._functions[name])
        key = blake2b(self._shared, digest_size=16)
        for one in reached:
            key.update(self._of(one))
        return key.digest(), tuple(self._place(one) for one in reached)

    def _place(self, piece: Range) -> Range:
        origin = self._source.origin(*piece)
        return (origin.start, origin.end) if origin.file is None else (-1, -1)

    def _of(self, piece: Range) -> bytes:
        if piece not in self._known:
            source, (start, end) = self._source, piece
            made = blake2b(source.text[start:end], digest_size=16)
            notes = [(n.start - start, n.end - start, n.kind, n.text) for n in source.notes_in(start, end)]
            pragmas = [(p.start - start, p.text, self._bodies(p.text)) for p in source.pragmas_in(start, end)]
            made.update(repr((notes, pragmas, source.layout(start, end))).encode())
            self._known[piece] = made.digest()
        return self._known[piece]

    def _bodies(self, text: str) -> list[str]:
        """What the macros stand for that a pragma's text still names."""
        macros = self._source.macros
        return [macros[n].body for n in re.findall(r"[A-Za-z_]\w*", text) if n in macros]
