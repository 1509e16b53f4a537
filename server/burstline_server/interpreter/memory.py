"""Memory: blocks of bytes with an end that nothing gets past, and the loads and stores of each type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import Struct
from typing import Any

from burstline_server.interpreter.kinds import LANES, SCALARS, Scalar
from burstline_server.interpreter.verdicts import NotExecutableError, OutOfBoundsError

MOST_BYTES = 1 << 22
"""The largest variable."""
_FORMATS = {
    "b1": "B", "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q",
    "f2": "e", "f4": "f", "f8": "d",
}  # fmt: skip
Pair = tuple["Block", int]


class Block:
    """A buffer or variable. `reach` is how many bytes from its start on were touched, `limit` how many may be."""

    __slots__ = ("data", "limit", "name", "pointers", "reach")

    def __init__(self, size: int, name: str = "", fill: int = 0) -> None:
        if size > MOST_BYTES:
            raise NotExecutableError("memory", name)
        self.name, self.reach, self.limit = name, 0, size
        self.data = bytearray(size) if not fill else bytearray([fill]) * size
        self.pointers: dict[int, Pair] = {}

    def extend(self, offset: int, size: int) -> None:
        """Count a first access at an offset; raises `OutOfBoundsError`."""
        if offset < 0 or offset + size > self.limit:
            raise OutOfBoundsError(self.name, offset, size)
        self.reach = max(self.reach, offset + size)


NULL: Pair = (Block(0, "null"), 0)


def _loader(format_: str) -> Callable[[Block, int], Any]:
    unpack, size = Struct(format_).unpack_from, Struct(format_).size

    def load(block: Block, offset: int) -> Any:
        if offset < 0 or (end := offset + size) > block.reach:
            if offset < 0 or end > block.limit:
                raise OutOfBoundsError(block.name, offset, size)
            block.reach = end
        return unpack(block.data, offset)[0]

    return load


def _storer(format_: str) -> Callable[[Block, int, Any], Any]:
    pack, size = Struct(format_).pack_into, Struct(format_).size

    def store(block: Block, offset: int, value: Any) -> Any:
        if offset < 0 or (end := offset + size) > block.reach:
            if offset < 0 or end > block.limit:
                raise OutOfBoundsError(block.name, offset, size)
            block.reach = end
        pack(block.data, offset, value)
        return value

    return store


def _vector_loader(format_: str) -> Callable[[Block, int], Any]:
    unpack, size = Struct(format_).unpack_from, Struct(format_).size

    def load(block: Block, offset: int) -> Any:
        if offset < 0 or (end := offset + size) > block.reach:
            if offset < 0 or end > block.limit:
                raise OutOfBoundsError(block.name, offset, size)
            block.reach = end
        return unpack(block.data, offset)

    return load


def _vector_storer(format_: str) -> Callable[[Block, int, Any], Any]:
    pack, size = Struct(format_).pack_into, Struct(format_).size

    def store(block: Block, offset: int, value: Any) -> Any:
        if offset < 0 or (end := offset + size) > block.reach:
            if offset < 0 or end > block.limit:
                raise OutOfBoundsError(block.name, offset, size)
            block.reach = end
        pack(block.data, offset, *value)
        return value

    return store


def load_record(block: Block, offset: int, size: int) -> bytes:
    """The bytes of a structure."""
    if offset < 0 or offset + size > block.reach:
        block.extend(offset, size)
    return bytes(block.data[offset : offset + size])


def store_record(block: Block, offset: int, value: bytes) -> bytes:
    """Put the bytes of a structure."""
    if offset < 0 or offset + len(value) > block.reach:
        block.extend(offset, len(value))
    block.data[offset : offset + len(value)] = value
    return value


def record(value: bytes) -> Block:
    """A structure that is no variable, as one."""
    block = Block(len(value))
    block.data[:] = value
    return block


def load_pointer(block: Block, offset: int) -> Pair:
    """A pointer that is in memory."""
    block.extend(offset, 8)
    return block.pointers.get(offset, NULL)


def store_pointer(block: Block, offset: int, value: Pair) -> Pair:
    """Put a pointer into memory."""
    block.extend(offset, 8)
    block.pointers[offset] = value
    return value


def store_lanes(block: Block, offset: int, store: Any, size: int, lanes: Sequence[int], value: Any) -> Any:
    """Put some lanes of a vector in memory."""
    for lane, one in zip(lanes, value, strict=True):
        store(block, offset + lane * size, one)
    return value


def struct_of(kind: Scalar, lanes: int = 1) -> Struct:
    """How a number, or several, are in memory."""
    return Struct(f"<{lanes}{_FORMATS[kind.code]}")


def size_of_code(name: str) -> int:
    """The bytes of a type by its code: ``f4`` or ``f4x2``."""
    code, _, lanes = name.partition("x")
    return int(code[1:]) * int(lanes or 1)


def _functions() -> dict[str, Any]:
    found: dict[str, Any] = {
        "load_record": load_record, "store_record": store_record, "record": record, "load_pointer": load_pointer,
        "store_pointer": store_pointer, "store_lanes": store_lanes, "Block": Block, "NULL": NULL,
    }  # fmt: skip
    for kind in SCALARS:
        format_ = f"<{_FORMATS[kind.code]}"
        found[f"L_{kind.code}"], found[f"S_{kind.code}"] = _loader(format_), _storer(format_)
        for lanes in LANES:
            # Three lanes are loaded and stored as three: the fourth is padding.
            name, format_ = f"{kind.code}x{lanes}", f"<{lanes}{_FORMATS[kind.code]}"
            found[f"L_{name}"], found[f"S_{name}"] = _vector_loader(format_), _vector_storer(format_)
    return found


FUNCTIONS = _functions()
"""The loads and stores by the names that generated code uses."""
