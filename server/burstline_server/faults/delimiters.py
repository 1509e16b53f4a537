"""Brackets that have no partner, found on the tokens of a section and placed by the text's indentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from burstline_model.record import fixed

_TOKEN = re.compile(
    rb"""(?P<skip>//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z))|(?P<sign>[()\[\]{};])"""
    rb"""|(?P<word>"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n]){0,16}+'?|\w++|[^\s\w()\[\]{};"'/]++|/)"""
)
_BRACKETS = re.compile(
    rb"""(?:\s++|//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*(?:[^*]++|\*(?!/))*+\*/"""
    rb"""|(?P<word>"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n]){0,16}+'?|\w++|[^\s\w()\[\]{};"'/]++|/(?![/*])))*+"""
    rb"""(?:(?P<sign>[()\[\]{};])|(?P<endless>/\*)|\Z)"""
)
"""A bracket or a semicolon, a comment that does not end, or the end of a text, with the word that comes before."""
_CLOSED_BY = {b"(": b")", b"[": b"]", b"{": b"}"}
_NAMES = {b"(": "')'", b"[": "']'", b"{": "'}'"}
_HEADS = {b"if", b"for", b"while", b"switch"}
TAB = 4
MAX_HEAD = 4000
"""Most characters of arguments that are looked through."""
MAX_FOUND = 8
"""Most faults that are looked for: all that follow are consequences."""


@fixed
class Broken:
    """A fault at a range of a section, places counted from the section's start."""

    start: int
    end: int
    message: str


@dataclass(slots=True)
class _Open:
    """An open bracket: its place, the word before it, and how many semicolons are directly in it."""

    sign: bytes
    place: int
    before: bytes
    semicolons: int = 0
    values: bool = False
    """Whether it is a brace around the values of an array or a structure."""
    rows: bool = False
    """Whether other such braces are in it."""


@dataclass(slots=True)
class _Scan:
    """The state of one pass."""

    text: bytes
    open: list[_Open] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    """Braces with their partners."""
    found: list[Broken] = field(default_factory=list)
    last: bytes = b""
    end: int = 0

    def missing(self, one: _Open) -> None:
        """A bracket whose partner does not come: it is expected behind the last token."""
        if len(self.found) >= MAX_FOUND:
            return
        line = _line(self.text, one.place)
        to = "" if line == _line(self.text, self.end) else f" to match the '{one.sign.decode()}' {_lines_up(self, one)}"
        self.found.append(Broken(max(self.end - 1, 0), self.end, f"expected {_NAMES[one.sign]}{to}"))


def _lines_up(scan: _Scan, one: _Open) -> str:
    lines = _line(scan.text, scan.end) - _line(scan.text, one.place)
    return f"{lines} line{'s' if lines > 1 else ''} above"


def unmatched(text: bytes) -> list[Broken]:
    """The brackets of a section that have no partner, in order of place."""
    scan = _Scan(text)
    for match in _BRACKETS.finditer(text):
        word, sign = match["word"], match["sign"]
        if len(scan.found) >= MAX_FOUND and (word is not None or sign is not None):
            return sorted(scan.found, key=lambda b: b.start)
        if word is not None:
            scan.last, scan.end = word, match.end("word")
        if match["endless"] is not None:
            return [*scan.found, _endless(match.start("endless"))]
        if sign is not None:
            _sign(scan, sign, match.start("sign"))
            scan.last, scan.end = sign, match.end()
    for one in scan.open[: -MAX_FOUND - 1 : -1]:
        if one.sign == b"{":
            scan.found.append(_unclosed(scan, one))
        else:
            scan.missing(one)
    return sorted(scan.found, key=lambda b: b.start)


def open_comment(text: bytes) -> Broken | None:
    """The comment that goes on to the end of a text and does not end there."""
    if text.rfind(b"/*") < 0 or text.rfind(b"/*") + 2 <= text.rfind(b"*/"):
        return None
    comments = (m for m in _TOKEN.finditer(text) if m.lastgroup == "skip")
    return next((_endless(m.start()) for m in comments if _is_open(m[0])), None)


def _is_open(comment: bytes) -> bool:
    return comment.startswith(b"/*") and not comment.endswith(b"*/", 2)


def _endless(place: int) -> Broken:
    return Broken(place, place + 2, "this comment does not end with '*/'")


def _sign(scan: _Scan, sign: bytes, place: int) -> None:
    top = scan.open[-1] if scan.open else None
    if sign == b";":
        _semicolon(scan)
    elif sign in _CLOSED_BY:
        if sign == b"{" and top is not None and _body_begins(top, scan.last):
            scan.missing(top)  # the header of a loop, say, whose body begins
            scan.open.pop()
        values = sign == b"{" and _values_begin(scan, top)
        if values and _is_next_row(scan, place):
            scan.missing(scan.open.pop())
        if values and scan.open:
            scan.open[-1].rows = True
        scan.open.append(_Open(sign, place, scan.last, values=values))
    else:
        _closing(scan, sign, place)


def _values_begin(scan: _Scan, top: _Open | None) -> bool:
    """Whether a brace begins the values of an array or a structure."""
    return scan.last == b"=" or (top is not None and top.values and scan.last in {b"{", b","})


def _is_next_row(scan: _Scan, place: int) -> bool:
    """Whether a brace begins a line as the row that is open does, so that it is no part of that one's values.

    The brace around all rows may begin a line as they do.
    """
    if len(scan.open) < 2 or not (scan.open[-1].values and scan.open[-2].values) or scan.open[-1].rows:
        return False
    text, row = scan.text, scan.open[-1].place
    return (
        scan.last != b"{" and _first(text, row) and _first(text, place) and _indent(text, row) == _indent(text, place)
    )


