"""Variables from outside a loop that each of its iterations gives a value before it uses them."""

from __future__ import annotations

from collections.abc import Collection

from tree_sitter import Node

from burstline_server.analysis.nodes import holds, identifiers, text_of

_BLOCK = "compound_statement"


def set_anew(body: Node | None, regions: Collection[Node], names: Collection[str]) -> tuple[str, ...]:
    """Those of `names` that one iteration hands to no other, though each sets them, of a loop with loops in it.

    `regions` are the parts of the loop. In the innermost block that holds all uses of such a variable, the first
    statement with one is ``name = value;``, or a loop that begins with it.
    """
    if body is None or not names or b"for" not in (body.text or b""):
        return ()
    uses: dict[str, list[Node]] = {name: [] for name in names}
    blocks: list[Node] = []
    waiting = [*regions]
    while waiting:
        one = waiting.pop()
        if one.type == "identifier" and text_of(one) in uses:
            uses[text_of(one)].append(one)
        if one.type == _BLOCK:
            blocks.append(one)
        waiting.extend(one.named_children)
    blocks.sort(key=lambda one: one.end_byte - one.start_byte)
    return tuple(name for name, found in uses.items() if _is_first_set(name, found, blocks))


def _is_first_set(name: str, uses: list[Node], blocks: list[Node]) -> bool:
    if any(one.parent is not None and one.parent.type == "pointer_expression" for one in uses):
        return False
    block = next((one for one in blocks if all(holds(one, use) for use in uses)), None)
    if block is None:
        return False
    first = next((one for one in block.named_children if any(holds(one, use) for use in uses)), None)
    if first is not None and first.type == "for_statement":
        begins = first.child_by_field_name("initializer")
        parts = _parts(begins) if begins is not None else []
    elif first is not None and first.type == "expression_statement" and first.named_children:
        parts = [first.named_children[0]]
    else:
        return False
    own = next((one for one in parts if name in identifiers(one)), None)
    left, right, operator = (
        (own.child_by_field_name(n) for n in ("left", "right", "operator")) if own is not None else (None, None, None)
    )
    plain = left is not None and left.type == "identifier" and operator is not None and operator.type == "="
    return plain and right is not None and name not in identifiers(right)


def _parts(node: Node) -> list[Node]:
    """The expressions that commas join, in order."""
    if node.type != "comma_expression":
        return [node]
    sides = (node.child_by_field_name(name) for name in ("left", "right"))
    return [part for side in sides if side is not None for part in _parts(side)]
