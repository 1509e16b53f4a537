"""An expression of a loop's body as it is in a given iteration: variables of the body by what they are made of."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from burstline_model.facts import KernelFacts, Loop
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.expression_types import NUMBERS, canonical, type_of
from burstline_server.rewrites.legality.heads import Head, require_fixed, with_values
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.syntax import SourceNode, declared_types, plain_type, written

MOST_NESTED = 4
"""Most variables of a body that are made of one another."""


class Spelled:
    """Expressions of a loop's body, where its counter has another value.

    A variable that the body declares, and nothing changes, is written as its first value: ``const int at = r * w + i``.
    """

    def __init__(self, effects: Effects, facts: KernelFacts, head: Head, loop: Loop) -> None:
        self._effects, self._facts, self._head, self._loop = effects, facts, head, loop

    def at(self, place: SourceNode, value: str, depth: int = MOST_NESTED) -> str:
        """Its text for a value of the counter, before the loop; raises `NotOfferedError` where there is none."""
        made = {name: found for name, found in self._made_of(place) if depth}
        require_fixed(
            self._effects, self._facts, place, self._head.loop, self._loop, counter=self._head.name, given=made
        )
        values = {name: f"{cast}({self.at(first, value, depth - 1)})" for name, (cast, first) in made.items()}
        return with_values(place, {self._head.name: value, **values})

    def _made_of(self, place: SourceNode) -> Iterator[tuple[str, tuple[str, SourceNode]]]:
        """The variables of the body in an expression, with the first value of each and how it is converted."""
        body = self._head.loop.node.child_by_field_name("body")
        for name in sorted(self._effects.reads(place.node) - {self._head.name}):
            found = self._declared(body, name, place) if body is not None else None
            if found is not None:
                yield name, found

    def _declared(self, body: Node, name: str, place: SourceNode) -> tuple[str, SourceNode] | None:
        source, effects = self._head.loop.source, self._effects
        setting = [n for n in body.named_children if name in effects.sets(n)]
        if len(setting) != 1 or setting[0].type != "declaration":
            return None
        if name in effects.sets(*(n for n in self._head.loop.node.named_children if n.id != body.id)):
            return None
        own = [n for n in inside(setting[0]) if n.type == "init_declarator" and effects.sets(n) == {name}]
        type_ = plain_type(declared_types(source, place.node).get(name, ""))
        value = own[0].child_by_field_name("value") if len(own) == 1 else None
        first = written(source, value) if value is not None else None
        if first is None or own[0].end_byte > place.node.start_byte or canonical(type_) not in NUMBERS:
            raise NotOfferedError("changes_in_loop", name)
        same = type_of(first.node, source.text, declared_types(source, first.node)) == canonical(type_)
        return ("" if same else f"({type_})"), first
