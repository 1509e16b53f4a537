"""Expressions of a loop's body as they are written outside it, for another value of the loop's counter."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from tree_sitter import Node

from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.syntax import SourceNode, written

MAX_INLINED = 8
"""Variables of a loop's body, one made of the other, that an expression is followed through."""


class Elsewhere:
    """What the body of a loop computes from counters, its own and of loops in it, and from variables outside it."""

    def __init__(self, effects: Effects, body: SourceNode, counters: Collection[str]) -> None:
        self._effects, self._body, self._counters = effects, body, set(counters)
        self._set = effects.sets(body.node)
        self._declarations: dict[str, list[tuple[str, Node | None]]] = {}
        for type_, name, value in _declared(body.node):
            self._declarations.setdefault(effects.text(name), []).append((effects.text(type_), value))

    def declares(self, name: str) -> bool:
        """Whether the body declares a variable of that name."""
        return name in self._declarations

    def text(self, place: SourceNode, values: Mapping[str, str], depth: int = 0) -> str:
        """An expression for values of counters; variables of the body are replaced by what they are set to."""
        edits: list[tuple[SourceNode, str]] = []
        for node in inside(place.node):
            name = self._effects.text(node) if node.type == "identifier" else ""
            if not name or (name not in values and name not in self._set) or _is_called(node):
                continue
            own = written(place.source, node)
            if own is None:
                raise NotOfferedError("macro_in_it")
            edits.append((own, values[name] if name in values else self._made(name, values, depth + 1)))
        text = place.source.original[place.start : place.end]
        for own, replacement in sorted(edits, key=lambda e: -e[0].start):
            text = text[: own.start - place.start] + replacement.encode() + text[own.end - place.start :]
        return text.decode("utf-8", "replace")

    def names(self, place: SourceNode, depth: int = 0) -> set[str]:
        """The variables from outside the loop that an expression is made of."""
        found = set[str]()
        for name in self._effects.reads(place.node) - self._counters:
            inner = self._initial(name) if name in self._set and depth < MAX_INLINED else None
            found |= self.names(inner[1], depth + 1) if inner is not None else {name}
        return found

    def _made(self, name: str, values: Mapping[str, str], depth: int) -> str:
        found = self._initial(name) if depth <= MAX_INLINED else None
        if found is None:
            raise NotOfferedError("changes_in_loop", name)
        return f"({found[0]})({self.text(found[1], values, depth)})"

    def _initial(self, name: str) -> tuple[str, SourceNode] | None:
        """The type and value of a variable that the body declares once and never sets again."""
        own = self._declarations.get(name, [])
        if len(own) != 1 or name in self._effects.reassigned(self._body.node):
            return None
        type_, value = own[0]
        initial = written(self._body.source, value) if value is not None else None
        return (type_, initial) if initial is not None and self._effects.pure(initial.node) else None


def _declared(body: Node) -> Iterator[tuple[Node, Node, Node | None]]:
    """The type, name and first value of each variable that is declared in a node; of others than scalars none."""
    for node in inside(body):
        type_ = node.child_by_field_name("type")
        if node.type != "declaration" or type_ is None:
            continue
        for declarator in node.children_by_field_name("declarator"):
            inner: Node | None = declarator
            value: Node | None = None
            if declarator.type == "init_declarator":
                inner, value = declarator.child_by_field_name("declarator"), declarator.child_by_field_name("value")
            plain = inner is not None and inner.type == "identifier"
            while inner is not None and inner.type != "identifier":
                inner = inner.child_by_field_name("declarator")
            if inner is not None:
                yield type_, inner, value if plain else None


def _is_called(name: Node) -> bool:
    call = name.parent
    return call is not None and call.type == "call_expression" and call.child_by_field_name("function") == name
