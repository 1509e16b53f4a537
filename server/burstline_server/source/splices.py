"""Words and signs that a backslash at a line's end splits: C joins such lines before it reads any word."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

_ENDS = re.compile(rb"(?:\\\r?\n)+(?=[\w.+\-=&|<>#])")
_GAP = rb"(?:\\\r?\n)*"
_SIGNS = (b"<<=", b">>=", *(one + b"=" for one in b"+ - * / % & | ^ < > = !".split()),
          b"++", b"--", b"->", b"<<", b">>", b"&&", b"||")  # fmt: skip
_WORD = re.compile(rb"\.?(?:%(gap)s)\d(?:%(gap)s(?:[eEpP]%(gap)s[+-]|[\w.]))*|[A-Za-z_](?:%(gap)s\w)*" % {b"gap": _GAP})
_SIGN = re.compile(b"|".join(_GAP.join(re.escape(sign[i : i + 1]) for i in range(len(sign))) for sign in _SIGNS))
_LETTERS = frozenset(b"_.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_OPERATORS = frozenset(b"+-*/%&|^<>=!")
_CONTINUED = re.compile(rb"\\\r?\n")
MAX_WORD = 1000
"""Most characters that are looked at in front of a backslash."""

Span = tuple[int, int]


def joined(text: bytes, hidden: Callable[[], Sequence[Span]]) -> tuple[bytes, tuple[Span, ...]]:
    """The text with every such word in one piece, blanks and line ends behind it; where they are.

    No other place moves. `hidden`: the ranges of comments, strings and directives, in order, which stay as they are.
    """
    found: list[Span] = []
    pieces, done = list[bytes](), 0
    for start, end in _split(text, hidden):
        word = text[start:end]
        pieces += (text[done:start], _CONTINUED.sub(b"", word), b"".join(_CONTINUED.findall(word)).replace(b"\\", b" "))
        found.append((start, end))
        done = end
    return (b"".join((*pieces, text[done:])), tuple(found)) if found else (text, ())


def within(spans: Sequence[Span], place: int) -> Span | None:
    """The one of some ranges, in order, that holds a place."""
    number = bisect_right(spans, place, key=lambda span: span[0]) - 1
    return spans[number] if number >= 0 and place < spans[number][1] else None


def between(spans: Sequence[Span], start: int, end: int) -> Sequence[Span]:
    """The ranges, in order, that begin in another one."""
    return spans[bisect_left(spans, start, key=lambda span: span[0]) : bisect_left(spans, end, key=lambda s: s[0])]


def _split(text: bytes, hidden: Callable[[], Sequence[Span]]) -> Iterator[Span]:
    """The words and signs with a line's end inside, in order."""
    without: Sequence[Span] | None = None
    done = 0
    for match in _ENDS.finditer(text):
        at = match.start()
        kind = _kind(text, at)
        if at < done or kind is None:
            continue
        without = hidden() if without is None else without
        if within(without, at) is not None:
            continue
        place = _begin(text, at, kind, done)
        pattern = _WORD if kind is _LETTERS else _SIGN
        while place < match.end() and (one := pattern.search(text, place, match.end() + MAX_WORD)):
            if one.start() >= match.end():
                break
            place = max(one.end(), place + 1)
            if _CONTINUED.search(one[0]):
                yield one.span()
                done = one.end()


def _kind(text: bytes, at: int) -> frozenset[int] | None:
    """What the character in front of a backslash is part of; None where it ends with it."""
    if at == 0:
        return None
    last = text[at - 1]
    if last in b"+-" and at > 2 and text[at - 2] in b"eEpP" and text[at - 3] in _LETTERS:
        return _LETTERS  # an exponent's sign
    return _LETTERS if last in _LETTERS else _OPERATORS if last in _OPERATORS else None


def _begin(text: bytes, at: int, kind: frozenset[int], least: int) -> int:
    """Where the run of such characters in front of a place begins."""
    bound = max(least, at - MAX_WORD)
    while at > bound and (text[at - 1] in kind or (kind is _LETTERS and text[at - 1] in b"+-")):
        at -= 1
    return at
