"""Small questions to syntax nodes."""

from tree_sitter import Node


def text_of(node: Node) -> str:
    """The node's text."""
    return (node.text or b"").decode("utf-8", "replace")


def one_line(node: Node) -> str:
    """The node's text with every run of blanks as one."""
    return " ".join(text_of(node).split())


def previous_end(node: Node) -> int:
    """Where the syntax before a node ends (comments aside): what was masked in between belongs to the node."""
    before = node.prev_sibling
    while before is not None and before.type == "comment":
        before = before.prev_sibling
    if before is not None:
        return before.end_byte
    # The root starts at its first token: what is masked before that belongs to the first declaration.
    return node.parent.start_byte if node.parent is not None and node.parent.parent is not None else 0
