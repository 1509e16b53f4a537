"""Variables that are read or set through an address which was taken before, somewhere in their function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from tree_sitter import Node

_SETS = {"assignment_expression", "update_expression"}
_WHOLE = {"identifier", "parenthesized_expression"}


class Names(Protocol):
    """What is asked of the names in a tree."""

    def text(self, node: Node) -> str:
        """The text of a node."""

    def root(self, node: Node | None) -> Iterator[str]:
        """The variable that an lvalue or a declarator is part of."""

    def is_defined(self, call: Node) -> bool:
        """Whether a call is of a function that the file defines."""

    def is_pure_call(self, call: Node) -> bool:
        """Whether a call only computes."""


class Addresses:
    """The variables of one function whose address is taken: whoever has a pointer may read and set them.

    A parameter never leads to a variable of its own function, unless it is set there.
    """

    def __init__(self, names: Names, function: Node, inside: Callable[[Node], Iterator[Node]]) -> None:
        self._names, self._inside = names, inside
        body = function.child_by_field_name("body")
        nodes = list(inside(body)) if body is not None else []

        def roots(kind: str, field: str) -> set[str]:
            return {name for n in nodes if n.type == kind for name in names.root(n.child_by_field_name(field))}

        self._arrays = roots("array_declarator", "declarator")
        self._pointers = roots("pointer_declarator", "declarator")
        targets = (n.child_by_field_name("left") or n.child_by_field_name("argument") for n in nodes if n.type in _SETS)
        changed = {name for n in targets if n is not None and n.type in _WHOLE for name in names.root(n)}
        parameters = function.child_by_field_name("declarator")
        declared = {
            name
            for n in (inside(parameters) if parameters is not None else ())
            if n.type == "parameter_declaration"
            for name in names.root(n.child_by_field_name("declarator"))
        }
        own = self._pointers | roots("init_declarator", "declarator") | changed
        self._apart = (self._arrays - self._pointers) | (declared - own)
        taken = (n for n in nodes if n.type == "pointer_expression" and _operator(n) == "&")
        self.taken = {name for n in taken if (name := self._variable(n.child_by_field_name("argument")))}
        self.taken |= {names.text(n) for n in nodes if n.type == "identifier" and _is_bare(n)} & self._arrays

    def reached(self, nodes: Sequence[Node], *, stored: bool) -> set[str]:
        """The variables that nodes may read, or set where `stored`, through an address."""
        through = self.taken and any(self._through(one, stored=stored) for n in nodes for one in self._inside(n))
        return self.taken if through else set()

    def _variable(self, place: Node | None) -> str:
        """The variable that a place is a part of; empty for what a pointer leads to."""
        element = False
        while place is not None and place.type != "identifier":
            if (place.type, _operator(place)) == ("field_expression", "->") or place.type == "pointer_expression":
                return ""
            element = element or place.type == "subscript_expression"
            place = place.child_by_field_name("argument") or next(iter(place.named_children), None)
        name = self._names.text(place) if place is not None else ""
        return name if not element or name in self._arrays else ""

    def _through(self, node: Node, *, stored: bool) -> bool:
        if node.type == "call_expression":
            return self._calls_through(node, stored=stored)
        if not stored:
            return self._leads(node)
        if node.type not in _SETS:
            return False
        place = node.child_by_field_name("left") or node.child_by_field_name("argument")
        return place is not None and any(self._leads(one) for one in self._inside(place))

    def _calls_through(self, call: Node, *, stored: bool) -> bool:
        arguments = call.child_by_field_name("arguments")
        given = {self._names.text(n) for n in self._inside(arguments)} if arguments is not None else set[str]()
        if given & self._pointers:
            return True
        if not stored or self._names.is_defined(call):
            return self._names.is_defined(call) and not (stored and self._names.is_pure_call(call))
        several = arguments is not None and len(arguments.named_children) > 1
        return several and not self._names.is_pure_call(call)

    def _leads(self, node: Node) -> bool:
        """Whether an expression is what a pointer leads to that may be to a variable of this function."""
        operator = _operator(node)
        leads = (node.type, operator) in {("pointer_expression", "*"), ("field_expression", "->")}
        if not leads and node.type != "subscript_expression":
            return False
        base = node.child_by_field_name("argument")
        while node.type == "subscript_expression" and base is not None and base.type == "subscript_expression":
            base = base.child_by_field_name("argument")
        return base is None or base.type != "identifier" or self._names.text(base) not in self._apart


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def _is_bare(name: Node) -> bool:
    """Whether an array's name is its address: not where it is declared, or one of its elements is."""
    parent = name.parent
    if parent is None or parent.type in {"array_declarator", "sizeof_expression"}:
        return False
    return parent.type != "subscript_expression" or parent.child_by_field_name("argument") != name
