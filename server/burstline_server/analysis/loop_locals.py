"""Variables that a loop's body declares: which have the same value in each iteration, and which do not.

A step that adds such a variable (``int x = a * 5; a += x;``) is a fixed one only if the variable's own value is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from tree_sitter import Node

from burstline_server.analysis.assignment import Assignment
from burstline_server.analysis.nodes import identifiers
from burstline_server.analysis.reader import Reader


@contextmanager
def fixed_locals(reader: Reader, by_name: Mapping[str, Sequence[Assignment]]) -> Iterator[frozenset[str]]:
    """Bring the locals of a loop into scope whose value no iteration changes; yields the names that may change.

    `by_name` are the loop's assignments and declarations. A name that is declared outside as well counts as one that
    may change: the text does not say here which of both a step means.
    """
    changed = {name for name, all_ in by_name.items() if not all(a.declares for a in all_)}
    declared = {name: all_ for name, all_ in by_name.items() if name not in changed}
    changed |= declared.keys()
    reader.frame.scopes.append({})
    try:
        for name in _in_order(_needed(by_name, declared), declared):
            if len(declared[name]) == 1 and reader.find(name) is None and _settle(reader, declared[name][0], changed):
                changed.discard(name)
        yield frozenset(changed)
    finally:
        reader.frame.scopes.pop()


def _needed(by_name: Mapping[str, Sequence[Assignment]], declared: Mapping[str, Sequence[Assignment]]) -> set[str]:
    """The locals that steps, and the bounds of inner loops around them, are made of."""
    needed: set[str] = set()
    waiting = [*_read_by([a for all_ in by_name.values() for a in all_ if not a.declares])]
    while waiting:
        more = (identifiers(waiting.pop()) & declared.keys()) - needed
        needed |= more
        waiting += [one.node for name in more for one in declared[name]]
    return needed


def _read_by(steps: Sequence[Assignment]) -> Iterator[Node]:
    """What decides how much assignments add in one iteration."""
    for one in steps:
        if one.steps is not None and one.steps[0] is not None:
            yield one.steps[0]
    around = {loop.id: loop for one in steps for loop in one.loops}
    for loop in around.values():
        parts = (loop.child_by_field_name(part) for part in ("initializer", "condition", "update"))
        yield from (part for part in parts if part is not None)


def _in_order(names: set[str], declared: Mapping[str, Sequence[Assignment]]) -> list[str]:
    return sorted(names, key=lambda name: declared[name][0].node.start_byte)


def _settle(reader: Reader, one: Assignment, changed: set[str]) -> bool:
    """Whether a local is set once to a value that is the same in each iteration; then it is in scope with that."""
    value, declaration = one.node.child_by_field_name("value"), one.node.parent
    if value is None or declaration is None or declaration.type != "declaration":
        return False
    if identifiers(value) & changed or reader.assignments.names(value):
        return False
    trial = reader.trial()
    trial.frame.scopes.append({})
    trial.run(declaration)
    variable = trial.find(one.name)
    read = len(trial.accesses) != len(reader.accesses) or len(trial.loops) != len(reader.loops)
    reader.add_effort(trial)
    if read or variable is None or variable.value is None or variable.value.number is None:
        return False
    reader.frame.scopes[-1][one.name] = variable
    return True
