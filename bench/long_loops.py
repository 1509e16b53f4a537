"""Edits of statements in the longest loop of a kernel file, each of which leaves a text that may compile."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bench.servers.keystrokes import Edit

LEAST_LINES = 200
"""Lines of a loop, from brace to brace, that is a long one."""
MOST_EDITS = 8
_KERNEL = re.compile(r"\b(?:__)?kernel\s+(?:__attribute__\s*\(\(.*?\)\)\s*)*void\b", re.DOTALL)
_LOOP = re.compile(r"\b(?:for|while)\s*(?=\()")
_UNREAD = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
_SETS = re.compile(r"(?<![=!<>])=(?!=)[^;{}=\"#]*(?=;[ \t]*\n)")
_OPENED_BY = {")": "(", "}": "{"}


@dataclass(frozen=True)
class LongLoop:
    """Where the body of a loop begins and ends, and how many lines it has."""

    start: int
    end: int
    lines: int


def longest_loop(text: str) -> LongLoop | None:
    """The loop in a kernel that has most lines, where it is a long one."""
    plain = _UNREAD.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    found: list[LongLoop] = []
    for kernel in _KERNEL.finditer(plain):
        body = plain.find("{", kernel.end())
        end = _closed(plain, body)
        for loop in _LOOP.finditer(plain, body, end) if body >= 0 else ():
            head = _closed(plain, loop.end())
            start = plain.find("{", head)
            if start < 0 or plain[head + 1 : start].strip():
                continue
            own = _closed(plain, start)
            found.append(LongLoop(start, own, plain.count("\n", start, own)))
    longest = max(found, key=lambda one: one.lines, default=None)
    return longest if longest is not None and longest.lines >= LEAST_LINES else None


def _closed(plain: str, start: int) -> int:
    """Where a bracket is closed; the end of the text where it is not."""
    opened: list[str] = []
    for place in range(start, len(plain)):
        if plain[place] in "({":
            opened.append(plain[place])
        elif plain[place] in _OPENED_BY and opened and opened.pop() == _OPENED_BY[plain[place]] and not opened:
            return place
    return len(plain)


def in_loop(text: str) -> Iterator[Edit]:
    """A number added to what statements of the longest loop set, the last statement first, evenly spaced."""
    loop = longest_loop(text)
    places = [found.end() for found in _SETS.finditer(text, loop.start, loop.end)] if loop is not None else []
    step = max(1, len(places) // MOST_EDITS)
    for number, place in enumerate(reversed(places[::step][:MOST_EDITS])):
        yield Edit(place, place, f" + {number + 1}")
