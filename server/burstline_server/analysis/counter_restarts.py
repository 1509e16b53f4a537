"""Counters that start over now and then: what most iterations of a loop add to them.

FPGA kernels collapse loop nests by hand: one loop counts, and inside it a column steps until it reaches the
row's end, is set back, and the row steps. Such a variable is no affine function of the iteration, yet from one
iteration to the next it nearly always moves by the same amount.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import gcd

from tree_sitter import Node

from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.analysis.assignment import Assignment, added
from burstline_server.analysis.assignments import is_loop
from burstline_server.analysis.element_variables import element_loops, is_element
from burstline_server.analysis.nodes import identifiers, text_of, unwrapped
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.values import Value

_SELDOM = {"==": True, ">": True, ">=": True, "!=": False, "<": False, "<=": False}
_FLIPPED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}
Amount = Callable[[Node | None, int], Polynomial | None]


@fixed
class Habit:
    """`step` is what most iterations add; every value is a multiple of `multiple`."""

    step: Polynomial
    multiple: int


def habit_of(
    reader: Reader, all_: Sequence[Assignment], assigned: frozenset[str], start: Value, amount: Amount
) -> Habit | None:
    """What most iterations add to a variable; None when its assignments do not show it.

    `all_` are the loop's assignments to it, `assigned` all names that the loop changes, `start` its value before
    the loop, `amount` the value of a step when it is the same in every iteration.
    """
    step = Polynomial()
    multiples = [_content(start.number)]
    for assignment in all_:
        if assignment.declares:
            continue
        if not assignment.whole or assignment.loops:
            return None
        right = assignment.node.child_by_field_name("right")
        moves = assignment.steps or (_wrapped(assignment.name, right) if right is not None else None)
        rare = _is_rare(reader, assignment, assigned)
        if moves is None and right is not None and unwrapped(right).type == "conditional_expression":
            moves, other = _arms(reader, assignment.name, unwrapped(right), assigned)
            multiples.append(_content(reader.evaluate_quietly(other).number) if other is not None else 1)
        if rare is None or (moves is None and not rare):
            return None
        if moves is None:
            multiples.append(_content(reader.evaluate_quietly(right).number))
            continue
        by = amount(*moves)
        multiples.append(_content(by))
        if not rare:
            if by is None:
                return None
            step = step + by
    return Habit(step, reduce(gcd, multiples) or 1)


def advance_of(reader: Reader, all_: Sequence[Assignment], *, pointer: bool) -> int:
    """What an iteration adds at most to a variable that only grows, by fixed numbers; 0 for any other.

    What a `pointer` leads to may be set meanwhile.
    """
    most = 0
    for assignment in all_:
        if pointer and not assignment.whole:
            continue
        node, sign = assignment.steps or (None, 0)
        # A name may be one that the body declares: reading it here would leave a symbol behind.
        if sign <= 0 or not assignment.whole or assignment.loops or (node is not None and identifiers(node)):
            return 0
        by = reader.constant(node) if node is not None else 1
        if by is None or by < 0:
            return 0
        most += by
    return most


def _content(number: Polynomial | None) -> int:
    """What divides a value for certain."""
    return reduce(gcd, (abs(c) for _, c in number.terms), 0) if number is not None else 1


def _is_rare(reader: Reader, assignment: Assignment, assigned: frozenset[str]) -> bool | None:
    """Whether a seldom taken branch of the loop's body is around an assignment; None when that is not known.

    Loops that take all elements of its array one by one are no loops to each of them.
    """
    rare: bool | None = False
    own = element_loops(reader, assignment.name)
    child, parent = assignment.node, assignment.node.parent
    while parent is not None and (not is_loop(parent) or parent.start_byte in own):
        if parent.type in {"if_statement", "conditional_expression"}:
            condition, then = parent.child_by_field_name("condition"), parent.child_by_field_name("consequence")
            if condition is None or then is None:
                return None
            if not (condition.start_byte <= child.start_byte < condition.end_byte):
                seldom = _seldom(reader, condition, assigned)
                if seldom is None:
                    rare = None
                elif (then.start_byte <= child.start_byte < then.end_byte) == seldom:
                    return True
        elif parent.type in {"switch_statement", "case_statement", "labeled_statement"}:
            rare = None
        child, parent = parent, parent.parent
    return rare


def _seldom(reader: Reader, condition: Node, assigned: frozenset[str]) -> bool | None:
    """Whether a condition seldom holds (True) or seldom fails (False): a counter compared with its end."""
    condition = unwrapped(condition)
    operator = condition.child_by_field_name("operator")
    sign = operator.type if operator is not None else ""
    left, right = condition.child_by_field_name("left"), condition.child_by_field_name("right")
    if condition.type == "unary_expression" and sign == "!":
        inner = condition.child_by_field_name("argument")
        seldom = _seldom(reader, inner, assigned) if inner is not None else None
        return None if seldom is None else not seldom
    if left is None or right is None:
        return None
    if sign in {"&&", "||"}:
        sides = {_seldom(reader, left, assigned), _seldom(reader, right, assigned)}
        deciding = sign == "&&"
        return deciding if deciding in sides else not deciding if sides == {not deciding} else None
    if sign not in _SELDOM or any(_is_out_of_sight(reader, side) for side in (left, right)):
        return None
    if any(_comes_round_soon(side) for side in (left, right)):
        return None
    if _named(left) & assigned:
        return _SELDOM[sign]
    return _SELDOM[_FLIPPED.get(sign, sign)] if _named(right) & assigned else None


def _is_out_of_sight(reader: Reader, side: Node) -> bool:
    """Whether one side of a comparison is what a call gives, or an element that is no variable of its own."""
    return side.type == "call_expression" or (side.type == "subscript_expression" and not is_element(reader, side))


def _named(side: Node) -> frozenset[str]:
    """The variables that one side of a comparison is made of; of an element, its array and not the place."""
    array = side.child_by_field_name("argument") if side.type == "subscript_expression" else None
    return identifiers(array if array is not None else side)


SOON = 16
"""A remainder by less than this has each of its values often."""


def _comes_round_soon(side: Node) -> bool:
    """Whether one side of a comparison is a remainder by a small constant: every third iteration is not seldom."""
    side = unwrapped(side)
    operator, by = side.child_by_field_name("operator"), side.child_by_field_name("right")
    text = text_of(by) if by is not None else ""
    return operator is not None and operator.type in {"%", "&"} and text.isdigit() and int(text) < SOON


def _wrapped(name: str, right: Node) -> tuple[Node | None, int] | None:
    """The step in ``(name + e) % n`` and ``(name + e) & m``."""
    right = unwrapped(right)
    operator, left = right.child_by_field_name("operator"), right.child_by_field_name("left")
    if operator is None or left is None or operator.type not in {"%", "&"}:
        return None
    return added(name, left)


def _arms(
    reader: Reader, name: str, choice: Node, assigned: frozenset[str]
) -> tuple[tuple[Node | None, int] | None, Node | None]:
    """The step in ``end ? start : name + e``, and the other arm."""
    condition = choice.child_by_field_name("condition")
    then, otherwise = choice.child_by_field_name("consequence"), choice.child_by_field_name("alternative")
    seldom = _seldom(reader, condition, assigned) if condition is not None else None
    if seldom is None or then is None or otherwise is None:
        return None, None
    usual, other = (otherwise, then) if seldom else (then, otherwise)
    return added(name, usual), other
