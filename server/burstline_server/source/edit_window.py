"""What an edit touches of a file: lines outside of which nothing is read differently."""

from __future__ import annotations

import re
from collections.abc import Sequence

from burstline_server.source.edit import Edit
from burstline_server.source.mask import blank, within
from burstline_server.source.preprocess import DIRECTIVE, SKIPPED
from burstline_server.source.sections import is_blank
from burstline_server.source.source import Source

_SAFE = re.compile(rb"[;{}][ \t]*\r?\n")
"""What no token but a comment or an attribute reaches across, and no look-ahead."""
_LAST = re.compile(rb"[;{}][ \t]*\r?\Z")
_SIGN = re.compile(rb"[()]")
_QUIET = re.compile(rb"(?:\s|//(?:[^\\\n]++|\\(?:\r?\n)?)*+\n|/\*(?:[^*]++|\*(?!/))*\*/)*")
"""Comments and blanks."""
_GOES_ON = re.compile(rb"\\[ \t]*\r?(?:\n|\Z)")
"""A backslash that joins a line with the next one."""
_ONCE = re.compile(rb"\bonce\b|#[ \t]*import\b")
_COMMENT = re.compile(rb"/\*(?:[^*]++|\*(?!/))*\*/")
MAX_STEPS = 200
"""Most lines that are looked at for a safe one on either side."""
MAX_BLANKS = 80


def unread_lines(before: Source, text: bytes, edit: Edit) -> Edit | None:
    """The lines of an edit, where they hold comments and blanks alone behind the end of a statement; None elsewhere."""
    old = before.original
    begin = old.rfind(b"\n", 0, edit.start) + 1
    stop = _whole_lines(old, text, edit, begin) or old.find(b"\n", edit.old_end) + 1
    if not stop or not _behind_statement(old, begin):
        return None
    window = Edit(begin, stop, stop + edit.by)
    parts = (old[begin:stop], text[begin : window.new_end])
    if not all(_QUIET.fullmatch(part) and not _GOES_ON.search(part) for part in parts):
        return None
    if _meets_inactive(before, begin, stop):
        return None
    return window if _plain(before, begin) and _plain(before, stop) else None


def _whole_lines(old: bytes, text: bytes, edit: Edit, begin: int) -> int:
    """Where whole lines end that an edit writes or removes at the begin of a line; 0 for another edit.

    They may begin as the line behind them does: then the texts differ first in the midst of that.
    """
    longer, end = (text, edit.new_end) if edit.by > 0 else (old, edit.old_end)
    if edit.start < (edit.old_end if edit.by > 0 else edit.new_end):
        return 0
    end -= edit.start - begin
    same = longer[end - 1 : end] == b"\n" and longer[end : end + edit.start - begin] == old[begin : edit.start]
    return (begin if edit.by > 0 else end) if same else 0


def comment_of(before: Source, text: bytes, edit: Edit) -> Edit | None:
    """The comment that an edit stays inside of, where nothing else is on its lines; None elsewhere."""
    number = before.long.rank(edit.start)
    start, stop = before.long[number - 1] if number else (0, 0)
    window = Edit(start, stop, stop + edit.by)
    if not start + 2 <= edit.start <= edit.old_end <= stop - 2 or not _COMMENT.fullmatch(text, start, window.new_end):
        return None
    old = before.original
    alone = not old[old.rfind(b"\n", 0, start) + 1 : start].strip() and old[stop : stop + 1] == b"\n"
    if not alone or not _in_one_piece(before, window) or _meets_inactive(before, start, stop):
        return None
    return window


def inactive_of(before: Source, text: bytes, edit: Edit) -> Edit | None:
    """The text between two directives that is not compiled, where an edit stays inside of it; None elsewhere."""
    found = next((one for one in before.inactive if one[0] < edit.start and edit.old_end < one[1]), None)
    if found is None:
        return None
    window = Edit(*found, found[1] + edit.by)
    part = text[window.start : window.new_end]
    plain = SKIPPED.sub(_hidden, part)
    if not plain.strip() or b"/*" in plain or b"#" in plain or _GOES_ON.search(part):
        return None
    return window if _in_one_piece(before, window) and not any(within(before.long, place) for place in found) else None


def _meets_inactive(before: Source, begin: int, stop: int) -> bool:
    """Whether lines may be of text that is not compiled, which ends with its last word: blanks behind may be of it."""
    return any(a <= stop and (b >= begin or not before.original[b:begin].strip()) for a, b in before.inactive)


def _in_one_piece(before: Source, window: Edit) -> bool:
    """Whether the parsed text has what a window replaces as it is written, up to and with what is behind it."""
    start, stop = before.offset_of(window.start), before.offset_of(window.old_end)
    return start is not None and stop is not None and stop - start == window.old_end - window.start


