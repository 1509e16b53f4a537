"""Where accesses, loops and values of a kernel are in what the user wrote, and where the vendor's reports name them."""

from __future__ import annotations

from tree_sitter import Node

from burstline_model.facts import MacroUse, Span
from burstline_server.source.source import Source


def span_of(source: Source, start: int, end: int) -> Span:
    """Where the user sees a range of the parsed text."""
    origin = source.origin(start, end)
    return Span(start=origin.start, end=origin.end, file=origin.file)


def node_span(source: Source, node: Node) -> Span:
    """Where the user sees a node."""
    return span_of(source, node.start_byte, node.end_byte)


def macro_use(source: Source, node: Node) -> MacroUse | None:
    """The macro whose text holds a node."""
    origin = source.origin(node.start_byte, node.end_byte)
    if origin.macro is None:
        return None
    file, start, end = origin.definition or (None, 0, 0)
    return MacroUse(name=origin.macro, definition=Span(start=start, end=end, file=file) if end else None)


def statement_line(source: Source, node: Node, statement: Node | None) -> Span | None:
    """Where debug information puts an access of a statement, where that is another line than the access begins on."""
    if statement is None:
        return None
    row, at = statement.start_point.row, statement.start_byte
    if statement.type == "declaration":
        row, at = statement.end_point.row, statement.end_byte - 1
    return span_of(source, at, at + 1) if row != node.start_point.row else None


def operator_line(source: Source, node: Node) -> Span | None:
    """The operator of the assignment whose target a node is, where that is on another line."""
    whole = node.parent
    if whole is None or whole.type != "assignment_expression" or whole.child_by_field_name("left") != node:
        return None
    operator = whole.child_by_field_name("operator")
    if operator is None or operator.start_point.row == node.start_point.row:
        return None
    return macro_line(source, operator) or node_span(source, operator)


def macro_line(source: Source, node: Node) -> Span | None:
    """The macro's use whose argument holds a node, where that begins on another line."""
    use = source.use_of(node.start_byte)
    if use is None or b"\n" not in source.original[use[0] : node_span(source, node).start]:
        return None
    return Span(start=use[0], end=use[1])
