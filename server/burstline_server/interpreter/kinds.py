"""Types as values need them: widths, signs, lanes, and where fields are."""

from __future__ import annotations

from typing import TypeAlias

from burstline_model.record import fixed
from burstline_server.analysis.types import CType
from burstline_server.interpreter.verdicts import NotExecutableError

POINTER_BYTES = 8
_UNSIGNED = {"size_t", "uintptr_t", "atomic_uint", "atomic_ulong", "atomic_size_t"}


@fixed
class Scalar:
    """A number of `size` bytes. `code` names it in the names of run-time functions."""

    code: str
    size: int
    real: bool
    signed: bool

    @property
    def bits(self) -> int:
        """Its width."""
        return 8 * self.size

    @property
    def low(self) -> int:
        """The least integer."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        """The greatest integer."""
        return (1 << (self.bits - self.signed)) - 1 if self is not BOOL else 1


@fixed
class Vector:
    """Lanes of one type; three take the room of four."""

    element: Scalar
    lanes: int

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return self.element.size * (4 if self.lanes == 3 else self.lanes)

    @property
    def code(self) -> str:
        """Its name in the names of run-time functions."""
        return f"{self.element.code}x{self.lanes}"


@fixed
class Pointer:
    """A pointer to something."""

    to: Kind
    size: int = POINTER_BYTES


@fixed
class Array:
    """`count` elements, one after the other."""

    element: Kind
    count: int

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return self.element.size * self.count


@fixed
class Record:
    """A structure or union: its fields with their offsets."""

    name: str
    size: int
    fields: tuple[tuple[str, int, Kind], ...]

    def field(self, name: str) -> tuple[int, Kind]:
        """Where a field is, and its type."""
        for one, offset, kind in self.fields:
            if one == name:
                return offset, kind
        raise NotExecutableError("name", name)


@fixed
class Void:
    """No value."""

    size: int = 1


Kind: TypeAlias = "Scalar | Vector | Pointer | Array | Record | Void"

BOOL = Scalar("b1", 1, False, False)
I1, U1 = Scalar("i1", 1, False, True), Scalar("u1", 1, False, False)
I2, U2 = Scalar("i2", 2, False, True), Scalar("u2", 2, False, False)
I4, U4 = Scalar("i4", 4, False, True), Scalar("u4", 4, False, False)
I8, U8 = Scalar("i8", 8, False, True), Scalar("u8", 8, False, False)
F2, F4, F8 = (Scalar(f"f{size}", size, True, True) for size in (2, 4, 8))
VOID = Void()
SCALARS = (BOOL, I1, U1, I2, U2, I4, U4, I8, U8, F2, F4, F8)
LANES = (2, 3, 4, 8, 16)
_INTEGERS = {(k.size, k.signed): k for k in (I1, U1, I2, U2, I4, U4, I8, U8)}
_REALS = {2: F2, 4: F4, 8: F8}


def integer(size: int, *, signed: bool) -> Scalar:
    """The integer type of a width."""
    return _INTEGERS[size, signed]


def kind_of(type_: CType) -> Kind:
    """A type as it was read."""
    match type_.kind:
        case "void":
            return VOID
        case "integer" if type_.name in {"bool", "_Bool"}:
            return BOOL
        case "integer":
            return _INTEGERS[type_.size, not (type_.unsigned or type_.name in _UNSIGNED)]
        case "real":
            return _REALS[type_.size]
        case "vector":
            element = kind_of(type_.element) if type_.element else VOID
            if isinstance(element, Scalar):
                return Vector(element, type_.count or 1)
        case "pointer" if type_.element is not None:
            return Pointer(VOID if type_.element.kind in {"opaque", "function"} else kind_of(type_.element))
        case "array" if type_.element is not None and type_.count is not None:
            return Array(kind_of(type_.element), type_.count)
        case "opaque" if type_.name == "event_t":
            return I4
        case "struct" if type_.size and not type_.adrift:
            return Record(type_.name, type_.size, tuple((n, o, kind_of(t)) for n, (o, t) in type_.fields.items()))
        case "struct":
            return Record(type_.name, 0, ())
        case _:
            pass
    raise NotExecutableError("type", type_.name)


def scalars_of(kind: Kind) -> Scalar | None:
    """The number that a type is made of alone; None for what mixes several."""
    match kind:
        case Scalar():
            return kind
        case Vector(element=element):
            return element
        case Array(element=inner):
            return scalars_of(inner)
        case Record(fields=fields):
            found = {scalars_of(inner) for _, _, inner in fields}
            return found.pop() if len(found) == 1 else None
        case _:
            return None


def has_pointer(kind: Kind) -> bool:
    """Whether a pointer is anywhere in values of a type."""
    match kind:
        case Pointer():
            return True
        case Array(element=inner):
            return has_pointer(inner)
        case Record(fields=fields):
            return any(has_pointer(inner) for _, _, inner in fields)
        case _:
            return False
