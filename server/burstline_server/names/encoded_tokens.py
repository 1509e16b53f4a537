"""The tokens of a file as the protocol's numbers, kept for each part: after an edit, what it touched is made anew."""

from __future__ import annotations

import time
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from burstline_server.names.name_table import NameTable
from burstline_server.names.part import Key, key_of
from burstline_server.names.resolve import NAMES
from burstline_server.names.token_legend import MODIFIERS, TYPES
from burstline_server.names.tokens import Looks, Token, looks_of, tokens_of
from burstline_server.source.lines import Encoding, units
from burstline_server.source.source import Source

SLICE_S = 0.005
"""How long tokens are encoded before others have a turn."""


@dataclass(slots=True)
class Encoded:
    """A part's tokens, good as long as the names that it `sees` of the file look as in `seen`.

    The first token's place is left open: `first` counts it from the part's start; the last one is `down` lines further,
    at `column` of its line, or so far from the first one.
    """

    encoding: Encoding
    declaring: Mapping[Key, Sequence[int]]
    macros: Mapping[str, int]
    sees: tuple[Key, ...]
    seen: tuple[Looks | None, ...]
    numbers: array[int]
    first: int = 0
    down: int = 0
    column: int = 0


def encode_some(names: NameTable, encoding: Encoding, done: int) -> int:
    """Encode parts from one on, for a short time; which are done."""
    started_s = time.perf_counter()
    while done < len(names.parts.parts) and time.perf_counter() - started_s < SLICE_S:
        _encoded(names, done, encoding)
        done += 1
    return done


def all_numbers(names: NameTable, encoding: Encoding) -> array[int]:
    """The tokens of a file: five numbers each, lines and columns from the token before, length, type, modifiers."""
    data = array("I")
    line, column, lines = 0, 0, names.source.lines
    for number in range(len(names.parts.parts)):
        one = _encoded(names, number, encoding)
        if one.numbers:
            start = names.source.written_at(names.parts.start_of(number)) + one.first
            at, along = lines.position(start, encoding)
            first = len(data)
            data += one.numbers
            data[first], data[first + 1] = at - line, along - column if at == line else along
            line, column = at + one.down, one.column if one.down else along + one.column
    return data


def numbers_between(names: NameTable, encoding: Encoding, start: int, stop: int) -> list[int]:
    """The tokens that reach into a range of the user's file."""
    lines, data = names.source.lines, list[int]()
    first, last = lines.position(start, encoding), lines.position(stop, encoding)
    line = column = 0
    for number in _parts_between(names, start, stop):
        one = _encoded(names, number, encoding)
        at, along = lines.position(names.range_of(number)[0] + one.first, encoding)
        for i in range(0, len(one.numbers), 5):
            down, right, length = one.numbers[i : i + 3]
            at, along = at + down, right if down else along + right
            if (at, along + length) > first and (at, along) < last:
                data += (at - line, along - column if at == line else along, *one.numbers[i + 2 : i + 5])
                line, column = at, along
    return data


def _parts_between(names: NameTable, start: int, stop: int) -> range:
    """The parts in a range of the user's file."""
    ends, source = names.parts.ends, names.source
    first = bisect_right(ends, start, key=source.written_at)
    last = bisect_left(ends, stop, lo=first, key=source.written_at)
    return range(first, min(last + 1, len(ends)))


def _encoded(names: NameTable, number: int, encoding: Encoding) -> Encoded:
    part, parts = names.part(number), names.parts
    kept: Encoded | None = part.encoded
    if kept is not None and kept.encoding == encoding:
        if kept.macros is names.macros and kept.declaring is parts.declaring:
            return kept
        if kept.macros == names.macros and kept.seen == _seen(names, kept.sees):
            kept.macros, kept.declaring = names.macros, parts.declaring
            return kept
    found = tokens_of(names, number)
    sees = _sees(names, number)
    made = Encoded(encoding, parts.declaring, names.macros, sees, _seen(names, sees), array("I"))
    made.numbers.extend(_numbers(names.source, found, encoding))
    if found:
        made.first = found[0].start - names.range_of(number)[0]
        made.down = sum(made.numbers[::5])
        last = max((i for i, down in enumerate(made.numbers[::5]) if down), default=0)
        made.column = sum(made.numbers[5 * last + 1 :: 5])
    part.encoded = made
    return made


def _sees(names: NameTable, number: int) -> tuple[Key, ...]:
    """The names that a part declares for, or may want from the whole file."""
    found = {w.key for w in names.reading(number).written if w.target is None}
    found.update(d.key for d in names.part(number).declared)
    start, stop = names.range_of(number)
    if b"#" in (piece := names.source.original[start:stop]):
        found.update(key_of(space, word.decode()) for word in NAMES.findall(piece) for space in ("", "type"))
    return tuple(found)


def _seen(names: NameTable, keys: Iterable[Key]) -> tuple[Looks | None, ...]:
    """How some names of the whole file look, all of each followed by None."""
    return tuple(looks for key in keys for looks in (*map(looks_of, names.of_file(key)), None))


def _numbers(source: Source, found: Sequence[Token], encoding: Encoding) -> Iterable[int]:
    """Five numbers a token, the first one's place left open."""
    lines, text = source.lines, source.original
    begin = stop = line = column = 0
    for count, token in enumerate(found):
        before, along = line, column
        if not begin <= token.start < stop:
            line = lines.line_of(token.start)
            begin, stop = lines.start_of(line), lines.start_of(line + 1)
            along = 0
        column = units(text[begin : token.start], encoding)
        modifiers = sum(1 << MODIFIERS.index(m) for m in token.modifiers)
        place = (line - before, column - along) if count else (0, 0)
        yield from (*place, units(text[token.start : token.end], encoding), TYPES.index(token.type), modifiers)
