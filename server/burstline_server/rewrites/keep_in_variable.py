"""Keep in a variable what every iteration of a loop reads and writes at one place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial

from burstline_model.facts import Access, Guard, KernelFacts, Loop
from burstline_model.parallelism.alias import may_alias
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide
from burstline_server.rewrites.forward_through_register import assignment_of
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.exact_places import ExactPlaces
from burstline_server.rewrites.legality.expression_types import NUMBERS
from burstline_server.rewrites.legality.heads import head_of, require_fixed
from burstline_server.rewrites.legality.one_place import (
    element,
    loops_around,
    meet_in,
    require_one_place,
    root_of,
    source_nodes,
    takes_address,
    word_of,
)
from burstline_server.rewrites.reasons import Assertion, Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    after_comment,
    in_front_of,
    line_end,
)
from burstline_server.rewrites.syntax import (
    SourceNode,
    above_pragmas,
    braced,
    free_name,
    loop_around,
    loop_at,
    node_at,
    only_pragmas,
    plain_type,
)
from burstline_server.source.source import Source

_PLAIN = {one for one in NUMBERS if not one.startswith("half")}
_JUMPS = {"break_statement", "continue_statement", "return_statement", "goto_statement"}
_LEAVES = {"return_statement", "goto_statement", "labeled_statement", "switch_statement"}


class KeepInVariable(Rewrite):
    """A private variable for an element that each iteration of a loop reads and writes again: ``c[i] += a[j];``.

    Memory is read once before the loop and written once after it, in place of each time. Offered for the outermost
    loop in which the element stays the same, where every iteration certainly stores to it, and nothing else in the
    loop may reach it; first value and store are under the loop's own condition, unless a store right before the loop
    gives the first value. No result changes; where other buffers of the loop may overlap this one, the user asserts
    that they do not.
    """

    name = "keep in variable"
    codes = ("BL401", "BL101", "BL103", "BL106")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each element that a loop does not move."""
        facts, seen = kernel.facts, set[tuple[object, ...]]()
        alike: dict[object, list[Access]] = defaultdict(list)
        for access in facts.accesses:
            alike[element(access)].append(access)
        for store in facts.accesses:
            if store.op != "store" or store.space != "global" or not store.loops or store.offset is None:
                continue
            loops = loops_around(facts, store)
            key = (store.pointer, store.offset, loops[0].id if loops else None)
            if not loops or key in seen or (store.guards and not _read(alike[element(store)], loops[-1])):
                continue
            seen.add(key)
            yield Candidate(
                Title("keep_in_variable", (store.place,)),
                (store.span,),
                partial(_outermost, assessment, kernel, store, alike[element(store)]),
            )


def _read(alike: Sequence[Access], loop: Loop) -> bool:
    return any(a.op == "load" and loop.id in a.loops for a in alike)


def _outermost(
    assessment: Assessment, kernel: KernelAssessment, store: Access, alike: Sequence[Access]
) -> Offer:  # fmt: skip
    """The edit for the outermost loop that it can be made for."""
    loops = loops_around(kernel.facts, store)
    for loop in loops[:-1]:
        try:
            return _offer(assessment, kernel, store, loop, alike)
        except NotOfferedError:
            continue
    return _offer(assessment, kernel, store, loops[-1], alike)


def _offer(
    assessment: Assessment, kernel: KernelAssessment, store: Access, loop: Loop, alike: Sequence[Access]
) -> Offer:  # fmt: skip
    facts, source, effects = kernel.facts, assessment.source, Effects(assessment.source)
    own = [a for a in alike if loop.id in a.loops]
    if plain_type(store.type) not in _PLAIN:
        raise NotOfferedError("not_plain_numbers", store.pointer)
    overlapping = _others(source, effects, facts, store, loop, own)
    head = loop_around(source, loop.span)
    body = head.child("body") if head is not None else None
    if head is None or body is None:
        raise NotOfferedError("macro_in_it")
    if any(n.type in _LEAVES for n in inside(head.node)):
        raise NotOfferedError("has_jumps")
    nodes = _places(source_nodes(assessment, own), body)
    place = nodes[0]
    require_one_place(effects, facts, place, head, loop)
    before = _stored_before(assessment, facts, effects, store, loop, head)
    condition = "" if before is not None else _condition(assessment, effects, facts, store, loop, head)
    line = in_front_of(source.original, head.start)
    braces = () if head.in_block else braced(head)
    if line is None or braces is None:
        raise NotOfferedError("no_line_for_declaration")
    name, type_, end = (
        free_name(source.original, f"{word_of(place)}_kept"),
        plain_type(store.type),
        line_end(source.original),
    )
    at, indent = above_pragmas(source, line[0]), line[1]
    edits = [TextEdit(n.start, n.end, name) for n in nodes]
    if before is not None:
        edits.append(TextEdit(before.start, before.end, f"{type_} {name}"))
    else:
        zero = "0" if type_[-1].isalpha() else f"({type_})(0)"
        first = place.text if any(a.op == "load" for a in own) else zero
        chosen = f"{condition} ? {first} : {zero}" if condition and first != zero else first
        edits.append(TextEdit(at, at, f"{indent}{type_} {name} = {chosen};{end}"))
    after = f"{end}{indent}if ({condition}){end}{indent}    " if condition else f"{end}{indent}"
    after += f"{place.text} = {name};"
    last = after_comment(source.original, head.end)
    edits += [braces[0]] if braces else []
    edits.append(TextEdit(last, last, after + (braces[1].text if braces else "")))
    asserts = (Assertion("apart", (store.pointer, tuple(overlapping))),) if overlapping else ()
    return Offer(
        title=Title("keep_in_variable", (place.text,), asserts),
        kind="assertion" if asserts else "proved",
        kernel=facts.name,
        edits=tuple(edits),
        spans=tuple(dict.fromkeys((loop.span, *(a.span for a in own)))),
        codes=KeepInVariable.codes,
        host_side=HostSide(apart=True) if asserts else None,
    )


