"""One store where two go to the same place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from burstline_model.compiler.alias import may_alias
from burstline_model.facts import Access
from burstline_server.assess import Assessment
from burstline_server.costing import KernelAssessment
from burstline_server.rewrites.rewrite import Offer, Rewrite, TextEdit, line_end
from burstline_server.rewrites.syntax import Written, changes_nothing, node_at


class SingleStore(Rewrite):
    """A store that a later one of the same iteration overwrites, folded into that one.

    ``y[i] = a; if (c) y[i] = b;`` and ``if (c) y[i] = b; else y[i] = a;`` become ``y[i] = c ? b : a;``, one store
    without a condition (the padding example of M21), and an earlier store under a condition that is always overwritten
    goes. Offered for statements that follow each other directly and only compute; the buffer is not read in between.
    No result changes.
    """

    name = "single store"
    codes = ("BL103", "BL106")

    def offers(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Offer]:
        """One edit for each pair of neighbouring stores."""
        facts = kernel.facts
        stores = [a for a in facts.accesses if a.op == "store" and a.space == "global" and not a.call_chain]
        for first, second in pairwise(stores):
            same = first.pointer == second.pointer and first.loops == second.loops and first.offset == second.offset
            if same and first.offset is not None and not first.volatile:
                offer = _offer(assessment, kernel, first, second) or _either(assessment, kernel, first, second)
                if offer is not None:
                    yield offer


def _offer(assessment: Assessment, kernel: KernelAssessment, first: Access, second: Access) -> Offer | None:
    one, two = _Store.of(assessment, first), _Store.of(assessment, second)
    if one is None or two is None or two.whole.previous is None or two.whole.previous.start != one.whole.start:
        return None
    between = [a for a in kernel.facts.accesses if first.id < a.id < second.id and a.space == "global"]
    if any(may_alias(kernel.facts, first, a) for a in between):
        return None
    edits: tuple[TextEdit, ...]
    if two.condition is not None and one.condition is None:
        texts = (one.value.text, two.value.text, two.condition.text)
        if not all(changes_nothing(t) for t in texts):
            return None
        chosen = f"{_as(second.type, two.value)} : {_as(first.type, one.value)}"
        text = f"{two.left.text} = {two.condition.text} ? {chosen};"
        edits = (_removed(assessment, one.whole), TextEdit(two.whole.start, two.whole.end, text))
        title = f"Write {first.pointer} once: the condition chooses the value"
    elif one.condition is not None and two.condition is None:
        if not changes_nothing(one.value.text + one.condition.text):
            return None
        edits = (_removed(assessment, one.whole),)
        title = f"Leave out the store to {first.pointer} that the next one overwrites"
    else:
        return None
    return Offer(
        title=title, kind="proved", kernel=kernel.facts.name, edits=edits, spans=(first.span, second.span),
        codes=SingleStore.codes,
    )  # fmt: skip


def _either(assessment: Assessment, kernel: KernelAssessment, first: Access, second: Access) -> Offer | None:
    """The two arms of an if, each of them one store to the same place."""
    left = node_at(assessment.source, first.span)
    branch = left.up("if_statement") if left is not None else None
    condition = branch.child("condition") if branch is not None else None
    one, two = (_arm(assessment, branch, name, a) for name, a in (("consequence", first), ("alternative", second)))
    if left is None or branch is None or condition is None or one is None or two is None:
        return None
    if not changes_nothing(left.text):
        return None
    text = assessment.source.original
    line = text.rfind(b"\n", 0, branch.start) + 1
    indent = re.match(rb"[ \t]*", text[line : branch.start])
    between = line_end(text) + (indent.group().decode() if indent is not None else "")
    said = "".join(f"{comment}{between}" for comment in _comments(branch))
    chosen = f"{condition.text} ? {_as(first.type, one)} : {_as(second.type, two)}"
    return Offer(
        title=f"Write {first.pointer} once: the condition chooses the value", kind="proved", kernel=kernel.facts.name,
        edits=(TextEdit(branch.start, branch.end, f"{said}{left.text} = {chosen};"),), spans=(first.span, second.span),
        codes=SingleStore.codes,
    )  # fmt: skip


def _as(type_: str, value: Written) -> str:
    """A value in the type that it is stored in, so that the other arm's type does not change it on the way."""
    literal = {"float": r"[\d.]+f", "int": r"\d+"}.get(type_)
    if literal is not None and re.fullmatch(literal, value.text):
        return value.text
    alone = value.node.type in {"identifier", "call_expression", "subscript_expression", "number_literal"}
    return f"({type_}){value.text}" if alone else f"({type_})({value.text})"


