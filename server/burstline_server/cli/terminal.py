"""What commands print: whatever names and texts hold, nothing of it steers the terminal or who reads a log."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

_STEERING = re.compile(
    "(\x1b\\[(?:0|1|2|31|33|36)m)"
    "|[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)"
)
"""The colours of our own; what moves the cursor, sets a title, turns the direction of writing, or cannot be encoded."""


class Harmless:
    """A stream that writes such characters as JSON escapes: tools read the same text, and everybody sees them."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text."""
        return self._stream.write(_STEERING.sub(lambda m: m[1] or f"\\u{ord(m[0]):04x}", text))

    def writelines(self, lines: list[str]) -> None:
        """Write texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def harmless_output() -> Iterator[None]:
    """Both streams of the process, as long as a command runs."""
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast("TextIO", Harmless(stream)) for stream in streams)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def one_line(text: str) -> str:
    """A name or text of the user's on one line: a line of its own could be taken for a command by what reads a log."""
    return text.replace("\r", "\\r").replace("\n", "\\n")
