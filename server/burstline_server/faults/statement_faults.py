"""Statements: their scopes, and what C refuses in them."""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from burstline_server.faults.declarations import declaration, described_type, function, type_of, typedef
from burstline_server.faults.section_reading import Statement, Walk


def block(walk: Walk, node: Node) -> None:
    """Statements with their own scope."""
    walk.scopes.append({})
    for child in node.named_children:
        walk.statement(child)
    walk.scopes.pop()


def label(walk: Walk, node: Node) -> None:
    """A statement with a label, whose name is none of the variables'."""
    for child in node.named_children:
        if child.type != "statement_identifier":
            walk.statement(child)


def case(walk: Walk, node: Node) -> None:
    """A case of a switch."""
    value = node.child_by_field_name("value")
    walk.constant(value)
    for child in node.named_children:
        if value is None or child.id != value.id:
            walk.statement(child)


def returned(walk: Walk, node: Node) -> None:
    """A return statement."""
    value = next((c for c in node.named_children if c.type != "comment"), None)
    if value is None:
        return
    type_ = walk.value(value)
    if walk.returns.kind == "void" and type_.kind != "void":
        walk.refuse(node, "a function that returns void must not return a value")


def loop(walk: Walk, node: Node) -> None:
    """A loop, with its own scope."""
    _leavable(walk, node, frozenset({"break", "continue"}))


def switch(walk: Walk, node: Node) -> None:
    """A switch, in a loop or not."""
    _leavable(walk, node, walk.leaves | {"break"})


def _leavable(walk: Walk, node: Node, leaves: frozenset[str]) -> None:
    outside, walk.leaves = walk.leaves, leaves
    block(walk, node)
    walk.leaves = outside


def left(walk: Walk, node: Node) -> None:
    """A break or a continue."""
    word = node.type.removesuffix("_statement")
    if word not in walk.leaves:
        walk.refuse(node, f"'{word}' is in no loop")


STATEMENTS: Mapping[str, Statement] = {
    "function_definition": function, "declaration": declaration, "type_definition": typedef,
    "struct_specifier": type_of, "union_specifier": type_of, "enum_specifier": type_of,
    "compound_statement": block, "for_statement": loop, "while_statement": loop,
    "do_statement": loop, "switch_statement": switch, "break_statement": left, "continue_statement": left,
    "labeled_statement": label, "case_statement": case, "return_statement": returned,
    "goto_statement": lambda _walk, _node: None,
    "parenthesized_expression": Walk.value, "identifier": Walk.value, "number_literal": Walk.value,
    "subscript_expression": Walk.value, "field_expression": Walk.value, "call_expression": Walk.value,
    "unary_expression": Walk.value, "pointer_expression": Walk.value, "binary_expression": Walk.value,
    "assignment_expression": Walk.value, "update_expression": Walk.value, "conditional_expression": Walk.value,
    "cast_expression": Walk.value, "sizeof_expression": Walk.value, "comma_expression": Walk.value,
    "compound_literal_expression": Walk.value, "type_descriptor": described_type,
}  # fmt: skip
"""What reads each kind of syntax as a statement; all others are read through their parts."""
