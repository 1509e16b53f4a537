"""Edits as a person makes them: one character after the other, at one place of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Literal, get_args

Where = Literal["kernel", "between", "comment"]
WHERE: tuple[Where, ...] = get_args(Where)
_STATEMENT = "\n    const int between_{} = 3 * (4 + 1);"
_REMARK = "\n// What follows is another kernel, number {}."
_SAME = re.compile(r"kernel\s+void\s+bfs_\d+\b")
_IN_BODY = re.compile(r";(?=\n)")
_NEXT_KERNEL = re.compile(r"\n\}(?=\n)")


@dataclass(frozen=True)
class Edit:
    """A range of the text, in characters, and what is there from now on."""

    start: int
    end: int
    new: str


def edits(text: str, where: Where) -> Iterator[Edit]:
    """Endless edits of a text, each of the text that the one before left; no text comes twice.

    *kernel*: statements are typed in the body of a kernel in the middle of the file, character by character;
    *between*: line comments between two kernels; *comment*: the two characters that open a comment are written in
    front of the rest of the file, and then made a line comment.
    """
    place = _after(_IN_BODY if where == "kernel" else _NEXT_KERNEL, text, _start(text))
    for number in count():
        if where == "comment":
            yield Edit(place, place, "\n/*")
            yield Edit(place + 1, place + 3, "//")
            continue
        for letter in (_STATEMENT if where == "kernel" else _REMARK).format(number):
            yield Edit(place, place, letter)
            place += 1


def _start(text: str) -> int:
    """Where to look for a place: the middle; in generated files, from there on, the same kernel whatever their size."""
    middle = len(text) // 2
    same = _SAME.search(text, middle) or _SAME.search(text)
    return same.end() if same is not None else middle


def _after(what: re.Pattern[str], text: str, start: int) -> int:
    found = what.search(text, start) or what.search(text)
    if found is None:
        raise ValueError("no kernel to type in")
    return found.end()


def made(text: str, edit: Edit) -> str:
    """The text after an edit."""
    return text[: edit.start] + edit.new + text[edit.end :]


def position(text: str, place: int) -> dict[str, int]:
    """A place in a text as the protocol says it; the texts are ASCII or counted in UTF-16."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return {"line": text.count("\n", 0, place), "character": len(line.encode("utf-16-le")) // 2}