def _arm(assessment: Assessment, branch: Written | None, name: str, access: Access) -> Written | None:
    """The value that an arm of an if stores, when it does nothing else."""
    arm = branch.child(name) if branch is not None else None
    place = node_at(assessment.source, access.span)
    assignment = place.up("assignment_expression") if place is not None else None
    operator = assignment.node.child_by_field_name("operator") if assignment is not None else None
    if arm is None or place is None or assignment is None or operator is None or operator.type != "=":
        return None
    at = arm.node
    while at.type in {"else_clause", "compound_statement", "expression_statement"}:
        inside = [c for c in at.named_children if c.type != "comment"]
        if len(inside) != 1:
            return None
        at = inside[0]
    same = at.id == assignment.node.id and assignment.start == place.start
    return assignment.child("right") if same else None


def _comments(branch: Written) -> list[str]:
    """The comments inside a statement."""
    found, waiting = [], [branch.node]
    while waiting:
        node = waiting.pop()
        if node.type == "comment":
            found.append((node.start_byte, node.text.decode("utf-8", "replace").rstrip() if node.text else ""))
        waiting.extend(node.children)
    return [text for _, text in sorted(found)]


class _Store:
    """A statement that is one plain store, under at most one condition."""

    def __init__(self, whole: Written, left: Written, value: Written, condition: Written | None) -> None:
        self.whole, self.left, self.value, self.condition = whole, left, value, condition

    @staticmethod
    def of(assessment: Assessment, access: Access) -> _Store | None:
        """The statement of an access, None when it is more than that."""
        left = node_at(assessment.source, access.span)
        assignment = left.up("assignment_expression") if left is not None else None
        statement = left.up("expression_statement") if left is not None else None
        value = assignment.child("right") if assignment is not None else None
        operator = assignment.node.child_by_field_name("operator") if assignment is not None else None
        if left is None or statement is None or value is None or operator is None or operator.type != "=":
            return None
        if assignment is None or assignment.start != statement.start or left.start != assignment.start:
            return None
        branch = statement.up("if_statement")
        consequence = branch.child("consequence") if branch is not None else None
        if branch is None or consequence is None or not consequence.start <= statement.start < consequence.end:
            return _Store(statement, left, value, None)
        alone = [c for c in consequence.node.named_children if c.type != "comment"]
        braces = consequence.node.type == "compound_statement" and len(alone) == 1
        if consequence.start != statement.start and not braces:
            return _Store(statement, left, value, None) if statement.previous is not None else None
        condition = branch.child("condition")
        if branch.child("alternative") is not None or condition is None:
            return None
        return _Store(branch, left, value, condition)


def _removed(assessment: Assessment, whole: Written) -> TextEdit:
    """A statement taken out, its line with it where it stands alone."""
    text = assessment.source.original
    start = text.rfind(b"\n", 0, whole.start) + 1
    end = text.find(b"\n", whole.end)
    end = len(text) if end < 0 else end + 1
    alone = not text[start : whole.start].strip() and not text[whole.end : end].strip()
    return TextEdit(start, end, "") if alone else TextEdit(whole.start, whole.end, "")
