"""Loops that halve a range until nothing is left of it, as a binary search does: how often they run at most."""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from burstline_model.polynomial import Polynomial
from burstline_server.analysis.assignment import Assignment, set_to, variable_of
from burstline_server.analysis.frames import Variable
from burstline_server.analysis.nodes import holds, identifiers, one_line, unwrapped
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.trips import Changing, Trip
from burstline_server.analysis.types import LONG
from burstline_server.analysis.values import Value

_ENDS = {"<", "<=", "!=", ">", ">="}
_LEAVES = {"break_statement", "return_statement"}
_SAMPLES = ((0, 2), (10, 17), (100, 200), (7, 1031))
"""Ends of ranges whose middle is asked for."""


def halved(
    reader: Reader, condition: Node | None, body: Node | None, changing: Mapping[str, Changing],
    flags: frozenset[str] = frozenset(),
) -> Trip | None:  # fmt: skip
    """The most trips of a loop each of which sets one end of a range to its middle: the logarithm of its length.

    `flags`: the variables that end it as well, once they are set.
    """
    test = unwrapped(condition) if condition is not None else None
    operator = test.child_by_field_name("operator") if test is not None else None
    if test is not None and operator is not None and operator.type == "&&":
        sides = [test.child_by_field_name(side) for side in ("left", "right")]
        flags |= frozenset(name for side in sides if (name := _flag(side)))
        return next((found for side in sides if (found := halved(reader, side, body, changing, flags))), None)
    if test is None or body is None or operator is None or operator.type not in _ENDS:
        return None
    ends = sorted(identifiers(test) & changing.keys())
    assigned = [a for a in reader.assignments.within(body) if not a.loops and not _is_last(a.node, body)]
    if len(ends) != 2 or any(a.loops for a in reader.assignments.within(body) if a.name in ends):
        return None
    starts = [changing[name].start.number for name in ends]
    low, high = starts
    middle = _middle(reader, assigned, (ends[0], ends[1]))
    if low is None or high is None or middle is None:
        return None
    names = ends if middle[1] else ends[::-1]
    if not _either(body, [[a for a in assigned if a.name == name] for name in names], middle[0], flags):
        return None
    length = (high - low) if middle[1] else (low - high)
    length = length + Polynomial.number(1) if operator.type in {"<=", ">="} else length
    if any(reader.symbols.kind(s) in {"loaded", "carried"} for s in reader.symbols.closure(length.symbols)):
        return None
    count = reader.symbols.operation("logarithm", (length, Polynomial.number(2))) + Polynomial.number(1)
    if length.constant is not None:
        count = Polynomial.number(length.constant.bit_length() if length.constant > 0 else 0)
    return Trip(count, early=True)


def _middle(reader: Reader, assigned: list[Assignment], ends: tuple[str, str]) -> tuple[str, bool] | None:
    """The variable that each trip sets to the middle of two others; whether these are in order, the lower end first."""
    for one in assigned:
        value = set_to(one)
        if value is None or one.conditional or not identifiers(value) >= {*ends}:
            continue
        if sum(a.name == one.name for a in assigned) != 1:
            continue
        for names, in_order in ((ends, True), (ends[::-1], False)):
            if all(_is_middle(reader, value, dict(zip(names, at, strict=True)), at) for at in _SAMPLES):
                # How the ends move says which is which.
                moved = _moves_up(assigned, one.name, ends)
                return (one.name, moved == ends[0]) if moved else (one.name, in_order)
    return None


def _is_middle(reader: Reader, value: Node, at: dict[str, int], ends: tuple[int, int]) -> bool:
    """Whether an expression is about the middle of two ends."""
    with reader.scope():
        for name, number in at.items():
            reader.declare(name, Variable(LONG, Value(LONG, Polynomial.number(number))))
        found = reader.constant(value)
    return found is not None and 0 <= 2 * found - sum(ends) + 1 <= 2


def _moves_up(assigned: list[Assignment], middle: str, ends: tuple[str, str]) -> str:
    """The end that is set to what is behind the middle, or, where none is, is not set to what is before it."""
    texts = {name: "".join(one_line(v) for a in assigned if a.name == name and (v := set_to(a))) for name in ends}
    above = [name for name in ends if f"{middle}+1" in texts[name].replace(" ", "")]
    below = [name for name in ends if f"{middle}-1" in texts[name].replace(" ", "")]
    return above[0] if len(above) == 1 else next((n for n in ends if n not in below), "") if len(below) == 1 else ""