def _body_begins(top: _Open, last: bytes) -> bool:
    """Whether a brace right inside an open bracket begins the body behind it, and no literal."""
    if top.sign == b"(" and top.before in _HEADS:
        return last not in {b"(", b"=", b","}
    return top.sign != b"{" and re.fullmatch(rb"\w+|;", last) is not None


def _semicolon(scan: _Scan) -> None:
    """A semicolon ends all values, and every parenthesis but a loop's header, which holds two."""
    inside = len(scan.open) > 1 and scan.open[-1].sign == b"{" and scan.open[-2].sign != b"{"
    if inside and scan.open[-1].before == b")":
        body = scan.open.pop()  # not a literal in parentheses but the body behind them
        scan.end, kept = body.place, scan.end
        scan.missing(scan.open[-1])
        scan.end = kept
        while scan.open and scan.open[-1].sign != b"{":
            scan.open.pop()
        scan.open.append(body)
    while scan.open and (scan.open[-1].sign != b"{" or scan.open[-1].values):
        top = scan.open[-1]
        top.semicolons += 1
        if top.sign == b"(" and top.before == b"for" and top.semicolons <= 2:
            return
        scan.missing(top)
        scan.open.pop()


def _closing(scan: _Scan, sign: bytes, place: int) -> None:
    if scan.open and _CLOSED_BY[scan.open[-1].sign] == sign:
        if sign == b"}":
            scan.pairs.append((scan.open[-1].place, place))
        scan.open.pop()
        return
    partners = [o.sign for o in scan.open]
    opening = next(o for o, c in _CLOSED_BY.items() if c == sign)
    # A brace is never closed by a parenthesis that went astray.
    reach = len(partners) - partners[::-1].index(b"{") if sign != b"}" and b"{" in partners else 0
    if opening not in partners[reach:]:
        scan.found.append(Broken(place, place + 1, f"unexpected '{sign.decode()}': nothing is open that it closes"))
        return
    while scan.open[-1].sign != opening:
        scan.missing(scan.open.pop())
    one = scan.open.pop()
    if sign == b"}":
        scan.pairs.append((one.place, place))


def _unclosed(scan: _Scan, one: _Open) -> Broken:
    """A brace that is not closed: where the text goes back to the indentation of the line that opened a block."""
    text = scan.text
    # The block that lacks its end is the innermost one that is closed by a brace further to the left.
    culprit = next(
        (
            o
            for o, c in scan.pairs
            if o > one.place and _first(text, c) and _indent(text, c) < _indent(text, _head(text, o))
        ),
        None,
    )
    opened = one.place if culprit is None else culprit
    own = _indent(text, _head(text, opened))
    rows = list(_rows(text, opened))
    expected = "expected '}' to match the '{'"
    if rows and rows[0][1] > own:
        for place, indent, before in rows:
            closes = text[place : place + 1] == b"}"
            if indent <= own and text[place : place + 1] != b"{" and not (closes and indent == own):
                at = _line_between(text, before, place, closes=closes)
                return Broken(at, at + 1, f"{expected} {_above(text, opened, at)}")
    at = _line_between(text, scan.end, len(text), closes=False)
    return Broken(at, at + 1, f"{expected} {_above(text, opened, at)}")


def _line_between(text: bytes, before: int, after: int, *, closes: bool) -> int:
    """Where a brace is missing between two tokens: above a brace that closes more, else below what it ends."""
    if b"\n" not in text[before:after]:
        return max(before - 1, 0)
    if closes:
        last = text.rfind(b"\n", before, after)
        return max(last - 1 if text[last - 1 : last] != b"\n" else last, before - 1)
    first = text.find(b"\n", before, after) + 1
    second = text.find(b"\n", first, after)
    return first if second >= 0 else max(before - 1, 0)


def _above(text: bytes, opened: int, place: int) -> str:
    lines = _line(text, place) - _line(text, opened)
    return "before it" if lines == 0 else f"{lines} line{'s' if lines > 1 else ''} above"


def _rows(text: bytes, start: int) -> Iterator[tuple[int, int, int]]:
    """Behind a place: where each line's first token is, its indentation, and where the token before it ends."""
    before, line = start + 1, text.find(b"\n", start)
    for match in _TOKEN.finditer(text, start):
        if match.lastgroup == "skip":
            continue
        if 0 <= line < match.start():
            label = re.match(rb"\w+\s*:(?!:)|case\b", text[match.start() : match.start() + 80])
            if not label:
                yield match.start(), _indent(text, match.start()), before
            line = text.find(b"\n", match.start())
        before = match.end()


def _first(text: bytes, place: int) -> bool:
    """Whether a place is the first on its line."""
    return not text[text.rfind(b"\n", 0, place) + 1 : place].strip()


def _indent(text: bytes, place: int) -> int:
    """How far the line of a place is indented."""
    start = text.rfind(b"\n", 0, place) + 1
    blanks = re.compile(rb"[ \t]*").match(text, start)
    return len(blanks[0].expandtabs(TAB)) if blanks else 0


def _head(text: bytes, brace: int) -> int:
    """Where what a brace is the body of has its parenthesis: its arguments may fill several lines."""
    place = len(text[:brace].rstrip()) - 1
    if text[place : place + 1] != b")":
        return brace
    depth = 0
    for match in re.finditer(rb"[()]", text[max(0, place - MAX_HEAD) : place + 1][::-1]):
        depth += 1 if match[0] == b")" else -1
        if depth == 0:
            return place - match.start()
    return brace


def _line(text: bytes, place: int) -> int:
    return text.count(b"\n", 0, place)
