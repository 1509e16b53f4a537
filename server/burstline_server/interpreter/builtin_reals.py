"""Functions of reals as the run-time functions of generated code, with what they give outside their domain."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

from burstline_server.interpreter.arithmetic import INF, NAN, divided, single
from burstline_server.interpreter.kinds import SCALARS, Scalar
from burstline_server.interpreter.memory import struct_of


def _guarded(function: Callable[..., float], pole: float = NAN) -> Callable[..., float]:
    """A function that gives `pole`, infinity or nothing instead of an error."""

    def guarded(*values: float) -> float:
        try:
            return function(*values)
        except OverflowError:
            return INF
        except (ValueError, ZeroDivisionError):
            return NAN if any(map(math.isnan, values)) else pole

    return guarded


def _logarithm(function: Callable[[float], float]) -> Callable[[float], float]:
    def guarded(value: float) -> float:
        return -INF if value == 0 else NAN if value < 0 or math.isnan(value) else function(value)

    return guarded


def _whole(function: Callable[[float], int]) -> Callable[[float], float]:
    """A rounding function that keeps what is no finite number, and the sign of zero."""

    def guarded(value: float) -> float:
        return math.copysign(float(function(value)), value) if math.isfinite(value) else value

    return guarded


def _power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -INF if base < 0 and exponent % 2 == 1 else INF
    except ValueError:
        return INF if base == 0 else NAN


def _least(a: float, b: float) -> float:
    return b if math.isnan(a) else a if math.isnan(b) else min(a, b)


def _greatest(a: float, b: float) -> float:
    return b if math.isnan(a) else a if math.isnan(b) else max(a, b)


def _smaller(a: float, b: float) -> float:
    """OpenCL's ``min``: the first where they cannot be compared."""
    return b if b < a else a  # noqa: FURB136 -- Python's own leaves that open


def _larger(a: float, b: float) -> float:
    """OpenCL's ``max``: the first where they cannot be compared."""
    return b if a < b else a  # noqa: FURB136 -- Python's own leaves that open


def _sign(value: float) -> float:
    return 0.0 if math.isnan(value) else math.copysign(1.0, value) if value else value


def _mix(a: float, b: float, t: float, rounding: Callable[[float], float]) -> float:
    return rounding(a + rounding(rounding(b - a) * t))


def _mad(a: float, b: float, c: float, rounding: Callable[[float], float]) -> float:
    return rounding(rounding(a * b) + c)


def _smoothstep(low: float, high: float, value: float, rounding: Callable[[float], float]) -> float:
    t = _least(_greatest(rounding(divided(value - low, high - low)), 0.0), 1.0)
    return rounding(t * t * (3.0 - 2.0 * t))


def _away(value: float) -> int:
    return math.floor(abs(value) + 0.5) if abs(value) < 1 << 52 else int(abs(value))


def _ldexp(value: float, power: int) -> float:
    try:
        return math.ldexp(value, power)
    except OverflowError:
        return math.copysign(INF, value)


def _next_single(value: float, to: float) -> float:
    if math.isnan(value) or math.isnan(to):
        return NAN
    if value == to:
        return to
    if value == 0:
        return math.copysign(2.0**-149, to)
    bits: int = struct.unpack("<i", struct.pack("<f", value))[0]
    # Patterns of one sign are in the order of their sizes.
    bits += 1 if (to > value) == (value > 0) else -1
    found: float = struct.unpack("<f", struct.pack("<i", bits))[0]
    return found


