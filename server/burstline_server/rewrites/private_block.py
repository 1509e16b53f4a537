"""Copy a block of a buffer to a private array, in wide requests, and use it from there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from math import prod

from tree_sitter import Node

from burstline_model.facts import Access, Argument, KernelFacts
from burstline_model.parallelism.alias import may_alias
from burstline_model.parallelism.loop_copies import constant_trips
from burstline_model.record import fixed
from burstline_server.analysis.assignments import LOOPS
from burstline_server.analysis.nodes import holds
from burstline_server.analysis.types import named
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide
from burstline_server.rewrites.legality.block_places import Place, Places, Spread
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.exact_places import require_exact
from burstline_server.rewrites.reasons import Assertion, Obstacle, Title, TitleKind
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    in_front_of,
    line_end,
    step_in,
)
from burstline_server.rewrites.syntax import (
    SourceNode,
    above_pragmas,
    braced,
    free_name,
    kernel_body,
    node_at,
    plain_type,
    written,
)

MOST_BYTES = {"ndrange": 1024, "single_work_item": 16384}
"""Largest array: each work-item in flight has its own."""
_JUMPS = {"goto_statement", "labeled_statement"}
_BODIES = ("body", "consequence", "alternative")


class PrivateBlock(Rewrite):
    """A private array for the few elements of a buffer that a work-item, or an iteration, uses again and again.

    ``t[i * 16 + j]`` with ``j`` from 0 to 15 lies in one block, which begins at ``i * 16``. An unrolled loop loads the
    block before its first use: whole words, side by side, in place of an element at a time. All loads then read the
    array, and what is stored goes to both the array and the buffer, so that the buffer is left as before. Where the
    kernel itself stores the whole block first, nothing is loaded.

    Before:

        for (int r = 0; r < 8; r++)
            for (int j = 0; j < 16; j++)
                s += x[i * 16 + j] * w[r * 16 + j];

    After:

        float x_block[16];
        #pragma unroll
        for (int k = 0; k < 16; k++)
            x_block[k] = x[i * 16 + k];
        for (int r = 0; r < 8; r++)
            for (int j = 0; j < 16; j++)
                s += x_block[j] * w[r * 16 + j];

    Offered in the outermost block of statements in which all indexes have the same fixed part, and types, operations
    and constant trips bound the rest: to 1 kB for a work-item of many, to 16 kB for a single one. The first and the
    last element are certainly reached whenever the copy is made, so that it reads nothing else; of a table without a
    fixed part, the user may assert that they exist. No result changes; buffers that may overlap this one are asserted
    not to. Refused where each element is loaded once, where others may store to the buffer meanwhile (it is stored to,
    and work-items wait for each other, or channels are read and it is not ``restrict``), and for an index that changes
    a variable.
    """

    name = "private block"
    codes = ("BL102", "BL101", "BL105", "BL106", "BL401")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each buffer that is loaded in a loop, or loaded and stored."""
        facts = kernel.facts
        for argument in facts.arguments:
            own = [a for a in facts.accesses if a.pointer == argument.name]
            plain = argument.is_pointer and argument.space == "global" and not argument.volatile and len(own) > 0
            loads = [a for a in own if a.op == "load"]
            again = len({a.span for a in loads}) > 1 or any(len(a.loops) > 1 for a in loads) or len(loads) < len(own)
            if facts.model != "autorun" and plain and any(a.loops for a in loads) and again:
                yield Candidate(
                    Title("private_block", (argument.name,)),
                    (argument.span, *(a.span for a in own)),
                    partial(_outermost, assessment, kernel, argument, own),
                )


def _outermost(assessment: Assessment, kernel: KernelAssessment, argument: Argument, own: Sequence[Access]) -> Offer:
    """The edit in the outermost block that it can be made in."""
    facts, effects = kernel.facts, Effects(assessment.source)
    if any(a.op == "atomic" or a.volatile or a.hint or a.lanes for a in own):
        raise NotOfferedError("not_plain_memory", argument.name)
    if any(a.call_chain or a.span.file is not None for a in own):
        raise NotOfferedError("in_helper")
    if _others_may_store(facts, argument, own):
        raise NotOfferedError("others_may_store", argument.name)
    if (
        len({a.type for a in own}) > 1
        or named(plain_type(own[0].type)) is None
        or own[0].element_bytes != argument.element_bytes
    ):
        raise NotOfferedError("not_plain_numbers", argument.name)
    require_exact(assessment.source, facts, own)
    nodes = _subscripts(assessment, effects, argument.name, own)
    errors = list[NotOfferedError]()
    for statements, within in _regions(assessment, facts, nodes):
        try:
            return _Block(assessment, kernel, effects, argument, own, within, statements).offer()
        except NotOfferedError as error:
            errors.append(error)
    # What changes in an outer block may be fixed in an inner one: that is nothing in the way.
    raise next((e for e in errors if not _is_unbounded(e)), errors[-1])


