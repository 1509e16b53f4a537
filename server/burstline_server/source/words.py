"""A text without its comments: whether an edit changed a word of it."""

from __future__ import annotations

import re
from functools import lru_cache

from tree_sitter import Node

from burstline_server.source.edit import Edit

_GAP = re.compile(
    rb"""(?:\s++|//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*(?:[^*]++|\*(?!/))*+\*/)++"""
    rb"""|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?""",
    re.DOTALL,
)
_CONTINUED = re.compile(rb"\\\r?\n")
_COMMENT = re.compile(rb"//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*(?:[^*]++|\*(?!/))*+\*/")
_HIDDEN = re.compile(
    rb"""//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*(?:[^*]++|\*(?!/))*+\*/"""
    rb"""|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?""",
    re.DOTALL,
)
"""Comments, strings and characters."""


def same_words(old: bytes, new: bytes, edit: Edit, root: Node, at: int) -> bool:
    """Whether an edit left all words of a text; False where that is not sure.

    `root`: the syntax of the new text, which begins at `at` there.
    """
    inside = _in_comment(old, new, edit, root, at)
    if inside is not None:
        return inside
    words = words_of(old)
    return words is not None and words == words_of(new)


def _in_comment(old: bytes, new: bytes, edit: Edit, root: Node, at: int) -> bool | None:
    """Whether an edit inside a comment leaves it on one line, or on several; None where it is not sure to be in one."""
    around = root.descendant_for_byte_range(at + edit.start, at + edit.new_end)
    start, end = (around.start_byte - at, around.end_byte - at) if around is not None else (0, 0)
    if around is not None and around.type == "comment" and start + 2 <= edit.start:
        # Both texts are the same in front of the comment, and so it begins there in both.
        was = _COMMENT.match(old, start)
        if was is not None and was.end() == end - edit.by and not _CONTINUED.search(new, start, end + 2):
            return (b"\n" in was[0]) == (b"\n" in new[start:end])
    return None


def between_words(old: bytes, new: bytes, edit: Edit, root: Node, at: int) -> bool:
    """Whether an edit that left all words, as `same_words` has it, covers none of them."""
    if _in_comment(old, new, edit, root, at):
        return True
    return _is_gap(old, edit.start, edit.old_end) and _is_gap(new, edit.start, edit.new_end)


def _is_gap(text: bytes, start: int, end: int) -> bool:
    """Whether no word is in a range of a text; nothing is in an empty one."""
    around = next((m for m in _GAP.finditer(text) if m.end() >= end), None) if start < end else None
    return start == end or (around is not None and around.start() <= start and around[0][:1] not in (b'"', b"'"))


def changes_gap(old: bytes, new: bytes, edit: Edit) -> bool:
    """Whether an edit of a whole file changes comments and blanks between two words alone; False where it may not.

    The words stay on one line, or on two, and no comment in front goes on behind its line.
    """
    places = [_readable(text, edit.start) for text in (old, new)]
    if places[0] is None or places[0] != places[1]:
        return False
    was, now = _gap_at(old, places[0], edit.start, edit.old_end), _gap_at(new, places[0], edit.start, edit.new_end)
    if was is None or now is None or was.start() != now.start() or was.end() - edit.old_end != now.end() - edit.new_end:
        return False
    directive = old[old.rfind(b"\n", 0, edit.start) + 1 : edit.start].lstrip().startswith(b"#")
    plain = not directive and b"\\" not in was[0] and b"\\" not in now[0] and was.end() < len(old)
    return plain and (b"\n" in was[0]) == (b"\n" in now[0])


def _readable(text: bytes, place: int) -> int | None:
    """A place before another one outside all comments: where its line begins, or that of the comment around it."""
    begin, first = 0, place
    for hidden in _HIDDEN.finditer(text):
        if hidden.end() >= place:
            first = min(hidden.start(), place)
            break
        if _CONTINUED.search(hidden[0]):
            return None
        begin = hidden.end()
    return max(begin, text.rfind(b"\n", 0, first), 0)


def _gap_at(text: bytes, begin: int, start: int, end: int) -> re.Match[bytes] | None:
    """The comments and blanks around a range of a text that is read from `begin` on."""
    around = next((m for m in _GAP.finditer(text, begin) if m.end() >= end), None)
    return around if around is not None and around.start() <= start and around[0][:1] not in (b'"', b"'") else None


@lru_cache(maxsize=8)
def words_of(text: bytes) -> bytes | None:
    """The text with each gap between words as one blank or end of line; None where that is not sure.

    Whether two words are on one line counts as well: reports name lines. Texts with lines that go on are not compared.
    """
    return None if _CONTINUED.search(text) else _GAP.sub(_gap, text)


def _gap(match: re.Match[bytes]) -> bytes:
    """Strings and characters are words."""
    piece = match[0]
    if piece[0] in b"\"'":
        return piece
    return b"\n" if b"\n" in piece else b" "
