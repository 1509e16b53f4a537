"""What structures and arrays hold: their integers by path, their pointers by byte offset, whole or in lists."""

from __future__ import annotations

from tree_sitter import Node

from burstline_model.facts import Space, Unknown
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.mixed import leads
from burstline_server.analysis.nodes import text_of
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.types import UNKNOWN, CType, components, lane_name
from burstline_server.analysis.values import ListedElement, Pointer, Value, combined, common_ratio

_SCALARS = {"integer", "real", "pointer"}
MAX_LISTED = 64
"""Most integers of one list that are kept one by one."""


def listed(reader: Reader, node: Node) -> Value:
    """The value of a list in braces, which `filled` gives a type."""
    elements: list[ListedElement] = []
    for child in node.named_children:
        if child.type == "comment":
            continue
        path: tuple[str | int, ...] | None = ()
        if child.type == "initializer_pair":
            path = _designated(reader, child.children_by_field_name("designator"))
            value = reader.evaluate(child.child_by_field_name("value"))
        else:
            value = reader.evaluate(child)
        elements.append(ListedElement(path, value))
    values = [e.value for e in elements]
    return combined(UNKNOWN, *values)._replace(listed=tuple(elements), ratio=common_ratio(values))


def _designated(reader: Reader, nodes: list[Node]) -> tuple[str | int, ...] | None:
    """The members and positions that designators name (``.size[1]``); None where a position is not constant."""
    path: list[str | int] = []
    for node in nodes:
        inner = node.named_children[0] if node.named_children else None
        if inner is None or node.type not in {"field_designator", "subscript_designator"}:
            return None
        place = text_of(inner) if node.type == "field_designator" else reader.constant(inner)
        if place is None:
            return None
        path.append(place)
    return tuple(path)


def filled(type_: CType, value: Value) -> Value:
    """The value of a list in braces as one of a type: integers by their paths, pointers by where they lie.

    What follows an element that cannot be placed (inner braces that are left out) is not known.
    """
    if type_.kind in _SCALARS and len(value.listed) == 1:
        return value.listed[0].value
    numbers = dict[str, Polynomial]()
    held = dict[int, Pointer]()
    following = 0
    for path, one in value.listed:
        steps = path or ((following,) if path is not None else ())
        name, offset, inner = "", 0, type_
        for depth, step in enumerate(steps):
            found = _member(inner, step)
            if found is None:
                steps = ()
                break
            place, own, at, inner = found
            name, offset = f"{name}.{own}" if name else own, offset + at
            following = place + 1 if depth == 0 else following
        if not steps or (inner.kind in {"struct", "array"} and one.type.kind in _SCALARS):
            break
        known = filled(inner, one) if one.listed else one
        if inner.is_integer and known.number is not None:
            numbers[name] = known.number
        numbers.update({f"{name}.{path}": number for path, number in known.parts})
        if inner.kind == "pointer" and known.pointer is not None:
            held[offset] = known.pointer
        held.update({offset + at: pointer for at, pointer in known.held})
    paths = numbers.keys() if type_.kind == "array" and len(numbers) <= MAX_LISTED else components(type_)
    parts = tuple((name, number) for name, number in numbers.items() if name in paths)
    return value._replace(parts=parts, held=tuple(held.items()), listed=())


def _member(type_: CType, step: str | int) -> tuple[int, str, int, CType] | None:
    """A member or an element of a type: its position, its name in paths, where it lies in bytes, and its type."""
    names = list(type_.fields)
    if type_.kind == "struct":
        name = names[step] if isinstance(step, int) and step < len(names) else step
        if not isinstance(name, str) or name not in type_.fields or name in type_.adrift:
            return None
        return names.index(name), name, *type_.fields[name]
    if not isinstance(step, int) or type_.element is None or type_.kind not in {"array", "vector"}:
        return None
    return step, lane_name(step) if type_.kind == "vector" else str(step), step * type_.element.size, type_.element