def _others_may_store(facts: KernelFacts, argument: Argument, own: Sequence[Access]) -> bool:
    """Whether others may store to a buffer while a copy of it is used, in an order that the kernel waits for.

    A barrier, an atomic or a channel orders work-items, or kernels. What this kernel only loads, its own work-items do
    not store to; another kernel that sends it something may, but not where the pointer is ``restrict``.
    """
    if all(a.op == "load" for a in own):
        return not argument.restrict and any(one.op == "read" for one in facts.channels)
    return bool(facts.barriers or facts.channels) or any(a.op == "atomic" for a in facts.accesses)


def _is_unbounded(error: NotOfferedError) -> bool:
    return isinstance(error.reason, Obstacle) and error.reason.kind == "bins_not_bounded"


def _subscripts(assessment: Assessment, effects: Effects, name: str, own: Sequence[Access]) -> list[SourceNode]:
    """The places ``name[index]``, in the order of the text; raises `NotOfferedError` where there are other uses."""
    found = {a.span.start: node_at(assessment.source, a.span) for a in own}
    nodes = [n for n in found.values() if n is not None and n.node.type == "subscript_expression"]
    arrays = [n.child("argument") for n in nodes]
    if len(nodes) < len(found) or any(a is None or a.text != name for a in arrays):
        raise NotOfferedError("not_one_element")
    function: Node | None = nodes[0].node
    while function is not None and function.type != "function_definition":
        function = function.parent
    body = function.child_by_field_name("body") if function is not None else None
    uses = sum(1 for n in inside(body) if n.type == "identifier" and effects.text(n) == name) if body else 0
    parents = {n.node.parent.type for n in nodes if n.node.parent is not None}
    if uses != len(nodes) or not parents.isdisjoint({"pointer_expression", "field_expression", "subscript_expression"}):
        raise NotOfferedError("not_one_element")
    return sorted(nodes, key=lambda n: n.start)


def _regions(
    assessment: Assessment, facts: KernelFacts, nodes: Sequence[SourceNode]
) -> Iterator[tuple[list[Node], list[SourceNode]]]:
    """The statements of each block, from the first that holds a place, with the places there; outer blocks first."""
    whole = kernel_body(assessment.source, facts.name_span)
    waiting = [whole] if whole is not None else []
    while waiting:
        block = waiting.pop(0)
        own = (
            [c for c in block.named_children if c.type != "comment"] if block.type == "compound_statement" else [block]
        )
        within = [n for n in nodes if holds(block, n.node)]
        holding = [c for c in own if any(holds(c, n.node) for n in within)]
        if not holding:
            continue
        yield own[own.index(holding[0]) :], within
        for one in holding:
            inner = [b for field in _BODIES if (b := one.child_by_field_name(field)) is not None]
            inner += [one] if one.type == "compound_statement" and one != block else []
            inner = [b.named_children[0] if b.type == "else_clause" and b.named_children else b for b in inner]
            waiting += [b for b in inner if any(holds(b, n.node) for n in within)]


def _loops_around(node: Node, statements: Sequence[Node]) -> Iterator[Node]:
    """The loops around a place, within some statements."""
    at = node.parent
    while at is not None and any(holds(one, at) for one in statements):
        if at.type in LOOPS:
            yield at
        at = at.parent


