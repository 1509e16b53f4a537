"""Initializers: the stores that fill an array or a structure from its list."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from burstline_server.analysis.nodes import text_of
from burstline_server.interpreter.code import Expr
from burstline_server.interpreter.compile_places import Memory, store
from burstline_server.interpreter.kinds import I1, U1, Array, Kind, Record
from burstline_server.interpreter.verdicts import NotExecutableError
from burstline_server.interpreter.writer import Writer, operands, part

Slot = tuple[int, Kind]


def filled(w: Writer, name: str, offset: int, kind: Kind, values: Node) -> list[str]:
    """Code that stores what an initializer gives into a fresh block; what it leaves out is zero."""
    if values.type != "initializer_list":
        if isinstance(kind, Array):
            return _text(name, offset, kind, values)
        return [store(Memory(name, str(offset), kind), w.program.value(w, values)).code]
    if not isinstance(kind, Array | Record):
        return filled(w, name, offset, kind, operands(values)[0])
    code: list[str] = []
    items = operands(values)
    at = 0
    slots = _slots(kind)
    while items:
        item = items.pop(0)
        if item.type == "initializer_pair":
            at = _designated(w, kind, item)
            item = part(item, "value")
        if at >= len(slots):
            raise NotExecutableError("expression", "initializer")
        inner_offset, inner = slots[at]
        if isinstance(inner, Array | Record) and item.type != "initializer_list" and not _whole(w, inner, item):
            # Without braces of its own, an inner list takes what it needs.
            items.insert(0, item)
            for place, scalar in _flat(inner, offset + inner_offset):
                if items:
                    code.append(store(Memory(name, str(place), scalar), w.program.value(w, items.pop(0))).code)
        else:
            code += filled(w, name, offset + inner_offset, inner, item)
        at += 1
    return code


def _whole(w: Writer, kind: Kind, item: Node) -> bool:
    """Whether an item is a structure or text that fills its place alone."""
    if item.type in {"string_literal", "concatenated_string"}:
        return True
    return isinstance(kind, Record) and w.program.value(w, item).kind == kind


def _slots(kind: Array | Record) -> list[Slot]:
    if isinstance(kind, Array):
        return [(i * kind.element.size, kind.element) for i in range(kind.count)]
    return [(offset, inner) for _, offset, inner in kind.fields]


def _designated(w: Writer, kind: Array | Record, item: Node) -> int:
    designators = item.children_by_field_name("designator")
    if len(designators) != 1:
        raise NotExecutableError("expression", "designator")
    inner = operands(designators[0])[0]
    if isinstance(kind, Record):
        return [name for name, _, _ in kind.fields].index(text_of(inner))
    known: Expr = w.program.value(w, inner)
    if known.const is None:
        raise NotExecutableError("expression", "designator")
    return int(known.const)


def _flat(kind: Kind, offset: int) -> Iterator[Slot]:
    if isinstance(kind, Array | Record):
        for place, inner in _slots(kind):
            yield from _flat(inner, offset + place)
    else:
        yield offset, kind


def _text(name: str, offset: int, kind: Array, values: Node) -> list[str]:
    if values.type != "string_literal" or kind.element not in {I1, U1}:
        raise NotExecutableError("expression", "initializer")
    data = text_of(values)[1:-1].encode()
    if b"\\" in data:
        raise NotExecutableError("expression", "text")
    return [f"S_u1({name}, {offset + i}, {byte})" for i, byte in enumerate(data[: kind.count])]


def length_of(w: Writer, values: Node) -> int:
    """How many elements an initializer gives an array without a length."""
    if values.type == "string_literal":
        return len(text_of(values)) - 1
    found = at = 0
    for item in operands(values):
        if item.type == "initializer_pair":
            known: Expr = w.program.value(w, operands(item.children_by_field_name("designator")[0])[0])
            at = int(known.const or 0)
        at += 1
        found = max(found, at)
    return found
