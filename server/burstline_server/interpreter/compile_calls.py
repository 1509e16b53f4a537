"""Calls: of the text's own functions, of built-in ones, and vectors written as calls of their type."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from burstline_server.analysis.nodes import text_of
from burstline_server.interpreter import builtin_items, builtin_memory, builtin_numbers
from burstline_server.interpreter.code import Expr, converted
from burstline_server.interpreter.kinds import Kind, Scalar, Vector
from burstline_server.interpreter.precedence import type_in
from burstline_server.interpreter.verdicts import NotExecutableError
from burstline_server.interpreter.writer import Writer, operands, part

_SPECIAL: dict[str, Callable[[Writer, list[Node]], Expr]] = {**builtin_items.CALLS, **builtin_memory.CALLS}


def call(w: Writer, node: Node) -> Expr:
    """A call."""
    function, arguments = part(node, "function"), operands(part(node, "arguments"))
    if function.type == "parenthesized_expression":
        kind = type_in(w, function)
        if kind is None:
            raise NotExecutableError("expression", "call")
        if isinstance(kind, Vector):
            return literal(w, kind, *arguments)
        return converted(w.program.value(w, arguments[-1]), kind)
    name = text_of(function)
    if function.type != "identifier":
        raise NotExecutableError("function", name[:40])
    if w.program.has_function(name):
        return _own(w, name, arguments)
    if name in _SPECIAL:
        return _SPECIAL[name](w, arguments)
    memory = builtin_memory.called(w, name, arguments)
    if memory is not None:
        return memory
    found = builtin_numbers.called(w, name, [w.program.value(w, one) for one in arguments])
    if found is None:
        raise NotExecutableError("function", name)
    return found


def _own(w: Writer, name: str, arguments: list[Node]) -> Expr:
    function = w.program.function(name)
    if len(arguments) != len(function.parameters):
        raise NotExecutableError("expression", name)
    values = [w.program.value(w, one) for one in arguments]
    codes = [converted(v, p.kind).code for v, p in zip(values, function.parameters, strict=True)]
    made = f"{function.code}({', '.join(('c', *codes))})"
    return Expr(f"(yield from {made})" if function.suspends else made, function.returns)


def literal(w: Writer, kind: Vector, *nodes: Node) -> Expr:
    """A vector from its parts: one for all lanes, or as many as there are lanes."""
    if len(nodes) == 1 and nodes[0].type == "parenthesized_expression":
        return literal(w, kind, *operands(nodes[0]))
    if len(nodes) == 1 and nodes[0].type == "comma_expression":
        return literal(w, kind, *_listed(nodes[0]))
    values = [w.program.value(w, one) for one in nodes]
    if len(values) == 1:
        return converted(values[0], kind)
    pieces, lanes = [], 0
    for value in values:
        count = value.kind.lanes if isinstance(value.kind, Vector) else 1
        to: Kind = Vector(kind.element, count) if count > 1 else kind.element
        if count > 1 and value.kind != to:
            raise NotExecutableError("expression", "vector")
        made = converted(value, to)
        pieces.append(f"*{made.code}" if not isinstance(made.kind, Scalar) else made.code)
        lanes += count
    if lanes != kind.lanes:
        raise NotExecutableError("expression", "vector")
    return Expr(f"({', '.join(pieces)},)", kind)


def _listed(node: Node) -> list[Node]:
    if node.type != "comma_expression":
        return [node]
    return [*_listed(part(node, "left")), *_listed(part(node, "right"))]