def within(held: tuple[tuple[int, Pointer], ...], start: int, size: int) -> tuple[tuple[int, Pointer], ...]:
    """The pointers in some bytes, by their offset from the first of them."""
    return tuple((at - start, pointer) for at, pointer in held if start <= at < start + size)


def held_in(reader: Reader, pointer: Pointer, type_: CType) -> tuple[tuple[int, Pointer], ...]:
    """The pointers that a structure or an array in private memory holds."""
    start = start_in(pointer)
    if start is None or type_.kind not in {"struct", "array"}:
        return ()
    return within(
        tuple((at, p) for (root, at), p in reader.pointers.items() if root == pointer.root and at is not None),
        start,
        type_.size,
    )


HOLDING: frozenset[Space] = frozenset({"private", "local"})
"""Memories whose pointers are followed. What lies in local memory any work-item of a group may have stored there."""
_SEVERAL = ""
"""The root of what is one of several buffers."""


def held_at(reader: Reader, pointer: Pointer) -> Pointer | None:
    """The pointer that lies at a place of private memory, also where an index that is not constant names it.

    None where nothing is known of it, or pointers to several buffers may lie there.
    """
    start = start_in(pointer)
    exact = reader.pointers.get((pointer.root, start)) if start is not None else None
    if exact is not None and (pointer.root, None) not in reader.pointers:
        return exact
    places = {start, None} if start is not None else {at for root, at in reader.pointers if root == pointer.root}
    every = {p for at in places if (p := reader.pointers.get((pointer.root, at))) is not None}
    if len({p.root for p in every} | {_SEVERAL}) != 2:
        return exact
    return every.pop() if len(every) == 1 else _anywhere(every.pop())


def _scatter(reader: Reader, root: str, held: Pointer) -> None:
    """Remember a pointer that is stored in private memory at a place that is not known."""
    fixed = held if held.offset is not None and held.offset.constant is not None else _anywhere(held)
    known = reader.pointers.setdefault((root, None), fixed)
    if known.root != held.root:
        reader.pointers[root, None] = _anywhere(known)._replace(root=_SEVERAL)
    elif known != fixed:
        reader.pointers[root, None] = _anywhere(known)


def _anywhere(pointer: Pointer) -> Pointer:
    """A pointer into the same memory of which it is not known where it leads."""
    return pointer._replace(offset=None, why=Unknown(kind="set_in_places"), narrow_from=None)


def hold(reader: Reader, pointer: Pointer, type_: CType, value: Value, *, fresh: bool = False) -> None:
    """Remember the pointers that a value of a type brings to private memory; where others were, either is left.

    `fresh` is memory that held nothing before.
    """
    start = start_in(pointer)
    if type_.kind not in {"struct", "array", "pointer"}:
        return
    if start is None:
        if pointer.space in HOLDING:
            leads(
                reader,
                value.pointer,
                *(held for _, held in value.held),
                *(p for p in reader.pointers.values() if p.root),
            )
            if type_.kind == "pointer" and value.pointer is not None:
                _scatter(reader, pointer.root, value.pointer)
        return
    if type_.kind == "pointer":
        brought = {start: value.pointer} if value.pointer is not None else {}
    else:
        brought = {start + at: held for at, held in value.held}
        for at, _ in held_in(reader, pointer, type_):
            if fresh or start + at not in brought:
                del reader.pointers[pointer.root, start + at]
    for at, own in brought.items():
        held = _anywhere(own) if pointer.space == "local" and _differs(reader, own) else own
        known = reader.pointers.get((pointer.root, at), held)
        leads(reader, known, held)
        reader.pointers[pointer.root, at] = held if known == held else _anywhere(held)


def _differs(reader: Reader, pointer: Pointer) -> bool:
    """Whether a pointer leads each work-item of a group elsewhere."""
    return any(reader.symbols.kind(s) in {"global_id", "local_id"} for s in reader.symbols.made_of(pointer.symbols))


def start_in(pointer: Pointer) -> int | None:
    """Where a place begins in a variable of the kernel, in bytes; None where that is no constant, or for a buffer."""
    return pointer.offset.constant if pointer.space in HOLDING and pointer.offset is not None else None
