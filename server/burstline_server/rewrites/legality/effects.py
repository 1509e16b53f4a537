"""Definitions, uses and calls of a syntax tree: what may change, and through which calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from tree_sitter import Node

from burstline_server.analysis.nodes import previous_end
from burstline_server.language.vocabulary import find
from burstline_server.rewrites.legality.addresses import Addresses
from burstline_server.source.source import Source

_PURE_GROUPS = {"Conversions", "Integers", "Common", "Mathematics", "Geometry", "Comparisons", "Work-items"}
_READS_MEMORY = re.compile(r"vload(_half)?\d*|vloada_half\d*|shuffle2?|get_\w+|(?:native|half)_\w+")
_WORK_ITEM = re.compile(
    r"get_(?:global|local|group|num|work|enqueued|sub|max_sub|compute)\w*|(?:sub|work)_group_\w+|async_work_group_\w+"
)
_QUALIFYING = {"type_qualifier", "storage_class_specifier"}
MAX_NAMES = 16
"""Most names that one type has, one made of the other."""
MAX_CALLS = 64
"""Most functions of a file that are followed from one call."""


class Effects:
    """The effects of statements and expressions of one parsed file.

    A variable counts as set where it is declared, assigned or stepped, where its address is taken, and where it is an
    array that goes to a call: whoever holds the address may set it. A name covers all variables of that name.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._addresses: dict[int, Addresses] = {}

    @cached_property
    def defined(self) -> dict[str, Node]:
        """The functions that the file defines, by name."""
        found: dict[str, Node] = {}
        for node in self.source.tree.root_node.named_children:
            declarator = node.child_by_field_name("declarator") if node.type == "function_definition" else None
            while declarator is not None and declarator.type != "identifier":
                declarator = declarator.child_by_field_name("declarator")
            if declarator is not None:
                found[self.text(declarator)] = node
        return found

    def text(self, node: Node) -> str:
        """The text of a node, its macros expanded."""
        return self.source.text[node.start_byte : node.end_byte].decode("utf-8", "replace")

    # -- variables -------------------------------------------------------------------------------------

    def reads(self, *nodes: Node) -> set[str]:
        """The names of variables in expressions; those of functions, fields and types are left out."""
        found = {self.text(n) for node in nodes for n in inside(node) if n.type == "identifier" and not _is_called(n)}
        return found | self._through_addresses(nodes, stored=False)

    def sets(self, *nodes: Node) -> set[str]:
        """The names that may be declared or changed, by the nodes themselves or through an address that they give."""
        found = {name for node in nodes for one in inside(node) for name in self._sets(one)}
        return found | self._through_addresses(nodes, stored=True)

    def _through_addresses(self, nodes: Sequence[Node], *, stored: bool) -> set[str]:
        """The variables that nodes of one function may read, or set, through an address that was taken before."""
        function = _around(nodes[0], "function_definition") if nodes else None
        if function is None:
            return set()
        if function.start_byte not in self._addresses:
            self._addresses[function.start_byte] = Addresses(self, function, inside)
        return self._addresses[function.start_byte].reached(nodes, stored=stored)

    def reassigned(self, *nodes: Node) -> set[str]:
        """The names of variables that get another value, or whose address is given, not those that are pointed with."""
        places = {"assignment_expression": "left", "update_expression": "argument", "pointer_expression": "argument"}
        found = set()
        for node in (one for outer in nodes for one in inside(outer)):
            if node.type in places and (node.type != "pointer_expression" or _operator(node) == "&"):
                name = node.child_by_field_name(places[node.type])
                while name is not None and (name.type == "parenthesized_expression" or _is_part(name)):
                    name = name.child_by_field_name("argument") or next(iter(name.named_children), None)
                if name is not None and name.type == "identifier":
                    found.add(self.text(name))
        return found | self._through_addresses(nodes, stored=True)

    def _sets(self, node: Node) -> Iterator[str]:
        match node.type:
            case "init_declarator" | "parameter_declaration" | "array_declarator" | "pointer_declarator":
                yield from self.root(node.child_by_field_name("declarator"))
            case "declaration":
                for declarator in node.children_by_field_name("declarator"):
                    yield from self.root(declarator)
            case "assignment_expression":
                yield from self.root(node.child_by_field_name("left"))
            case "update_expression":
                yield from self.root(node.child_by_field_name("argument"))
            case "pointer_expression" if _operator(node) == "&":
                yield from self.root(node.child_by_field_name("argument"))
            case "call_expression":
                for argument in _arguments(node):
                    if argument.type == "identifier" and self._is_array(argument):
                        yield self.text(argument)

    def root(self, node: Node | None) -> Iterator[str]:
        """The variable that an lvalue or a declarator is part of."""
        while node is not None and node.type != "identifier":
            inner = node.child_by_field_name("argument") or node.child_by_field_name("declarator")
            if inner is None and node.type == "parenthesized_expression":
                inner = next((c for c in node.named_children if c.type != "comment"), None)
            node = inner
        if node is not None:
            yield self.text(node)

    def _is_array(self, name: Node) -> bool:
        """Whether the function around a name declares an array, or a pointer, called so."""
        function = _around(name, "function_definition")
        body = function.child_by_field_name("body") if function is not None else None
        own_name = self.text(name)
        return body is not None and any(
            own_name in self.root(n) for n in inside(body) if n.type in {"array_declarator", "pointer_declarator"}
        )

    def qualifiers(self, declaration: Node) -> set[str]:
        """The qualifiers and storage classes of a declaration, and those that the name of its type has, bare."""
        named, notes = (
            declaration.child_by_field_name("type"),
            self.source.notes_in(previous_end(declaration), declaration.end_byte),
        )
        found = {self.text(c) for c in declaration.children if c.type in _QUALIFYING} | {
            n.text for n in notes if n.kind != "number"
        }
        if named is not None and named.type == "type_identifier":
            for other in self.source.tree.root_node.named_children:
                names = other.children_by_field_name("declarator") if other.type == "type_definition" else ()
                if any(self.text(n) == self.text(named) for n in names):
                    found |= self.qualifiers(other)
        return {one.strip("_") for one in found}

    def type_named(self, name: str) -> str:
        """The type that a name means, the name itself where none is defined so; empty where several are."""
        known = [node for node in inside(self.source.tree.root_node) if node.type == "type_definition"]
        for _ in range(MAX_NAMES):
            found = [n for n in known if any(self.text(d) == name for d in n.children_by_field_name("declarator"))]
            inner = found[0].child_by_field_name("type") if len(found) == 1 else None
            if inner is None:
                return "" if found else name
            name = self.text(inner)
        return ""

    def alike(self, one: Node, other: Node, names: Mapping[str, str] = MappingProxyType({})) -> bool:
        """Whether two expressions are the same, where names of the other one mean others; comments left out."""
        while one.type == "parenthesized_expression" and len(one.named_children) == 1:
            one = one.named_children[0]
        while other.type == "parenthesized_expression" and len(other.named_children) == 1:
            other = other.named_children[0]
        pairs = [[c for c in node.children if c.type != "comment"] for node in (one, other)]
        if one.type != other.type or len(pairs[0]) != len(pairs[1]):
            return False
        if not pairs[0]:
            said, named = self.text(other), other.type == "identifier"
            other_variable = named and said in names.values() and said not in names
            return not other_variable and self.text(one) == (names.get(said, said) if named else said)
        return all(self.alike(a, b, names) for a, b in zip(*pairs, strict=True))

    # -- purity ----------------------------------------------------------------------------------------

    def pure(self, *nodes: Node) -> bool:
        """Whether expressions only compute, so that they may be evaluated never, or twice."""
        return not any(self._acts(one, frozenset()) for node in nodes for one in inside(node))

    def _acts(self, node: Node, within: frozenset[str]) -> bool:
        if node.type in {"assignment_expression", "update_expression"}:
            return True
        if node.type == "pointer_expression" and _operator(node) == "&":
            return not _gives_place(node)
        return node.type == "call_expression" and not self._calls_pure(node, within)

    def _calls_pure(self, call: Node, within: frozenset[str]) -> bool:
        name = self.called(call)
        if name in self.defined:
            return name not in within and len(within) < MAX_CALLS and self._is_pure(self.defined[name], within | {name})
        entry = find(name, "function", "type")
        # A result through a pointer is an address that is taken: that is seen where it is.
        return (entry is not None and (entry.kind == "type" or entry.group in _PURE_GROUPS)) or _READS_MEMORY.fullmatch(
            name
        ) is not None

    def is_pure_call(self, call: Node) -> bool:
        """Whether a call only computes."""
        return self._calls_pure(call, frozenset())

    def is_defined(self, call: Node) -> bool:
        """Whether a call is of a function that the file defines."""
        return self.called(call) in self.defined

    def _is_pure(self, function: Node, within: frozenset[str]) -> bool:
        """Whether a function sets nothing but its own scalars, and calls only such functions."""
        body = function.child_by_field_name("body")
        if body is None:
            return False
        for node in inside(body):
            if node.type in {"assignment_expression", "update_expression"}:
                target = node.child_by_field_name("left") or node.child_by_field_name("argument")
                while target is not None and target.type == "field_expression" and _operator(target) != "->":
                    target = target.child_by_field_name("argument")
                if target is None or target.type != "identifier":
                    return False
            elif self._acts(node, within):
                return False
        return True

    # -- calls -----------------------------------------------------------------------------------------

    def called(self, call: Node) -> str:
        """The name of the function that a call calls, or of a vector literal's type; empty where that is no name."""
        function = call.child_by_field_name("function")
        if function is not None and function.type == "parenthesized_expression":
            function = next((c for c in function.named_children if c.type != "comment"), None)
        return self.text(function) if function is not None and function.type == "identifier" else ""

    def calls(self, node: Node) -> Iterator[tuple[Node, str]]:
        """The calls in a node, and with each the function's name."""
        return ((one, self.called(one)) for one in inside(node) if one.type == "call_expression")

    def reached(self, name: str) -> Iterator[str]:
        """A function, and the names in all that it calls, directly or not."""
        waiting, seen = [name], set[str]()
        while waiting:
            one = waiting.pop()
            if one in seen:
                continue
            seen.add(one)
            yield one
            if one in self.defined:
                waiting += [self.text(n) for n in inside(self.defined[one]) if n.type == "identifier"]

    def asks_for_work_item(self, name: str) -> str | None:
        """The built-in by which a function, or one that it calls, asks which work-item it runs for; None: none."""
        return next((one for one in self.reached(name) if _WORK_ITEM.fullmatch(one)), None)


def inside(node: Node) -> Iterator[Node]:
    """A node and all inside it."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(one.named_children)


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def _is_part(node: Node) -> bool:
    """Whether a node is a field of the variable before it, not of what that points to."""
    return node.type == "field_expression" and _operator(node) == "."


def _arguments(call: Node) -> Iterable[Node]:
    arguments = call.child_by_field_name("arguments")
    return arguments.named_children if arguments is not None else ()


def _is_called(name: Node) -> bool:
    return (
        name.parent is not None
        and name.parent.type == "call_expression"
        and (name.parent.child_by_field_name("function") == name)
    )


def _gives_place(node: Node) -> bool:
    """Whether ``&`` is that of an element which a call only reads: ``vload4(0, &x[i])``."""
    call = _around(node, "call_expression")
    function = call.child_by_field_name("function") if call is not None else None
    return function is not None and function.text is not None and function.text.startswith(b"vload")


def _around(node: Node, kind: str) -> Node | None:
    at: Node | None = node
    while at is not None and at.type != kind:
        at = at.parent
    return at