EXACT = {
    "sqrt": 1, "fabs": 1, "floor": 1, "ceil": 1, "trunc": 1, "rint": 1, "round": 1, "fmod": 2, "remainder": 2,
    "copysign": 2, "fmin": 2, "fmax": 2, "fdim": 2, "min": 2, "max": 2, "clamp": 3, "sign": 1, "nextafter": 2,
    "step": 2, "maxmag": 2, "minmag": 2,
}  # fmt: skip
"""Functions with one right result, and how many operands they take."""
INEXACT = {
    "sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "sinh": 1, "cosh": 1, "tanh": 1, "asinh": 1,
    "acosh": 1, "atanh": 1, "exp": 1, "exp2": 1, "exp10": 1, "expm1": 1, "log": 1, "log2": 1, "log10": 1, "log1p": 1,
    "rsqrt": 1, "cbrt": 1, "recip": 1, "sinpi": 1, "cospi": 1, "tanpi": 1, "erf": 1, "erfc": 1, "tgamma": 1,
    "lgamma": 1, "degrees": 1, "radians": 1, "logb": 1, "pow": 2, "powr": 2, "atan2": 2, "atan2pi": 2, "hypot": 2,
    "divide": 2, "mix": 3, "smoothstep": 3, "mad": 3,
}  # fmt: skip
"""Functions whose last digits a device chooses."""
TESTS = {
    "isnan": "x != x", "isinf": "abs(x) == inf", "isfinite": "abs(x) < inf", "isnormal": "normal_{}(x)",
    "signbit": "negative(x)",
}  # fmt: skip
RELATIONS = {
    "isequal": "x == y", "isnotequal": "x != y", "isgreater": "x > y", "isgreaterequal": "x >= y", "isless": "x < y",
    "islessequal": "x <= y", "islessgreater": "apart(x, y)", "isordered": "ordered(x, y)",
    "isunordered": "not ordered(x, y)",
}  # fmt: skip
REDUCED = {"dot", "length", "distance", "normalize", "cross", "fast_length", "fast_distance", "fast_normalize"}


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True)) if all(map(math.isfinite, (*a, *b))) else sum(
        x * y for x, y in zip(a, b, strict=True))  # fmt: skip


def _length(a: Sequence[float]) -> float:
    return math.sqrt(_dot(a, a))


def _distance(a: Sequence[float], b: Sequence[float]) -> float:
    return _length([x - y for x, y in zip(a, b, strict=True)])


def _normalize(a: Sequence[float]) -> list[float]:
    size = _length(a)
    return [divided(x, size) for x in a] if size else list(a)


def _cross(a: Sequence[float], b: Sequence[float]) -> list[float]:
    found = [single(single(a[i] * b[j]) - single(a[j] * b[i])) for i, j in ((1, 2), (2, 0), (0, 1))]
    return [*found, 0.0][: len(a)]


def _recast(value: Any, source: str, to: str) -> Any:
    """The bytes of a number or vector as those of another type of the same size."""
    one, lanes = _shape(source)
    other, room = _shape(to)
    data = struct_of(one, lanes).pack(*(value if "x" in source else (value,)))
    data = data.ljust(other.size * room, b"\0")[: other.size * room]
    found = struct_of(other, room).unpack(data)
    return found if "x" in to else found[0]


def _shape(code: str) -> tuple[Scalar, int]:
    name, _, lanes = code.partition("x")
    return next(k for k in SCALARS if k.code == name), int(lanes or 1)


