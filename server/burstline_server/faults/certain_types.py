"""Types as far as a refusal needs them: what is not known for sure is unknown, and refuses nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from burstline_model.record import fixed

Kind = Literal["integer", "real", "vector", "pointer", "array", "struct", "void", "function", "unknown"]
_VECTOR = re.compile(r"(u?(?:char|short|int|long)|half|float|double)(2|3|4|8|16)")
_INTEGERS = {
    "bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "unsigned", "signed", "_Bool", "size_t",
    "ptrdiff_t", "intptr_t", "uintptr_t", *(f"{u}int{n}_t" for u in ("", "u") for n in (8, 16, 32, 64)),
}  # fmt: skip
_REALS = {"half", "float", "double"}


@fixed
class Type:
    """A type: what kind, how messages name it, what it points to or is made of, whether it may be assigned to."""

    kind: Kind
    name: str = "?"
    to: Type | None = None
    lanes: int = 0
    const: bool = False

    @property
    def scalar(self) -> bool:
        """Whether it is one number."""
        return self.kind in {"integer", "real"}

    @property
    def real(self) -> bool:
        """Whether it is made of floating-point numbers."""
        return self.kind == "real" or (self.kind == "vector" and self.to is not None and self.to.kind == "real")

    def constant(self) -> Type:
        """The same type, not to be assigned to."""
        return replace(self, const=True)


UNKNOWN = Type("unknown")
VOID = Type("void", "void")
INT = Type("integer", "int")
FLOAT = Type("real", "float")


def named(name: str) -> Type:
    """A built-in type by its name; unknown for any other."""
    if name in _INTEGERS:
        return Type("integer", name)
    if name in _REALS:
        return Type("real", name)
    if name == "void":
        return VOID
    if match := _VECTOR.fullmatch(name):
        return Type("vector", name, named(match[1]), int(match[2]))
    words = name.split()
    if len(words) > 1 and words[-1] in _INTEGERS | _REALS | {"unsigned", "signed"}:
        return Type("real" if words[-1] in _REALS else "integer", name)
    return Type("unknown", name)


def pointer(to: Type) -> Type:
    """A pointer to a type."""
    return Type("pointer", f"{to.name} *", to)


def element(type_: Type) -> Type:
    """What a subscript of a type gives."""
    if type_.kind in {"pointer", "array", "vector"} and type_.to is not None:
        return replace(type_.to, const=type_.const) if type_.kind == "vector" else type_.to
    return UNKNOWN


_SWIZZLE = re.compile(r"[xyzw]{1,16}|[rgba]{1,16}|[sS][0-9a-fA-F]{1,16}|lo|hi|even|odd")


def swizzle(name: str, lanes: int) -> int | None:
    """How many lanes of a vector a member names; 0 where it names one that is not there, None for no such name."""
    if not _SWIZZLE.fullmatch(name):
        return None
    if name in {"lo", "hi", "even", "odd"}:
        return max(1, (lanes + 1) // 2)
    letters = "xyzw" if name[0] in "xyzw" else "rgba"
    places = [int(c, 16) for c in name[1:]] if name[0] in "sS" else [letters.index(c) for c in name]
    return len(places) if max(places) < lanes else 0


def of_lanes(vector: Type, lanes: int) -> Type:
    """Some lanes of a vector."""
    if vector.to is None:
        return UNKNOWN
    if lanes == 1:
        return replace(vector.to, const=vector.const) if vector.const != vector.to.const else vector.to
    return Type("vector", f"{vector.to.name}{lanes}", vector.to, lanes, vector.const)


def variable(type_: Type) -> Type:
    """The type without ``const``."""
    return replace(type_, const=False) if type_.const else type_


def combined(a: Type, b: Type) -> Type:
    """The type of an arithmetic expression of two operands."""
    for one, other in ((a, b), (b, a)):
        if one.kind in {"pointer", "array"} and other.kind == "integer":
            return pointer(one.to or UNKNOWN)
        if one.kind == "vector" and (other.scalar or other.kind == "vector"):
            return variable(one)
    if a.scalar and b.scalar:
        return variable(a if a.kind == "real" else b)
    return UNKNOWN
