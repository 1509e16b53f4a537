"""Pointers that lead to elements of arguments, written as those: ``p[offset + i]`` for ``p += offset; p[i]``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tree_sitter import Node

from burstline_model.record import fixed
from burstline_server.analysis.nodes import holds
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.expression_types import SMALL, canonical, type_of
from burstline_server.rewrites.legality.heads import reads_memory
from burstline_server.rewrites.rewrite import TextEdit, edited, in_front_of
from burstline_server.rewrites.spelled_out import again
from burstline_server.rewrites.syntax import (
    SourceNode,
    alone,
    begin_of,
    declared_types,
    kernel_body,
    plain_type,
    written,
)
from burstline_server.source.source import Source

_SIGNED = {*SMALL, "int", "long"}
_OPERANDS = {"identifier", "number_literal", "call_expression", "subscript_expression", "parenthesized_expression"}
MAX_POINTERS = 16
"""Most pointers of one kernel, one made of the other, that are followed."""


@fixed
class _Moved:
    """A pointer that is some elements further on than another one: the statement that makes it so, and by what."""

    name: str
    root: str
    offsets: tuple[SourceNode, ...]
    statement: SourceNode
    block: Node


def with_subscripts(
    assessment: Assessment, kernel: KernelAssessment, names: Collection[str]
) -> tuple[Assessment, KernelAssessment] | None:
    """The file and the kernel with plain subscripts of the arguments `names`; None where nothing is written anew.

    Written anew are pointers that are moved once before they are used (``p += offset;``), that are declared as a place
    in an argument and keep it (``const float *row = p + y * w;``), and elements written as ``*(p + i)``. What an offset
    is made of keeps its value in the block of the pointer, and no sum of it and an index changes sign by its type.
    Loops and accesses keep their numbers.
    """
    now, one = assessment, kernel
    for _ in range(MAX_POINTERS):
        edits = _Kernel(now.source, one, names).edits()
        found = again(now, one, edited(now.source.original, edits)) if edits else None
        if found is None or (len(found[1].facts.accesses), len(found[1].facts.loops)) != (
            len(kernel.facts.accesses),
            len(kernel.facts.loops),
        ):
            break
        now, one = found
    return (now, one) if now is not assessment else None


def leads_on(assessment: Assessment, kernel: KernelAssessment) -> bool:
    """Whether a kernel reaches an argument's elements in another way than by its name and an index."""
    names = {a.name for a in kernel.facts.arguments if a.is_pointer}
    return bool(_Kernel(assessment.source, kernel, names).edits())