def _flag(side: Node | None) -> str:
    """The variable that has to be 0 for a loop to go on."""
    side = unwrapped(side) if side is not None else None
    operator = side.child_by_field_name("operator") if side is not None else None
    if side is None or operator is None or side.type != "unary_expression" or operator.type != "!":
        return ""
    return variable_of(side.child_by_field_name("argument"))


def _either(body: Node, sides: list[list[Assignment]], middle: str, flags: frozenset[str]) -> bool:
    """Whether each trip that goes on has set one of two ends to the middle, or next to it."""
    if any(len(own) != 1 for own in sides):
        return False
    (first,), (second,) = sides
    values = [set_to(one) for one in (first, second)]
    a, b = (unwrapped(value) if value is not None else None for value in values)
    if a is None or b is None:
        return False
    if a.type == b.type == "conditional_expression":
        return not (first.conditional or second.conditional) and _chosen_apart(a, b, first.name, second.name, middle)
    if not (_is_near(a, middle) and _is_near(b, middle)):
        return False
    return _arms_of_one(body, first.node, second.node, flags)


def _is_near(value: Node, middle: str) -> bool:
    """Whether a value is the middle, or one next to it."""
    text = "".join(one_line(value).split())
    return text in {middle, f"{middle}+1", f"{middle}-1", f"1+{middle}"}


def _chosen_apart(a: Node, b: Node, first: str, second: str, middle: str) -> bool:
    """Whether of two choices by one condition, one sets its variable where the other leaves its own."""
    parts = [[one.child_by_field_name(k) for k in ("condition", "consequence", "alternative")] for one in (a, b)]
    if any(part is None for one in parts for part in one):
        return False
    (c, x, y), (d, u, v) = ([unwrapped(part) for part in one if part is not None] for one in parts)
    if one_line(c) != one_line(d):
        return False
    up = variable_of(y) == first and _is_near(x, middle) and variable_of(u) == second and _is_near(v, middle)
    down = variable_of(x) == first and _is_near(y, middle) and variable_of(v) == second and _is_near(u, middle)
    return up or down


def _arms_of_one(body: Node, first: Node, second: Node, flags: frozenset[str]) -> bool:
    """Whether two statements are in the two arms of an if that each trip reaches, or in front of which it leaves."""
    inner = _if_around(first, body)
    if inner is None or _if_around(second, body) != inner:
        return False
    then, otherwise = (inner.child_by_field_name(k) for k in ("consequence", "alternative"))
    if then is None or otherwise is None or not any(
        holds(then, one) and holds(otherwise, other) for one, other in ((first, second), (second, first))
    ):  # fmt: skip
        return False
    around = _if_around(inner, body)
    while around is not None:
        arms = [around.child_by_field_name(k) for k in ("consequence", "alternative")]
        others = [arm for arm in arms if arm is not None and not holds(arm, inner)]
        if len(others) != 1 or not _leaves(others[0], flags):
            return False
        around = _if_around(around, body)
    return True


def _if_around(node: Node, body: Node) -> Node | None:
    """The innermost if around a node within a loop's body."""
    at = node.parent
    while at is not None and holds(body, at):
        if at.type == "if_statement":
            return at
        at = at.parent
    return None


def _is_last(node: Node, body: Node) -> bool:
    """Whether a trip leaves the loop behind a statement in an arm of an if."""
    around = _if_around(node, body)
    while around is not None:
        arms = [around.child_by_field_name(k) for k in ("consequence", "alternative")]
        if any(arm is not None and holds(arm, node) and _leaves(arm) for arm in arms):
            return True
        around = _if_around(around, body)
    return False


def _leaves(arm: Node, flags: frozenset[str] = frozenset()) -> bool:
    """Whether an arm ends with leaving the loop, or with setting a flag that ends it."""
    while arm.type in {"compound_statement", "else_clause"}:
        inner = [c for c in arm.named_children if c.type != "comment"]
        if not inner:
            return False
        arm = inner[-1]
    if arm.type != "expression_statement":
        return arm.type in _LEAVES
    return "".join(one_line(arm).split()) in {f"{flag}={one};" for flag in flags for one in ("1", "true")}