def _others(
    source: Source, effects: Effects, facts: KernelFacts, store: Access, loop: Loop, own: Sequence[Access]
) -> list[str]:  # fmt: skip
    """The buffers that must not overlap this one.

    Raises `NotOfferedError` where something in the loop may reach the element in another way, or waits for it.
    """
    if any(a.volatile or a.op == "atomic" or a.hint or a.lanes for a in own):
        raise NotOfferedError("not_plain_memory", store.pointer)
    if any(a.call_chain or a.span.file is not None for a in own):
        raise NotOfferedError("in_helper")
    if any(loop.id in loops for loops in (*(b.loops for b in facts.barriers), *(c.loops for c in facts.channels))):
        raise NotOfferedError("others_may_wait")
    found, exact = list[str](), ExactPlaces(source, effects, facts)
    mine = {a.id for a in own}
    for other in facts.accesses_in(loop):
        if other.id in mine or not may_alias(facts, other, store):
            continue
        if other.pointer != store.pointer:
            if facts.argument(other.pointer) is None:
                raise NotOfferedError("may_overlap", other.pointer, store.pointer)
            found.append(other.pointer)
        elif meet_in(facts, other, store, loop) or not all(exact.has(a) for a in (other, store)):
            raise NotOfferedError("used_elsewhere", store.pointer)
    return list(dict.fromkeys(found))


def _places(nodes: list[SourceNode], body: SourceNode) -> list[SourceNode]:
    """The places in a loop's body, in the order of the text; raises `NotOfferedError` unless each is an element."""
    for node in nodes:
        if root_of(node) is None or (node.node.parent is not None and takes_address(node)):
            raise NotOfferedError("not_one_element")
        if not body.start <= node.start < body.end:
            raise NotOfferedError("head_loads")
    return sorted(nodes, key=lambda n: n.start)


def _stored_before(
    assessment: Assessment, facts: KernelFacts, effects: Effects, store: Access, loop: Loop, head: SourceNode
) -> SourceNode | None:  # fmt: skip
    """The left side of the store that gives the element its value before the loop, with declarations in between."""
    before = head.node.prev_named_sibling if head.in_block else None
    while before is not None and before.type in {"comment", "declaration"}:
        if before.type == "declaration" and _touches(
            facts, effects, store, SourceNode(head.source, before, head.shift)
        ):
            return None
        before = before.prev_named_sibling
    for first in facts.accesses:
        around = first.loops[-1] if first.loops else None
        if first.op != "store" or around != loop.parent or element(first) != element(store):
            continue
        if first.lanes or first.volatile or first.call_chain:
            continue
        left = node_at(assessment.source, first.span)
        assignment = assignment_of(left)
        if left is None or assignment is None or before is None or assignment.node.parent != before:
            continue
        between = assessment.source.original[left.start : head.start]
        if before.type == "expression_statement" and root_of(left) is not None and only_pragmas(between):
            return left
    return None


def _touches(facts: KernelFacts, effects: Effects, store: Access, declaration: SourceNode) -> bool:
    """Whether a declaration may read the element, or do more than compute."""
    first, last = declaration.start, declaration.end
    inside_it = [a for a in facts.accesses if a.span.file is None and first <= a.span.start < last]
    calls = any(one.type == "call_expression" for one in inside(declaration.node))
    return calls or not effects.pure(declaration.node) or any(may_alias(facts, a, store) for a in inside_it)


def _condition(
    assessment: Assessment, effects: Effects, facts: KernelFacts, store: Access, loop: Loop, head: SourceNode
) -> str:  # fmt: skip
    """When the loop stores to the element: always where it is empty.

    Raises `NotOfferedError` unless its first iteration certainly does, once there is one.
    """
    if any(_is_inside(g, loop) for g in store.guards) or any(n.type in _JUMPS for n in inside(head.node)):
        raise NotOfferedError("conditional_store")
    conditions = list[str]()
    for number in store.loops[store.loops.index(loop.id) :]:
        one = facts.loops[number]
        if one.early_exit:
            raise NotOfferedError("early_exit")
        if one.trip is not None and one.trip.constant is not None and one.trip.constant > 0:
            continue
        own = head_of(effects, loop_at(assessment.source, one.span))
        require_fixed(effects, facts, own.first, head, loop)
        require_fixed(effects, facts, own.condition, head, loop, counter=own.name)
        conditions.append(own.runs(own.value))
    found = list(dict.fromkeys(conditions))  # loops in each other may end alike
    return found[0] if len(found) == 1 else " && ".join(f"({one})" for one in found)


def _is_inside(guard: Guard, loop: Loop) -> bool:
    return guard.span.file == loop.span.file and loop.span.start <= guard.span.start < max(loop.body.end, loop.span.end)
