"""Pieces of generated code: expressions with their types, conversions between them, operators on them.

All code is made of names and numbers of our own: nothing of the user's text gets into it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import count

from burstline_model.record import fixed
from burstline_server.interpreter import arithmetic, builtin_reals, memory
from burstline_server.interpreter.kinds import (
    BOOL,
    F4,
    F8,
    I4,
    VOID,
    Kind,
    Pointer,
    Scalar,
    Vector,
    integer,
)
from burstline_server.interpreter.verdicts import NotExecutableError

RUNTIME: dict[str, object] = {"__builtins__": {}, **arithmetic.FUNCTIONS, **memory.FUNCTIONS, **builtin_reals.FUNCTIONS}
"""All that generated code may name."""
COMPARISONS = {"<", ">", "<=", ">=", "==", "!="}
_SIMPLE = re.compile(r"\w+|-?\d+")
_lifted: dict[tuple[str, int], str] = {}
_numbers = count()


@fixed
class Expr:
    """Code for a value. `const` is the number that it always is; `base` and `offset` are the parts of a pointer.

    `test` is code that is true where the value is not zero.
    """

    code: str
    kind: Kind
    const: int | float | None = None
    base: str = ""
    offset: str = ""
    test: str = ""


def number(value: float, kind: Scalar) -> Expr:
    """A constant."""
    value = int(value) if isinstance(value, bool) else value
    return Expr(f"({value!r})" if value != abs(value) or kind.real else repr(value), kind, value)


def pointer(base: str, offset: str, to: Kind) -> Expr:
    """A pointer from its parts."""
    return Expr(f"({base}, {offset})", Pointer(to), base=base, offset=offset)


NULL = Expr("NULL", Pointer(VOID))


def is_simple(code: str) -> bool:
    """Whether code is a name or a number: it may be repeated."""
    return _SIMPLE.fullmatch(code) is not None


def folded(code: str, kind: Scalar, *operands: Expr) -> Expr:
    """An expression, computed now where all its operands are constants."""
    if any(o.const is None for o in operands):
        return Expr(code, kind)
    return number(eval(code, RUNTIME), kind)  # noqa: S307 -- numbers and functions of our own


def truth(value: Expr) -> str:
    """Code that is true where a value is not zero."""
    if isinstance(value.kind, Pointer):
        return f"({value.code}[0] is not NULL[0])"
    if not isinstance(value.kind, Scalar):
        raise NotExecutableError("expression", "condition")
    return value.test or value.code


def wrapped(code: str, kind: Scalar) -> str:
    """An integer brought back into the range of its type."""
    mask = (1 << kind.bits) - 1
    if not kind.signed:
        return f"({code} & {mask})"
    top = 1 << (kind.bits - 1)
    return f"(({code} + {top} & {mask}) - {top})"


def rounded(code: str, kind: Scalar) -> str:
    """A real brought to the precision of its type."""
    return f"F({code})" if kind == F4 else f"H({code})" if kind.size == 2 else f"({code})"


def promoted(kind: Scalar) -> Scalar:
    """The type that an integer has in an expression."""
    return I4 if not kind.real and kind.size < I4.size else kind


def common(a: Kind, b: Kind) -> Scalar | Vector:
    """The type that two operands meet in."""
    if isinstance(a, Vector) or isinstance(b, Vector):
        if isinstance(a, Vector) and isinstance(b, Vector) and a != b:
            raise NotExecutableError("expression", f"{a.code} {b.code}")
        return a if isinstance(a, Vector) else b  # type: ignore[return-value]
    if not isinstance(a, Scalar) or not isinstance(b, Scalar):
        raise NotExecutableError("expression", "operands")
    if a.real or b.real:
        return max((k for k in (a, b) if k.real), key=lambda k: k.size)
    a, b = promoted(a), promoted(b)
    if a.size == b.size:
        return a if not a.signed else b
    return a if a.size > b.size else b


def converted_code(code: str, source: Scalar, to: Scalar) -> str:
    """Code of a number as another type."""
    if source == to:
        return code
    if to == BOOL:
        return f"({code} != 0)"
    if to.real and source.real:
        return code if to.size > source.size else rounded(code, to)
    if to.real:
        if to == F8 or source.size <= 2:
            return f"float({code})"
        return rounded(f"float({code})", to) if source.size < 8 or to != F4 else f"F_int({code})"
    if source.real:
        return f"int_{to.code}({code})"
    if to.low <= source.low and source.high <= to.high:
        return code
    return wrapped(code, to)


def converted(value: Expr, to: Kind) -> Expr:
    """A value as another type, as an assignment converts it."""
    source = value.kind
    if source == to:
        return value
    match source, to:
        case Scalar(), Scalar():
            made = converted_code(value.code, source, to)
            return replace(value, kind=to) if made == value.code else folded(made, to, value)
        case Scalar(), Vector():
            return Expr(f"(({converted(value, to.element).code},) * {to.lanes})", to)
        case Pointer(), Pointer():
            return replace(value, kind=to)
        case Scalar(), Pointer() if value.const == 0:
            return replace(NULL, kind=to)
        case Pointer(), Scalar() if to == BOOL:
            return Expr(truth(value), BOOL)
        case _:
            raise NotExecutableError("expression", "conversion")


def lifted(template: str, arity: int) -> str:
    """The name of a function that does to each lane what a template does to x, y and z."""
    key = template, arity
    if key not in _lifted:
        names, lanes = "abc"[:arity], ", ".join("xyz"[:arity])
        source = f"zip({', '.join(names)})" if arity > 1 else "a"
        code = f"lambda {', '.join(names)}: tuple([{template} for {lanes} in {source}])"
        name = f"lanes{next(_numbers)}"
        RUNTIME[name] = eval(code, RUNTIME)  # noqa: S307 -- code of our own
        _lifted[key] = name
    return _lifted[key]


def each(template: str, kind: Kind, *operands: Expr) -> Expr:
    """A template applied to operands, lane by lane where they are vectors; scalars among them must be splat already."""
    if isinstance(operands[0].kind, Vector):
        arguments = ", ".join(o.code for o in operands)
        return Expr(f"{lifted(template, len(operands))}({arguments})", kind)
    codes = dict(zip("xyz", (o.code for o in operands), strict=False))
    code = re.sub(r"\b[xyz]\b", lambda m: codes[m[0]], template)
    return folded(code, kind, *operands) if isinstance(kind, Scalar) else Expr(code, kind)


def operation(sign: str, kind: Scalar) -> str:
    """The template of an arithmetic operator on x and y, both of a type."""
    if kind.real:
        if sign == "/":
            return rounded("divided(x, y)", kind)
        if sign not in {"+", "-", "*"}:
            raise NotExecutableError("expression", sign)
        return rounded(f"x {sign} y", kind)
    match sign:
        case "+" | "-" | "*":
            return wrapped(f"(x {sign} y)", kind)
        case "/":
            return wrapped("quotient(x, y)", kind)
        case "%":
            return "remainder(x, y)"
        case "&" | "|" | "^":
            return f"(x {sign} y)"
        case "<<":
            return wrapped(f"(x << (y & {kind.bits - 1}))", kind)
        case ">>":
            return f"(x >> (y & {kind.bits - 1}))"
        case _:
            raise NotExecutableError("expression", sign)


def binary(sign: str, a: Expr, b: Expr) -> Expr:
    """``a sign b`` of numbers and vectors."""
    if sign in {"<<", ">>"}:
        return _shifted(sign, a, b)
    kind = common(a.kind, b.kind)
    a, b = converted(a, kind), converted(b, kind)
    scalar = kind.element if isinstance(kind, Vector) else kind
    if sign in COMPARISONS:
        if isinstance(kind, Vector):
            return each(f"-(x {sign} y)", Vector(integer(scalar.size, signed=True), kind.lanes), a, b)
        return each(f"(x {sign} y)", I4, a, b)
    return each(operation(sign, scalar), kind, a, b)


def _shifted(sign: str, a: Expr, b: Expr) -> Expr:
    if isinstance(a.kind, Vector):
        count = Vector(b.kind.element, a.kind.lanes) if isinstance(b.kind, Vector) else Vector(I4, a.kind.lanes)
        return each(operation(sign, a.kind.element), a.kind, a, converted(b, count))
    if not (isinstance(a.kind, Scalar) and isinstance(b.kind, Scalar)) or a.kind.real or b.kind.real:
        raise NotExecutableError("expression", sign)
    kind = promoted(a.kind)
    return each(operation(sign, kind), kind, converted(a, kind), b)


def negated(value: Expr, sign: str) -> Expr:
    """``-a``, ``+a``, ``~a`` of numbers and vectors."""
    kind = promoted(value.kind) if isinstance(value.kind, Scalar) else value.kind
    if not isinstance(kind, Scalar | Vector):
        raise NotExecutableError("expression", sign)
    scalar = kind.element if isinstance(kind, Vector) else kind
    value = converted(value, kind)
    if sign == "+":
        return value
    return each("(-x)" if scalar.real else wrapped(f"({sign}x)", scalar), kind, value)


def moved(value: Expr, by: Expr, sign: str) -> Expr:
    """A pointer some elements further on or back."""
    if not isinstance(value.kind, Pointer) or not isinstance(by.kind, Scalar) or by.kind.real:
        raise NotExecutableError("expression", "pointer")
    size = value.kind.to.size
    offset = value.offset or "0"
    if by.const is not None:
        distance = int(by.const) * size * (-1 if sign == "-" else 1)
        code = str(int(offset) + distance) if re.fullmatch(r"-?\d+", offset) else f"({offset} + {distance})"
    else:
        scaled = by.code if size == 1 else f"{by.code} * {size}"
        code = f"({scaled})" if offset == "0" and sign == "+" else f"({offset} {sign} {scaled})"
    return pointer(value.base, code, value.kind.to)


def size_of(kind: Kind) -> Expr:
    """``sizeof``."""
    return number(kind.size, integer(8, signed=False))