class _Kernel:
    """The pointers of one kernel; edits are those for the first that can be written anew."""

    def __init__(self, source: Source, kernel: KernelAssessment, names: Collection[str]) -> None:
        self._source, self._effects, self._text = source, Effects(source), source.original
        self._whole = kernel_body(source, kernel.facts.name_span)
        pointers = [a for a in kernel.facts.arguments if a.is_pointer and a.space == "global" and a.name in names]
        self._types = {a.name: plain_type(a.type.removesuffix("*").strip()) for a in pointers}
        self._uses: dict[str, list[Node]] = {}
        for node in inside(self._whole) if self._whole is not None else ():
            if node.type == "identifier":
                self._uses.setdefault(self._effects.text(node), []).append(node)

    def edits(self) -> list[TextEdit]:
        """The edits for one pointer; none where all uses are subscripts, or nothing can be written anew."""
        if self._whole is None:
            return []
        for moved in (*self._declared(), *self._stepped()):
            found = self._replaced(moved)
            if found:
                return found
        for name in self._types:
            elements = [self._element(node) for node in self._uses.get(name, [])]
            found = [
                TextEdit(one[0].start, one[0].end, f"{name}[{self._joined(one[1])}]")
                for one in elements
                if one is not None and one[0].node.type == "pointer_expression" and self._adds(*one[1])
            ]
            if found:
                return found
        return []

    def _declared(self) -> Iterator[_Moved]:
        """The pointers that are declared as a place in an argument."""
        for node in inside(self._whole) if self._whole is not None else ():
            declarators = node.children_by_field_name("declarator") if node.type == "declaration" else []
            if len(declarators) != 1 or declarators[0].type != "init_declarator" or node.parent is None:
                continue
            inner = declarators[0].child_by_field_name("declarator")
            name = inner.child_by_field_name("declarator") if inner is not None else None
            named, value = node.child_by_field_name("type"), declarators[0].child_by_field_name("value")
            plain = inner is not None and inner.type == "pointer_declarator" and name is not None
            if not plain or name is None or name.type != "identifier" or value is None or named is None:
                continue
            found = self._sum(value)
            statement = written(self._source, node)
            qualified = self._effects.qualifiers(node) & {"volatile", "static", "local", "constant", "private"}
            same = (
                found is not None and not qualified and self._types[found[0]] == plain_type(self._effects.text(named))
            )
            if found is not None and same and statement is not None and node.parent.type == "compound_statement":
                yield _Moved(self._effects.text(name), found[0], found[1], statement, node.parent)

    def _stepped(self) -> Iterator[_Moved]:
        """The arguments that are moved on once, before anything else in the kernel uses them."""
        for node in self._whole.named_children if self._whole is not None else ():
            step = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
            if step is None or step.type != "assignment_expression" or self._whole is None:
                continue
            left, right, operator = (step.child_by_field_name(n) for n in ("left", "right", "operator"))
            name = self._effects.text(left) if left is not None else ""
            if name not in self._types or right is None or operator is None:
                continue
            offset, statement = written(self._source, right), written(self._source, node)
            if operator.type == "+=" and offset is not None and statement is not None:
                yield _Moved(name, name, (offset,), statement, self._whole)
            found = self._sum(right) if operator.type == "=" else None
            if found is not None and found[0] == name and statement is not None:
                yield _Moved(name, name, found[1], statement, self._whole)

    def _sum(self, node: Node) -> tuple[str, tuple[SourceNode, ...]] | None:
        """The argument and the offsets of ``p``, ``p + offset`` or ``&p[offset]``; None for anything else."""
        while node.type == "parenthesized_expression" and len(node.named_children) == 1:
            node = node.named_children[0]
        operator = node.child_by_field_name("operator")
        if node.type == "identifier":
            name = self._effects.text(node)
            return (name, ()) if name in self._types else None
        inner: Node | None = None
        offset: Node | None = None
        if node.type == "binary_expression" and operator is not None and operator.type == "+":
            inner, offset = node.child_by_field_name("left"), node.child_by_field_name("right")
        argument = node.child_by_field_name("argument")
        element = argument is not None and argument.type == "subscript_expression"
        if node.type == "pointer_expression" and operator is not None and operator.type == "&" and element:
            inner, offset = (
                (argument.child_by_field_name(n) for n in ("argument", "index")) if argument else (None, None)
            )
        place = written(self._source, offset) if offset is not None else None
        found = self._sum(inner) if inner is not None else None
        return (found[0], (*found[1], place)) if found is not None and place is not None else None

    def _replaced(self, moved: _Moved) -> list[TextEdit]:
        """The edits for one pointer; none where another use of it is in the way."""
        uses = [one for one in self._uses[moved.name] if not holds(moved.statement.node, one)]
        later = all(holds(moved.block, one) and one.start_byte >= moved.statement.node.end_byte for one in uses)
        if not uses or not later or moved.name in self._effects.reassigned(*self._others(moved)):
            return []
        if not all(self._keeps(one, moved) for one in moved.offsets):
            return []
        edits = []
        for node in uses:
            found = self._element(node)
            if found is None or not self._adds(*moved.offsets, *found[1]):
                return []
            index = self._joined((*moved.offsets, *found[1]))
            edits.append(TextEdit(found[0].start, found[0].end, f"{moved.root}[{index}]"))
        # An element in the index of another one is written anew in the next round.
        inner = {(a.start, a.end) for a in edits for b in edits if a is not b and b.start <= a.start and a.end <= b.end}
        return [] if inner else [*edits, self._without(moved.statement)]

    def _others(self, moved: _Moved) -> Iterator[Node]:
        """The kernel's statements but for the one that moves a pointer."""
        waiting = [self._whole] if self._whole is not None else []
        while waiting:
            one = waiting.pop()
            if not holds(one, moved.statement.node):
                yield one
            elif one.id != moved.statement.node.id:
                waiting.extend(one.named_children)

    def _keeps(self, offset: SourceNode, moved: _Moved) -> bool:
        """Whether an offset has one value in the block of its pointer, and reads nothing but variables."""
        names = self._effects.reads(offset.node)
        declared = self._effects.sets(*(d for d in inside(moved.block) if d.type == "declaration"))
        before = {
            n for d in moved.block.named_children
            if d.type == "declaration" and d.end_byte <= offset.node.start_byte for n in self._effects.sets(d)
        }  # fmt: skip
        hidden = any(self._declarations(name) > 1 for name in names)
        changed = self._effects.reassigned(moved.block) | (declared - before)
        plain = self._effects.pure(offset.node) and not _loads(offset.node, self._effects)
        return plain and not hidden and not names & changed

    def _declarations(self, name: str) -> int:
        """How often a kernel declares a name."""
        found = 0
        for one in self._uses.get(name, []):
            at: Node | None = one
            while at is not None and at.parent is not None and at.parent.child_by_field_name("declarator") == at:
                at = at.parent
            found += at is not None and at.id != one.id and at.type in {"declaration", "init_declarator"}
        return found

    def _element(self, name: Node) -> tuple[SourceNode, tuple[SourceNode, ...]] | None:
        """The element that a use of a pointer is, and what it is further on; nothing for ``*p``. None: another use."""
        at, indexes = _outside(name), list[Node]()
        while (around := at.parent) is not None and around.type == "binary_expression":
            left, right, sign = (around.child_by_field_name(n) for n in ("left", "right", "operator"))
            if left is None or right is None or sign is None or sign.type != "+":
                return None
            indexes.append(right if left.id == at.id else left)
            at = _outside(around)
        operator = around.child_by_field_name("operator") if around is not None else None
        if around is None or around.child_by_field_name("argument") != at:
            return None
        if around.type == "subscript_expression":
            index = around.child_by_field_name("index")
            indexes += [index] if index is not None else []
        elif around.type != "pointer_expression" or operator is None or operator.type != "*":
            return None
        outer = _outside(around).parent
        taken = outer.child_by_field_name("operator") if outer is not None else None
        if outer is not None and outer.type == "pointer_expression" and taken is not None and taken.type == "&":
            return None
        place, own = written(self._source, around), [written(self._source, one) for one in indexes]
        found = tuple(one for one in own if one is not None)
        return (place, found) if place is not None and len(found) == len(own) else None

    def _adds(self, *parts: SourceNode) -> bool:
        """Whether whole numbers add up to what a pointer is moved by in turn, by their types."""
        found = [type_of(one.node, self._source.text, declared_types(self._source, one.node)) for one in parts]
        types = {canonical(type_) if type_ is not None else None for type_ in found}
        return types <= _SIGNED or types <= {"uint"} or types <= {*_SIGNED, "ulong"}

    def _joined(self, parts: Sequence[SourceNode]) -> str:
        """An index of several summands."""
        return parts[0].text if len(parts) == 1 else " + ".join(self._operand(one) for one in parts) or "0"

    @staticmethod
    def _operand(place: SourceNode) -> str:
        operator = place.node.child_by_field_name("operator")
        product = place.node.type == "binary_expression" and operator is not None and operator.type == "*"
        return place.text if product or place.node.type in _OPERANDS else alone(place.text)

    def _without(self, statement: SourceNode) -> TextEdit:
        """An edit that leaves a statement and its qualifiers out, with its line where it is alone there."""
        start = self._source.origin(begin_of(self._source, statement.node), statement.node.end_byte).start
        line, stop = in_front_of(self._text, start), self._text.find(b"\n", statement.end)
        alone_there = line is not None and stop >= 0 and not self._text[statement.end : stop].strip()
        return TextEdit(line[0] if line is not None and alone_there else start,
                        stop + 1 if alone_there else statement.end, "")  # fmt: skip


def _outside(node: Node) -> Node:
    """The parentheses around a node, or the node."""
    while node.parent is not None and node.parent.type == "parenthesized_expression":
        node = node.parent
    return node


def _loads(node: Node, effects: Effects) -> bool:
    """Whether an expression may read memory: calls that only compute do not."""
    calls: Sequence[Node] = [one for one in inside(node) if one.type == "call_expression"]
    rest = (one for one in inside(node) if one.type != "call_expression" and not any(holds(c, one) for c in calls))
    known = all(effects.called(one).startswith("get_") or effects.called(one) in {"mul24", "mad24"} for one in calls)
    return not known or any(reads_memory(one) for one in rest if one.named_child_count)
