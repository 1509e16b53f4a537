"""The loads that a split moves: where each is made, under which name, and which of them are one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tree_sitter import Node

from burstline_model.facts import Access, KernelFacts
from burstline_model.polynomial import Polynomial
from burstline_server.rewrites.split.statements import LOOPS, PLAIN, CannotSplitError, KernelText
from burstline_server.rewrites.syntax import Written, changes_nothing, free_name, node_at

_SCALAR = re.compile(r"(?:u?(?:char|short|int|long)|float|double|half)\d*")


@dataclass(frozen=True)
class Load:
    """A load: its node, the variable that holds it, and the statement before which it is made.

    `guards` are conditions inside that statement, each with the truth that it must have for the load to run.
    `same_as` is an earlier load of the same value whose variable still stands there.
    """

    access: Access
    place: Written
    name: str
    statement: Node
    guards: tuple[tuple[Node, bool], ...] = ()
    same_as: Load | None = None

    @property
    def first(self) -> Load:
        """The load that is made for this one."""
        return self.same_as or self


def loads_of(kernel: KernelText) -> tuple[Load, ...]:
    """The loads from global memory; raises `CannotSplitError` for one that cannot be moved."""
    found: list[Load] = []
    for access in kernel.facts.accesses:
        if access.space != "global" or access.op != "load":
            continue
        place = node_at(kernel.source, access.span)
        if access.call_chain or access.macro is not None or place is None:
            raise CannotSplitError("helper functions or macros hold some of its loads")
        if not _SCALAR.fullmatch(access.type):
            raise CannotSplitError(f"{access.pointer} holds no plain numbers")
        if not changes_nothing(place.text):
            raise CannotSplitError("the index of a load changes a variable")
        statement, guards = _statement(kernel, place.node)
        same = next((o for o in found if _same(kernel.facts, found, o, access) and _reaches(o, statement)), None)
        name = same.name if same is not None else free_name(kernel.text, f"{access.pointer}_{len(found)}")
        found.append(Load(access, place, name, statement, guards, same.first if same is not None else None))
    return tuple(found)


def _same(facts: KernelFacts, known: list[Load], one: Load, access: Access) -> bool:
    """Whether a load reads the value that an earlier one has read: nothing is stored between them in a split."""
    first = one.access
    if one.guards or first.pointer != access.pointer or first.type != access.type or first.volatile or access.volatile:
        return False
    if first.offset is None or access.offset is None:
        return False
    return _by_first(facts, known, first.offset) == _by_first(facts, known, access.offset)


def _by_first(facts: KernelFacts, known: list[Load], offset: Polynomial) -> Polynomial:
    """An offset in which values loaded again are called by the load that they were first loaded by."""
    first = {load.access.id: load.first.access.id for load in known}
    names = {s.loaded_from: s.name for s in reversed(facts.symbols.values()) if s.kind == "loaded"}
    again = {
        name: Polynomial.symbol(names[first[s.loaded_from]])
        for name in offset.symbols
        if (s := facts.symbols.get(name)) is not None and s.loaded_from in first and first[s.loaded_from] in names
    }
    return offset.substitute(again)


def _reaches(load: Load, statement: Node) -> bool:
    """Whether the variable that is declared before a load's statement is in scope at another statement."""
    scope = load.statement.parent
    if scope is None or scope.type != "compound_statement":
        scope = load.statement
    return scope.start_byte <= statement.start_byte and statement.end_byte <= scope.end_byte


def _statement(kernel: KernelText, node: Node) -> tuple[Node, tuple[tuple[Node, bool], ...]]:
    """The statement before which a load can be made, and the conditions in it that the load stands under."""
    at, guards = node, list[tuple[Node, bool]]()
    while at.parent is not None:
        parent = at.parent
        if parent.type in {"update_expression", "comma_expression"}:
            raise CannotSplitError("a load stands in a step or behind a comma")
        if parent.type in LOOPS and parent.child_by_field_name("body") != at:
            if parent.child_by_field_name("initializer") == at and not guards:
                return parent, ()
            raise CannotSplitError("a load decides in a loop's head how long it runs")
        if (guard := _guard(at, parent)) is not None:
            guards.append(guard)
        decides = parent.type == "if_statement" and parent.child_by_field_name("condition") == at
        if at.type in PLAIN or decides:
            read = {name for one in (node, *(g for g, _ in guards)) for name in kernel.names(one)}
            if at.type == "declaration" and kernel.sets(at) & read:
                raise CannotSplitError("a load and what it is found by are declared in one line")
            if not all(changes_nothing(kernel.told(g)) for g, _ in guards):
                raise CannotSplitError("a load stands under a condition that changes something")
            return (parent if decides else at), tuple(guards)
        at = parent
    raise CannotSplitError("a load stands outside any statement")


def _guard(at: Node, parent: Node) -> tuple[Node, bool] | None:
    """The condition that decides, one level up, whether an expression is evaluated; with what must come out."""
    if parent.type == "conditional_expression":
        condition = parent.child_by_field_name("condition")
        return (condition, parent.child_by_field_name("consequence") == at) if condition not in {None, at} else None
    operator = parent.child_by_field_name("operator")
    if parent.type == "binary_expression" and operator is not None and operator.type in {"&&", "||"}:
        left = parent.child_by_field_name("left")
        return (left, operator.type == "&&") if left not in {None, at} else None
    return None
