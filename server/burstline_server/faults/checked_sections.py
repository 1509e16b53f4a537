"""The sections of a file as they are checked, each read once for its text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator

from burstline_model.record import fixed
from burstline_server.faults.delimiters import Broken
from burstline_server.faults.expression_faults import EXPRESSIONS
from burstline_server.faults.section import Section
from burstline_server.faults.section_reading import Walk
from burstline_server.faults.statement_faults import STATEMENTS
from burstline_server.faults.syntax_faults import faults_in, spills
from burstline_server.source.edit import Edit, difference
from burstline_server.source.sections import is_blank, parsed_section
from burstline_server.source.source import Change, Note, Source
from burstline_server.source.words import same_words

Range = tuple[int, int]
_Key = tuple[bytes, tuple[tuple[int, str], ...]]
"""A section's text, and what is masked in it."""
_OF_STATEMENTS = {"compound_statement", "translation_unit"}
"""Syntax whose parts are statements and comments, none of which depends on the comments next to it."""
_WORDS = re.compile(rb"[A-Za-z_]\w*+")
_PLAIN = re.compile(rb"[1-9]\d{0,8}")
"""Integers of which one is as good as another: nothing that is refused follows from how large they are."""
_UNTYPED = re.compile(rb"\s*+([A-Za-z_]\w*+)\s*+\(")
_HEAD = re.compile(rb"[^(){};]*?(?<!\w)([A-Za-z_]\w*+)\s*+\(")


@fixed
class _Known:
    """The sections of the reading with a `number`, and what each was read from."""

    number: int
    sections: list[tuple[Range, Section]]
    keys: list[_Key]


def sections_of(source: Source) -> list[tuple[Range, Section]]:
    """Every section with its range in the parsed text; those of the reading before an edit are taken over."""
    known: _Known | None = source.kept.get(sections_of)
    if known is None or known.number != source.number:
        change = source.change
        if known is not None and change is not None and change.of == known.number:
            known = _edited(source, known, change)
        else:
            known = _anew(source, known)
        source.kept[sections_of] = known
    return known.sections


def _anew(source: Source, before: _Known | None) -> _Known:
    """All sections; those of a text that was there before are taken over."""
    read = dict(zip(before.keys, (one for _, one in before.sections), strict=True)) if before is not None else {}
    made, now = _Known(source.number, [], []), dict[_Key, Section]()
    for place, key, notes in _keys(source, 0, len(source.text)):
        if key not in now:
            now[key] = read[key] if key in read else _read(source, *place, notes)
        made.keys.append(key)
        made.sections.append((place, now[key]))
    return made


def _edited(source: Source, before: _Known, change: Change) -> _Known:
    """The sections after an edit: those outside it have moved alone."""
    starts = [start for (start, _), _ in before.sections]
    first, last = bisect_left(starts, change.start), bisect_left(starts, change.stop - change.by)
    known = {key: one for key, (_, one) in zip(before.keys[first:last], before.sections[first:last], strict=True)}
    new = list(_keys(source, change.start, change.stop))
    read = []
    for number, (place, key, notes) in enumerate(new, first):
        section = known.get(key)
        if section is None and len(new) == last - first:
            old_key, old = before.keys[number], before.sections[number][1]
            quiet = change.quiet if old.exact else None
            if quiet is not None and place[0] <= quiet.start and quiet.new_end <= place[1]:
                section = old.after(quiet.moved(-place[0]))
            else:
                section = _laid_out(source, place, key, old_key, old)
        read.append((place, section if section is not None else _read(source, *place, notes)))
    by = change.by
    rest = [((start + by, stop + by), one) for (start, stop), one in before.sections[last:]]
    keys = [*before.keys[:first], *(key for _, key, _ in new), *before.keys[last:]]
    return _Known(source.number, [*before.sections[:first], *read, *(rest if by else before.sections[last:])], keys)


def _keys(source: Source, start: int, stop: int) -> Iterator[tuple[Range, _Key, tuple[Note, ...]]]:
    """The sections from one place to another: their range, what they are known by, and what is masked in them."""
    ahead = deque(source.notes_in(start, stop))  # in order: looking each section's up would seek once for each
    for end in source.sections.between(start + 1, stop + 1):
        own = []
        while ahead and ahead[0].start < end:
            own.append(ahead.popleft())
        yield (start, end), (source.text[start:end], tuple((n.start - start, n.text) for n in own)), tuple(own)
        start = end


def _laid_out(source: Source, place: Range, key: _Key, old_key: _Key, old: Section) -> Section | None:
    """A section in which an edit changed comments and blanks between statements alone, or one plain integer.

    None where it may be more.
    """
    (text, notes), (old_text, old_notes) = key, old_key
    edit = difference(old_text, text)
    moved = tuple((edit.after(start), word) for start, word in old_notes)
    if old.broken or moved != notes:
        return None
    root = source.syntax(place)
    around = root.descendant_for_byte_range(place[0] + edit.start, place[0] + edit.new_end)
    if root.has_error or around is None:
        return None
    if around.type == "number_literal":
        start, end = around.start_byte - place[0], around.end_byte - place[0]
        number = Edit(start, end - edit.by, end)
        plain = _PLAIN.fullmatch(text, start, end) and _PLAIN.fullmatch(old_text, start, number.old_end)
        return old.after(number) if plain and not old.refused else None
    if around.type == "comment":
        around = around.parent
    if around is None or around.type not in _OF_STATEMENTS:
        return None
    return old.after(edit) if same_words(old_text, text, edit, root, place[0]) else None


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
    walk.section.exact = not root.has_error
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
