"""Initial values that nobody uses: whatever reads the variable later is in a block that sets it first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from tree_sitter import Node

from burstline_server.analysis.frames import Function
from burstline_server.analysis.liveness import called, pure
from burstline_server.analysis.nodes import text_of

_JUMPS = re.compile(r"\b(?:case|default|goto)\b")
_NAME = re.compile(rb"(?<![\w.])[A-Za-z_]\w*")
_RETURN = re.compile(r"\{\s*return\b(?P<value>[^;{}=]*);\s*\}")

Meeting = Literal["none", "read", "set", "set in arms"]
"""What a statement does with a variable: sets it always, or in each block that has to do with it at all."""


MOST_LATER = 32
"""Most statements behind a declaration that are looked at."""
MOST_BYTES = 20_000
"""Longest statement that is looked at; longer ones count as reading."""


def is_overwritten(declaration: Node, name: str) -> bool:
    """Whether the value that a declaration gives a variable is overwritten before it is read."""
    around, later = declaration.parent, list(_behind(declaration))
    if around is None or around.type != "compound_statement":
        return False
    met = _first_of(later, name)
    seen_all = len(later) <= MOST_LATER
    sets = met == "set" or (met == "set in arms" and seen_all)
    return sets and not any(_JUMPS.search(text_of(one)) for one in later)


def _behind(declaration: Node) -> Iterator[Node]:
    node = declaration.next_named_sibling
    for _ in range(MOST_LATER + 1):
        if node is None:
            return
        yield node
        node = node.next_named_sibling


def computes_only(text: str, functions: Mapping[str, Function]) -> bool:
    """Whether an expression does no more than compute; helpers that only return an expression do no more either."""
    return pure(text, {name for name in called(text) if name in functions and _returns_only(functions[name])})


def _returns_only(function: Function) -> bool:
    body = function.node.child_by_field_name("body")
    found = _RETURN.fullmatch(text_of(body)) if body is not None else None
    return found is not None and pure(found["value"])


def _first_of(statements: Iterable[Node], name: str) -> Meeting:
    found: Meeting = "none"
    for statement in (one for one in statements if one.type != "comment"):
        met = _meeting(statement, name)
        if met in {"read", "set"}:
            return met
        found = met if met != "none" else found
    return found


def _meeting(node: Node, name: str) -> Meeting:
    if node.end_byte - node.start_byte > MOST_BYTES:
        return "read"
    if not _mentions(node, name):
        return "none"
    if node.type == "compound_statement":
        return _first_of(node.named_children, name)
    if node.type == "expression_statement" and len(node.named_children) == 1:
        return _setting(node.named_children[0], name)
    if node.type != "if_statement" or _mentions(node.child_by_field_name("condition"), name):
        return "read"
    arms = [node.child_by_field_name("consequence"), node.child_by_field_name("alternative")]
    met = [_meeting(arm.named_children[0] if arm.type == "else_clause" else arm, name) for arm in arms if arm]
    return "read" if "read" in met else "set" if met == ["set", "set"] else "set in arms"


def _setting(expression: Node, name: str) -> Meeting:
    left, right = expression.child_by_field_name("left"), expression.child_by_field_name("right")
    operator = expression.child_by_field_name("operator")
    plain = expression.type == "assignment_expression" and operator is not None and text_of(operator) == "="
    sets = plain and left is not None and left.type == "identifier" and text_of(left) == name
    return "set" if sets and not _mentions(right, name) else "read"


def _mentions(node: Node | None, name: str) -> bool:
    word, text = name.encode(), (node.text or b"") if node is not None else b""
    return word in text and word in _NAME.findall(text)
