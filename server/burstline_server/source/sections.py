"""Sections: the parts of a text that are parsed each by itself, so that an edit, or an error, stays where it is.

A section ends behind a declaration's semicolon, behind a function's body, and before a kernel that follows a body which
does not end. Sections follow from the text alone, one after the other: what comes before one does not matter to it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator

import tree_sitter
import tree_sitter_c

from burstline_model.record import fixed
from burstline_server.source.edit import difference

_TOKEN = re.compile(
    rb"""//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*(?:[^*]++|\*(?!/))*(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n]){0,16}'|[){};]"""
)
_INSIDE = re.compile(
    rb"""(?:[^{}"'/]++|//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)|"(?:\\.|[^"\\\n])*+"?"""
    rb"""|'(?:\\.|[^'\\\n]){0,16}'|['/])*+([{}])"""
)
"""The next brace, in a block."""
_BLANK = re.compile(rb"(?:\s++|//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+")

_BRACE = re.compile(
    rb"""(?:\s++|//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)"""
    rb"""|(?P<word>"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n]){0,16}+'?|/|[^\s{}/"']++))*+(?:(?P<brace>[{}])|\Z)"""
)
"""A brace or the end of a text, with the last of what comes before that is no comment."""


def stops(text: bytes, start: int, kernels: Iterable[int]) -> Iterator[int]:
    """Where the sections end from the start of one on; `kernels` are the places of the word, in order."""
    depth, section, closed, body = 0, start, -1, False
    waiting = iter(kernels)
    kernel = next((k for k in waiting if k >= start), len(text))
    at = start
    while True:
        match = _INSIDE.match(text, at) if depth else _TOKEN.search(text, at)
        place = match.start(match.lastindex or 0) if match else len(text)
        while kernel < place and (depth == 0 or kernel <= section):
            kernel = next(waiting, len(text))
        if kernel < place and (match or _TOKEN.search(text, kernel)):
            yield kernel
            depth, section, closed, body, at = 0, kernel, -1, False, kernel
            continue
        if match is None:
            break
        sign, at = match[match.lastindex or 0], match.end()
        if sign == b")":
            closed = match.end()
        elif sign == b"{":
            if depth == 0:
                body = closed >= 0 and is_blank(text, closed, place)
            depth += 1
        elif sign == b"}" or (sign == b";" and depth == 0):
            depth = max(0, depth - (sign == b"}"))
            if depth == 0 and (sign == b";" or body):
                yield match.end()
                section, closed, body = match.end(), -1, False
    if section < len(text):
        yield len(text)


def is_blank(text: bytes, start: int, stop: int) -> bool:
    """Whether nothing but blanks and comments is in a range."""
    return _BLANK.fullmatch(text, start, stop) is not None


def after_blanks(text: bytes, start: int, stop: int) -> int:
    """Where the blanks and comments end that follow a place."""
    match = _BLANK.match(text, start, stop)
    return match.end() if match else start


_NOWHERE = tree_sitter.Point(0, 0)
"""Rows and columns are not asked for."""


_PARSERS = threading.local()


def _parser() -> tree_sitter.Parser:
    """The parser of this thread."""
    if not hasattr(_PARSERS, "parser"):
        _PARSERS.parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_c.language()))
    parser: tree_sitter.Parser = _PARSERS.parser
    return parser


def parsed(text: bytes) -> tree_sitter.Tree:
    """The tree of a whole text."""
    parser = _parser()
    parser.included_ranges = []
    return parser.parse(text)


@fixed
class SectionTree:
    """The tree of a section, and the text that it was made of, which is the section's as the grammar reads it."""

    start: int
    text: bytes
    tree: tree_sitter.Tree
    root: tree_sitter.Node


def parsed_section(text: bytes, start: int, stop: int) -> tree_sitter.Node:
    """The root of a section's tree; its places are those of the text.

    Blocks that do not end in it, as while they are typed, end behind its last statement, in place of what is blank.
    """
    return section_tree(text, start, stop).root


def section_tree(text: bytes, start: int, stop: int, before: SectionTree | None = None) -> SectionTree:
    """The tree of a section, for less where that of the text `before` an edit of it is known, and neither has errors.

    What the parser makes of an error depends on what it made of the text before: then it is made anew.
    """
    text = _without_false_pointers(_without_false_casts(text, start, stop), start, stop)
    if before is not None and before.start == start and not before.root.has_error:
        again = _parsed_range(text, start, stop, before)
        if not again.root.has_error:
            return again
    found = _parsed_range(text, start, stop)
    if not found.root.has_error:
        return found
    depth, last = _open_at_end(text, start, stop)
    if not 0 < depth <= stop - last:
        return found
    ends = (b"}" * depth).ljust(stop - last)
    return _parsed_range(b"".join((text[:last], ends, text[stop:])), start, stop)