def _finite(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda value: NAN if not math.isfinite(value) else function(value)


_math: dict[str, Callable[..., float]] = {
    **{name: _finite(getattr(math, name)) for name in ("sin", "cos", "tan")},
    **{name: _guarded(getattr(math, name)) for name in ("asin", "acos", "atan", "cosh", "tanh", "asinh", "acosh",
       "atanh", "exp", "expm1", "erf", "erfc", "lgamma", "sqrt",
       "fmod", "remainder", "copysign", "atan2", "hypot", "degrees", "radians")},
    **{name: _logarithm(getattr(math, name)) for name in ("log", "log2", "log10")},
    "sinh": lambda x: math.copysign(_guarded(math.sinh)(x), x) if not math.isnan(x) else x,
    "tgamma": _guarded(math.gamma), "log1p": lambda x: _logarithm(math.log)(1.0) if x == 0 else (
        math.log1p(x) if x > -1 else -INF if x == -1 else NAN),
    "exp2": lambda x: _power(2.0, x), "exp10": lambda x: _power(10.0, x), "fabs": abs,
    "rsqrt": lambda x: INF if x == 0 else NAN if x < 0 or math.isnan(x) else 1.0 / math.sqrt(x),
    "cbrt": lambda x: math.copysign(_power(abs(x), 1 / 3), x), "recip": lambda x: divided(1.0, x),
    "sinpi": _finite(lambda x: math.sin(math.pi * math.fmod(x, 2))),
    "cospi": _finite(lambda x: math.cos(math.pi * math.fmod(x, 2))),
    "tanpi": _finite(lambda x: math.tan(math.pi * math.fmod(x, 1))),
    "atan2pi": lambda y, x: math.atan2(y, x) / math.pi, "pow": _power, "powr": _power, "divide": divided,
    "logb": lambda x: -INF if x == 0 else abs(x) if not math.isfinite(x) else float(math.frexp(x)[1] - 1),
    "floor": _whole(math.floor), "ceil": _whole(math.ceil), "trunc": _whole(math.trunc), "rint": _whole(round),
    "round": _whole(_away), "fmin": _least, "fmax": _greatest, "min": _smaller,
    "max": _larger, "clamp": lambda x, low, high: _least(_greatest(x, low), high),
    "fdim": lambda a, b: NAN if math.isnan(a) or math.isnan(b) else a - b if a > b else 0.0, "sign": _sign,
    "step": lambda edge, x: 0.0 if x < edge else 1.0,
    "maxmag": lambda a, b: a if abs(a) > abs(b) else b if abs(b) > abs(a) else _greatest(a, b),
    "minmag": lambda a, b: a if abs(a) < abs(b) else b if abs(b) < abs(a) else _least(a, b),
    "mix": _mix, "mad": _mad, "smoothstep": _smoothstep,
}  # fmt: skip


def _fract(value: float) -> tuple[float, float]:
    if not math.isfinite(value):
        return (NAN if math.isnan(value) else math.copysign(0.0, value)), value
    whole = float(math.floor(value))
    return min(value - whole, 1 - 2.0**-24), whole


def _modf(value: float) -> tuple[float, float]:
    return (
        math.modf(value) if math.isfinite(value) else (NAN if math.isnan(value) else math.copysign(0.0, value), value)
    )


FUNCTIONS: dict[str, Any] = {
    "fract": _fract, "modf": _modf, "frexp": math.frexp, "sincos": lambda x: (_math["sin"](x), _math["cos"](x)),
    **{f"m_{name}": function for name, function in _math.items()},
    "ldexp": _ldexp, "pown": _power, "rootn": lambda x, n: math.copysign(_power(abs(x), divided(1.0, n)), x),
    "ilogb": lambda x: math.frexp(x)[1] - 1 if math.isfinite(x) and x else -(1 << 31),
    "nextafter_f4": _next_single, "nextafter_f8": math.nextafter,
    "dot": _dot, "length": _length, "distance": _distance, "normalize": _normalize, "cross": _cross,
    "fast_length": _length, "fast_distance": _distance, "fast_normalize": _normalize, "recast": _recast,
    "normal_f4": lambda x: 2.0**-126 <= abs(x) < INF, "normal_f8": lambda x: 2.0**-1022 <= abs(x) < INF,
    "negative": lambda x: math.copysign(1.0, x) < 0,
    "apart": lambda x, y: x < y or x > y, "ordered": lambda x, y: not (math.isnan(x) or math.isnan(y)),
    "trailing": lambda x, bits: (x & -x).bit_length() - 1 if x else bits,
    "turned": lambda x, by, bits: (x << by) | (x >> (bits - by)),
    "bits_of": lambda x, y, z: (x & ~z) | (y & z),
    "chosen": lambda c, a, b: tuple([x if t < 0 else y for t, x, y in zip(c, a, b, strict=True)]),
    "either": lambda c, a, b: a if c else b,
    "any_negative": lambda a: int(any(x < 0 for x in a)), "all_negative": lambda a: int(all(x < 0 for x in a)),
    "shuffled": lambda a, mask: tuple([a[m % len(a)] for m in mask]),
}  # fmt: skip
