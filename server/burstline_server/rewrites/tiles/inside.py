"""A kernel whose condition on ids becomes a variable, so that all work-items of a group reach a barrier."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from burstline_model.facts import Guard
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.expression_types import NUMBERS, canonical, type_of
from burstline_server.rewrites.rewrite import NotOfferedError, in_front_of, indent_at, step_in
from burstline_server.rewrites.syntax import SourceNode, above_pragmas, declared_types, written
from burstline_server.rewrites.tiles.inserted import Inserted

_LEAVING = {"return_statement", "break_statement", "continue_statement", "goto_statement"}
_MEMORY = {"subscript_expression", "pointer_expression"}
_UNSIGNED = {"uint", "ulong", "size_t"}
_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}


class Inside:
    """The edits by which one condition around a loop, or the early return before it, becomes a variable.

    What only those inside may do stays under the condition; what all may do is done by all. `guarded` are the variables
    that those outside have no values for.
    """

    def __init__(self, effects: Effects, body: Node, loop: SourceNode, guard: Guard, name: str) -> None:
        self._effects, self._loop, self._name = effects, loop, name
        self.guarded = set[str]()
        self.heads: list[Node] = []
        found = next((n for n in _around(loop.node, body, early=guard.early_return) if self._is_of(n, guard)), None)
        self._statement = written(effects.source, found) if found is not None else None
        condition = self._statement.child("condition") if self._statement is not None else None
        plain = found is not None and found.child_by_field_name("alternative") is None
        if self._statement is None or condition is None or not plain or not self._statement.in_block:
            raise NotOfferedError("condition_differs")
        self._condition, self._early = condition, guard.early_return

    @property
    def ids(self) -> dict[int, str]:
        """Global ids in C, as the condition compares them: with a sign, or as they are."""
        signed = set[bool]()
        types = declared_types(self._effects.source, self._condition.node)
        for node in inside(self._condition.node):
            operator = node.child_by_field_name("operator")
            if node.type != "binary_expression" or operator is None or operator.type not in _COMPARISONS:
                continue
            own = {self._type(n, types) for f in ("left", "right") if (n := node.child_by_field_name(f)) is not None}
            signed.add(own.isdisjoint(_UNSIGNED))
        if len(signed) != 1:
            raise NotOfferedError("condition_differs")
        cast = "(long)" if signed.pop() else ""
        return {d: f"{cast}get_global_id({d})" for d in range(3)}

    @property
    def indent(self) -> str:
        """What the line of the condition is indented by."""
        return indent_at(self._effects.source.original, self._statement.start) if self._statement is not None else ""

    def is_around(self, statement: SourceNode) -> bool:
        """Whether a statement is all that the condition is for."""
        outer = statement.node.parent
        return outer is not None and self._statement is not None and outer.id == self._statement.node.id

    def make(self, edits: Inserted) -> None:
        """Add the edits, but for those of the loop itself."""
        statement, condition, text = self._statement, self._condition, self._effects.source.original
        if statement is None:
            raise NotOfferedError("condition_differs")
        if self._early:
            edits.put(statement.start, statement.end, f"const int {self._name} = !{condition.text};")
        else:
            consequence = statement.child("consequence")
            if consequence is None or in_front_of(text, statement.start) is None:
                raise NotOfferedError("condition_differs")
            opening = edits.end + indent_at(text, statement.start)
            edits.put(statement.start, consequence.start, f"const int {self._name} = {condition.text};{opening}")
        node: Node = self._loop.node
        while (block := node.parent) is not None and node.id != statement.node.id:
            if block.type == "compound_statement":
                others = [c for c in block.named_children if c.type != "comment"]
                at = next(i for i, c in enumerate(others) if c.id == node.id)
                since = next((i + 1 for i, c in enumerate(others) if c.id == statement.node.id), 0)
                for before in others[since:at]:
                    self._before(before, edits)
                self._after(others[at + 1 :], edits)
                if since:
                    break
            elif block.type == "for_statement":
                self.heads += [n for f in ("initializer", "condition", "update") if (n := block.child_by_field_name(f))]
            elif block.id != statement.node.id and block.type not in {"else_clause", "if_statement"}:
                raise NotOfferedError("condition_differs")
            node = block

    def _is_of(self, node: Node, guard: Guard) -> bool:
        condition = node.child_by_field_name("condition")
        own = written(self._effects.source, condition) if condition is not None else None
        return own is not None and guard.span.file is None and own.start <= guard.span.start < own.end

    def _type(self, node: Node, types: dict[str, str]) -> str:
        if any(name.startswith("get_") for _, name in self._effects.calls(node)):
            return "ulong" if node.type == "call_expression" else "int" if node.type == "cast_expression" else "ulong"
        found = type_of(node, self._effects.source.text, types)
        if found is None:
            raise NotOfferedError("condition_differs")
        return canonical(found)

    def _before(self, node: Node, edits: Inserted) -> None:
        """A statement in front of the loop: as it is where all may execute it, else under the condition."""
        place = written(self._effects.source, node)
        if place is None or any(n.type in _LEAVING for n in inside(node)):
            raise NotOfferedError("condition_differs")
        if node.type == "declaration":
            if all(self._is_plain(v) for v in _values(node)):
                return
            named, declarator = place.child("type"), place.child("declarator")
            name = declarator.child("declarator") if declarator is not None else None
            value = declarator.child("value") if declarator is not None else None
            several = len(node.children_by_field_name("declarator")) > 1
            if named is None or name is None or value is None or name.node.type != "identifier" or several:
                raise NotOfferedError("condition_differs")
            head = self._effects.source.original[place.start : name.start].decode("utf-8", "replace")
            qualifiers = self._effects.qualifiers(node)
            if qualifiers == {"const"} and canonical(named.text) in NUMBERS:
                head = f"{named.text} "
            elif qualifiers or value.node.type == "initializer_list":
                raise NotOfferedError("condition_differs")
            edits.put(place.start, place.end, f"{head}{name.text}; if ({self._name}) {name.text} = {value.text};")
            self.guarded.add(name.text)
        elif not self._sets_plainly(node):
            self._within(place, place, edits)
            self.guarded |= self._effects.sets(node)

    def _after(self, nodes: list[Node], edits: Inserted) -> None:
        """The statements behind the loop, all of them under the condition."""
        places = [written(self._effects.source, n) for n in nodes]
        if not places:
            return
        first, last = places[0], places[-1]
        if first is None or last is None or None in places or any(_leaves_loop(n) for n in nodes):
            raise NotOfferedError("condition_differs")
        self._within(first, last, edits)

    def _within(self, first: SourceNode, last: SourceNode, edits: Inserted) -> None:
        """Put statements, with the pragmas above them, under the condition."""
        text = self._effects.source.original
        front = in_front_of(text, first.start)
        if front is None:
            raise NotOfferedError("condition_differs")
        line = above_pragmas(self._effects.source, front[0])
        if first is last and line == front[0] and b"\n" not in text[first.start : first.end]:
            edits.add(first.start, f"if ({self._name}) ")
            return
        edits.add(line, f"{front[1]}if ({self._name}) {{{edits.end}")
        edits.indent(line, last.end, step_in(text, front[1]))
        edits.add(last.end, f"{edits.end}{front[1]}}}")

    def _is_plain(self, value: Node) -> bool:
        """Whether anybody may compute a value: it reads no memory, and divides by numbers alone."""
        for node in inside(value):
            operator, right = node.child_by_field_name("operator"), node.child_by_field_name("right")
            if node.type in _MEMORY or (
                node.type == "field_expression" and operator is not None and operator.type == "->"
            ):
                return False
            if operator is not None and operator.type in {"/", "%", "/=", "%="}:
                number = self._effects.text(right) if right is not None else ""
                if not number.isdecimal() or int(number) == 0:
                    return False
        calls = (name for _, name in self._effects.calls(value))
        return all(name.startswith("get_") and name not in self._effects.defined for name in calls)

    def _sets_plainly(self, node: Node) -> bool:
        """Whether a statement gives variables values that anybody may compute."""
        own = next(iter(node.named_children), None) if node.type == "expression_statement" else None
        if own is None or own.type not in {"assignment_expression", "update_expression"}:
            return False
        target = own.child_by_field_name("left") or own.child_by_field_name("argument")
        return target is not None and target.type == "identifier" and self._is_plain(own)


def _around(loop: Node, body: Node, *, early: bool) -> Iterator[Node]:
    """The conditions around a loop; `early`: those before it on its way that only return."""
    node: Node | None = loop
    while node is not None and node.id != body.id:
        if not early and node.type == "if_statement":
            yield node
        if early and node.parent is not None and node.parent.id == body.id:
            yield from (n for n in body.named_children if n.type == "if_statement" and n.end_byte <= node.start_byte)
        node = node.parent


def _values(declaration: Node) -> Iterator[Node]:
    for declarator in declaration.children_by_field_name("declarator"):
        value = declarator.child_by_field_name("value")
        if value is not None:
            yield value


def _leaves_loop(node: Node) -> bool:
    """Whether a statement may leave a loop around it, or jump."""
    return any(n.type in _LEAVING - {"return_statement"} for n in inside(node))
