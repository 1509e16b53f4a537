"""A hint at what was probably intended."""

from __future__ import annotations


def did_you_mean(nearest: str | None, *, quoted: bool = True) -> str:
    """What is nearest to an unknown name; empty where nothing is."""
    if nearest is None:
        return ""
    return f"; did you mean {nearest!r}?" if quoted else f"; did you mean {nearest}?"
