"""Operators on two values: numbers, conditions, pointers."""

from __future__ import annotations

from burstline_server.interpreter.code import COMPARISONS, Expr, binary, common, converted, each, folded, moved, truth
from burstline_server.interpreter.compile_places import parts
from burstline_server.interpreter.kinds import I4, Pointer, Scalar, Vector, integer
from burstline_server.interpreter.verdicts import NotExecutableError
from burstline_server.interpreter.writer import Writer


def operate(w: Writer, sign: str, a: Expr, b: Expr) -> Expr:
    """``a sign b``."""
    if sign in {"&&", "||"}:
        return _logical(sign, a, b)
    if isinstance(a.kind, Pointer) or isinstance(b.kind, Pointer):
        return _pointers(w, sign, a, b)
    return binary(sign, a, b)


def _logical(sign: str, a: Expr, b: Expr) -> Expr:
    word = "and" if sign == "&&" else "or"
    if isinstance(a.kind, Vector) or isinstance(b.kind, Vector):
        kind = common(a.kind, b.kind)
        whole = Vector(integer(kind.size // kind.lanes, signed=True), kind.lanes) if isinstance(kind, Vector) else I4
        return each(f"-((x != 0) {word} (y != 0))", whole, converted(a, kind), converted(b, kind))
    test = f"({truth(a)} {word} {truth(b)})"
    if a.const is not None and b.const is not None:
        return folded(f"(not not {test})", I4, a, b)
    return Expr(f"(not not {test})", I4, test=test)


def _pointers(w: Writer, sign: str, a: Expr, b: Expr) -> Expr:
    if sign in {"+", "-"} and isinstance(a.kind, Pointer) and isinstance(b.kind, Scalar):
        return moved(parts(w, a), b, sign)
    if sign == "+" and isinstance(b.kind, Pointer) and isinstance(a.kind, Scalar):
        return moved(parts(w, b), a, sign)
    if isinstance(a.kind, Scalar):
        a = converted(a, b.kind)
    if isinstance(b.kind, Scalar):
        b = converted(b, a.kind)
    if sign == "-" and isinstance(a.kind, Pointer):
        return Expr(f"(({a.code}[1] - {b.code}[1]) // {a.kind.to.size})", integer(8, signed=True))
    if sign in {"==", "!="}:
        return Expr(f"({a.code} {sign} {b.code})", I4)
    if sign in COMPARISONS:
        return Expr(f"({a.code}[1] {sign} {b.code}[1])", I4)
    raise NotExecutableError("expression", sign)
