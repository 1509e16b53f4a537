"""Files of any size, made of our own example kernels: varied, the same each time, and no errors to clangd."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
LEFT_OUT = {"padding.cl", "padding_restructured.cl"}
"""Examples that need the vendor's channels or an argument of the command line."""
_NAMED = re.compile(
    r"kernel\s+void\s+(\w+)|#define\s+(\w+)|^\}\s*(\w+);|typedef struct \{[^}\n]*\}\s*(\w+);", re.MULTILINE
)
_SETTINGS = re.compile(r"^// burstline:.*\n", re.MULTILINE)


@cache
def parts() -> tuple[str, ...]:
    """The examples' texts without the settings that they carry for the whole file."""
    files = sorted(p for p in EXAMPLES.rglob("*.cl") if p.name not in LEFT_OUT)
    return tuple(_SETTINGS.sub("", p.read_text("utf-8")) for p in files)


def renamed(text: str, number: int) -> str:
    """The text with the number behind each name that it declares for the whole file."""
    names = {name for found in _NAMED.findall(text) for name in found if name}
    return re.sub(rf"\b(?:{'|'.join(sorted(names))})\b", lambda m: f"{m[0]}_{number}", text)


def pieces() -> Iterator[str]:
    """The examples again and again, each time under other names."""
    for number in count():
        yield renamed(parts()[number % len(parts())], number)


def file_of(lines: int) -> str:
    """A file of at least this many lines."""
    found, length = [], 0
    for piece in pieces():
        found.append(piece)
        length += piece.count("\n") + 1
        if length >= lines:
            return "\n".join(found)
    raise AssertionError
