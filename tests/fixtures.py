"""Fixtures that carry their expectations under the code.

A comment line of carets labels the text above it::

    z[i] = x[i];
    //     ^^^^ load x 4·gid0

Several such lines may follow one line of code. Code to be labelled is indented, so that the two slashes
have their place before the first caret.
"""

import re
from dataclasses import dataclass
from pathlib import Path

_LABEL = re.compile(r"^\s*//\s*(\^+)\s*(.+?)\s*$")


@dataclass(frozen=True)
class Label:
    """`text` is expected of the code at `line` (1-based), columns `start` to `end` (0-based characters)."""

    line: int
    start: int
    end: int
    text: str


def labels(code: str) -> list[Label]:
    """The expectations in a fixture."""
    found = []
    code_line = 0
    for number, line in enumerate(code.splitlines(), start=1):
        match = _LABEL.match(line)
        if match:
            found.append(Label(code_line, match.start(1), match.end(1), match[2]))
        else:
            code_line = number
    return found


def fixture_files(folder: Path) -> list[Path]:
    """The fixtures of a folder, in order."""
    return sorted(folder.glob("*.cl"))
