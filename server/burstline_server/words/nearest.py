"""Names as messages repeat them, and a hint at what was probably intended."""

from __future__ import annotations

MAX_SHOWN = 300
"""Longest name that a message repeats."""


def shortened(name: str) -> str:
    """A name as a message repeats it."""
    return name if len(name) <= MAX_SHOWN else f"{name[:MAX_SHOWN]}…"


def did_you_mean(nearest: str | None, *, quoted: bool = True) -> str:
    """What is nearest to an unknown name; empty where nothing is."""
    if nearest is None:
        return ""
    return f"; did you mean {nearest!r}?" if quoted else f"; did you mean {nearest}?"
