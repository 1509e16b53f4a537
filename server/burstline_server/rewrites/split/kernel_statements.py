"""A kernel as the user wrote it, statement by statement: what each of them reads, sets, and runs under."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from burstline_model.facts import Access, KernelFacts
from burstline_server.analysis.nodes import holds
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.language.vocabulary import find
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.rewrite import NotOfferedError, TextEdit
from burstline_server.rewrites.syntax import begin_of, every, function_at

LOOPS = {"for_statement", "while_statement", "do_statement"}
JUMPS = {"break_statement", "continue_statement", "return_statement"}
PLAIN = {"declaration", "expression_statement"}
HEADS = {*LOOPS, "if_statement"}
_NOT_FOLLOWED = {"do_statement", "goto_statement", "labeled_statement", "switch_statement"}
_MADE = re.compile(r"(?:convert|as|native|half|vload|vstore)_?\w*")
"""Built-ins of a family that the tables do not list one by one."""


class CannotSplitError(NotOfferedError):
    """Why a kernel stays in one piece."""


class KernelText:
    """A kernel whose every byte the user wrote; offsets are those of the file. Raises `CannotSplitError`."""

    def __init__(self, assessment: Assessment, kernel: KernelAssessment) -> None:
        self.source, self.facts = assessment.source, kernel.facts
        self.text, self.effects = self.source.original, Effects(self.source)
        whole = function_at(self.source, self.facts.name_span)
        body = whole.child("body") if whole is not None else None
        if whole is None or body is None:
            raise CannotSplitError("macro_in_text")
        if any(node.type in _NOT_FOLLOWED for node in every(body.node)):
            raise CannotSplitError("has_jumps")
        if re.search(r"^[ \t]*#[ \t]*(?!pragma\b)[a-z]", body.text, re.MULTILINE):
            raise CannotSplitError("has_directives")
        if any(node.type == "pointer_declarator" for node in every(body.node)):
            raise CannotSplitError("declares_pointer")
        moved = self.effects.reassigned(body.node) & {a.name for a in self.facts.arguments if a.is_pointer}
        if moved:
            raise CannotSplitError("argument_assigned", min(moved))
        self._refuse_calls(body.node)
        self.start = self.source.origin(begin_of(self.source, whole.node), whole.node.end_byte).start
        self.end, self.body, self.shift = whole.end, body, whole.shift

    def _refuse_calls(self, body: Node) -> None:
        """A call may set variables whose address it is given; nothing else."""
        for _, name in self.effects.calls(body):
            if (
                name not in self.effects.defined
                and find(name, "function", "type") is None
                and not _MADE.fullmatch(name)
            ):
                raise CannotSplitError("unknown_function", name or "a call")
            if name == "printf":
                raise CannotSplitError("has_printf")
            if any(one == "printf" for one in self.effects.reached(name)):
                raise CannotSplitError("calls_printf", name)
        handed = [a for a in self.facts.accesses if a.call_chain and a.op != "load" and a.space == "local"]
        if handed:
            raise CannotSplitError("helper_stores", handed[0].pointer)

    def located(self, node: Node) -> str:
        """The text of a node."""
        return self.text[node.start_byte + self.shift : node.end_byte + self.shift].decode("utf-8", "replace")

    def edited(self, start: int, end: int, edits: Iterable[TextEdit]) -> str:
        """The text between two offsets with the edits that lie there made."""
        text = self.text[start:end]
        for edit in sorted(edits, key=lambda e: (e.start, e.end), reverse=True):
            if start <= edit.start and edit.end <= end:
                text = text[: edit.start - start] + edit.text.encode() + text[edit.end - start :]
        return text.decode("utf-8", "replace")

    def plain(self, node: Node) -> Node:
        """The declaration or expression statement that a node is part of; the outermost node without one."""
        while node.parent is not None and node.type not in PLAIN:
            node = node.parent
        return node

    def needed_by(self, roots: Iterable[Node], replaced: Iterable[Node]) -> set[int]:
        """The statements (by first byte) that these need: their loops and conditions, and what sets their variables.

        A root that is no statement counts for the names in it and for what it is in. The names in `replaced` do
        not count, as a channel takes their place.
        """
        gone = [(r.start_byte, r.end_byte) for r in replaced]
        statements = list(self._statements(self.body.node))
        kept: dict[int, Node] = {}
        needed: set[str] = set()
        waiting = [*roots, *(s for s in statements if s.type in JUMPS)]
        while waiting:
            while waiting:
                node = waiting.pop()
                if node.id in kept:
                    continue
                kept[node.id] = node
                needed |= set(self.names(node, gone))
                waiting += [around for around in self._around(node) if around.id not in kept]
            waiting += [s for s in statements if s.id not in kept and self.sets(*self._own(s)) & needed]
        return {node.start_byte for node in kept.values() if node.type in PLAIN | JUMPS | HEADS}

    def _around(self, node: Node) -> Iterator[Node]:
        """The loops and conditions that a node runs under; not the condition or head that it is a part of."""
        at, parent = node, node.parent
        while parent is not None and parent.id != self.body.node.id:
            head = parent.child_by_field_name("condition") == at or parent.child_by_field_name("initializer") == at
            if parent.type in HEADS and not head:
                yield parent
            at, parent = parent, parent.parent

    @staticmethod
    def _own(statement: Node) -> list[Node]:
        """A plain statement; the parts of the head of a loop or a condition."""
        if statement.type not in HEADS:
            return [statement]
        parts = (statement.child_by_field_name(n) for n in ("initializer", "condition", "update"))
        return [part for part in parts if part is not None]

    def _statements(self, node: Node) -> Iterator[Node]:
        for child in node.named_children:
            if child.type in PLAIN | JUMPS | HEADS:
                yield child
            if child.type in {"compound_statement", "if_statement", "else_clause", *LOOPS}:
                yield from self._statements(child)

    def names(self, node: Node, gone: Iterable[tuple[int, int]] = ()) -> Iterator[str]:
        """The identifiers a statement reads: a whole plain one, the head of a loop, the condition of an if."""
        waiting = self._own(node)
        while waiting:
            one = waiting.pop()
            if any(start <= one.start_byte and one.end_byte <= end for start, end in gone):
                continue
            if one.type == "identifier":
                yield self.located(one)
            waiting.extend(one.named_children)

    def sets(self, *statements: Node) -> set[str]:
        """The private variables that statements, with all inside them, declare or may change."""
        return self.effects.sets(*statements) - {a.name for a in self.facts.arguments if a.is_pointer}

    def only_stores(self, statement: Node) -> bool:
        """Whether a statement does nothing but store to global memory."""
        start, end = statement.start_byte + self.shift, statement.end_byte + self.shift

        def inside(a: Access) -> bool:
            return a.op == "store" and a.space == "global" and a.span.file is None and start <= a.span.start < end

        return any(inside(a) for a in self.facts.accesses) and not self.sets(statement)


def moved_loads(facts: KernelFacts) -> list[Access]:
    """The loads from global memory, but for those of helper functions that store: they stay where these store."""
    reached = [a for a in facts.accesses if a.space == "global"]
    storing = {a.call_chain[:1] for a in reached if a.op != "load" and a.call_chain}
    return [a for a in reached if a.op == "load" and a.call_chain[:1] not in storing]


def contains(outer: Node, inner: Node) -> bool:
    """Whether a node is a proper part of another one."""
    return holds(outer, inner) and not holds(inner, outer)
