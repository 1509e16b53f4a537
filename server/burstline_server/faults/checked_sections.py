"""The sections of a file as they are checked, each read once for its text."""

from __future__ import annotations

import re
from collections import deque

from burstline_server.faults.delimiters import Broken
from burstline_server.faults.expression_faults import EXPRESSIONS
from burstline_server.faults.section import Section
from burstline_server.faults.section_reading import Walk
from burstline_server.faults.statement_faults import STATEMENTS
from burstline_server.faults.syntax_faults import faults_in, spills
from burstline_server.source.sections import is_blank, parsed_section
from burstline_server.source.source import Note, Source

Range = tuple[int, int]
_WORDS = re.compile(rb"[A-Za-z_]\w*+")
_UNTYPED = re.compile(rb"\s*+([A-Za-z_]\w*+)\s*+\(")
_HEAD = re.compile(rb"[^(){};]*?(?<!\w)([A-Za-z_]\w*+)\s*+\(")


def sections_of(source: Source) -> list[tuple[Range, Section]]:
    """Every section with its range in the parsed text; those of the reading before an edit are taken over."""
    before: dict[bytes, Section] = source.kept.get(sections_of, {})
    now: dict[bytes, Section] = {}
    found, start = [], 0
    ahead = deque(source.notes)  # in order: looking each section's up would seek once for each
    for stop in source.sections:
        own = []
        while ahead and ahead[0].start < stop:
            own.append(ahead.popleft())
        notes = tuple(own)
        key = source.text[start:stop] + repr([(n.start - start, n.text) for n in notes]).encode()
        if key not in now:
            now[key] = before[key] if key in before else _read(source, start, stop, notes)
        found.append(((start, stop), now[key]))
        start = stop
    source.kept[sections_of] = now
    return found


def _read(source: Source, start: int, stop: int, notes: tuple[Note, ...]) -> Section:
    text, root, at = source.text[start:stop], source.syntax((start, stop)), start
    if root.has_error:  # what the parser makes of an error depends on how far in a text it is
        root, at = parsed_section(text, 0, len(text)), 0
    kernel = next((n for n in notes if n.kind == "qualifier" and n.text.strip("_") == "kernel"), None)
    first = kernel is not None and is_blank(source.text, start, kernel.start)
    untyped = _UNTYPED.match(source.text, kernel.end, stop) if kernel is not None and first else None
    if untyped is not None:
        message = f"a kernel must return void: '{untyped[1].decode()}' has no type"
        syntax = [Broken(untyped.start(1) - start, untyped.end(1) - start, message)]
    else:
        syntax = faults_in(text, root, at, _with_qualifiers(text, notes, start))
    if syntax:
        return _broken(source, syntax, (start, stop), kernel, spills=kernel is None and spills(text, root))
    walk = Walk(start, notes, STATEMENTS, EXPRESSIONS)
    try:
        walk.other(root)
    except RecursionError:
        return Section()  # nested deeper than anything that is written by hand
    return walk.section


def _with_qualifiers(text: bytes, notes: tuple[Note, ...], start: int) -> bytes:
    """The text with a word for each masked qualifier, so that lines are indented as they are written."""
    shown = bytearray(text)
    for note in notes:
        low, high = note.start - start, note.end - start
        if note.kind == "qualifier" and not shown[low:high].strip():
            shown[low:high] = b"q" * (high - low)
    return bytes(shown)


def _broken(source: Source, syntax: list[Broken], place: Range, kernel: Note | None, *, spills: bool) -> Section:
    words = frozenset(w.decode() for w in _WORDS.findall(source.text, *place))
    head = _HEAD.match(source.text, kernel.end, place[1]) if kernel is not None else None
    named = (head[1].decode(), head.start(1) - place[0], head.end(1) - place[0]) if head is not None else None
    return Section(syntax=syntax, words=words, kernel=named, spills=spills)
