"""Made-up data: bytes of any type, drawn from a seed; values that come through a channel."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Any, Literal

from burstline_server.interpreter.kinds import BOOL, Array, Kind, Record, Scalar, Vector, Void, scalars_of
from burstline_server.interpreter.memory import struct_of
from burstline_server.interpreter.verdicts import NotExecutableError

Style = Literal["small", "signed", "wild", "distinct", "powers", "few"]
"""Data that leads back into buffers; with negative numbers; with the ends of ranges, infinities and no numbers.

Distinct whole numbers are their own place, but for the last bit: each leads elsewhere. Powers of two are exact in
products. Few whole numbers are one and two.
"""
PATTERN_BYTES = 1 << 12


def made_up(kind: Kind, number: int) -> Any:
    """A small value of a type, the next one for each number."""
    match kind:
        case Scalar(real=True):
            return number % 9 / 2
        case Scalar():
            return number % (2 if kind == BOOL else 9)
        case Vector(element=element, lanes=lanes):
            return tuple(made_up(element, number + lane) for lane in range(lanes))
        case Record(size=size):
            data = pattern(kind, "small", 0)
            at = number * size % len(data)
            return data[at : at + size]
        case _:
            raise NotExecutableError("channel")


@lru_cache(maxsize=64)
def pattern(kind: Kind, style: Style, seed: int) -> bytes:
    """Bytes of elements of a type, over and over again."""
    draw = random.Random(seed * 8 + len(style))  # noqa: S311 -- data to compute with
    if isinstance(kind, Void):
        return bytes(draw.randrange(9) for _ in range(PATTERN_BYTES))
    scalar = scalars_of(kind)
    if scalar is not None:
        count = PATTERN_BYTES // scalar.size
        if style == "distinct" and not scalar.real and scalar != BOOL:
            return struct_of(scalar, count).pack(*((at ^ 1) & scalar.high for at in range(count)))
        return struct_of(scalar, count).pack(*(_drawn(draw, scalar, style) for _ in range(count)))
    data = bytearray(max(1, PATTERN_BYTES // max(kind.size, 1)) * max(kind.size, 1))
    for start in range(0, len(data), max(kind.size, 1)):
        _fill(data, start, kind, style, draw)
    return bytes(data)


def _fill(data: bytearray, offset: int, kind: Kind, style: Style, draw: random.Random) -> None:
    match kind:
        case Scalar():
            struct_of(kind).pack_into(data, offset, _drawn(draw, kind, style))
        case Vector(element=element, lanes=lanes):
            for lane in range(lanes):
                _fill(data, offset + lane * element.size, element, style, draw)
        case Array(element=inner, count=count):
            for i in range(count):
                _fill(data, offset + i * inner.size, inner, style, draw)
        case Record(fields=fields):
            for _, place, inner in fields:
                _fill(data, offset + place, inner, style, draw)
        case _:
            raise NotExecutableError("argument")


def _drawn(draw: random.Random, kind: Scalar, style: Style) -> Any:
    if kind == BOOL:
        return draw.randrange(2)
    if kind.real:
        if style == "powers":
            return draw.choice((0.5, 1.0, 2.0, -0.5, -1.0, -2.0))
        if style == "wild" and draw.random() < 0.1:
            return draw.choice((float("inf"), float("-inf"), float("nan"), -0.0, 1e-3))
        return draw.randrange(-64 if style in {"signed", "wild"} else 0, 64) / 8
    if style == "few":
        return draw.randrange(1, 3)
    if style in {"small", "distinct", "powers"}:
        return draw.randrange(9)
    if style == "signed" or draw.random() < 0.8:
        return max(draw.randrange(-20, 90), kind.low)
    return draw.choice((kind.low, kind.high, kind.high - 1, kind.low + 1))
