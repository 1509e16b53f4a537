"""The conditions under which the cases of a ``switch`` run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tree_sitter import Node

from burstline_model.polynomial import Polynomial
from burstline_server.analysis.frames import OpenGuard
from burstline_server.analysis.logic import compared
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.values import Value

_LEAVES = {"break_statement", "return_statement", "continue_statement", "goto_statement"}
MOST_CASES = 32
"""The conditions of more cases are not looked at."""


def case_guards(reader: Reader, shown: Node, chosen: Value, cases: Sequence[Node]) -> list[OpenGuard]:
    """The condition of each case: that its own value is chosen, or one from which control falls into it.

    Where that is not known (no integer is compared, or a case may leave or fall into the next one), it is a condition
    that integers do not decide.
    """
    unknown = reader.guard(shown, chosen._replace(number=None))
    entered = _entered(cases)
    labels = {n: _label(reader, case) for n, case in enumerate(cases) if case.child_by_field_name("value") is not None}
    values = {n: value for n, value in labels.items() if value is not None}
    if chosen.number is None or len(cases) > MOST_CASES or len(set(values.values())) < len(labels):
        return [_of_cases(unknown, several, cases) for several in entered]
    if len(cases) - len(labels) > 1:
        return [_of_cases(unknown, several, cases) for several in entered]
    text = unknown.text if unknown.text.isidentifier() else f"({unknown.text})"
    found = []
    for several in entered:
        if several is None:
            found.append(_of_cases(unknown, several, cases))
            continue
        default = not several <= values.keys()
        named = [value for n, value in values.items() if (n in several) != default]
        equal = [compared(reader.symbols, "==", chosen.number, Polynomial.number(value)) for value in named]
        total = sum(equal, Polynomial())
        said = " || ".join(f"{text} == {value}" for value in named)
        guard = reader.guard(shown, chosen._replace(number=Polynomial.number(1) - total if default else total))
        guard = replace(guard, text=f"!({said})" if default else said)
        found.append(_of_cases(guard, several, cases))
    return found


def _of_cases(guard: OpenGuard, several: frozenset[int] | None, cases: Sequence[Node]) -> OpenGuard:
    """A condition with how many of the cases lead to what it guards; all do where that is not known."""
    return replace(guard, cases=(len(several), len(cases))) if several is not None else guard


def _label(reader: Reader, case: Node) -> int | None:
    """The value of a case; None where it is not known."""
    number = reader.evaluate(case.child_by_field_name("value")).number
    return int(number.constant) if number is not None and number.constant is not None else None


def _entered(cases: Sequence[Node]) -> list[frozenset[int] | None]:
    """The cases by whose values each is entered; None where the one before may or may not fall into it."""
    found: list[frozenset[int] | None] = []
    before: frozenset[int] | None = frozenset()
    for n, case in enumerate(cases):
        own = before | {n} if before is not None else None
        found.append(own)
        value = case.child_by_field_name("value")
        inside = [c for c in case.named_children if c.type != "comment" and (value is None or c.id != value.id)]
        may_fall = own if not any(_may_leave(one) for one in inside) else None
        before = frozenset() if _leaves(inside) else may_fall
    return found


def _leaves(inside: Sequence[Node]) -> bool:
    """Whether statements end by leaving the ``switch``."""
    last = inside[-1] if inside else None
    if last is not None and last.type == "compound_statement":
        return _leaves([c for c in last.named_children if c.type != "comment"])
    return last is not None and last.type in _LEAVES


def _may_leave(node: Node) -> bool:
    return node.type in _LEAVES or any(_may_leave(child) for child in node.named_children)
