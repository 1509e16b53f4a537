"""Statements, and loops, that only set what nobody uses: the compiler drops them."""

from __future__ import annotations

from tree_sitter import Node

from burstline_server.analysis.liveness import only_computes, pure
from burstline_server.analysis.nodes import text_of
from burstline_server.analysis.reader import Reader


def sets_dead(reader: Reader, node: Node) -> bool:
    """Whether a statement only sets a variable, or elements of a private array, that nobody uses."""
    left = node.child_by_field_name("left" if node.type == "assignment_expression" else "argument")
    if node.type not in {"assignment_expression", "update_expression"}:
        return False
    parts = set()
    while left is not None and left.type in {"field_expression", "subscript_expression"}:
        parts.add(left.type)
        left = left.child_by_field_name("argument")
    if left is None or left.type != "identifier" or text_of(left) not in reader.frame.dead:
        return False
    variable = reader.find(text_of(left))
    if "subscript_expression" in parts and (variable is None or variable.array != "private"):
        return False
    return pure(text_of(node))


def does_nothing(reader: Reader, node: Node) -> bool:
    """Whether all that a statement does is to set variables that nobody uses."""
    match node.type:
        case "comment":
            return True
        case "compound_statement" | "else_clause":
            return all(does_nothing(reader, one) for one in node.named_children)
        case "expression_statement":
            return all(sets_dead(reader, one) for one in node.named_children)
        case "declaration":
            return all(_declares_dead(reader, node, one) for one in node.children_by_field_name("declarator"))
        case "if_statement":
            condition, *arms = [one for one in node.named_children if one.type != "comment"]
            return only_computes(text_of(condition)) and all(does_nothing(reader, arm) for arm in arms)
        case "for_statement":
            return _counts_for_nothing(reader, node)
    return False


def _counts_for_nothing(reader: Reader, loop: Node) -> bool:
    """Whether a loop counts a variable of its own to a bound and does nothing else: LLVM deletes such loops."""
    parts = (loop.child_by_field_name(name) for name in ("initializer", "condition", "update", "body"))
    begin, condition, update, body = parts
    if begin is None or begin.type != "declaration" or condition is None or update is None or body is None:
        return False
    left, sign = condition.child_by_field_name("left"), condition.child_by_field_name("operator")
    changed = update.child_by_field_name("left" if update.type == "assignment_expression" else "argument")
    if condition.type != "binary_expression" or left is None or sign is None or changed is None:
        return False
    own = {
        reader.types.declared(one, reader.types.base(begin))[0] for one in begin.children_by_field_name("declarator")
    }
    counts = sign.type in _BOUNDS and text_of(left) in own and text_of(changed) == text_of(left)
    alone = pure(text_of(begin)) and pure(text_of(update)) and only_computes(text_of(condition))
    return counts and alone and does_nothing(reader, body)


_BOUNDS = {"<", "<=", ">", ">=", "!="}


def _declares_dead(reader: Reader, node: Node, declarator: Node) -> bool:
    """Whether a declarator only brings in a private variable that nobody uses, with a value that is computed."""
    name, _ = reader.types.declared(declarator, reader.types.base(node))
    initial = declarator.child_by_field_name("value") if declarator.type == "init_declarator" else None
    return name in reader.frame.dead and (initial is None or only_computes(text_of(initial)))
