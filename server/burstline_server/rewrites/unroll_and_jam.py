"""Compute several iterations of an outer loop together, so that they share what each of them loads (unroll and jam)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product

from tree_sitter import Node

from burstline_model.estimate.after_change import steps_of
from burstline_model.estimate.changes import Interchange as Interchanged
from burstline_model.estimate.changes import RowTile
from burstline_model.estimate.changes import UnrollAndJam as Jammed
from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.parallelism.alias import may_alias
from burstline_model.parallelism.loop_copies import constant_trips
from burstline_model.pipeline.dependence import in_own_rows
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.declared_inside import declared_inside
from burstline_server.rewrites.jammed_text import JammedText, Strip
from burstline_server.rewrites.kept_first import kept_within, lines_changed
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.exact_places import ExactPlaces
from burstline_server.rewrites.legality.heads import (
    Head,
    address_taken,
    counts_up,
    function_around,
    head_of,
    only_counts,
    reads_memory,
)
from burstline_server.rewrites.legality.order import MAX_PAIRS, carried_by
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
from burstline_server.rewrites.syntax import (
    SourceNode,
    above_pragmas,
    alone,
    braced,
    declared_types,
    free_name,
    loop_begun_at,
    plain_type,
)
from burstline_server.rewrites.vectorise import bounds_alike
from burstline_server.source.source import Source

_JUMPS = {
    "return_statement", "goto_statement", "labeled_statement", "break_statement", "continue_statement",
    "switch_statement",
}  # fmt: skip
_OTHER_LOOPS = {"while_statement", "do_statement"}
_SCOPES = {"compound_statement", "for_statement", "translation_unit"}


class UnrollAndJam(Rewrite):
    """Several iterations of an outer loop at a time, in unrolled loops within its inner loops: they share loads.

    Offered where the estimate advises it: each iteration loads the same data again, or its neighbours' elements lie
    next to its own and are asked for one at a time (columns that are added up, transposed planes). What does not move
    with the loop is loaded once for all of them: elements, and vectors by ``vloadN``. Variables that are declared in
    the loop become arrays with an element for each iteration. The last iterations, where they are fewer, are left out
    by a condition, so that nothing else is loaded or stored. Each result is made of the same operations in the same
    order, so that no result changes. An element of memory that an inner loop reads and writes again (``c[i * n + j] +=
    …``) is kept in a variable first.

    The loop counts up by one to a fixed bound. No iteration may reach what another one stores. A counter that is
    declared outside the loop has its value after it again, where that is used. Variables from outside that each
    iteration sets before it uses them, and nothing else uses, are declared in the loop first; what heads of loops in it
    give to them (``for (k = 0, sum = 0; …)``) comes in front of those.

    Refused are loops in it whose trips follow from its counter or from its variables, that may end early, or whose
    counter from outside its body uses elsewhere; jumps, channels, barriers, atomics and calls with an effect; other
    variables from outside that it sets; and names that it declares twice, or that hide others.
    """

    name = "unroll and jam"
    codes = ("BL102", "BL106", "BL402")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterator[Candidate]:
        """One edit for the loop that the estimate names."""
        facts = kernel.facts
        estimate = kernel.with_figures.estimate
        asked: dict[int, tuple[int, list[Access]]] = {}
        for lever in estimate.levers if facts.model == "single_work_item" else ():
            change = lever.change
            if isinstance(change, Jammed):
                asked.setdefault(change.loop, (change.together, []))
            if not isinstance(change, Interchanged | RowTile):
                continue
            # A tile is made of what lies side by side along one of the loops around.
            for loop in [facts.loops[change.loop]] if isinstance(change, Interchanged) else facts.loops:
                neighbours = _neighbours(facts, loop, change.pointer)
                word = assessment.board.memory.word_bytes // max((a.element_bytes for a in neighbours), default=1)
                together = min(word, _power_of_two(constant_trips(loop) or word))
                if neighbours and together > 1:
                    asked.setdefault(loop.id, (together, neighbours))
        for place, (together, neighbours) in asked.items():
            loop = facts.loops[place]
            spans = (loop.span, *(a.span for a in (*_unchanged(facts, loop), *neighbours)))
            title = Title("unroll_and_jam", (loop.variable, together))
            yield Candidate(title, spans, partial(_made, assessment, kernel, loop, title, together, neighbours))


def _neighbours(facts: KernelFacts, loop: Loop, pointer: str) -> list[Access]:
    """The accesses through a pointer in loops within one, along which elements lie next to each other."""
    return [
        a
        for a in facts.accesses_in(loop)
        if a.pointer == pointer and a.space == "global" and a.offset is not None and a.loops[-1] != loop.id
        and a.span.file is None and abs(steps_of(facts, a).get(loop.counter, 0)) == a.element_bytes
    ]  # fmt: skip


def _power_of_two(most: int) -> int:
    return 1 << most.bit_length() - 1


def _unchanged(facts: KernelFacts, loop: Loop) -> list[Access]:
    """The loads in a loop of what nothing in it stores to."""
    inside_it = facts.accesses_in(loop)
    stores = [a for a in inside_it if a.op != "load"]
    return [
        a
        for a in inside_it
        if a.op == "load" and a.space == "global" and a.offset is not None and a.span.file is None
        and not a.call_chain and not a.volatile and not any(may_alias(facts, s, a) for s in stores)
    ]  # fmt: skip


def _made(
    assessment: Assessment, kernel: KernelAssessment, loop: Loop, title: Title, together: int, neighbours: list[Access]
) -> Offer:  # fmt: skip
    """The edit; where inner loops read and write an element again, after it was kept in a variable.

    Else copies of the inner loop wait for each other's stores. Variables that the loop's iterations alone use are
    declared in it first.
    """
    inner = declared_inside(assessment, kernel, loop)
    now, one = inner or (assessment, kernel)
    kept = kept_within(now, one, one.facts.loops[loop.id])
    if inner is None and kept is None:
        return _offer(assessment, kernel, loop, title, together, neighbours)
    now, one = kept or (now, one)
    same = one.facts.loops[loop.id]
    nearby = [a for name in {a.pointer for a in neighbours} for a in _neighbours(one.facts, same, name)]
    offer = _offer(now, one, same, title, together, nearby)
    return replace(
        offer,
        title=replace(title, kept_first=kept is not None),
        edits=(lines_changed(assessment.source.original, offer.applied(now.source.original)),),
        spans=(loop.span, *dict.fromkeys(a.span for a in (*_unchanged(kernel.facts, loop), *neighbours))),
    )


def _offer(
    assessment: Assessment, kernel: KernelAssessment, loop: Loop, title: Title, together: int, neighbours: list[Access]
) -> Offer:  # fmt: skip
    facts, source, effects = kernel.facts, assessment.source, Effects(assessment.source)
    if loop.span.file is not None or not facts.span.start <= loop.span.start < facts.span.end:
        raise NotOfferedError("in_helper")
    about = (loop.unroll, loop.ivdep, loop.initiation_interval, loop.coalesce, loop.max_concurrency)
    start = source.original.rfind(b"\n", 0, loop.span.start) + 1
    if any(one is not None for one in about) or not loop.pipelined or above_pragmas(assessment.source, start) != start:
        raise NotOfferedError("pragma_says")
    head = counts_up(effects, loop_begun_at(source, loop.span), kept=True)
    body, bound, initializer = head.loop.node.child_by_field_name("body"), head.bound, head.loop.child("initializer")
    if body is None or bound is None or initializer is None or not head.steady:
        raise NotOfferedError("does_not_count_up")
    if not bounds_alike(head.type, (head.first, bound), declared_types(source, head.loop.node)):
        raise NotOfferedError("bounds_of_other_type")
    variables = _require_own(effects, facts, head, body)
    _require_alike(effects, source, facts, loop, head, body)
    _require_apart(facts, loop, ExactPlaces(source, effects, facts))
    text = source.original
    strip = Strip(
        counter=head.name,
        type=head.type,
        first=free_name(text, f"{head.name}_first"),
        lane=free_name(text, "lane"),
        together=together,
        bound="" if (constant_trips(loop) or 1) % together == 0 else bound.text,
    )
    pointers = {a.name: plain_type(a.type.removesuffix("*")) for a in facts.arguments if a.type.endswith(" *")}
    accesses, unchanged = facts.accesses_in(loop), _unchanged(facts, loop)
    jammed = JammedText(source, effects, strip, variables, accesses, unchanged, pointers)
    edits = [
        *_kept_after(effects, head, bound),
        _new_head(head, initializer.start, strip, bound.text),
        *jammed.edits(body),
    ]
    if not jammed.loaded_once and not neighbours:
        raise NotOfferedError("shares_no_load", head.name)
    return Offer(
        title=title,
        kind="proved",
        kernel=facts.name,
        edits=tuple(edits),
        spans=(loop.span, *dict.fromkeys(a.span for a in (*jammed.loaded_once, *neighbours))),
        codes=UnrollAndJam.codes,
    )


def _new_head(head: Head, start: int, strip: Strip, bound: str) -> TextEdit:
    """The loop over strips, whose counter cannot come round at the end of the last one."""
    type_ = "ulong" if strip.type == "ulong" else "long"
    text = f"{type_} {strip.first} = {head.first.text}; {strip.first} < {bound}; {strip.first} += {strip.together}"
    return TextEdit(start, head.update.end, text)


def _kept_after(effects: Effects, head: Head, bound: SourceNode) -> list[TextEdit]:
    """The value that a counter has after its loop, where that is used: the counter may be declared in the loop then."""
    initializer = head.loop.node.child_by_field_name("initializer")
    if initializer is None or initializer.type == "declaration" or only_counts(effects, head):
        return []
    text, function = head.loop.source.original, function_around(head.loop.node)
    place = in_front_of(text, head.loop.start)
    named = (n for n in inside(function) if n.type == "identifier") if function is not None else ()
    around = braced(head.loop) if not head.loop.in_block else None
    taken = any(effects.text(one) == head.name and address_taken(one) for one in named)
    if place is None or taken or not (head.loop.in_block or around):
        raise NotOfferedError("counter_outside")
    first, last = head.first.text, bound.text
    value = f"{head.runs(alone(first))} ? {alone(last)} : {alone(first)}"
    line = f"{line_end(text)}{place[1]}{head.name} = {value};"
    end = TextEdit(head.loop.end, head.loop.end, line + (around[1].text if around is not None else ""))
    return [around[0], end] if around is not None else [end]


def _require_own(effects: Effects, facts: KernelFacts, head: Head, body: Node) -> set[str]:
    """The variables that the loop declares; refuses names of two variables, and what it sets of others."""
    declared: list[str] = []
    counters, outside = set[str](), set[str]()
    for node in inside(body):
        if node.type in _JUMPS:
            raise NotOfferedError("has_jumps")
        if node.type in _OTHER_LOOPS:
            raise NotOfferedError("not_a_for_loop")
        if node.type == "for_statement" and (sets := node.child_by_field_name("initializer")) is not None:
            outside |= effects.sets(sets) if sets.type == "assignment_expression" else set()
        if node.type == "declaration":
            names = [name for one in node.children_by_field_name("declarator") for name in _named(effects, one)]
            of_head = node.parent is not None and node.parent.type == "for_statement"
            counters |= set(names) if of_head else set()
            declared += [] if of_head else names
        if node.type == "call_expression" and not effects.pure(node):
            raise NotOfferedError("has_effect", effects.called(node) or effects.text(node))
        operator = node.child_by_field_name("operator")
        if node.type == "pointer_expression" and operator is not None and operator.type == "&":
            raise NotOfferedError("address_given", effects.text(node).lstrip("& "))
    own = {*declared, *counters}
    if head.name in own or head.name in effects.sets(body):
        raise NotOfferedError("bound_may_change")
    hidden = {n for n in declared if declared.count(n) > 1 or n in counters} | (own & _visible(effects, head.loop.node))
    if hidden:
        raise NotOfferedError("hides_another", min(hidden))
    if outside & own:
        raise NotOfferedError("counter_outside")
    memory = {a.name for a in facts.arguments if a.is_pointer} | {a.name for a in facts.arrays if a.space == "local"}
    changed = (effects.reassigned(body) | effects.sets(body) - memory) - own - outside
    if changed:
        raise NotOfferedError("set_outside", min(changed))
    return set(declared)


def _named(effects: Effects, declarator: Node) -> Iterable[str]:
    """The name that a declarator declares."""
    node: Node | None = declarator
    while node is not None and node.type != "identifier":
        node = node.child_by_field_name("declarator")
    return () if node is None else (effects.text(node),)


def _visible(effects: Effects, loop: Node) -> set[str]:
    """The names of variables that are declared around a loop."""
    found, at = set[str](), loop.parent
    while at is not None:
        if at.type == "function_definition":
            declarator = at.child_by_field_name("declarator")
            parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
            found |= effects.reads(parameters) if parameters is not None else set()
        elif at.type in _SCOPES:
            found |= {n for one in at.named_children if one.type == "declaration" for n in effects.sets(one)}
        at = at.parent
    return found


def _require_alike(
    effects: Effects, source: Source, facts: KernelFacts, loop: Loop, head: Head, body: Node
) -> None:  # fmt: skip
    """Refuses loops in the body that do not run alike in each iteration."""
    starts = {o.span.start: o for o in facts.loops if o.span.file is None}
    changed = effects.sets(body) | {head.name}
    for node in inside(body):
        if node.type != "for_statement":
            continue
        begin = source.origin(node.start_byte, node.end_byte).start
        inner = starts.get(begin)
        if inner is None or loop.id not in facts.loops_around(inner.id):
            raise NotOfferedError("not_a_for_loop")
        own = head_of(effects, loop_begun_at(source, inner.span))
        initializer = own.loop.node.child_by_field_name("initializer")
        # What it is after the loop is the same in all iterations of this one: those that follow it may use it.
        used = initializer is None or initializer.type == "declaration" or only_counts(effects, own, head.loop.node)
        if initializer is None or not used:
            raise NotOfferedError("counter_outside")
        inner_body = own.loop.node.child_by_field_name("body")
        if inner_body is None or own.name in effects.sets(inner_body):
            raise NotOfferedError("bound_may_change")
        parts = [own.first.node, own.condition.node, own.update.node]
        around = _counters_around(effects, node, body)
        if effects.sets(own.update.node) - {own.name} or inner.early_exit:
            raise NotOfferedError("head_has_effect")
        if effects.reads(*parts) & (changed - around - {own.name}) or any(reads_memory(part) for part in parts):
            raise NotOfferedError("trips_may_differ", own.name, head.name)


def _counters_around(effects: Effects, loop: Node, body: Node) -> set[str]:
    """The counters of the loops around one, within a body."""
    found, at = set[str](), loop.parent
    while at is not None and at.id != body.id:
        initializer = at.child_by_field_name("initializer") if at.type == "for_statement" else None
        found |= effects.sets(initializer) if initializer is not None else set()
        at = at.parent
    if body.type == "for_statement" and body.id != loop.id:
        initializer = body.child_by_field_name("initializer")
        found |= effects.sets(initializer) if initializer is not None else set()
    return found


def _require_apart(facts: KernelFacts, loop: Loop, exact: ExactPlaces) -> None:
    """Refuses iterations of which one may reach what another one stores."""
    within = facts.accesses_in(loop)
    stores = [a for a in within if a.op != "load"]
    if any(a.volatile or a.op == "atomic" or a.hint for a in within):
        raise NotOfferedError("has_atomics")
    if any(loop.id in c.loops for c in facts.channels) or any(loop.id in b.loops for b in facts.barriers):
        raise NotOfferedError("has_channels")
    if len(stores) * len(within) > MAX_PAIRS:
        raise NotOfferedError("too_many_accesses")
    for store, access in product(stores, within):
        if not may_alias(facts, store, access):
            continue
        if store.pointer != access.pointer:
            raise NotOfferedError("may_overlap", store.pointer, access.pointer)
        if not (exact.has(store) and exact.has(access)):
            raise NotOfferedError("iterations_meet")
        pairs = (store, access), (access, store)
        if not in_own_rows(facts, loop, store, access) and any(carried_by(facts, loop, *pair) for pair in pairs):
            raise NotOfferedError("iterations_meet")
