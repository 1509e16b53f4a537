"""Where a value lives: variables, and bytes in memory behind pointers, elements and fields."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tree_sitter import Node

from burstline_model.polynomial import Polynomial
from burstline_server.analysis.chains import extended, joined
from burstline_server.analysis.frames import Variable
from burstline_server.analysis.nodes import one_line, text_of
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.types import UNKNOWN, CType, pointer_to
from burstline_server.analysis.values import Pointer, Value, combined, moved

_SWIZZLE = re.compile(r"[xyzwrgba]{1,16}|s[0-9a-fA-F]{1,16}|lo|hi|even|odd")


@dataclass(slots=True)
class Place:
    """A variable, or `type` bytes at `pointer`. `part` marks a component of it (a vector's `lanes`, a field).

    `packed` marks a member that its structure aligns less than its type asks for, `index` is the text
    between the last brackets (of a variable: its name), `seen` the values that went into the address.
    """

    type: CType
    variable: Variable | None = None
    pointer: Pointer | None = None
    part: CType | None = None
    packed: bool = False
    lanes: tuple[int, ...] = ()
    index: str = ""
    seen: Value | None = None
    lost: bool = False
    """Behind a pointer whose origin is not known."""


def place_of(reader: Reader, node: Node | None) -> Place:
    """The place an expression names; address arithmetic in it is evaluated (and recorded) once."""
    if node is None:
        return Place(UNKNOWN)
    match node.type:
        case "identifier":
            return _named(reader, node)
        case "parenthesized_expression":
            inner = [c for c in node.named_children if c.type != "comment"]
            return place_of(reader, inner[-1]) if inner else Place(UNKNOWN)
        case "subscript_expression":
            return _element(reader, node)
        case "field_expression":
            return _field(reader, node)
        case "pointer_expression":
            return _pointee(reader.evaluate(node.child_by_field_name("argument")), "")
        case _:
            value = reader.evaluate(node)
            return Place(value.type, seen=value)


def _named(reader: Reader, node: Node) -> Place:
    name = text_of(node)
    variable = reader.find(name)
    if variable is None:
        return Place(UNKNOWN, seen=reader.evaluate(node))
    if variable.array is not None:
        return Place(variable.type, variable, Pointer(root_of(reader, name), variable.array, Polynomial()))
    return Place(variable.type, variable, index=name)


def root_of(reader: Reader, name: str) -> str:
    """Arrays of helper functions are distinguished from the kernel's by the function's name."""
    if len(reader.frames) > 1 and any(name in scope for scope in reader.frame.scopes):
        return f"{reader.call_names[-1]}.{name}"
    return name


def _pointee(value: Value, index: str) -> Place:
    element = value.type.element or UNKNOWN
    if value.pointer is None:
        return Place(element, seen=value, index=index, lost=value.type.kind == "pointer")
    pointer = value.pointer._replace(volatile=value.pointer.volatile or element.volatile)
    return Place(element, pointer=pointer, index=index, seen=value)


def _element(reader: Reader, node: Node) -> Place:
    base = reader.evaluate(node.child_by_field_name("argument"))
    index_node = node.child_by_field_name("index")
    index = reader.evaluate(index_node)
    text = one_line(index_node) if index_node is not None else ""
    place = _pointee(base, text)
    if place.pointer is None:
        place.seen = combined(place.type, base, index)
        return place
    number = index.number
    if number is None:
        number = reader.symbols.unknown(text or "?", index)
    step = number.scaled(place.type.size) if place.type.size else None
    before = place.pointer.offset if _is_narrow(reader, index) else None
    place.pointer = moved(place.pointer, step, f"the size of {place.type.name} is not known", narrow_from=before)
    place.seen = combined(place.type, base, index)
    return place


def _is_narrow(reader: Reader, index: Value) -> bool:
    """Whether an index's type keeps it below 256 or 65 536; a signed one that data decide may be negative."""
    if not index.type.is_integer or index.type.size not in {1, 2}:
        return False
    kinds = {reader.symbols.kind(s) for s in index.number.symbols} if index.number is not None else {"opaque"}
    return index.type.unsigned or kinds.isdisjoint({"loaded", "carried", "opaque"})


def _field(reader: Reader, node: Node) -> Place:
    name_node = node.child_by_field_name("field")
    name = text_of(name_node) if name_node is not None else ""
    argument = node.child_by_field_name("argument")
    operator = node.child_by_field_name("operator")
    arrow = operator is not None and operator.type == "->"
    place = _pointee(reader.evaluate(argument), "") if arrow else place_of(reader, argument)
    if place.type.kind == "vector":
        place.part, place.lanes = _component(place.type, name), lanes_named(name, place.type.count or 1)
        return place
    offset, type_ = place.type.fields.get(name, (None, UNKNOWN))
    if place.pointer is None:
        return replace(place, type=type_, part=type_)
    step = Polynomial.number(offset) if offset is not None else None
    if step is not None and name in place.type.adrift:
        display = f"offset of {name}"
        step += Polynomial.symbol(reader.symbols.once((place.type.name, name), display, "argument"))
    pointer = moved(place.pointer, step, f"no field {name} in {place.type.name}")
    packed = place.type.align < min(type_.align, type_.size or 1)
    return Place(type_, pointer=pointer, packed=packed, index=place.index, seen=place.seen)


def _component(vector: CType, name: str) -> CType | None:
    """The type of a swizzle of a vector."""
    if not _SWIZZLE.fullmatch(name) or vector.element is None:
        return None
    lanes = vector.count or 1
    count = lanes // 2 if name in {"lo", "hi", "even", "odd"} else len(name) - (name[0] == "s" and len(name) > 1)
    if count <= 1:
        return vector.element
    return CType("vector", f"{vector.element.name}{count}", vector.element.size * count, 1, vector.element, count)


def lanes_named(swizzle: str, count: int) -> tuple[int, ...]:
    """The lanes of a vector of so many that a swizzle names; none for a name that is no swizzle."""
    if not _SWIZZLE.fullmatch(swizzle):
        return ()
    halves = {"lo": range(count // 2), "hi": range(count // 2, count), "even": range(0, count, 2)}
    if swizzle in {"lo", "hi", "even", "odd"}:
        return tuple(halves.get(swizzle, range(1, count, 2)))
    if swizzle[0] == "s":
        return tuple(int(digit, 16) for digit in swizzle[1:])
    return tuple("xyzw".find(c) if c in "xyzw" else "rgba".find(c) for c in swizzle)


def read(reader: Reader, node: Node, place: Place) -> Value:
    """The value held at a place; an access when it is in memory. A vector's lane reads the whole vector."""
    if place.pointer is not None:
        if place.type.kind == "array" and place.type.element is not None:
            decayed = pointer_to(place.type.element, place.pointer.space)
            return Value(decayed, pointer=place.pointer, symbols=_symbols(place))
        value = reader.load(node, place.pointer, place.type, index=place.index, packed=place.packed)
        if (at := _held_at(place)) is not None and at in reader.pointers:
            value = value._replace(pointer=reader.pointers[at])
        if place.seen is not None:
            kind = f"{place.pointer.space} load"
            through = extended(place.seen.chains, kind, tuple(reader.open_loops)) if place.seen.chains else ()
            value = value._replace(
                symbols=value.symbols | place.seen.varies_with(),
                loads=value.loads | place.seen.loads,
                chains=joined([value.chains, through]),
            )
        return value._replace(type=place.part, number=None) if place.part else value
    if place.variable is not None:
        value = place.variable.value or Value(place.variable.type)
        reader.notice_ids(value)
        value = value._replace(type=place.variable.type)
        return value._replace(type=place.part, number=None) if place.part else value
    if place.lost:
        reader.remark(node, "unknown_origin")
    seen = place.seen or Value()
    return seen._replace(type=place.part or place.type, number=None, pointer=None) if place.part else seen


def write(reader: Reader, node: Node, place: Place, value: Value) -> None:
    """Store a value at a place. Storing a vector's lane in memory reads and writes the whole vector."""
    if reader.silent:
        return
    if place.pointer is not None:
        pointer = place.pointer._replace(lanes=place.lanes)
        if place.part is not None:
            reader.load(node, pointer, place.type, index=place.index)
        stored = combined(value.type, value, place.seen) if place.seen is not None else value
        reader.store(node, pointer, place.type, stored, index=place.index, packed=place.packed)
        if (at := _held_at(place)) is not None and value.pointer is not None:
            known = reader.pointers.get(at, value.pointer)
            chosen = value.pointer._replace(offset=None, why="the pointer is set in several places")
            reader.pointers[at] = value.pointer if known == value.pointer else chosen
    elif place.lost:
        reader.remark(node, "unknown_origin")
    elif place.variable is not None:
        if place.part is not None:
            before = place.variable.value
            place.variable.value = combined(place.type, value, before) if before else combined(place.type, value)
        else:
            place.variable.value = _as_declared(reader, place, value)


def _held_at(place: Place) -> tuple[str, int] | None:
    """Where in private memory a pointer is held, by root and byte offset; None for any other place."""
    pointer = place.pointer
    if pointer is None or pointer.space != "private" or place.type.kind != "pointer" or pointer.offset is None:
        return None
    fixed = pointer.offset.constant
    return (pointer.root, fixed) if fixed is not None else None


def _as_declared(reader: Reader, place: Place, value: Value) -> Value:
    """The value as the variable's type holds it: an integer variable always has a number."""
    type_ = place.variable.type if place.variable is not None else place.type
    if type_.is_integer and value.number is None and value.pointer is None:
        known = combined(type_, value)
        return known._replace(number=reader.symbols.unknown(place.index or "?", known))
    number = value.number if type_.is_integer else None
    return value._replace(type=type_, number=number)


def address_of(reader: Reader, node: Node | None) -> Value:
    """``&expression``."""
    place = place_of(reader, node)
    if place.pointer is not None:
        inner = place.part or place.type
        return Value(pointer_to(inner, place.pointer.space), pointer=place.pointer, symbols=_symbols(place))
    name = text_of(node) if node is not None and node.type == "identifier" else "?"
    pointer = Pointer(root_of(reader, name), "private", Polynomial())
    if place.variable is not None and not reader.silent:
        place.variable.array = "private"  # from here on, its value may change behind the pointer
        reader.hold(pointer, place.variable.value or Value(place.type))
    return Value(pointer_to(place.type, "private"), pointer=pointer)


def _symbols(place: Place) -> frozenset[str]:
    return place.seen.varies_with() if place.seen is not None else frozenset()
