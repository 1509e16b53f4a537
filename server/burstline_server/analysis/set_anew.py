"""Variables from outside a loop that each of its iterations gives a value before it uses them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tree_sitter import Node

from burstline_server.analysis.assignments import Assignments
from burstline_server.analysis.nodes import holds, identifiers

_BLOCK = "compound_statement"


def set_anew(
    assignments: Assignments, body: Node | None, regions: Sequence[Node], names: Collection[str]
) -> tuple[str, ...]:
    """Those of `names` that one iteration hands to no other, though each sets them, of a loop with loops in it.

    `regions` are the parts of the loop. In the innermost block that holds all uses of such a variable, the first
    statement with one is ``name = value;``, or a loop that begins with it.
    """
    if body is None or not names or b"for" not in (body.text or b""):
        return ()
    uses = assignments.uses(regions, names)
    return tuple(name for name, found in uses.items() if _is_first_set(name, found, regions))


def _block_of(uses: Sequence[Node], regions: Sequence[Node]) -> Node | None:
    """The innermost block in regions that holds all uses."""
    around: Node | None = uses[0]
    while around is not None and any(holds(region, around) for region in regions):
        if around.type == _BLOCK and all(holds(around, use) for use in uses):
            return around
        around = around.parent
    return None


def _is_first_set(name: str, uses: Sequence[Node], regions: Sequence[Node]) -> bool:
    block = _block_of(uses, regions) if uses else None
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
    if not plain or right is None or name in identifiers(right):
        return False
    return not any(one.parent is not None and one.parent.type == "pointer_expression" for one in uses)


def _parts(node: Node) -> list[Node]:
    """The expressions that commas join, in order."""
    if node.type != "comma_expression":
        return [node]
    sides = (node.child_by_field_name(name) for name in ("left", "right"))
    return [part for side in sides if side is not None for part in _parts(side)]
