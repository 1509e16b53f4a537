"""Reading a file: the whole of it, or after an edit what is around the edit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from operator import attrgetter
from pathlib import Path

from burstline_server.source.edit import Edit, difference, utf8
from burstline_server.source.edit_window import (
    comment_of,
    ends_whole,
    inactive_of,
    included_again,
    unread_lines,
    window_of,
)
from burstline_server.source.includes import Included, IncludeFolders
from burstline_server.source.lines import LineTable, with_line_feeds
from burstline_server.source.macros import Definition, Macro, apply, given_macros
from burstline_server.source.mask import SPANS, Masked, blank, mask
from burstline_server.source.placed_records import PLACES, Kind, Runs
from burstline_server.source.preprocess import most_expanded, not_compiled, preprocess, preprocess_part
from burstline_server.source.preprocessed import Pragma, Preprocessed, Segment, SourceRemark
from burstline_server.source.sections import is_blank, stops
from burstline_server.source.source import MAX_CHANGES, Change, Comment, Given, LookedFor, Source

PREDEFINED: dict[str, str] = {
    "INTELFPGA_CL": "1",
    "ALTERA_CL": "1",
    "__OPENCL_VERSION__": "100",
    "__OPENCL_C_VERSION__": "100",
    "CL_VERSION_1_0": "100",
    "CL_VERSION_1_1": "110",
    "CL_VERSION_1_2": "120",
    "CL_VERSION_2_0": "200",
    "__ENDIAN_LITTLE__": "1",
    "CLK_LOCAL_MEM_FENCE": "1",
    "CLK_GLOBAL_MEM_FENCE": "2",
    "CLK_CHANNEL_MEM_FENCE": "4",
    "CHAR_BIT": "8",
    "INT_MAX": "2147483647",
    "UINT_MAX": "4294967295u",
    "NULL": "0",
}
"""What the vendor's compiler defines by itself, as far as it can matter to a condition or an index."""

MAX_PARSED_BYTES = 12_000_000
"""Longest text that is parsed; what follows is left out, and said to be."""
_PRAGMA_OPERATOR = re.compile(rb'\b_Pragma\s*\(\s*"((?:\\.|[^"\\\n])*)"\s*\)')
_TEMPLATE = re.compile(
    rb"\{%[-+]?\s*(?:for|if|set|macro|block|extends|include|import|else|elif|endfor|endif|call|raw)\b"
    rb"|[\w)\]][ \t]*[-+*/%<&|^][ \t]*\{\{[ \t]*[A-Za-z_][\w.]*[ \t]*\}\}"  # a list in braces is no operand
)
_BURSTLINE = re.compile(rb"//[ \t]*burstline:([^\r\n]*)")


def _moved_segment(s: Segment, by: int, other: int) -> Segment:
    if s.file is not None:
        return Segment(s.out + by, s.start, s.end, s.verbatim, s.macro, s.use, s.file, s.asked_at + other)
    use = (s.use[0] + other, s.use[1] + other) if s.use is not None else None
    return Segment(s.out + by, s.start + other, s.end + other, s.verbatim, s.macro, use)


_PRAGMAS = Kind(attrgetter("start"), lambda p, by, _: Pragma(p.start + by, p.end + by, p.text))
_DEFINITIONS: Kind[Definition] = Kind(
    attrgetter("start"), lambda d, by, _: Definition(d.start + by, d.end + by, d.name, d.macro)
)
_NUMBERS = count(1)
_SEGMENTS = Kind(attrgetter("out"), _moved_segment)


