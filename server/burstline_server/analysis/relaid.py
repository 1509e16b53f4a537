"""Kernels in which an edit changed comments and blanks alone: what was read of them stays, at its new places."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from burstline_model.facts import Span
from burstline_server.analysis.outline import Item, Outline
from burstline_server.analysis.relocated import relocated
from burstline_server.analysis.reuse import Gaps, KernelList, KernelSnapshot, Layout, place_of
from burstline_server.source.edit import Edit, difference
from burstline_server.source.source import Source
from burstline_server.source.words import between_words, same_words

Hidden = list[tuple[object, ...]]
InFile = tuple[str | None, Edit]
"""A file (None: the user's own) and its edit."""


class InsideEditError(Exception):
    """A place lies in the text that was replaced."""


def laid_out_anew(
    source: Source,
    before: Outline,
    now: Source,
    outline: Outline,
    last: KernelList,
    edited: InFile,
    number: int,
    reached: Sequence[str],
    key: bytes,
) -> KernelSnapshot | None:
    """What was read of a kernel, where an edit changed its comments and blanks alone; its text has another `key`."""
    if len(before.items) != len(outline.items) or before.kernels != outline.kernels:
        return None
    place = bisect_left(outline.kernels, number)
    known = last.snapshots[place]
    if known.reached != tuple(reached):
        return None  # a blank divides the name of a function that it calls, or joins one
    pairs = [(before.items[number], outline.items[number])]
    pairs += [(before.function(name), outline.function(name)) for name in reached]
    changed = [(piece, old, new) for piece, (old, new) in enumerate(pairs) if old.digest != new.digest]
    try:
        if not all(_same_words(source, old, now, new, edited) for _, old, new in changed):
            return None
        gaps = _with_gaps(known.gaps, source, now, changed)
        if gaps is not None:
            return replace(known, gaps=gaps)
        facts = relocated(last[place].facts, partial(after_edit, edited))
    except InsideEditError:
        return None
    home = tuple(place_of(now, new) for _, new in pairs)
    return replace(known, key=key, facts=facts, home=home, like=known.key, gaps=())


def _with_gaps(gaps: Gaps, before: Source, now: Source, changed: Sequence[tuple[int, Item, Item]]) -> Gaps | None:
    """Where blanks and comments of a kernel have changed, those of an edit among them; None where it may be elsewhere.

    `changed`: the pieces of its text that differ, with their numbers.
    """
    change = now.change
    if change is None or not change.plain or change.included is not None:
        return None
    layout, edit = Layout(gaps=gaps), change.written
    for piece, old, new in changed:
        start, end = place_of(before, old)
        if not start <= edit.start <= edit.old_end <= end:
            return None
        if change.quiet is None and not _between_words(before, old, now, new, edit):
            return None
        layout = layout.with_gap(piece, edit.moved(-start))
    return layout.gaps if len(layout.gaps) <= MOST_GAPS else None


def _between_words(before: Source, old: Item, now: Source, new: Item, edit: Edit) -> bool:
    """Whether an edit of the user's file is one of the parsed text as well, and covers no word there."""
    text, written = before.text[old.begin : old.stop], now.text[new.begin : new.stop]
    root, parsed = now.syntax(now.section_at(new.start)), difference(text, written)
    return parsed.by == edit.by and between_words(text, written, parsed, root, new.begin)


MOST_GAPS = 16
"""The places of a kernel whose comments were changed at more places are all set anew."""


def _same_words(before: Source, old: Item, now: Source, new: Item, edited: InFile) -> bool:
    """Whether an edit of a file changed no word of a function in it; False where it may have.

    Whether two words are on one line counts as well: reports name lines. Texts with lines that go on are not compared.
    """
    text, written = before.text[old.begin : old.stop], now.text[new.begin : new.stop]
    if now.change is not None and now.change.quiet is not None and now.change.plain:
        return True
    begin, (file, edit) = before.origin(old.begin, old.begin), edited
    # Places of the user's file are counted from where the function begins.
    base = begin.start if file is None else 0
    if begin.file != file or edit.start < base:
        return False
    parsed, in_file, none = difference(text, written), (file, edit.moved(-base)), Edit(0, 0, 0)
    root = now.syntax(now.section_at(new.start))
    if root.has_error or not same_words(text, written, parsed, root, new.begin):
        return False
    if _masked(before, old, parsed) != _masked(now, new, none):
        return False
    if now.change is not None and now.change.plain:
        return True  # all other pieces of the text are those that they were
    return _pieces(before, old, parsed, in_file) == _pieces(now, new, none, (file, none))


def _masked(source: Source, item: Item, parsed: Edit) -> Hidden:
    """What the parsed text does not show, with places from its start after an edit."""
    begin, found = item.begin, Hidden()
    for n in source.notes_in(begin, item.stop):
        found.append((_start(parsed, n.start - begin), _end(parsed, n.end - begin), n.kind, n.text))
    for p in source.pragmas_in(begin, item.stop):
        found.append((_start(parsed, p.start - begin), _end(parsed, p.end - begin), "pragma", p.text))
    return found


def _pieces(source: Source, item: Item, parsed: Edit, edited: InFile) -> Hidden:
    """Where the pieces of the text come from, with places from its start after an edit."""
    found, (edited_file, in_file) = Hidden(), edited
    for out, low, verbatim, file, use, macro in source.layout(item.begin, item.stop):
        own = file == edited_file and isinstance(low, int)
        at = _start(in_file, low) if own and isinstance(low, int) else low
        there = (_start(in_file, use[0]), _end(in_file, use[1])) if own and isinstance(use, tuple) else use
        found.append((_start(parsed, out) if isinstance(out, int) else out, at, verbatim, file, there, macro))
    return found


def after_edit(edited: InFile, span: Span) -> Span:
    """Where a place is after an edit that is inside no word; raises `InsideEditError` for one in what it replaced."""
    file, edit = edited
    if span.file != file:
        return span
    return Span(start=_start(edit, span.start), end=_end(edit, span.end), file=file)


def _start(edit: Edit, place: int) -> int:
    if edit.start < place < edit.old_end:
        raise InsideEditError
    return place + edit.by if place >= edit.old_end else place


def _end(edit: Edit, place: int) -> int:
    if edit.start < place < edit.old_end:
        raise InsideEditError
    return place if place <= edit.start else place + edit.by
