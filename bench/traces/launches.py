"""Sizes and arguments that a kernel is run with, made from its signature alone."""

from __future__ import annotations

from dataclasses import dataclass

from burstline_model.facts import Argument, KernelFacts

BUFFER_BYTES = 1 << 20
"""Size of every buffer: far beyond what a kernel reaches at these sizes."""
LOCAL_BYTES = 1 << 16
SCALARS = (16, 12, 20, 8, 24)
"""Values of integer arguments in turn: small, and different, so that one size cannot be taken for another."""
ITEMS = {1: ((32,), (8,)), 2: ((16, 8), (8, 4)), 3: ((8, 4, 4), (4, 2, 2))}
"""Global and local size by the number of dimensions that a kernel asks for."""
_INTEGERS = {
    "char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "size_t": 8,
}  # fmt: skip
_SPELLED = {
    "unsigned char": "uchar", "unsigned short": "ushort", "unsigned int": "uint", "unsigned": "uint",
    "unsigned long": "ulong", "long long": "long", "unsigned long long": "ulong", "signed int": "int", "signed": "int",
    "int8_t": "char", "uint8_t": "uchar", "int16_t": "short", "uint16_t": "ushort", "int32_t": "int",
    "uint32_t": "uint", "int64_t": "long", "uint64_t": "ulong", "bool": "uchar",
}  # fmt: skip
_QUALIFIERS = {"const", "volatile", "restrict", "__restrict", "__private", "private", "register"}


@dataclass(frozen=True)
class Launch:
    """How a kernel is run: sizes by dimension, integer arguments by name, and the lines that describe its arguments.

    An integer of a vector goes by its path (``size.x``).
    """

    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    integers: dict[str, int]
    described: tuple[str, ...]


class NoLaunchError(Exception):
    """Why no arguments can be made for a kernel."""


def launch_for(facts: KernelFacts, scalars: tuple[int, ...] = SCALARS) -> Launch:
    """A launch of a kernel; raises `NoLaunchError` for arguments that are neither buffers nor numbers."""
    global_size, local_size = _sizes(facts)
    integers: dict[str, int] = {}
    described = tuple([_described(argument, integers, scalars) for argument in facts.arguments])
    return Launch(global_size, local_size, integers, described)


def _sizes(facts: KernelFacts) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if facts.model != "ndrange":
        return (1,), (1,)
    kinds = {"global_id", "local_id", "group_id", "global_size", "local_size", "num_groups"}
    used = max((s.dimension for s in facts.symbols.values() if s.kind in kinds), default=0) + 1
    if facts.work_group_size is not None:
        local = facts.work_group_size
        used = max(used, *(d + 1 for d, n in enumerate(local) if n > 1), 1)
        return tuple(2 * n for n in local[:used]), tuple(local[:used])
    return ITEMS[used]


def _described(argument: Argument, integers: dict[str, int], scalars: tuple[int, ...]) -> str:
    if argument.is_pointer:
        if argument.space == "local":
            return f"<size={LOCAL_BYTES}>"
        return f"<size={BUFFER_BYTES} char fill=0>"
    words = [w for w in argument.type.split() if w not in _QUALIFIERS]
    name = " ".join(words)
    name = _SPELLED.get(name, name)
    if name in _INTEGERS:
        value = _next(integers, argument.name, scalars)
        return f"<size={_INTEGERS[name]} {name if name != 'size_t' else 'ulong'}>\n{value}"
    if name in {"float", "double"}:
        return f"<size={4 if name == 'float' else 8} {name}>\n1.5"
    base = name.rstrip("0123456789")
    lanes = name[len(base) :]
    if base in {*_INTEGERS, "float", "double"} and lanes in {"2", "3", "4", "8", "16"}:
        size = {"float": 4, "double": 8}.get(base) or _INTEGERS[base]
        # Three lanes take the room of four.
        count = {"3": 4}.get(lanes) or int(lanes)
        values = [_next(integers, f"{argument.name}.{path}", scalars) for path in argument.fields]
        return f"<size={size * count} {base}>\n" + " ".join(map(str, [*values, *[1] * count][:count]))
    raise NoLaunchError(f"argument {argument.name} of type {argument.type}")


def _next(integers: dict[str, int], name: str, scalars: tuple[int, ...]) -> int:
    """The next of the values in turn, which is noted under a name."""
    integers[name] = scalars[len(integers) % len(scalars)]
    return integers[name]
