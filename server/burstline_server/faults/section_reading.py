"""The reading of one section: the state that it shares, and which function reads which kind of syntax.

`declarations`, `expressions` and `statements` hold these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from burstline_server.analysis.nodes import text_of
from burstline_server.faults.certain_types import UNKNOWN, Type
from burstline_server.faults.delimiters import Broken
from burstline_server.faults.section import Declares, Free, Section, Use
from burstline_server.source.mask import Note

MAX_DEPTH = 150
"""Deepest nesting of syntax that is looked into."""

Statement = Callable[["Walk", Node], object]
Expression = Callable[["Walk", Node], Type]


@dataclass(slots=True)
class Walk:
    """The reading of one section. `start` is where the section begins in the text that the tree counts in."""

    start: int
    notes: tuple[Note, ...]
    statements: Mapping[str, Statement]
    expressions: Mapping[str, Expression]
    section: Section = field(default_factory=Section)
    scopes: list[dict[str, Type]] = field(default_factory=list)
    types: dict[str, Type] = field(default_factory=dict)
    calls: set[str] = field(default_factory=set)
    returns: Type = UNKNOWN
    leaves: frozenset[str] = frozenset()
    """What the statements around allow: `break`, in a loop `continue` as well."""
    depth: int = 0

    # -- reporting -----------------------------------------------------------------------------------

    def refuse(self, node: Node, message: str) -> None:
        """Write down what the compiler refuses."""
        self.section.refused.append(Broken(node.start_byte - self.start, node.end_byte - self.start, message))

    def free(self, node: Node, use: Use, arguments: int = -1) -> None:
        """A name that must be declared elsewhere."""
        low, high = node.start_byte - self.start, node.end_byte - self.start
        self.section.free.append(Free(text_of(node), low, high, use, arguments))

    def noted(self, start: int, end: int) -> set[str]:
        """The qualifiers that were masked in a range of the tree's text."""
        return {n.text.strip("_") for n in self.notes if n.kind == "qualifier" and start <= n.start < end}

    def is_channel(self, node: Node) -> bool:
        """Whether a declaration is one of channels or pipes."""
        return any(n.kind == "channel" and syntax_before(node) <= n.start < node.end_byte for n in self.notes)

    # -- names ---------------------------------------------------------------------------------------

    def lookup(self, name: str) -> Type | None:
        """The innermost declaration of a name that the section has."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def declare(self, node: Node, name: str, type_: Type) -> None:
        """Declare a variable in the innermost scope."""
        if not self.scopes:
            constant = type_.const or (type_.kind == "array" and type_.to is not None and type_.to.const)
            function = type_.kind == "function"
            one = Declares(name, "function", type_.lanes) if function else Declares(name, "variable", constant=constant)
            self.section.declares.append(one)
            return
        if name in self.scopes[-1] and self.scopes[-1][name].kind != "function":
            self.refuse(node, f"redefinition of '{name}'")
        self.scopes[-1][name] = type_
        self.section.locals.add(name)

    # -- statements ----------------------------------------------------------------------------------

    def statement(self, node: Node) -> None:
        """Any statement or declaration."""
        self.depth += 1
        if self.depth < MAX_DEPTH:
            self.statements.get(node.type, Walk.other)(self, node)
        self.depth -= 1

    def other(self, node: Node) -> None:
        """What is made of statements and expressions alone."""
        if node.type == "initializer_pair":
            self.value(node.child_by_field_name("value"))
            return
        for child in node.named_children:
            if child.type != "number_literal":  # tables have thousands, and nothing is wrong with one
                self.statement(child)

    def constant(self, node: Node | None) -> None:
        """An expression that must be constant: its unknown names are the build's, as a rule."""
        if node is None:
            return
        first = len(self.section.free)
        self.value(node)
        for number in range(first, len(self.section.free)):
            if self.section.free[number].use == "value":
                self.section.free[number] = replace(self.section.free[number], use="constant")

    # -- expressions ---------------------------------------------------------------------------------

    def value(self, node: Node | None) -> Type:
        """The type of an expression, unknown where it is not certain."""
        if node is None or self.depth >= MAX_DEPTH:
            return UNKNOWN
        self.depth += 1
        handler = self.expressions.get(node.type)
        found = handler(self, node) if handler is not None else self._unknown(node)
        self.depth -= 1
        return found

    def _unknown(self, node: Node) -> Type:
        self.other(node)
        return UNKNOWN

    def check_fits(self, node: Node, left: Type, right: Type) -> None:
        """Refuse a value that cannot be assigned, where both types are certain."""
        one_pointer = {left.kind, right.kind} >= {"pointer"} and (left.real or right.real)
        structure = "struct" in {left.kind, right.kind} and (left.scalar or right.scalar)
        narrowed = left.scalar and right.kind == "vector"
        lanes = left.kind == "vector" == right.kind and left.lanes != right.lanes
        if one_pointer or structure or narrowed or lanes or (right.kind == "void" and left.kind != "unknown"):
            self.refuse(node, f"a '{right.name}' is no value for a '{left.name}'")


def syntax_before(node: Node) -> int:
    """Where the syntax before a node ends: what is masked in between belongs to it."""
    before = node.prev_sibling
    while before is not None and before.type == "comment":
        before = before.prev_sibling
    if before is not None:
        return before.end_byte
    return 0 if node.parent is None or node.parent.parent is None else node.parent.start_byte
