"""What a loop adds to a variable, multiplies it with or compares it with, statement by statement."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from burstline_model.record import fixed
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.expression_types import SMALL, converted, type_of
from burstline_server.rewrites.legality.reductions import REALS, WHOLE, bare
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.syntax import declared_types, written

CHOICES = {"fmax": REALS, "fmin": REALS, "max": WHOLE, "min": WHOLE}
"""Functions that choose one of two numbers, and of which types. `max` of reals leaves open what comes of no numbers."""
_FLIPPED = {"+": "-", "-": "+", "*": "*"}


@fixed
class Term:
    """What an operation takes besides the variable; `sign` is ``-`` for what is subtracted."""

    node: Node
    sign: str


@fixed
class Update:
    """An assignment that takes terms into a variable, in the order of the text.

    `operation` is ``+``, ``*`` or the function that chooses; `names` are the variable's own nodes.
    """

    statement: Node
    operation: str
    terms: tuple[Term, ...]
    names: tuple[Node, ...]


def update_of(effects: Effects, assignment: Node, name: str) -> Update:
    """An assignment to a variable that only takes terms into it; raises `NotOfferedError` for any other."""
    left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
    operator, statement = assignment.child_by_field_name("operator"), assignment.parent
    if left is None or right is None or operator is None or statement is None:
        raise NotOfferedError("not_a_sum", name)
    if statement.type != "expression_statement":
        raise NotOfferedError("not_a_sum", name)
    if operator.type in {"+=", "-=", "*="} and name not in effects.reads(right):
        sign = operator.type[0]
        return Update(statement, "*" if sign == "*" else "+", (Term(right, sign),), (left,))
    own, operation, terms = right, "", list[Term]()
    while True:
        own = bare(own)
        if operator.type != "=" or (own.type == "identifier" and effects.text(own) == name):
            break
        made, own, term = _taken(effects, own, name)
        operation = operation or made
        if made != operation:
            raise NotOfferedError("not_a_sum", name)
        terms.append(term)
    if not terms:
        raise NotOfferedError("not_a_sum", name)
    return Update(statement, operation, tuple(reversed(terms)), (left, own))


def _taken(effects: Effects, node: Node, name: str) -> tuple[str, Node, Term]:
    """The operation that a value comes from, its operand with the variable in it, and the other one."""
    if node.type == "call_expression" and effects.called(node) in CHOICES:
        called, arguments = effects.called(node), node.child_by_field_name("arguments")
        pair = [n for n in arguments.named_children if n.type != "comment"] if arguments is not None else []
        signs = [called] * len(pair)
    elif node.type == "binary_expression":
        operator = node.child_by_field_name("operator")
        sign = operator.type if operator is not None else ""
        pair = [n for side in ("left", "right") if (n := node.child_by_field_name(side)) is not None]
        called, signs = {"+": "+", "-": "+", "*": "*"}.get(sign, ""), ["+" if sign == "-" else sign, sign]
    else:
        raise NotOfferedError("not_a_sum", name)
    with_name = [at for at, one in enumerate(pair) if name in effects.reads(one)]
    if not called or called in effects.defined or len(pair) != 2 or len(with_name) != 1:
        raise NotOfferedError("not_a_sum", name)
    at = with_name[0]
    if at == 1 and signs == ["+", "-"]:
        raise NotOfferedError("not_a_sum", name)  # what the variable is subtracted from
    return called, pair[at], Term(pair[1 - at], signs[1 - at])


def check_types(effects: Effects, update: Update, type_: str) -> None:
    """Raise `NotOfferedError` where an operation may be made in another type than the variable's, so that it rounds."""
    types = declared_types(effects.source, update.statement)
    for term in update.terms:
        own = type_of(term.node, effects.source.text, types)
        if type_ in WHOLE and own not in {*WHOLE, *SMALL}:
            raise NotOfferedError("not_whole_numbers")
        # A function that chooses is found by the types of its arguments.
        chosen = update.operation in CHOICES and own not in {None, type_, *SMALL}
        if chosen or (type_ == "float" and own == "double"):
            raise NotOfferedError("term_of_other_type")
    if update.operation in CHOICES and type_ not in CHOICES[update.operation]:
        raise NotOfferedError("term_of_other_type")


@fixed
class Grouped:
    """An operand made of terms; `sign` is what takes it in; `inner` is its text without parentheses around."""

    text: str
    sign: str
    inner: str = ""


def grouped(operation: str, parts: Sequence[Grouped]) -> Grouped:
    """Operands as a balanced tree, in their order."""
    while len(parts) > 1:
        pairs = [tuple(parts[i : i + 2]) for i in range(0, len(parts), 2)]
        parts = [_pair(operation, *pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return parts[0]


def _pair(operation: str, one: Grouped, other: Grouped) -> Grouped:
    if operation in CHOICES:
        return Grouped(f"{operation}({one.text}, {other.text})", operation)
    inner = f"{one.text} {other.sign if one.sign != '-' else _FLIPPED[other.sign]} {other.text}"
    return Grouped(f"({inner})", one.sign, inner)


def taken_in(operation: str, name: str, all_: Grouped) -> str:
    """The variable with all terms taken in by one operation."""
    return f"{operation}({name}, {all_.text})" if operation in CHOICES else f"{name} {all_.sign} {all_.text}"


def operand_of(effects: Effects, term: Term, type_: str) -> Grouped:
    """A term as it is written, of the variable's type; raises `NotOfferedError` where it is not written out."""
    place = written(effects.source, term.node)
    if place is None:
        raise NotOfferedError("macro_in_it")
    if any(n.type == "comment" for n in inside(term.node)):
        raise NotOfferedError("comment_in_assignment")
    text = converted(place, type_)
    return Grouped(text, term.sign, place.text if text == f"({place.text})" else "")