def read_source(
    text: str | bytes,
    path: str | None = None,
    defines: Mapping[str, str] | None = None,
    include_paths: Sequence[Path] = (),
    workspace: Sequence[Path] = (),
    before: Source | None = None,
    edited: Mapping[Path, bytes] | None = None,
) -> Source:
    """Preprocess, mask and parse a file. Never fails: what cannot be read is a remark.

    With the reading of the text `before` an edit, only what the edit touches is read again. `edited` are texts of
    included files that are not saved yet, by path without symbolic links.
    """
    original = with_line_feeds(utf8(text))
    given = Given(tuple(sorted((defines or {}).items())), (tuple(include_paths), tuple(workspace)))
    folders = IncludeFolders(path, include_paths, workspace, edited)
    again = _read_again(before, original, path, given, folders) if before is not None else None
    return again or _read_whole(original, path, given, folders)


def _read_whole(original: bytes, path: str | None, given: Given, folders: IncludeFolders) -> Source:
    done = preprocess(original.replace(b"\0", b" "), path, {**PREDEFINED, **dict(given.defines)}, folders)
    remarks = list(done.remarks.values())
    whole, operators = _without_operators(bytes(done.out))
    if len(whole) > MAX_PARSED_BYTES:
        cut = whole.rfind(b"\n", 0, MAX_PARSED_BYTES) + 1 or MAX_PARSED_BYTES
        whole = whole[:cut]
        remarks.append(SourceRemark(0, 0, "long_file", (str(MAX_PARSED_BYTES),)))
    masked = mask(whole)
    made = (d.macro for d in done.definitions)
    return Source(
        path=path,
        original=original,
        lines=LineTable(original),
        masked=masked,
        sections=Runs(PLACES, stops(masked.text, 0, _kernels(masked, 0))),
        pragmas=Runs(_PRAGMAS, sorted([*done.pragmas, *operators], key=lambda p: p.start)),
        macros=done.macros,
        definitions=Runs(_DEFINITIONS, done.definitions),
        long=Runs(SPANS, done.long),
        includes=tuple(done.includes),
        inactive=tuple(done.inactive),
        remarks=tuple(remarks),
        comments=tuple(_comments(original)),
        template=bool(_TEMPLATE.search(original)),
        files=done.files,
        segments=Runs(_SEGMENTS, done.segments),
        given=replace(
            given,
            looked_for=tuple(done.looked_for),
            counted=done.counted,
            calls=any(m is not None and m.parameters is not None for m in (*done.macros.values(), *made)),
            expanded=done.expanded,
        ),
        number=next(_NUMBERS),
    )


