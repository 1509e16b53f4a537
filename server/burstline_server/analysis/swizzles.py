"""Swizzles: which lanes of a vector a name behind a dot means, and the type that they make."""

from __future__ import annotations

import re

from burstline_server.analysis.types import CType

_SWIZZLE = re.compile(r"[xyzwrgba]{1,16}|s[0-9a-fA-F]{1,16}|lo|hi|even|odd")


def component(vector: CType, name: str) -> CType | None:
    """The type of a swizzle of a vector."""
    if not _SWIZZLE.fullmatch(name) or vector.element is None:
        return None
    lanes = vector.count or 1
    count = lanes // 2 if name in {"lo", "hi", "even", "odd"} else len(name) - (name[0] == "s" and len(name) > 1)
    if count <= 1:
        return vector.element
    return CType("vector", f"{vector.element.name}{count}", vector.element.size * count, 1, vector.element, count)


def lanes_named(swizzle: str, count: int) -> tuple[int, ...]:
    """The lanes of a vector of so many that a swizzle names; none for a name that is no swizzle."""
    if not _SWIZZLE.fullmatch(swizzle):
        return ()
    halves = {"lo": range(count // 2), "hi": range(count // 2, count), "even": range(0, count, 2)}
    if swizzle in {"lo", "hi", "even", "odd"}:
        return tuple(halves.get(swizzle, range(1, count, 2)))
    if swizzle[0] == "s":
        return tuple(int(digit, 16) for digit in swizzle[1:])
    return tuple("xyzw".find(c) if c in "xyzw" else "rgba".find(c) for c in swizzle)
