"""Values as other types, and casts to named types in front of a sign.

The grammar of plain C takes ``(uint) *p`` for a product, ``(real) -x`` for a difference: it knows no name as a type.
"""

from __future__ import annotations

from tree_sitter import Node

from burstline_server.analysis.hardware_operations import count_conversion
from burstline_server.analysis.integers import whole_part
from burstline_server.analysis.nodes import text_of
from burstline_server.analysis.places import conversion
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.types import CType, components
from burstline_server.analysis.values import Value, combined, ratio_as


def named_type(reader: Reader, node: Node | None) -> CType | None:
    """The type that a name in parentheses is; None for a value."""
    inner = node.named_children if node is not None and node.type == "parenthesized_expression" else []
    if len(inner) != 1 or inner[0].type != "identifier" or reader.find(text_of(inner[0])) is not None:
        return None
    return reader.types.lookup(text_of(inner[0]))


def converted(reader: Reader, type_: CType, value: Value) -> Value:
    """The value as another type. Integer conversions keep the number (no wrap-around is assumed)."""
    if type_.kind == "pointer" and value.pointer is not None:
        volatile = value.pointer.volatile or bool(type_.element and type_.element.volatile)
        return value._replace(type=type_, pointer=value.pointer._replace(volatile=volatile))
    count_conversion(reader, type_, value)
    value = conversion(reader, value, type_)
    if type_.kind == "integer" and value.ratio is not None and value.number is None:
        return value._replace(type=type_, number=whole_part(reader, *value.ratio), ratio=None)
    if type_.kind == "integer" and value.number is None and value.pointer is None:
        known = combined(type_, value)
        if known.symbols or known.loads:
            return known._replace(number=reader.symbols.unknown("?", known))
        return known
    if type_.is_integer:
        return value._replace(type=type_)
    parts = value.parts if components(type_) else ()
    if type_.kind == "vector" and value.number is not None:
        parts = tuple((name, value.number) for name in components(type_))
    ratio = ratio_as(type_, value)
    return value._replace(type=type_, number=None, symbols=value.varies_with(), parts=parts, ratio=ratio)