def _read_again(
    before: Source, original: bytes, path: str | None, given: Given, folders: IncludeFolders
) -> Source | None:
    """The reading of an edited text, made from that of the text before: the same, for less. None when it is not."""
    old = before.given
    same = before.path == path and (old.defines, old.folders) == (given.defines, given.folders)
    if not same or old.counted or len(original) > MAX_PARSED_BYTES // 4:
        return None
    if before.template and not _TEMPLATE.search(original):
        return None
    written = difference(before.original, original)
    stale = [n for n, (name, within, found) in enumerate(old.looked_for) if not _current(name, within, found, folders)]
    if not stale and original == before.original:
        return before
    included = bool(stale)
    hidden = inactive_of(before, original, written) if not included else None
    lines: Edit | None = None
    if included:
        window = included_again(before, stale) if original == before.original else None
    else:
        lines = hidden or unread_lines(before, original, written) or comment_of(before, original, written)
        window = lines or window_of(before, original, written)
    if window is None:
        return None
    part = original[window.start : window.new_end].replace(b"\0", b" ")
    in_force = _in_force(before, window.start)
    done = not_compiled(part) if hidden is not None else preprocess_part(part, path, dict(in_force[1]), folders)
    expanded = old.expanded + done.expanded
    if done.counted or done.remarks or expanded > most_expanded(len(original)):
        return None
    if not before.template and _TEMPLATE.search(part):
        return None
    if included and not _alike(before, window, stale[0], done):
        return None
    out, operators = _without_operators(bytes(done.out))
    part_masked = mask(out)
    if included and not ends_whole(part_masked.text):
        return None
    if any(end > len(out) for _, end in part_masked.long):
        return None  # an attribute that does not end in the window
    start, stop = _places(before, window)
    masked = before.masked.spliced(start, stop, part_masked)
    if len(masked.text) > MAX_PARSED_BYTES // 2:
        return None
    by = len(out) - (stop - start)
    pragmas = sorted([*done.pragmas, *operators], key=lambda p: p.start)
    sections, change = _sections_again(before, masked, written, Edit(start, stop, start + len(out)))
    if included:
        change = replace(change, included=_edit_of(old.looked_for[stale[0]][2], done))
    segments, plain = _joined(before, done.segments, (start, stop), window, by)
    quiet = lines is not None and is_blank(before.text, start, stop) and is_blank(masked.text, start, start + len(out))
    change = replace(change, plain=plain, quiet=Edit(start, stop, start + len(out)) if quiet else None)
    return replace(
        before,
        original=original,
        lines=before.lines.edited(original, window.start, window.old_end, window.new_end),
        masked=masked,
        sections=sections,
        changes=(*before.changes[1 - MAX_CHANGES :], change),
        pragmas=before.pragmas.spliced(start, stop, (_PRAGMAS.moved(p, start, 0) for p in pragmas), by),
        definitions=before.definitions.spliced(window.start, window.old_end, (), window.by),
        long=before.long.spliced(
            window.start, window.old_end, ((a + window.start, b + window.start) for a, b in done.long), window.by
        ),
        in_force=in_force,
        includes=tuple((window.after(a), window.after(b), file) for a, b, file in before.includes),
        inactive=tuple((window.after(a), window.after(b)) for a, b in before.inactive),
        remarks=tuple(replace(r, start=window.after(r.start), end=window.after(r.end)) for r in before.remarks),
        comments=_comments_again(before.comments, original, window),
        segments=segments,
        files={**before.files, **done.files} if included else before.files,
        given=replace(
            old, expanded=expanded, looked_for=_looked_for(old, stale[0], done) if included else old.looked_for
        ),
        number=next(_NUMBERS),
        _tables={},
        _syntax={},
        _before=before.trees or before._before,
    )


def _sections_again(before: Source, masked: Masked, written: Edit, lines: Edit) -> tuple[Runs[int], Change]:
    """Where sections end after an edit in some lines, and which of them are new."""
    old = before.sections
    first = old.rank(lines.start)
    if first and is_blank(masked.text, old[first - 1], lines.start):
        first -= 1  # attributes end a section only in front of a kernel
    start = old[first - 1] if first else 0
    found = []
    for stop in stops(masked.text, start, _kernels(masked, start)):
        found.append(stop)
        number = old.rank(stop - lines.by)
        if stop >= lines.new_end and number < len(old) and old[number] == stop - lines.by:
            break  # the old sections go on from here
    stop = found[-1] if found else len(masked.text)
    sections = old.spliced(start + 1, stop - lines.by + 1, found, lines.by)
    return sections, Change(before.number, written, start, stop, lines.by)


def _kernels(masked: Masked, start: int) -> Iterator[int]:
    """Where the word kernel is from a place on, or the attributes in front of it."""
    notes = masked.notes
    for place in range(notes.rank(start), len(notes)):
        number, note = place, notes[place]
        if note.kind == "qualifier" and note.text.strip("_") == "kernel":
            while number and notes[number - 1].kind == "attribute":
                if not is_blank(masked.text, notes[number - 1].end, notes[number].start):
                    break
                number -= 1
            yield notes[number].start


def _in_force(before: Source, place: int) -> tuple[int, Mapping[str, Macro]]:
    """The macros at a place of the user's file, and by how many definitions."""
    number = before.definitions.rank(place)
    if before.in_force is not None and before.in_force[0] == number:
        return before.in_force
    macros = given_macros({**PREDEFINED, **dict(before.given.defines)})
    apply(before.definitions[:number], macros)
    return number, macros


