"""When a load in a loop is certainly made, so that it may be made before the loop as well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nan

from tree_sitter import Node

from burstline_model.facts import Access, KernelFacts, Loop
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.heads import head_of, require_fixed
from burstline_server.rewrites.legality.one_place import root_of
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.syntax import SourceNode, alone, kernel_body, loop_at, node_at, written
from burstline_server.source.source import Source

_LOOPS = {"for_statement", "while_statement", "do_statement"}
_JUMPS = {"break_statement", "continue_statement", "return_statement", "goto_statement"}
_CHOOSES = {"conditional_expression", "switch_statement", "case_statement", "sizeof_expression"}


class CertainReads:
    """Whether, and under which condition, a loop loads a place for sure once it is reached.

    `head` is the loop's statement.
    """

    def __init__(self, effects: Effects, facts: KernelFacts, head: SourceNode, loop: Loop) -> None:
        self._effects, self._facts, self._head, self._loop = effects, facts, head, loop

    def made_before(self, place: SourceNode, alike: Sequence[Access]) -> bool:
        """Whether the same place is certainly loaded, or stored to, right before the loop is reached."""
        around = list(_up(self._head.node))
        for access in alike:
            node = node_at(place.source, access.span) if not access.call_chain else None
            if node is None or node.end > self._head.start:
                continue
            said = node if self._alike(node, place) else node.child("argument")
            if said is not None and self._alike(said, place) and self._comes_first(place, node.node, around):
                return True
        return False

    def _alike(self, one: SourceNode, other: SourceNode) -> bool:
        return self._effects.alike(one.node, other.node)

    def conditions(self, place: SourceNode) -> tuple[list[str], bool]:
        """What holds before the loop wherever it loads a place, and whether its first iteration then does for sure."""
        jumps = (n for n in inside(self._head.node) if n.type in _JUMPS)
        certain = not any(n.start_byte < place.node.end_byte for n in jumps)
        found: list[str] = []
        at = place.node
        while at.id != self._head.node.id and at.parent is not None:
            parent = at.parent
            try:
                found[:0] = self._step(at, parent)
            except NotOfferedError:
                certain = False
            at = parent
        return found, certain

    def _step(self, at: Node, parent: Node) -> list[str]:
        """The conditions of one node around a place; raises `NotOfferedError` where there is no saying."""
        if parent.type in _LOOPS:
            return self._runs(at, parent)
        if parent.type in _CHOOSES:
            raise NotOfferedError("conditional_load")
        operator = parent.child_by_field_name("operator")
        chooses = parent.type == "binary_expression" and operator is not None and operator.type in {"&&", "||"}
        if chooses and parent.child_by_field_name("left") != at:
            raise NotOfferedError("conditional_load")
        if parent.type == "if_statement" and parent.child_by_field_name("condition") != at:
            condition = parent.child_by_field_name("condition")
            said = written(self._head.source, condition) if condition is not None else None
            if said is None:
                raise NotOfferedError("macro_in_it")
            self._require_fixed(said)
            return [said.text if parent.child_by_field_name("consequence") == at else f"!{said.text}"]
        return []

    def _require_fixed(self, place: SourceNode, counter: str = "") -> None:
        """Refuses what may have another value before the loop."""
        require_fixed(self._effects, self._facts, place, self._head, self._loop, counter=counter)
        require_plain_values(self._effects, self._facts, place.source, place, place.node)

    def _runs(self, at: Node, parent: Node) -> list[str]:
        """When a loop around a place reaches it in its first iteration."""
        asked = parent.child_by_field_name("condition")
        if at == asked or parent.type == "do_statement":
            return []
        if at == parent.child_by_field_name("initializer"):
            return []
        if at != parent.child_by_field_name("body"):
            raise NotOfferedError("conditional_load")
        own = parent.id == self._head.node.id
        start = self._head.source.origin(parent.start_byte, parent.end_byte).start
        loop = next((one for one in self._facts.loops if one.span.file is None and one.span.start == start), None)
        if loop is None:
            raise NotOfferedError("conditional_load")
        if parent.type == "while_statement":
            said = written(self._head.source, asked) if asked is not None else None
            if said is None or not self._effects.pure(said.node):
                raise NotOfferedError("conditional_load")
            if not own:
                self._require_fixed(said)
            return [said.text]
        head = head_of(self._effects, loop_at(self._head.source, loop.span))
        if not own:
            self._require_fixed(head.first)
            self._require_fixed(head.condition, head.name)
        bound = head.bound
        if bound is not None and _number(head.first) < _number(bound):
            return []
        return [head.runs(head.value)]

    def _comes_first(self, place: SourceNode, node: Node, around: Sequence[Node]) -> bool:
        """Whether a node is certainly evaluated before the loop, with the same place in between."""
        ids = {one.id for one in around}
        at, joined_by_and = node, False
        while at.parent is not None and at.parent.id not in ids:
            if _decides(at, at.parent):
                if not _is_and(at.parent):
                    return False
                joined_by_and = True
            elif joined_by_and and not (_is_and(at.parent) or at.parent.type == "parenthesized_expression"):
                return False
            at = at.parent
        block = at.parent
        if block is None or (block.type != "compound_statement" and not _is_asked(at, block)):
            return False
        inner = next(one for one in (self._head.node, *around) if one.parent is not None and one.parent.id == block.id)
        if joined_by_and and not (_is_asked(at, block) and block.child_by_field_name("consequence") == inner):
            return False  # both sides hold in that arm alone
        levels = [one for one in around if block.start_byte < one.start_byte and block.id != one.id]
        if any(one.type in {*_LOOPS, "switch_statement", "case_statement"} for one in levels):
            return False
        between = [s for s in block.named_children if at.start_byte <= s.start_byte < inner.start_byte]
        for one in levels:
            between += [s for s in one.named_children if s.end_byte <= self._head.node.start_byte]
        return self._same(place, between)

    def _same(self, place: SourceNode, between: Sequence[Node]) -> bool:
        """Whether nodes leave a place where it is."""
        root = root_of(place)
        pointer = {root.text} if root is not None else set[str]()
        declared = {n for one in between for d in inside(one) if d.type == "declaration" for n in self._effects.sets(d)}
        index = self._effects.reads(place.node) - pointer
        return not (index & self._effects.sets(*between) or pointer & (self._effects.reassigned(*between) | declared))


def require_plain_values(
    effects: Effects, facts: KernelFacts, source: Source, place: SourceNode, *parts: Node
) -> None:  # fmt: skip
    """Refuses a place, or `parts` of it, made of more than variables of the kernel's own and elements of buffers.

    A variable whose address is given, and an array of the kernel's own, may change by another name.
    """
    whole, names = kernel_body(source, facts.name_span), effects.reads(place.node)
    pointers = {a.name for a in facts.arguments if a.is_pointer}
    for node in inside(whole) if whole is not None else ():
        taken = node.child_by_field_name("argument")
        operator = node.child_by_field_name("operator")
        if node.type == "pointer_expression" and operator is not None and operator.type == "&" and taken is not None:
            while taken is not None and taken.type in {"parenthesized_expression", "field_expression"}:
                taken = taken.child_by_field_name("argument") or next(iter(taken.named_children), None)
            if taken is not None and taken.type == "identifier" and effects.text(taken) in names:
                raise NotOfferedError("address_given", effects.text(taken))
    for node in (one for part in parts for one in inside(part)):
        operator = node.child_by_field_name("operator")
        follows = operator is not None and operator.type == "->"
        if node.type == "pointer_expression" or (node.type == "field_expression" and follows):
            raise NotOfferedError("reads_unknown", place.text)
        if node.type == "call_expression" and effects.called(node) in effects.defined:
            raise NotOfferedError("reads_unknown", place.text)
        if node.type == "subscript_expression":
            array = node.child_by_field_name("argument")
            if array is None or effects.text(array) not in pointers:
                raise NotOfferedError("reads_unknown", place.text)


def joined(conditions: Sequence[str]) -> str:
    """Conditions as one that holds where all of them do."""
    return conditions[0] if len(conditions) == 1 else " && ".join(_operand(one) for one in conditions)


def _operand(text: str) -> str:
    return text if text.startswith("(") and _closes_last(text) else alone(text)


def _closes_last(text: str) -> bool:
    """Whether the bracket that a text begins with is the one that it ends with."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return at == len(text) - 1
    return False


def _number(place: SourceNode) -> float:
    """A plain number in decimal digits; not a number where it is anything else."""
    said = place.expanded.strip()
    return int(said) if said.isdecimal() and (said == "0" or said[0] != "0") and len(said) < MOST_DIGITS else nan


MOST_DIGITS = 10


def _up(node: Node) -> Iterator[Node]:
    at = node.parent
    while at is not None:
        yield at
        at = at.parent


def _decides(at: Node, parent: Node) -> bool:
    """Whether a node may be left out where the one around it is evaluated."""
    if parent.type in _LOOPS or parent.type in _CHOOSES or parent.type == "else_clause":
        return True
    if parent.type == "if_statement":
        return parent.child_by_field_name("condition") != at
    operator = parent.child_by_field_name("operator")
    chooses = parent.type == "binary_expression" and operator is not None and operator.type in {"&&", "||"}
    return chooses and parent.child_by_field_name("left") != at


def _is_and(node: Node) -> bool:
    operator = node.child_by_field_name("operator")
    return node.type == "binary_expression" and operator is not None and operator.type == "&&"


def _is_asked(at: Node, block: Node) -> bool:
    return block.type == "if_statement" and block.child_by_field_name("condition") == at