def _without_false_casts(text: bytes, start: int, stop: int) -> bytes:
    """The text with blanks for brackets around a variable or element that a sign follows: ``(a[i]) - b * c``.

    The grammar takes some of them for casts. Neither needs brackets, and no cast is to an array.
    """
    found = [m for m in _IN_BRACKETS.finditer(text, start, stop) if _may_be_cast(text, start, m.start())]
    if any(not m["index"] for m in found):
        types = {name for names in _TYPEDEF.findall(text) for name in names}
        found = [m for m in found if m["index"] or not (m["name"] in types or _declares(text[start:stop], m["name"]))]
    if not found:
        return text
    made = bytearray(text)
    for match in found:
        first, last = match.span()
        made[first] = made[last - 1] = ord(" ")
    return bytes(made)


def _without_false_pointers(text: bytes, start: int, stop: int) -> bytes:
    """The text with blanks for the inner brackets of ``(n * (i)) + j``, which are not needed.

    The grammar takes such a product for a cast of ``+j`` to a pointer to functions, which the language does not have;
    so it does where a cast to an integer is before those brackets.
    """
    made = None
    while found := [*_PRODUCT.finditer(made or text, start, stop)]:
        made = made if made is not None else bytearray(text)
        for match in found:
            made[match.start("open")] = made[match.start("close")] = ord(" ")
    return text if made is None else bytes(made)


def _may_be_cast(text: bytes, start: int, place: int) -> bool:
    """Whether a bracket is behind an operator, a bracket, ``return`` or a plain type: not the arguments of a call."""
    end = place
    while end > start and text[end - 1] in _BLANKS:
        end -= 1
    if end == start:
        return False
    before = text[end - 1 : end]
    if before == b")":
        return _CAST.fullmatch(text, max(text.rfind(b"(", start, end), start), end) is not None
    if _WORD.match(before):
        return text.endswith(b"return", start, end) and not _WORD.match(text[max(end - 7, start) : end - 6])
    return before != b"]"


_BLANKS = b" \t\n\r\v\f"


def _declares(text: bytes, name: bytes) -> bool:
    """Whether a name is in front of another one, as a type from a header that is not there is."""
    place = text.find(name)
    while place >= 0:
        whole = not (place and _WORD.match(text, place - 1))
        if whole and _NAME_BEHIND.match(text, place + len(name)):
            return True
        place = text.find(name, place + 1)
    return False


_WORD = re.compile(rb"\w")
_NAME_BEHIND = re.compile(rb"\s+[A-Za-z_]")
_TYPE = rb"(?:unsigned|signed|bool|void|size_t|u?(?:char|short|int|long)\d*|(?:half|float|double)\d*)"
_IN_BRACKETS = re.compile(
    rb"\(\s*+(?!" + _TYPE + rb"\b|\w+_t\b)(?P<name>[A-Za-z_]\w*+)(?P<index>(?:\s*\[[^\[\](){};]*\])*)\s*\)"
    rb"(?=\s*[-+*&][^-+=&])"
)
_PRODUCT = re.compile(
    rb"\(\s*+(?!" + _TYPE + rb"\b|\w+_t\b)[A-Za-z_]\w*+\s*+\*\s*+"
    rb"(?:\(\s*+(?:size_t|(?:unsigned\s++)?+u?+(?:char|short|int|long))\s*+\)\s*+)?+(?P<open>\()"
    rb"(?:[\w\s*.]++|\[[^\[\](){};]*+\]|\([^(){};]*+\))++(?P<close>\))\s*+\)(?=\s*+[-+*&])"
)
_CAST = re.compile(rb"\(\s*" + _TYPE + rb"\s*\)")
_TYPEDEF = re.compile(rb"\btypedef\b[^;{]*?\b(\w+)\s*(?:\[[^\];]*\]\s*)*;|\}[^;{}()=]*?\b(\w+)\s*;")


def _parsed_range(text: bytes, start: int, stop: int, before: SectionTree | None = None) -> SectionTree:
    parser, section = _parser(), text[start:stop]
    parser.included_ranges = [tree_sitter.Range(_NOWHERE, _NOWHERE, start, stop)]
    if before is None:
        tree = parser.parse(text)
        return SectionTree(start, section, tree, tree.root_node)
    edit, known = difference(before.text, section), before.tree.copy()
    known.edit(
        start + edit.start, start + edit.old_end, start + edit.new_end,
        _point(section, edit.start), _point(before.text, edit.old_end), _point(section, edit.new_end),
    )  # fmt: skip
    tree = parser.parse(text, known)
    return SectionTree(start, section, tree, tree.root_node)


def _point(text: bytes, place: int) -> tree_sitter.Point:
    """The row and column of a place in a section."""
    return tree_sitter.Point(text.count(b"\n", 0, place), place - text.rfind(b"\n", 0, place) - 1)


def _open_at_end(text: bytes, start: int, stop: int) -> tuple[int, int]:
    """How many blocks a section leaves open, and where the blanks and comments at its end begin."""
    depth, last = 0, start
    for match in _BRACE.finditer(text, start, stop):
        depth = max(0, depth + (match["brace"] == b"{") - (match["brace"] == b"}"))
        last = max(last, match.end("word"), match.end("brace"))
    return depth, last
