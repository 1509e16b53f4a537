"""Names that an inner scope declares anew: what is assigned there is another variable than the one outside."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from burstline_server.analysis.nodes import text_of

Span = tuple[int, int]
"""Where a scope begins and ends in the text."""


class HiddenNames:
    """Which scopes of a function have a variable of their own under a name that is declared around them as well.

    `declared` are names with their declarations; `function` is what they are in, with its parameters.
    """

    def __init__(self, declared: Sequence[tuple[str, Node]], function: Node | None) -> None:
        self._parameters = _parameters(function)
        seen, again = set[str](), set(self._parameters)
        for name, _ in declared:
            (again if name in seen else seen).add(name)
        self._places: dict[str, list[tuple[int, Span]]] = {}
        for name, node in declared:
            if name in again:
                self._places.setdefault(name, []).append((node.start_byte, _scope(node)))

    def scope(self, name: str, place: int) -> Span | None:
        """The scope whose variable a name means at a place, where it hides another."""
        every = self._places.get(name, ())
        around = [scope for declared, scope in every if declared <= place and scope[0] <= place < scope[1]]
        here = max(around, default=None)
        if here is None or (name not in self._parameters and here == min(around)):
            return None
        return here


def declared_in(declaration: Node) -> list[str]:
    """The names that a declaration brings into scope; none for a function's."""
    return [name for one in declaration.children_by_field_name("declarator") if (name := _name(one))]


def _scope(node: Node) -> Span:
    """The block around a declaration, or the loop whose head it is in."""
    around = node.parent or node
    while around.parent is not None and around.type not in {"compound_statement", "for_statement"}:
        around = around.parent
    return around.start_byte, around.end_byte


def _parameters(function: Node | None) -> frozenset[str]:
    declarator = function.child_by_field_name("declarator") if function is not None else None
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
    every = parameters.named_children if parameters is not None else []
    return frozenset(name for one in every for name in declared_in(one))


def _name(node: Node | None) -> str:
    while node is not None and node.type != "identifier":
        if node.type == "function_declarator":
            return ""
        node = node.child_by_field_name("declarator")
    return text_of(node) if node is not None else ""
