"""Built-in functions of numbers and vectors of them: what is computed, lane by lane or over all lanes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from burstline_server.interpreter.builtin_reals import (
    EXACT,
    INEXACT,
    REDUCED,
    RELATIONS,
    TESTS,
)
from burstline_server.interpreter.code import (
    Expr,
    common,
    converted,
    converted_code,
    each,
    lifted,
    rounded,
    wrapped,
)
from burstline_server.interpreter.kinds import (
    F4,
    F8,
    I4,
    Kind,
    Scalar,
    Vector,
    integer,
    kind_of,
)
from burstline_server.interpreter.verdicts import NotExecutableError
from burstline_server.interpreter.writer import Writer

_CONVERT = re.compile(r"convert_(u?(?:char|short|int|long)|half|float|double)(2|3|4|8|16)?(_sat)?(_rt[ezpn])?")
_AS = re.compile(r"as_((?:u?(?:char|short|int|long)|half|float|double)(?:2|3|4|8|16)?)")
_INTEGERS: dict[str, tuple[int, Callable[[Scalar], str]]] = {
    "abs": (1, lambda _: "abs(x)"),
    "abs_diff": (2, lambda _: "abs(x - y)"),
    "add_sat": (2, lambda k: f"min(max(x + y, {k.low}), {k.high})"),
    "sub_sat": (2, lambda k: f"min(max(x - y, {k.low}), {k.high})"),
    "hadd": (2, lambda _: "((x + y) >> 1)"),
    "rhadd": (2, lambda _: "((x + y + 1) >> 1)"),
    "clz": (1, lambda k: f"({k.bits} - (x & {(1 << k.bits) - 1}).bit_length())"),
    "ctz": (1, lambda k: f"trailing(x, {k.bits})"),
    "popcount": (1, lambda k: f"(x & {(1 << k.bits) - 1}).bit_count()"),
    "mul_hi": (2, lambda k: f"((x * y) >> {k.bits})"),
    "mad_hi": (3, lambda k: wrapped(f"(((x * y) >> {k.bits}) + z)", k)),
    "mad_sat": (3, lambda k: f"min(max(x * y + z, {k.low}), {k.high})"),
    "mul24": (2, lambda k: wrapped("(x * y)", k)),
    "mad24": (3, lambda k: wrapped("(x * y + z)", k)),
    "rotate": (2, lambda k: wrapped(f"turned(x & {(1 << k.bits) - 1}, y & {k.bits - 1}, {k.bits})", k)),
    "min": (2, lambda _: "min(x, y)"),
    "max": (2, lambda _: "max(x, y)"),
    "clamp": (3, lambda _: "min(max(x, y), z)"),
    "bitselect": (3, lambda _: "bits_of(x, y, z)"),
    "mad": (3, lambda k: wrapped("(x * y + z)", k)),
}
_UNSIGNED_RESULT = {"abs", "abs_diff"}


def called(w: Writer, name: str, values: Sequence[Expr]) -> Expr | None:
    """The value of a built-in function of numbers; None for a name that is none."""
    plain = name.removeprefix("native_").removeprefix("half_")
    if match := _CONVERT.fullmatch(name):
        return _convert(w, match, values[0])
    if match := _AS.fullmatch(name):
        type_ = w.types.lookup(match[1])
        return _reinterpreted(values[0], kind_of(type_)) if type_ is not None else None
    if not values or not all(isinstance(v.kind, Scalar | Vector) for v in values):
        return None
    if name == "select" and len(values) == 3:
        return _select(*values)
    if name == "upsample" and len(values) == 2:
        return _upsample(*values)
    if name in {"any", "all"}:
        return _any_all(name, values[0])
    if name in {"shuffle", "shuffle2"}:
        return _shuffled(values)
    kind = _meeting(values)
    scalar = kind.element if isinstance(kind, Vector) else kind
    if name in _INTEGERS and not scalar.real and len(values) == _INTEGERS[name][0]:
        template = _INTEGERS[name][1](scalar)
        result = integer(scalar.size, signed=False) if name in _UNSIGNED_RESULT else scalar
        return each(template, _like(kind, result), *(converted(v, kind) for v in values))
    return _real(w, plain, name != plain, kind, values)


def _meeting(values: Sequence[Expr]) -> Scalar | Vector:
    first = values[0].kind
    for value in values[1:]:
        if value.kind != first:
            first = common(first, value.kind)
    if not isinstance(first, Scalar | Vector):
        raise NotExecutableError("expression", "operands")
    return first


def _like(kind: Kind, scalar: Scalar) -> Scalar | Vector:
    return Vector(scalar, kind.lanes) if isinstance(kind, Vector) else scalar


def _real(w: Writer, name: str, quick: bool, kind: Scalar | Vector, values: Sequence[Expr]) -> Expr | None:
    """A function of reals; integers among the operands become single precision."""
    scalar = kind.element if isinstance(kind, Vector) else kind
    if not scalar.real and not isinstance(kind, Vector):
        kind = scalar = F4
    if name in TESTS or name in RELATIONS:
        template = (TESTS.get(name) or RELATIONS[name]).format(scalar.code)
        operands = [converted(v, kind) for v in values]
        if isinstance(kind, Vector):
            return each(f"-({template})", Vector(integer(scalar.size, signed=True), kind.lanes), *operands)
        return each(f"int({template})", I4, *operands)
    if name in REDUCED:
        w.program.inexact = True
        operands = [converted(v, kind) for v in values]
        code = f"{name}({', '.join(_tuple(o) for o in operands)})"
        if name in {"cross", "normalize", "fast_normalize"}:
            whole = f"{lifted(rounded('x', scalar), 1)}({code})"
            return Expr(whole if isinstance(kind, Vector) else f"{whole}[0]", kind)
        return Expr(rounded(code, scalar), scalar)
    if name in {"ldexp", "pown", "rootn"} and len(values) == 2:
        w.program.inexact |= name != "ldexp"
        power = converted(values[1], _like(kind, I4))
        return each(rounded(f"{name}(x, y)", scalar), kind, converted(values[0], kind), power)
    if name == "ilogb":
        return each("ilogb(x)", _like(kind, I4), converted(values[0], kind))
    if name == "nan":
        return each("(x * 0 + nan)", F4 if scalar.size == 4 else F8, values[0])
    if name == "fma" and len(values) == 3:
        return each(f"fma_{scalar.code}(x, y, z)", kind, *(converted(v, kind) for v in values))
    found = EXACT.get(name) or INEXACT.get(name)
    if found is None or len(values) != found:
        return None
    w.program.inexact |= name in INEXACT or quick
    operands = [converted(v, kind) for v in values]
    names = "xyz"[:found]
    if name in {"mix", "smoothstep", "mad"}:
        arguments = ", ".join((*names, "F" if scalar.size == 4 else "float"))
        return each(f"m_{name}({arguments})", kind, *operands)
    if name == "nextafter":
        return each(f"nextafter_{scalar.code}(x, y)", kind, *operands)
    return each(rounded(f"m_{name}({', '.join(names)})", scalar), kind, *operands)


def _tuple(value: Expr) -> str:
    return value.code if isinstance(value.kind, Vector) else f"({value.code},)"


def _convert(w: Writer, match: re.Match[str], value: Expr) -> Expr | None:
    type_ = w.types.lookup(match[1])
    if type_ is None or not isinstance(value.kind, Scalar | Vector):
        return None
    to, lanes = kind_of(type_), int(match[2] or 1)
    source = value.kind.element if isinstance(value.kind, Vector) else value.kind
    if (value.kind.lanes if isinstance(value.kind, Vector) else 1) != lanes or not isinstance(to, Scalar):
        raise NotExecutableError("function", match[0])
    template = _converting(source, to, saturates=bool(match[3]), mode=match[4] or "")
    return each(template, _like(value.kind, to), value)


def _converting(source: Scalar, to: Scalar, *, saturates: bool, mode: str) -> str:
    inner = "x"
    if source.real and not to.real and mode and mode != "_rtz":
        inner = {"_rte": "m_rint(x)", "_rtp": "m_ceil(x)", "_rtn": "m_floor(x)"}[mode]
    elif mode and mode not in {"_rte", "_rtz"}:
        raise NotExecutableError("function", mode)
    if saturates and not to.real:
        return f"sat_{to.code}({inner})" if source.real else f"min(max({inner}, {to.low}), {to.high})"
    return converted_code(inner, source, to)


def _reinterpreted(value: Expr, to: Kind) -> Expr:
    if isinstance(value.kind, Scalar) and isinstance(to, Scalar) and value.kind.size == to.size:
        return each(f"as_{value.kind.code}_{to.code}(x)", to, value)
    if not isinstance(value.kind, Vector | Scalar) or not isinstance(to, Vector | Scalar) or value.kind.size != to.size:
        raise NotExecutableError("function", "as_")
    one, two = (k.element if isinstance(k, Vector) else k for k in (value.kind, to))
    if isinstance(value.kind, Vector) and isinstance(to, Vector) and one.size == two.size:
        lanes = f"{lifted(f'as_{one.code}_{two.code}(x)', 1)}({value.code})"
        return Expr(f"pick({lanes}, {tuple(range(to.lanes))!r})" if value.kind.lanes > to.lanes else lanes, to)
    return Expr(f"recast({value.code}, '{value.kind.code}', '{to.code}')", to)


def _select(a: Expr, b: Expr, c: Expr) -> Expr:
    kind = common(a.kind, b.kind) if a.kind != b.kind else a.kind
    a, b = converted(a, kind), converted(b, kind)
    if isinstance(c.kind, Vector):
        return Expr(f"chosen({c.code}, {b.code}, {a.code})", kind)
    return Expr(f"either({c.code}, {b.code}, {a.code})", kind)


def _upsample(high: Expr, low: Expr) -> Expr:
    scalar = high.kind.element if isinstance(high.kind, Vector) else high.kind
    if not isinstance(scalar, Scalar) or scalar.size == 8:
        raise NotExecutableError("function", "upsample")
    wide = integer(2 * scalar.size, signed=scalar.signed)
    return each(f"((x << {scalar.bits}) | (y & {(1 << scalar.bits) - 1}))", _like(high.kind, wide), high, low)


def _any_all(name: str, value: Expr) -> Expr:
    if isinstance(value.kind, Vector):
        return Expr(f"{name}_negative({value.code})", I4)
    return Expr(f"({value.code} < 0)", I4)


def _shuffled(values: Sequence[Expr]) -> Expr:
    mask, first = values[-1], values[0].kind
    if not isinstance(first, Vector) or not isinstance(mask.kind, Vector):
        raise NotExecutableError("function", "shuffle")
    of = " + ".join(v.code for v in values[:-1])
    return Expr(f"shuffled(({of}), {mask.code})", Vector(first.element, mask.kind.lanes))
