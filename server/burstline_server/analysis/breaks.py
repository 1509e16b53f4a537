"""The breaks under a condition that end loops: where they are, and what they leave of the count."""

from __future__ import annotations

from tree_sitter import Node

from burstline_model.record import fixed
from burstline_server.analysis.assignments import LOOPS, Assignments
from burstline_server.analysis.nodes import identifiers, is_left_early, runs_once

_PLAIN = {"declaration", "comment"}
_READS = {"subscript_expression", "pointer_expression", "call_expression", "field_expression"}


@fixed
class Break:
    """A way out of a loop's body that each iteration which reaches it may take: a break under a `condition`.

    `at_start`: nothing that the condition tests changes before it, so that it may be asked where an iteration begins;
    `at_end`: nothing of it changes behind it. `first`: nothing that takes part in the kernel's work comes before it,
    `last`: nothing at all behind it.
    """

    condition: Node
    at_start: bool
    at_end: bool
    first: bool
    last: bool


def breaks_of(body: Node | None, assignments: Assignments) -> tuple[list[Break], bool]:
    """The breaks that a loop's iterations reach, and whether it has one way out alone, which is among them."""
    if body is None or body.type != "compound_statement" or b"break" not in (body.text or b""):
        return [], False
    children = [c for c in body.named_children if c.type != "comment"]
    found: list[Break] = []
    ways = 0
    for place, child in enumerate(children):
        if not is_left_early(child) or (own := _ways_out(child)) == 0:
            continue
        ways += own
        if (one := _break(children, place, assignments)) is not None:
            found.append(one)
        elif _has(child, {"continue_statement"}):
            break  # what follows is not reached in each iteration
    return found, len(found) == ways == 1


def _break(children: list[Node], place: int, assignments: Assignments) -> Break | None:
    """The statement at a place in a loop's body as a break under a condition; None if it is something else."""
    way = children[place]
    condition, then = way.child_by_field_name("condition"), way.child_by_field_name("consequence")
    if _ways_out(way) != 1:
        return None
    if way.type != "if_statement" or condition is None or then is None or way.child_by_field_name("alternative"):
        return None
    last = then.named_children[-1] if then.type == "compound_statement" and then.named_children else then
    if last.type != "break_statement":
        return None
    tested = identifiers(condition)
    if any(tested & _declared(c) for c in children if c.type == "declaration"):
        return None  # what an iteration works out for itself
    before, behind = children[:place], children[place + 1 :]
    return Break(
        condition,
        at_start=not tested & assignments.names(*before),
        at_end=not tested & assignments.names(*behind),
        first=all((c.type in _PLAIN or _only_leaves(c)) and not _has(c, _READS) for c in before),
        last=not behind,
    )


def _only_leaves(node: Node) -> bool:
    """Whether a statement is ``if (…) break;`` and nothing else."""
    then = node.child_by_field_name("consequence")
    if then is not None and then.type == "compound_statement" and len(then.named_children) == 1:
        then = then.named_children[0]
    is_break = then is not None and then.type == "break_statement"
    return node.type == "if_statement" and is_break and node.child_by_field_name("alternative") is None


def last_word(body: Node | None) -> str:
    """``return``, or the ``break`` of a loop, where a body ends with it."""
    last = body
    while last is not None and last.type in {"compound_statement", "else_clause"}:
        inside = [c for c in last.named_children if c.type != "comment"]
        last = inside[-1] if inside else None
    if last is None or last.type not in {"return_statement", "break_statement"}:
        return ""
    around = last.parent
    while last.type == "break_statement" and around is not None and around.type not in LOOPS:
        if around.type in {"case_statement", "function_definition"}:
            return ""
        around = around.parent
    return "" if around is not None and runs_once(around) else last.type.partition("_")[0]


def left_by_goto(body: Node | None) -> int:
    """How many loops a ``goto`` at a body's end leaves; 0 where there is none, or where it jumps back."""
    last = body
    while last is not None and last.type in {"compound_statement", "else_clause"}:
        inside = [c for c in last.named_children if c.type != "comment"]
        last = inside[-1] if inside else None
    if last is None or last.type != "goto_statement" or not last.named_children:
        return 0
    left = [last]
    while (around := left[-1].parent) is not None and around.type != "function_definition":
        left.append(around)
    target = _labelled(around, last.named_children[0].text) if around is not None else None
    if target is None or target.start_byte < last.end_byte:
        return 0
    return sum(n.type in LOOPS and not runs_once(n) and target.start_byte >= n.end_byte for n in left)


def _labelled(node: Node, label: bytes | None) -> Node | None:
    if node.type == "labeled_statement" and node.named_children and node.named_children[0].text == label:
        return node
    return next((found for child in node.named_children if (found := _labelled(child, label)) is not None), None)


def _declared(declaration: Node) -> frozenset[str]:
    """The names that a declaration brings."""
    every = declaration.children_by_field_name("declarator")
    inner = (d.child_by_field_name("declarator") if d.type == "init_declarator" else d for d in every)
    return frozenset[str]().union(*(identifiers(d) for d in inner if d is not None))


def _ways_out(node: Node, *, inner: bool = False) -> int:
    """How many statements leave a loop's body, or go on with its next iteration."""
    if node.type in {"return_statement", "goto_statement"}:
        return 1
    if node.type in {"break_statement", "continue_statement"}:
        return int(not inner)
    inside = inner or node.type in {*LOOPS, "switch_statement"}
    return sum(_ways_out(child, inner=inside) for child in node.named_children)


def _has(node: Node, kinds: set[str]) -> bool:
    return node.type in kinds or any(_has(child, kinds) for child in node.named_children)
