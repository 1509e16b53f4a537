"""What numbers do, as the run-time functions of generated code: exact integers, rounded reals."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from struct import Struct
from typing import Any

from burstline_server.interpreter.kinds import SCALARS, Scalar
from burstline_server.interpreter.memory import struct_of

INF, NAN = math.inf, math.nan
EXACT = 1 << 53
"""Integers up to here are numbers of double precision."""
_float = ctypes.c_float
_half = Struct("<e")


def single(value: float) -> float:
    """The nearest number of single precision."""
    return _float(value).value


def half(value: float) -> float:
    """The nearest number of half precision."""
    try:
        found: float = _half.unpack(_half.pack(value))[0]
    except OverflowError:
        return math.copysign(INF, value)
    return found


def single_of_integer(value: int) -> float:
    """The nearest number of single precision to an integer of any width, rounded once."""
    if -EXACT <= value <= EXACT:
        return _float(value).value
    return _nearest(Fraction(value))


def _nearest(value: Fraction) -> float:
    """A fraction rounded once to single precision."""
    if not value:
        return 0.0
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    step = Fraction(2) ** (max(exponent, -126) - 23)
    near = round(size / step) * step
    return math.copysign(single(float(near)), value)


def divided(a: float, b: float) -> float:
    """A quotient of reals: infinite or none where the divisor is zero."""
    if b:
        return a / b
    if a == 0 or math.isnan(a):
        return NAN
    return math.copysign(INF, a) * math.copysign(1.0, b)


def fused(a: float, b: float, c: float) -> float:
    """``a·b + c`` in double precision, rounded once."""
    exact = _exact(a, b, c)
    return a * b + c if exact is None else _double(exact)


def fused_single(a: float, b: float, c: float) -> float:
    """``a·b + c`` in single precision, rounded once."""
    exact = _exact(a, b, c)
    return single(a * b + c) if exact is None else _nearest(exact)


def _exact(a: float, b: float, c: float) -> Fraction | None:
    """The exact result; None where it is zero, infinite or none, and the signs of the parts decide."""
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return None
    return Fraction(a) * Fraction(b) + Fraction(c) or None


def _double(value: Fraction) -> float:
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return math.copysign(INF, value)


def _converter(kind: Scalar, fill: Sequence[int] = (0, 0, 0)) -> Callable[[float], int]:
    low, high, mask, signed = kind.low, kind.high, (1 << kind.bits) - 1, kind.signed

    def convert(value: float) -> int:
        """A real to an integer, towards zero; beyond the range C leaves it open."""
        if not math.isfinite(value):
            return fill[2] or low
        found = int(value)
        if low <= found <= high:
            return found
        if fill[2]:
            return fill[2]
        found &= mask
        return found - mask - 1 if signed and found > high else found

    return convert


def open_functions(fill: Sequence[int]) -> dict[str, Callable[..., int]]:
    """Conversions to integers and divisions of integers, by the names that generated code uses.

    Where C leaves open what they give, that is the third number of `fill`.
    """
    converters = {f"int_{kind.code}": _converter(kind, fill) for kind in SCALARS if not kind.real}
    return {**converters, **_divisions(fill)}


def _divisions(fill: Sequence[int] = (0, 0, 0)) -> dict[str, Callable[[int, int], int]]:
    def quotient(a: int, b: int) -> int:
        """C's quotient of integers, rounded towards zero."""
        if b == 0:
            return fill[2]
        found = abs(a) // abs(b)
        return found if (a < 0) == (b < 0) else -found

    def remainder(a: int, b: int) -> int:
        """C's remainder, with the sign of the dividend."""
        if b == 0:
            return fill[2]
        found = abs(a) % abs(b)
        return -found if a < 0 else found

    return {"quotient": quotient, "remainder": remainder}


def _saturating(kind: Scalar) -> Callable[[float], int]:
    low, high = kind.low, kind.high

    def convert(value: float) -> int:
        if math.isnan(value):
            return 0
        return int(min(max(value, low), high)) if abs(value) != INF else (high if value > 0 else low)

    return convert


def _reinterpreters() -> dict[str, Callable[..., Any]]:
    """``as_`` functions between scalars of one size."""
    found: dict[str, Callable[..., Any]] = {}
    for one in SCALARS:
        for other in SCALARS:
            if one.size == other.size:
                pack, unpack = struct_of(one).pack, struct_of(other).unpack
                found[f"as_{one.code}_{other.code}"] = _reinterpreter(pack, unpack)
    return found


def _reinterpreter(pack: Callable[..., bytes], unpack: Callable[..., Any]) -> Callable[[Any], Any]:
    return lambda value: unpack(pack(value))[0]


def put(vector: tuple[Any, ...], lanes: tuple[int, ...], values: tuple[Any, ...]) -> tuple[Any, ...]:
    """A vector with some lanes replaced."""
    found = list(vector)
    for lane, value in zip(lanes, values, strict=True):
        found[lane] = value
    return tuple(found)


def pick(vector: tuple[Any, ...], lanes: tuple[int, ...]) -> tuple[Any, ...]:
    """Some lanes of a vector."""
    return tuple([vector[lane] for lane in lanes])


FUNCTIONS: dict[str, Any] = {
    "F": single, "H": half, "F_int": single_of_integer,
    "divided": divided, "fma_f4": fused_single, "fma_f8": fused, "put": put, "pick": pick, "inf": INF, "nan": NAN,
    "float": float, "int": int, "abs": abs, "min": min, "max": max, "tuple": tuple, "zip": zip,
    **open_functions((0, 0, 0)),
    **{f"sat_{kind.code}": _saturating(kind) for kind in SCALARS if not kind.real},
    **_reinterpreters(),
}  # fmt: skip