@fixed
class _Block:
    """The edit in a block of statements, whose first one is the first to reach the buffer."""

    assessment: Assessment
    kernel: KernelAssessment
    effects: Effects
    argument: Argument
    own: Sequence[Access]
    nodes: Sequence[SourceNode]
    statements: Sequence[Node]

    def offer(self) -> Offer:
        """The offer; raises `NotOfferedError`."""
        source, facts, name = self.assessment.source, self.kernel.facts, self.argument.name
        if any(n.type in _JUMPS for one in self.statements for n in inside(one)):
            raise NotOfferedError("has_jumps")
        spread = Places(self.effects, facts, self.statements).spread(self.nodes)
        count, size = spread.high - spread.low + 1, self.argument.element_bytes
        if count < 2 or count * size > MOST_BYTES.get(facts.model, 0):
            raise NotOfferedError("block_not_small", name)
        stores = {a.span.start for a in self.own if a.op == "store"}
        if not (spread.base or stores) and facts.model == "single_work_item":
            raise NotOfferedError("copied_whole", name)
        loads = {a.span.start for a in self.own if a.op == "load"}
        overlapping = self._others()
        copied = not _stored_first(spread, stores, loads, self.statements)
        held = spread.high + 1 if copied and not spread.certain else 0
        if copied and not self._used_again(count):
            raise NotOfferedError("used_once", name)
        if held and spread.base:
            raise NotOfferedError("conditional_load", self.nodes[0].text)
        array = free_name(source.original, f"{name}_block")
        kilobits = -(-count * size * 8 // 1024)
        kind: TitleKind = "private_block_loaded" if copied else "private_block_stored"
        asserts: tuple[Assertion, ...] = (Assertion("holds", (name, held)),) if held else ()
        asserts += (Assertion("apart", (name, tuple(overlapping))),) if overlapping else ()
        holds = ((name, held, False),) if held else ()
        edits = [*self._declared(spread, array, copied=copied)]
        for place in spread.places:
            element = f"{array}[{place.inner(spread.low)}]"
            if place.node.start in stores:
                edits += self._stored(place.node, element)
            else:
                edits.append(TextEdit(place.node.start, place.node.end, element))
        return Offer(
            title=Title(kind, (name, count, kilobits), asserts),
            kind="assertion" if asserts else "proved",
            kernel=facts.name,
            edits=tuple(edits),
            spans=(self.argument.span, *(a.span for a in self.own)),
            codes=PrivateBlock.codes,
            host_side=HostSide(holds=holds, apart=bool(overlapping)) if asserts else None,
        )

    def _used_again(self, count: int) -> bool:
        """Whether the block's elements are loaded more than once each, as far as trips are constant."""
        facts, loaded = self.kernel.facts, 0
        nodes = {node.start: node.node for node in self.nodes}
        for access in self.own:
            node = nodes.get(access.span.start)
            if node is None or access.op != "load":
                continue
            around = sum(1 for _ in _loops_around(node, self.statements))
            trips = [constant_trips(facts.loops[i]) for i in access.loops[len(access.loops) - around :]]
            if None in trips:
                return True
            loaded += prod(one for one in trips if one is not None)
        return loaded > count

    def _others(self) -> list[str]:
        """The buffers that are stored to and must not overlap this one."""
        loads = [a for a in self.own if a.op == "load"]
        others = [
            a
            for a in self.kernel.facts.accesses
            if a.pointer != self.argument.name
            and a.op != "load"
            and any(may_alias(self.kernel.facts, a, one) for one in loads)
        ]
        unknown = next((a for a in others if self.kernel.facts.argument(a.pointer) is None), None)
        if unknown is not None:
            raise NotOfferedError("may_overlap", unknown.pointer, self.argument.name)
        return list(dict.fromkeys(a.pointer for a in others))

    def _stored(self, place: SourceNode, element: str) -> list[TextEdit]:
        """The edits that store to an element of the array as well as to a place.

        Raises `NotOfferedError` unless the store is a statement: an assignment by any operator, or a step.
        """
        change = place.node.parent
        whole = change is not None and change.parent is not None and change.parent.type == "expression_statement"
        if change is not None and whole and change.child_by_field_name("left") == place.node:
            return [TextEdit(place.start, place.start, f"{place.text} = "), TextEdit(place.start, place.end, element)]
        step = change.child_by_field_name("operator") if change is not None else None
        own = written(place.source, change) if change is not None else None
        if own is None or step is None or not whole or own.node.type != "update_expression":
            raise NotOfferedError("store_not_plain")
        return [TextEdit(own.start, own.end, f"{place.text} = {step.type}{element}")]

    def _declared(self, spread: Spread, array: str, *, copied: bool) -> Iterator[TextEdit]:
        """The array in front of the first statement, with the loop that fills it; braces where there are none."""
        source = self.assessment.source
        text, end = source.original, line_end(source.original)
        first = written(source, self.statements[0])
        start = first.start if first is not None else source.origin(*_first_byte(self.statements[0])).start
        place = in_front_of(text, start)
        braces: tuple[TextEdit, ...] = ()
        around = self.statements[0].parent
        if around is None or around.type != "compound_statement":  # macros or split words may be in it
            braces = (braced(first) if first is not None else None) or ()
            if not braces:
                raise NotOfferedError("no_line_for_declaration")
        if place is None or source.origin(*_first_byte(self.statements[0])).macro is not None:
            raise NotOfferedError("no_line_for_declaration")
        line, indent = above_pragmas(source, place[0]), place[1]
        unit = step_in(text, indent)
        count, k = spread.high - spread.low + 1, free_name(text, "k")
        lines = [f"{plain_type(self.own[0].type)} {array}[{count}];"]
        if copied:
            together = self._together(count)
            lines += [f"#pragma unroll{'' if together == count else f' {together}'}"] if together > 1 else []
            lines += [f"for ({spread.type} {k} = 0; {k} < {count}; {k}++)"]
            lines += [f"{unit}{array}[{k}] = {self.argument.name}[{spread.at(k)}];"]
        yield from braces
        yield TextEdit(line, line, "".join(f"{indent}{one}{end}" for one in lines))

    def _together(self, count: int) -> int:
        """How many elements one request takes: all of a word, or the most that divide the block."""
        most = max(self.assessment.board.memory.word_bytes // self.argument.element_bytes, 1)
        if count <= most:
            return count
        return max(n for n in range(1, most + 1) if count % n == 0)


def _first_byte(node: Node) -> tuple[int, int]:
    return node.start_byte, node.start_byte + 1


def _stored_first(spread: Spread, stores: set[int], loads: set[int], statements: Sequence[Node]) -> bool:
    """Whether one store reaches every element of a block, in a statement before all that load from it."""

    def statement(place: Place) -> int:
        return next(i for i, one in enumerate(statements) if holds(one, place.node.node))

    first = min((statement(p) for p in spread.places if p.node.start in loads), default=len(statements))
    return any(
        p.every and (p.low, p.high) == (spread.low, spread.high) and statement(p) < first
        for p in spread.places
        if p.node.start in stores - loads
    )