def included_again(before: Source, stale: Sequence[int]) -> Edit | None:
    """The line of an include of which the file has changed; None where its text may matter to what is behind it.

    `stale` are the files that have changed, by number among those that were looked for.
    """
    if len(stale) != 1:
        return None
    _, within, found = before.given.looked_for[stale[0]]
    own = [i for i in before.includes if found is not None and i[2] == str(found.path)]
    # Other ways into a file are not followed here, and what is included once is not where it is included again.
    if str(within) != before.path or len(own) != 1:
        return None
    texts = (before.original, *before.files.values())
    if any(_ONCE.search(text) for text in texts if b"once" in text or b"import" in text):
        return None
    begin = before.original.rfind(b"\n", 0, own[0][0]) + 1
    stop = before.original.find(b"\n", own[0][1]) + 1
    if not stop or not _plain(before, begin) or not _plain(before, stop):
        return None
    if _meets_inactive(before, begin, stop) or any(begin <= r.start < stop for r in before.remarks):
        return None
    places = before.offset_of(begin), before.offset_of(stop)
    if any(place is None or not _divided(before, place) for place in places):
        return None
    return Edit(begin, stop, stop)


def _divided(before: Source, place: int) -> bool:
    """Whether a section ends at a place of the parsed text, blanks and comments in between aside."""
    number = before.sections.rank(place + 1)
    return is_blank(before.text, before.sections[number - 1] if number else 0, place)


def ends_whole(text: bytes) -> bool:
    """Whether a text ends with a declaration or a body, so that no token reaches across its end."""
    end = SKIPPED.sub(_hidden, text).rstrip()
    return not end or end.endswith((b";", b"}"))


def _behind_statement(text: bytes, begin: int) -> bool:
    """Whether the line of code before a place ends a statement or a block; comments of one line may follow it."""
    for _ in range(MAX_STEPS):
        if begin <= 0:
            return False
        start = text.rfind(b"\n", 0, begin - 1) + 1
        line = text[start:begin].strip()
        if line and not line.startswith(b"//"):
            continued = text[max(0, start - 3) : start].rstrip(b"\r\n").endswith(b"\\")
            return line.endswith((b";", b"{", b"}")) and not line.startswith(b"#") and not continued
        begin = start
    return False


def window_of(before: Source, text: bytes, edit: Edit) -> Edit | None:
    """The edit between a file as it was read and its text now, widened to lines that can be read by themselves.

    None where that cannot be said: the whole text must be read again.
    """
    begin, stop = _begin(before, edit.start), _stop(before, edit.old_end)
    if begin is None or stop is None:
        return None
    window = Edit(begin, stop, stop + edit.by)
    if _meets_inactive(before, begin, stop):
        return None
    if any(begin <= r.start <= stop for r in before.remarks):
        return None
    parts = (before.original[begin:stop], text[begin : window.new_end])
    return window if all(_by_itself(part, calls=before.given.calls) for part in parts) else None


def readable_from(source: Source, place: int) -> int:
    """A place before, as near as is known, outside comments and directives."""
    inactive = next((start for start, end in source.inactive if start <= place < end), None)
    if inactive is not None:
        return inactive
    begin = _begin(source, place)
    return 0 if begin is None else begin


def _begin(before: Source, offset: int) -> int | None:
    """The last place up to an offset where reading can begin."""
    text = before.original
    for _ in range(MAX_STEPS):
        end = text.rfind(b"\n", 0, offset)
        if end < 0:
            return 0
        if _LAST.search(text, max(0, end - MAX_BLANKS), end) and _plain(before, end + 1):
            start = text.rfind(b"\n", 0, end) + 1
            # What a directive says ends no statement, and whether text behind it is compiled is not known here.
            if not text[start:end].lstrip().startswith(b"#"):
                return end + 1
        offset = end
    return None


def _stop(before: Source, offset: int) -> int | None:
    """The first place from an offset on where reading can end."""
    text = before.original
    for _ in range(MAX_STEPS):
        match = _SAFE.search(text, offset)
        if match is None:
            return len(text)
        offset = match.end()
        if _plain(before, offset):
            return offset
    return None


def _plain(before: Source, place: int) -> bool:
    """Whether a place is in the text as it is, in no comment and in no macro's arguments."""
    if within(before.long, min(place, len(before.original) - 1)):
        return False  # a comment that does not end goes on behind the text
    if place >= len(before.original):
        return not before.masked.inside(len(before.text) - 1)
    offset = before.offset_of(place)
    return offset is not None and not before.masked.inside(offset)


def _by_itself(part: bytes, *, calls: bool) -> bool:
    """Whether nothing in a part of a text depends on what follows, nor the other way round."""
    plain = SKIPPED.sub(_hidden, part)
    if b"/*" in plain or any(m[1] != b"pragma" for m in DIRECTIVE.finditer(plain)):
        return False
    depth = 0
    for sign in _SIGN.findall(plain) if calls else ():
        depth += 1 if sign == b"(" else -1
        if depth < 0:
            return False
    return depth == 0


def _hidden(match: re.Match[bytes]) -> bytes:
    """Blanks for what is no code; a comment that does not end is left to be seen."""
    open_ended = match[0][:2] == b"/*" and (len(match[0]) < 4 or not match[0].endswith(b"*/"))
    return match[0] if open_ended else blank(match[0])
