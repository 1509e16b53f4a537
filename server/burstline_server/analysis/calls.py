"""Calls: built-ins by their meaning, helper functions by reading their bodies once more."""

from __future__ import annotations

from tree_sitter import Node

from burstline_model.polynomial import Polynomial
from burstline_server.analysis.builtins import find_builtin
from burstline_server.analysis.conversions import converted
from burstline_server.analysis.expressions import merged
from burstline_server.analysis.frames import Frame, Function, Returned, Variable, declare_in
from burstline_server.analysis.logic import both
from burstline_server.analysis.nodes import one_line, text_of
from burstline_server.analysis.places import Place, set_parts, write
from burstline_server.analysis.reader import Expression, Reader
from burstline_server.analysis.types import UNKNOWN, CType, components, lane_name
from burstline_server.analysis.values import Value, combined, common_ratio

MAX_CALLS = 24
"""Deepest chain of helper functions that is followed."""


def _call(reader: Reader, node: Node) -> Value:
    function_node, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    nodes = [c for c in arguments.named_children if c.type != "comment"] if arguments is not None else []
    name = _name(function_node)
    if function_node is not None and function_node.type == "parenthesized_expression":
        return _vector_literal(reader, function_node, nodes)
    reader.begin(node)
    values = [reader.evaluate(n) for n in nodes]
    for value in values:
        reader.notice_ids(value)
    function = reader.functions.get(name)
    if function is not None:
        return _inlined(reader, node, function, values)
    builtin = find_builtin(name)
    if builtin is not None:
        return builtin(reader, node, name, values, nodes)
    for value in values:
        if value.pointer is not None and value.pointer.space == "private":
            reader.hold(value.pointer, combined(UNKNOWN, *values))
    reached = [value.pointer.root for value in values if value.pointer is not None and value.pointer.space != "private"]
    if reached:
        reader.remark(node, "not_defined", name, *dict.fromkeys(reached))
    return combined(UNKNOWN, *values)


def _vector_literal(reader: Reader, named: Node, nodes: list[Node]) -> Value:
    """``(float4)(a, b, c, d)``, or a call through a parenthesized name."""
    values = [reader.evaluate(n) for n in nodes]
    type_ = reader.types.lookup(_name(named))
    if type_ is not None and len(values) == 1:
        return converted(reader, type_, values[0])
    return combined(type_ or UNKNOWN, *values)._replace(parts=_lanes(type_, values), ratio=common_ratio(values))


def _lanes(type_: CType | None, values: list[Value]) -> tuple[tuple[str, Polynomial], ...]:
    """The numbers of a vector literal's lanes, as far as the values before them say which lane is whose."""
    lanes: list[tuple[str, Polynomial]] = []
    place = 0
    for value in values:
        width = value.type.count or 1 if value.type.kind == "vector" else 1
        numbers = dict(value.parts) if value.type.kind == "vector" else {lane_name(0): value.number}
        for lane in range(width):
            number = numbers.get(lane_name(lane))
            if number is not None:
                lanes.append((lane_name(place + lane), number))
        place += width
    return tuple(lanes) if type_ is not None and components(type_) else ()


def _inlined(reader: Reader, node: Node, function: Function, values: list[Value]) -> Value:
    """Read the body of a helper with its parameters bound; the compiler inlines every call as well."""
    if function.name in reader.call_names or len(reader.calls) >= MAX_CALLS:
        if function.name in reader.call_names:
            reader.remark(node, "calls_itself", function.name)
        else:
            reader.remark(node, "calls_too_deep", function.name, str(MAX_CALLS))
        return combined(function.result, *values)
    body = function.node.child_by_field_name("body")
    if reader.silent:
        return combined(function.result, *values)
    if body is not None:
        reader.assignments.prepare(body)
    frame = Frame(dead=function.dead, loops=len(reader.open_loops))
    loops, guards, mark = len(reader.open_loops), len(reader.guards), reader.mark
    for (name, type_), value in zip(
        function.parameters, [*values, *[Value()] * len(function.parameters)], strict=False
    ):
        variable = Variable(type_)
        declare_in(frame.scopes[0], name, variable)
        bound = value._replace(type=type_) if type_.kind == "pointer" else value
        write(reader, node, Place(type_, variable, index=name), bound)
        set_parts(frame.scopes[0].get, name, type_, bound)
    reader.frames.append(frame)
    reader.calls.append(reader.span(node))
    reader.call_names.append(function.name)
    try:
        reader.run(body)
    finally:
        reader.frames.pop()
        reader.calls.pop()
        reader.call_names.pop()
        reader.mark = mark
        del reader.open_loops[loops:]
        del reader.guards[guards:]
    if not frame.returned:
        return Value(function.result)
    result = _chosen(reader, one_line(node), frame.returned, guards, loops)
    return result if result.pointer is not None else converted(reader, function.result, result)


def _chosen(reader: Reader, name: str, returned: list[Returned], guards: int, loops: int) -> Value:
    """What a call gives of the values that it may return: the first one whose conditions hold.

    `guards` and `loops`: how many of them are around the call. How far a loop comes that may return is not followed.
    """
    result = returned[-1].value
    for one in reversed(returned[:-1]):
        own = one.guards[guards:]
        holds: Polynomial | None = Polynomial.number(1) if one.loops == loops else None
        for guard in own:
            more = guard.condition
            holds = both(reader.symbols, holds, more) if holds is not None and more is not None else None
        condition = combined(UNKNOWN, *(guard.value for guard in own))._replace(number=holds)
        result = merged(reader, name, condition, one.value, result)
    return result


def _name(node: Node | None) -> str:
    while node is not None and node.type == "parenthesized_expression" and node.named_children:
        node = node.named_children[0]
    return text_of(node).strip() if node is not None else ""


CALLS: dict[str, Expression] = {"call_expression": _call}