def _current(name: str, within: Path | None, found: Included | None, folders: IncludeFolders) -> bool:
    """Whether what was included is still the same."""
    return folders.still(found) if found is not None else folders.find(name, within) is None


def _alike(before: Source, window: Edit, stale: int, done: Preprocessed) -> bool:
    """Whether what an include gives now says no more to the text behind it than it did before."""
    old = before.given.looked_for[stale : stale + len(done.looked_for)]
    then = [i for i in before.includes if window.start <= i[0] < window.old_end]
    now = [(a + window.start, b + window.start, file) for a, b, file in done.includes]
    same = then == now and [o[:2] for o in old] == [d[:2] for d in done.looked_for]
    return same and not done.definitions and not before.definitions.between(window.start, window.old_end)


def _edit_of(before: Included | None, done: Preprocessed) -> tuple[str, Edit] | None:
    """How the text of an included file has changed."""
    now = done.looked_for[0][2]
    return (str(now.path), difference(before.text, now.text)) if before is not None and now is not None else None


def _looked_for(old: Given, stale: int, done: Preprocessed) -> LookedFor:
    """What was included, with what one include and those in it have found now."""
    return (*old.looked_for[:stale], *done.looked_for, *old.looked_for[stale + len(done.looked_for) :])


def _places(before: Source, window: Edit) -> tuple[int, int]:
    """Where a window starts and stops in the text that was parsed."""
    # A file may begin with a word that is not in the parsed text as it was written.
    start = before.offset_of(window.start) if window.start else 0
    stop = before.offset_of(window.old_end)
    return (len(before.text) if start is None else start), (len(before.text) if stop is None else stop)


def _joined(
    before: Source, part: Sequence[Segment], places: tuple[int, int], window: Edit, by: int
) -> tuple[Runs[Segment], bool]:
    """The pieces of a text after an edit, those of the window joined to what they go on from; whether it is in one."""
    segments, (start, stop) = before.segments, places
    first, last = (max(0, segments.rank(place + 1) - 1) for place in places)
    around = segments[first : last + 1]
    pieces = [_moved_segment(s, start, window.start) for s in part]
    if around and around[0].out < start:
        pieces.insert(0, around[0]._replace(end=window.start))
    if around and stop < len(before.text):
        end = around[-1].end + window.by
        pieces.append(Segment(stop + by, window.new_end, end, verbatim=True))
    joined: list[Segment] = []
    for piece in pieces:
        one = piece.joined_to(joined[-1]) if joined else None
        joined[-1 if one else len(joined) :] = [one or piece]
    low, high = (around[0].out, around[-1].out + 1) if around else (0, 0)
    plain = len(around) == len(joined) == 1 and around[0].plain and joined[0].plain
    return segments.spliced(low, high, joined, by, window.by), plain


def _without_operators(text: bytes) -> tuple[bytes, list[Pragma]]:
    """The text with its ``_Pragma`` operators hidden, and what they say."""
    found = []
    for match in _PRAGMA_OPERATOR.finditer(text):
        found.append(Pragma(match.start(), match.start(), match[1].decode("utf-8", "replace")))
        text = text[: match.start()] + blank(match[0]) + text[match.end() :]
    return text, found


def _comments(text: bytes, start: int = 0, stop: int | None = None) -> Iterator[Comment]:
    for m in _BURSTLINE.finditer(text, start, len(text) if stop is None else stop):
        yield Comment(m.start(), m.end(), m[1].decode("utf-8", "replace").strip())


def _comments_again(before: Sequence[Comment], text: bytes, window: Edit) -> tuple[Comment, ...]:
    kept = [c for c in before if c.end <= window.start]
    moved = (Comment(c.start + window.by, c.end + window.by, c.text) for c in before if c.start >= window.old_end)
    return (*kept, *_comments(text, window.start, window.new_end), *moved)
