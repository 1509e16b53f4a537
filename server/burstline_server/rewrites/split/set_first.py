"""Variables declared outside a loop that each of its iterations sets before it reads them: they carry nothing."""

from __future__ import annotations

from tree_sitter import Node

from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.split.kernel_statements import LOOPS


def is_set_first(effects: Effects, loop: Node, name: str) -> bool:
    """Whether a variable's value is never taken from an iteration of a loop to the next, or to what comes after it."""
    body = loop.child_by_field_name("body")
    heads = [n for n in loop.named_children if body is None or n.id != body.id]
    if body is None or any(_named(effects, n, name) for n in heads) or _address_given(effects, loop, name):
        return False
    return _in_order(effects, body, name) and not is_read_after(effects, loop, name)


def is_read_after(effects: Effects, loop: Node, name: str) -> bool:
    """Whether a variable is named after a loop, or its address is given."""
    function = _function(loop)
    behind = (n for n in inside(function) if n.type == "identifier" and n.start_byte >= loop.end_byte)
    return _address_given(effects, loop, name) or any(effects.text(n) == name for n in behind)


def _in_order(effects: Effects, block: Node, name: str) -> bool:
    """Whether the statements of a block set a variable before they read it."""
    for statement in block.named_children if block.type in {"compound_statement", "else_clause"} else [block]:
        if not _named(effects, statement, name):
            continue
        if statement.type == "expression_statement":
            return _sets(effects, statement.named_children[0] if statement.named_children else None, name)
        if statement.type == "compound_statement":
            return _in_order(effects, statement, name)
        if statement.type == "for_statement" and _sets(effects, statement.child_by_field_name("initializer"), name):
            return True
        if statement.type not in {*LOOPS, "if_statement"}:
            return False
        inner = [statement.child_by_field_name(n) for n in ("body", "consequence", "alternative")]
        blocks = [n for n in inner if n is not None]
        heads = [n for n in statement.named_children if all(n.id != one.id for one in blocks)]
        if any(_named(effects, n, name) for n in heads):
            return False
        if not all(_in_order(effects, n, name) for n in blocks):
            return False
    return True


def _sets(effects: Effects, node: Node | None, name: str) -> bool:
    """Whether an expression is ``name = …`` and reads no value of it."""
    if node is None or node.type != "assignment_expression":
        return False
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    plain = left is not None and left.type == "identifier" and operator is not None and operator.type == "="
    return plain and left is not None and effects.text(left) == name and not _named(effects, right, name)


def _named(effects: Effects, node: Node | None, name: str) -> bool:
    return node is not None and any(n.type == "identifier" and effects.text(n) == name for n in inside(node))


def _function(node: Node) -> Node:
    while node.parent is not None and node.type != "function_definition":
        node = node.parent
    return node


def _address_given(effects: Effects, loop: Node, name: str) -> bool:
    """Whether a variable's address is taken anywhere in the function around a loop."""
    for node in inside(_function(loop)):
        operator = node.child_by_field_name("operator")
        takes = node.type == "pointer_expression" and operator is not None and operator.type == "&"
        if takes and _named(effects, node, name):
            return True
    return False
