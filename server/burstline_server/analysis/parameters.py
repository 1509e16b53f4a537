"""A function's parameters: their types, and what a kernel's say of memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from burstline_model.facts import Argument, Space, Span
from burstline_server.analysis.nodes import previous_end, text_of
from burstline_server.analysis.pragmas import attributes
from burstline_server.analysis.types import INT, CType, TypeTable, components, pointer_to, qualifiers
from burstline_server.source.source import Source

_SPACES: dict[str, Space] = {
    "global": "global",
    "constant": "constant",
    "local": "local",
    "private": "private",
}


class Parameter(NamedTuple):
    """An argument of a kernel, and its type within the kernel: an array counts as a pointer."""

    argument: Argument
    type: CType


def parameters_of(source: Source, types: TypeTable, kernel: Node) -> Iterator[Parameter]:
    """The parameters of a kernel's definition."""
    declarator = kernel.child_by_field_name("declarator")
    for node, name, type_ in _declared(types, declarator) if declarator is not None else ():
        notes = source.notes_in(previous_end(node), node.end_byte)
        words = {n.text.strip("_") for n in notes if n.kind == "qualifier"}
        pointee = type_.element if type_.kind in {"pointer", "array"} else None
        is_pointer = type_.kind in {"pointer", "array"}
        space: Space = "global" if is_pointer else "private"
        location = attributes(" ".join(n.text for n in notes if n.kind == "attribute")).get("buffer_location")
        origin = source.origin(node.start_byte, node.end_byte)
        argument = Argument(
            name=name,
            type=type_.name,
            space=next((_SPACES[w] for w in sorted(words) if w in _SPACES), space),
            is_pointer=is_pointer,
            element_bytes=(pointee or type_).size,
            span=Span(start=origin.start, end=origin.end, file=origin.file),
            restrict=type_.restrict,
            const=bool(pointee and pointee.const),
            volatile=bool(pointee and pointee.volatile),
            buffer_location=location.strip('"') if location else None,
            fields=() if is_pointer else tuple(components(type_)),
        )
        decayed = type_.kind == "array" and type_.element
        yield Parameter(argument, pointer_to(decayed, restrict=type_.restrict) if decayed else type_)


def signature(types: TypeTable, node: Node, declarator: Node) -> tuple[list[tuple[str, CType]], CType]:
    """The parameters of a function, and the type of its result."""
    _, type_ = types.declared(declarator, types.base(node))
    result = type_.element if type_.kind == "function" and type_.element else type_
    return [(name, t) for _, name, t in _declared(types, declarator)], result


def is_untyped(parameter: Node) -> bool:
    """Whether a parameter may be a name without a type, which C90 takes for an int.

    It has a qualifier (``const n``), or is one of the names alone that the old form of a definition lists.
    """
    return _is_name(parameter) and (bool(qualifiers(parameter)) or _lists_names(parameter.parent))


def _is_name(parameter: Node) -> bool:
    written = parameter.child_by_field_name("type")
    alone = written is not None and written.type == "type_identifier"
    return alone and parameter.child_by_field_name("declarator") is None


def _lists_names(parameters: Node | None) -> bool:
    """Whether a function is defined with names alone in its brackets."""
    head = parameters.parent if parameters is not None else None
    while head is not None and head.type.endswith("declarator"):
        head = head.parent
    every = [c for c in parameters.named_children if c.type != "comment"] if parameters is not None else []
    names = all(_is_name(one) and not qualifiers(one) for one in every)
    return head is not None and head.type == "function_definition" and names


def _declared(types: TypeTable, declarator: Node) -> list[tuple[Node, str, CType]]:
    """Node, name and type of each parameter of a function declarator."""
    node: Node | None = declarator
    while node is not None and node.type != "function_declarator":
        node = node.child_by_field_name("declarator")
    parameters = node.child_by_field_name("parameters") if node is not None else None
    found = []
    for child in parameters.named_children if parameters is not None else []:
        if child.type == "parameter_declaration":
            name, type_ = types.declared(child.child_by_field_name("declarator"), types.base(child))
            written = child.child_by_field_name("type")
            if not name and written is not None and is_untyped(child) and types.lookup(text_of(written)) is None:
                name, type_ = text_of(written), INT
            if name:
                found.append((child, name, type_))
    return found
