"""What the preprocessor gives: its output, and where each piece of it came from."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from burstline_model.record import fixed
from burstline_server.source.includes import Included
from burstline_server.source.macros import Definition, Macro


class Segment(NamedTuple):
    """A piece of the output and its origin: byte for byte when `verbatim`, else that range as a whole.

    Offsets count in `file`; None is the user's own.
    """

    out: int
    start: int
    end: int
    verbatim: bool
    macro: Macro | None = None
    use: tuple[int, int] | None = None
    file: str | None = None
    asked_at: int = 0
    """Where the user's file asks for a piece of another one."""

    @property
    def place(self) -> int:
        """Where in the user's file the piece, the macro's use, or the end of the include that gives it is."""
        return self.asked_at if self.file is not None else self.use[0] if self.use is not None else self.start

    @property
    def plain(self) -> bool:
        """Whether the piece is text of the user's file, unchanged."""
        return self.verbatim and self.use is None and self.file is None

    def joined_to(self, before: Segment) -> Segment | None:
        """One piece out of two where the one goes on byte for byte where the other, `before` it, ends."""
        goes_on = before.end == self.start and before.file == self.file
        written = before.verbatim and self.verbatim and before.macro is None and self.macro is None
        follows = self.out - before.out == self.start - before.start
        return before._replace(end=self.end) if goes_on and written and follows else None


@fixed
class Pragma:
    """A pragma with its offset in the output; `text` follows the word "pragma", macros in it expanded."""

    start: int
    end: int
    text: str


Skipped = Literal[
    "long_file", "long_includes", "long_expansions", "long_use", "not_found", "nested_include", "unclear_condition",
]  # fmt: skip
"""What is not read as it is written: text beyond a bound, an include, a condition."""


@fixed
class SourceRemark:
    """What of the text is not read as it is written, at a byte range of the user's file, and what belongs to it."""

    start: int
    end: int
    kind: Skipped
    names: tuple[str, ...] = ()


@fixed
class BadDirective:
    """A directive at which the compiler ends, at a byte range of the user's file, and its word or text."""

    start: int
    end: int
    kind: Literal["unclosed_if", "without_if", "incomplete_define", "error"]
    text: str = ""
    lacks: str = ""
    """A macro without a definition that the conditions around it ask for: with one it may not be reached."""


@dataclass(slots=True)
class Preprocessed:
    """The output of the pass."""

    out: bytearray = field(default_factory=bytearray)
    segments: list[Segment] = field(default_factory=list)
    pragmas: list[Pragma] = field(default_factory=list)
    macros: dict[str, Macro] = field(default_factory=dict)
    inactive: list[tuple[int, int]] = field(default_factory=list)
    remarks: dict[Hashable, SourceRemark | BadDirective] = field(default_factory=dict)
    includes: list[tuple[int, int, str | None]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    """The included files' texts by path."""
    looked_for: list[tuple[str, Path | None, Included | None]] = field(default_factory=list)
    """What was included, from where, and what was found."""
    long: list[tuple[int, int]] = field(default_factory=list)
    """The comments of the user's file that go over several lines."""
    definitions: list[Definition] = field(default_factory=list)
    """What was defined (or, with None, undefined) in order."""
    counted: bool = False
    """Whether the text depends on its lines' numbers or on how often something was counted."""
    expanded: int = 0
    """Tokens that were made by expanding macros."""
