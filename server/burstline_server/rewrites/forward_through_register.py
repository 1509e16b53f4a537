"""Forward in a register what the next iteration would read back from memory."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from burstline_model.facts import Access, Loop
from burstline_model.pipeline.dependence import Dependence, dependences
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.legality.exact_places import require_exact
from burstline_server.rewrites.legality.heads import Head, head_of
from burstline_server.rewrites.legality.spelled import Spelled
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    in_front_of,
    line_end,
)
from burstline_server.rewrites.syntax import SourceNode, above_pragmas, braced, free_name, loop_at, node_at


class ForwardThroughRegister(Rewrite):
    """A private variable for a value that one iteration stores and the next one loads: no waiting for memory.

    Offered where each iteration certainly loads, before it stores, just what the one before stored: one unconditional
    store to the buffer in the innermost loop, at a distance of one iteration. The first iteration's value is loaded
    before the loop, under the loop's own condition. No result changes.
    """

    name = "forward through register"
    codes = ("BL401",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each loop that waits for such a dependence."""
        facts = kernel.facts
        for one in kernel.estimate.loops:
            loop = facts.loops[one.loop]
            if one.store is None or (one.ii or 1) <= 1 or one.serial:
                continue
            near = [d for d in dependences(facts, loop) if d.proven and d.distance == 1 and d.space == "global"]
            if near:
                yield Candidate(
                    Title("forward_through_register", (facts.accesses[near[0].store].pointer,)),
                    (loop.span,),
                    partial(_offer, assessment, kernel, loop, near),
                )


def _offer(assessment: Assessment, kernel: KernelAssessment, loop: Loop, near: list[Dependence]) -> Offer:
    facts, source = kernel.facts, assessment.source
    store, loads = _pair(kernel, loop, near)
    require_exact(source, facts, facts.accesses_in(loop))
    carried = Carried(assessment, kernel, loop, store, loads)
    head, name = carried.head, free_name(source.original, f"{store.pointer}_before")
    end = line_end(source.original)
    first = f"{store.pointer}[{carried.index_at(head.value)}]"
    runs = loop.trip is not None and bool(loop.trip.constant)
    value = first if runs else f"{head.runs(head.value)} ? {first} : 0"
    declaration = f"{carried.indent}{store.type} {name} = {value};{end}"
    edits = [*carried.braces, TextEdit(carried.line, carried.line, declaration)]
    edits.append(TextEdit(carried.right.start, carried.right.start, f"{name} = "))
    edits += [TextEdit(n.start, n.end, name) for n in carried.nodes]
    return Offer(
        title=Title("forward_through_register", (f"{store.pointer}[{store.index}]",)),
        kind="proved",
        kernel=facts.name,
        edits=tuple(edits),
        spans=(loop.span, store.span, *(a.span for a in loads)),
        codes=ForwardThroughRegister.codes,
    )


def _pair(kernel: KernelAssessment, loop: Loop, near: list[Dependence]) -> tuple[Access, list[Access]]:
    """The store, and the loads that read it in the next iteration."""
    facts = kernel.facts
    store = facts.accesses[near[0].store]
    loads = [facts.accesses[d.load] for d in near]
    if any(d.store != store.id for d in near) or store.loops[-1] != loop.id:
        raise NotOfferedError("several_stores_read")
    if any(d.store != store.id for d in dependences(facts, loop) if d.load in {a.id for a in loads}):
        raise NotOfferedError("another_store", store.pointer)
    return store, loads


class Carried:
    """What a value is forwarded between: the loop's head, the store's right side, the loads' places.

    Raises `NotOfferedError` unless each iteration certainly loads, and then stores.
    """

    def __init__(
        self, assessment: Assessment, kernel: KernelAssessment, loop: Loop, store: Access, loads: list[Access]
    ) -> None:
        facts, source, effects = kernel.facts, assessment.source, Effects(assessment.source)
        stores = [a for a in facts.accesses_in(loop) if a.pointer == store.pointer and a.op != "load"]
        if len(stores) > 1 or any(a.loops != store.loops for a in loads):
            raise NotOfferedError("more_stores", store.pointer)
        if loop.early_exit:
            raise NotOfferedError("early_exit")
        if store.guards or store.call_chain or not all(is_plain(a, store) for a in loads):
            raise NotOfferedError("not_each_iteration")
        written = loop_at(source, loop.span)
        self.head: Head = head_of(effects, written)
        assignment = assignment_of(node_at(source, store.span))
        body, place = self.head.loop.child("body"), in_front_of(source.original, self.head.loop.start)
        self.nodes = [n for a in loads if (n := node_at(source, a.span)) is not None]
        indexes = [n.child("index") for n in self.nodes]
        right = assignment.child("right") if assignment is not None else None
        if assignment is None or right is None or body is None or len(self.nodes) < len(loads):
            raise NotOfferedError("store_not_plain")
        if any(i is None for i in indexes) or len({i.text for i in indexes if i is not None}) != 1:
            raise NotOfferedError("loads_differ")
        pointers = {one.text for n in self.nodes if (one := n.child("argument")) is not None}
        if pointers != {store.pointer} or store.pointer in effects.reassigned(body.node):
            raise NotOfferedError("loads_differ")
        if any(not body.start <= n.start < body.end for n in self.nodes):
            raise NotOfferedError("head_loads")
        braces = () if self.head.loop.in_block else braced(self.head.loop)
        if place is None or braces is None:
            raise NotOfferedError("no_line_for_declaration")
        self.assignment, self.right, self.braces = assignment, right, braces
        self.index: SourceNode = next(i for i in indexes if i is not None)
        self.line, self.indent = above_pragmas(source, place[0]), place[1]
        self._spelled = Spelled(effects, facts, self.head, loop)
        self.index_at(self.head.value)

    def index_at(self, value: str) -> str:
        """The index of what is loaded, for a value of the counter."""
        return self._spelled.at(self.index, value)


def is_plain(load: Access, store: Access) -> bool:
    """Whether a load takes just what a store puts there, in every iteration and before it."""
    scalar = load.element_bytes == store.element_bytes == load.scalar_bytes and load.type == store.type
    return (
        scalar
        and load.id < store.id
        and not load.guards
        and not load.call_chain
        and not load.volatile
        and bool(load.index)
    )


def assignment_of(place: SourceNode | None) -> SourceNode | None:
    """The plain assignment whose left side a store is."""
    if place is None:
        return None
    around = place.up("assignment_expression")
    left = around.child("left") if around is not None else None
    operator = around.node.child_by_field_name("operator") if around is not None else None
    whole = left is not None and (left.start, left.end) == (place.start, place.end)
    return around if whole and operator is not None and operator.type == "=" else None
