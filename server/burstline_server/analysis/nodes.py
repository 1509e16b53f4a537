"""Small questions to syntax nodes."""

import re

from tree_sitter import Node

_COMMENT = re.compile(r"//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*.*?(?:\*/|\Z)", re.DOTALL)
_HALF = re.compile(r"(?<![\w.])(\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\.\d+(?:[eE][-+]?\d+)?)w\b")
_LEAVES = re.compile(rb"\b(?:break|continue|goto|return)\b")


def text_of(node: Node) -> str:
    """The node's text."""
    return (node.text or b"").decode("utf-8", "replace")


def one_line(node: Node) -> str:
    """The node's text as it is written, without comments, with every run of blanks as one."""
    text = text_of(node)
    text = _HALF.sub(r"\1h", text) if "w" in text else text
    return " ".join((_COMMENT.sub(" ", text) if "/" in text else text).split())


def base_of(node: Node, root: str) -> str:
    """What an element is written of, where that is not the array that it lies in; else nothing."""
    argument = node.child_by_field_name("argument") if node.type == "subscript_expression" else None
    text = one_line(argument) if argument is not None else ""
    return "" if text == root else text


def unwrapped(node: Node) -> Node:
    """The node inside all parentheses around it."""
    while node.type == "parenthesized_expression":
        inner = [c for c in node.named_children if c.type != "comment"]
        if not inner:
            break
        node = inner[-1]
    return node


def runs_once(node: Node) -> bool:
    """Whether a statement is ``do … while (0)``, as macros of several statements are written."""
    condition = node.child_by_field_name("condition") if node.type == "do_statement" else None
    return condition is not None and text_of(unwrapped(condition)) in {"0", "false"}


def is_left_early(body: Node) -> bool:
    """Whether words that leave a block before its end are in a body."""
    return _LEAVES.search(body.text or b"") is not None


def holds(outer: Node, node: Node) -> bool:
    """Whether a node is another one or lies in it."""
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


def subscripted(node: Node) -> frozenset[str]:
    """The names in the elements of arrays that are written in a node."""
    if node.type == "subscript_expression":
        return identifiers(node)
    return frozenset[str]().union(*(subscripted(child) for child in node.named_children))


def identifiers(node: Node) -> frozenset[str]:
    """Every identifier in a piece of syntax."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type == "identifier":
            found.add(text_of(one))
        waiting.extend(one.named_children)
    return frozenset(found)


def previous_end(node: Node) -> int:
    """Where the syntax before a node ends (comments aside): what was masked in between belongs to the node."""
    before = node.prev_sibling
    while before is not None and before.type == "comment":
        before = before.prev_sibling
    if before is not None:
        return before.end_byte
    # The root starts at its first token: what is masked before that belongs to the first declaration.
    return node.parent.start_byte if node.parent is not None and node.parent.parent is not None else 0
