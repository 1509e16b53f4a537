"""Edits of one text, several of which may be at one place."""

from __future__ import annotations

import re

from burstline_server.rewrites.rewrite import TextEdit, goes_on, line_end
from burstline_server.rewrites.syntax import SourceNode


class Inserted:
    """What is put into a text, and what takes the place of its nodes."""

    def __init__(self, text: bytes) -> None:
        self._text, self.end = text, line_end(text)
        self._at: dict[int, list[str]] = {}
        self._replaced: list[TextEdit] = []

    def add(self, at: int, text: str) -> None:
        """Put text at a byte, behind what is put there already."""
        self._at.setdefault(at, []).append(text)

    def replace(self, node: SourceNode, text: str) -> None:
        """Put text in the place of a node."""
        self._replaced.append(TextEdit(node.start, node.end, text))

    def put(self, start: int, end: int, text: str) -> None:
        """Put text in the place of a piece."""
        self._replaced.append(TextEdit(start, end, text))

    def indent(self, start: int, end: int, step: str) -> None:
        """Move the lines of a piece, which begins at a line's first byte, to the right; directives move as well."""
        self.add(start, step)
        for match in re.finditer(rb"\n(?=[ \t]*[^\s])", self._text[start:end]):
            if not goes_on(self._text, start + match.end()):
                self.add(start + match.end(), step)

    @property
    def edits(self) -> list[TextEdit]:
        """All of it."""
        return [*(TextEdit(at, at, "".join(parts)) for at, parts in self._at.items()), *self._replaced]
