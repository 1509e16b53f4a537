"""Statements that are one plain store, as the user wrote them."""

from __future__ import annotations

import re

from burstline_model.facts import Access
from burstline_server.assessment.assessor import Assessment
from burstline_server.rewrites.syntax import SourceNode, node_at


class Store:
    """A statement that is one plain store, under at most one condition."""

    def __init__(self, whole: SourceNode, left: SourceNode, value: SourceNode, condition: SourceNode | None) -> None:
        self.whole, self.left, self.value, self.condition = whole, left, value, condition

    @staticmethod
    def of(assessment: Assessment, access: Access) -> Store | None:
        """The statement of an access, None when it is more than that."""
        left = node_at(assessment.source, access.span)
        assignment = left.up("assignment_expression") if left is not None else None
        statement = left.up("expression_statement") if left is not None else None
        value = assignment.child("right") if assignment is not None else None
        operator = assignment.node.child_by_field_name("operator") if assignment is not None else None
        if left is None or statement is None or value is None or operator is None or operator.type != "=":
            return None
        if assignment is None or assignment.node.parent != statement.node or left.start != assignment.start:
            return None
        branch = statement.up("if_statement")
        consequence = branch.child("consequence") if branch is not None else None
        if branch is None or consequence is None or not consequence.start <= statement.start < consequence.end:
            return Store(statement, left, value, None)
        alone = [c for c in consequence.node.named_children if c.type != "comment"]
        braces = consequence.node.type == "compound_statement" and len(alone) == 1
        if consequence.start != statement.start and not braces:
            return Store(statement, left, value, None) if statement.previous is not None else None
        condition = branch.child("condition")
        if branch.child("alternative") is not None or condition is None:
            return None
        return Store(branch, left, value, condition)


def in_type(type_: str, value: SourceNode) -> str:
    """A value in the type that it is stored in, so that the other arm's type does not change it on the way."""
    literal = {"float": r"[\d.]+f", "int": r"\d+"}.get(type_)
    if literal is not None and re.fullmatch(literal, value.text):
        return value.text
    alone = value.node.type in {"identifier", "call_expression", "subscript_expression", "number_literal"}
    return f"({type_}){value.text}" if alone else f"({type_})({value.text})"


def comments_in(branch: SourceNode) -> list[str]:
    """The comments inside a statement."""
    found, waiting = [], [branch.node]
    while waiting:
        node = waiting.pop()
        if node.type == "comment":
            found.append((node.start_byte, node.text.decode("utf-8", "replace").rstrip() if node.text else ""))
        waiting.extend(node.children)
    return [text for _, text in sorted(found)]
