"""Keep in a variable what the next iteration would read back from memory."""

from __future__ import annotations

import re
from collections.abc import Iterable

from burstline_model.facts import Access, Loop
from burstline_model.pipeline.dependence import Dependence, dependences
from burstline_server.assess import Assessment
from burstline_server.costing import KernelAssessment
from burstline_server.rewrites.rewrite import Offer, Rewrite, TextEdit, in_front_of, line_end
from burstline_server.rewrites.syntax import (
    Written,
    above_pragmas,
    alone,
    braced,
    changes_nothing,
    free_name,
    loop_at,
    node_at,
    outlives,
)


class Carry(Rewrite):
    """A private variable for a value that one iteration stores and the next one loads: no waiting for memory.

    Offered where each iteration certainly loads, before it stores, just what the one before stored: one unconditional
    store to the buffer in the innermost loop, at a distance of one iteration. The first iteration's value is loaded
    before the loop, under the loop's own condition. No result changes.
    """

    name = "carry"
    codes = ("BL401",)

    def offers(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Offer]:
        """One edit for each such dependence."""
        facts = kernel.facts
        for one in kernel.estimate.loops:
            loop = facts.loops[one.loop]
            if one.store is None or (one.ii or 1) <= 1 or one.serial:
                continue
            offer = _offer(assessment, kernel, loop, dependences(facts, loop))
            if offer is not None:
                yield offer


def _offer(assessment: Assessment, kernel: KernelAssessment, loop: Loop, found: tuple[Dependence, ...]) -> Offer | None:
    facts, source = kernel.facts, assessment.source
    near = [d for d in found if d.proven and d.distance == 1 and d.space == "global"]
    if not near or any(d.store != near[0].store for d in near):
        return None
    store = facts.accesses[near[0].store]
    if store.loops[-1] != loop.id:
        return None
    loads = [facts.accesses[d.load] for d in near]
    if any(d.store != store.id for d in found if d.load in {a.id for a in loads}):
        return None
    pointer = [a for a in facts.accesses if a.pointer == store.pointer and loop.id in a.loops]
    only = sum(1 for a in pointer if a.op != "load") == 1 and store.loops == loads[0].loops
    plain = only and not store.guards and not store.call_chain and all(is_plain(a, store) for a in loads)
    head, assignment = loop_at(source, loop.span), assignment_of(source_node(assessment, store))
    if not plain or head is None or assignment is None or len({a.index for a in loads}) != 1:
        return None
    start = first_of(head)
    condition = head.child("condition")
    place = in_front_of(source.original, head.start)
    if start is None or condition is None or place is None:
        return None
    line, indent = place
    braces = () if head.in_block else braced(head)
    if braces is None:
        return None
    name = free_name(source.original, f"{store.pointer}_before")
    variable, value = start
    taken = re.compile(rf"\b{re.escape(variable)}\b")
    if not outlives(loads[0].index, head, variable) or not changes_nothing(condition.text + loads[0].index):
        return None
    first = alone(value)
    index, holds = taken.sub(first, loads[0].index), taken.sub(first, condition.text)
    right = assignment.child("right")
    if right is None:
        return None
    end = line_end(source.original)
    line = above_pragmas(source.original, line)
    declaration = f"{indent}{store.type} {name} = {holds} ? {store.pointer}[{index}] : 0;{end}"
    nodes = [source_node(assessment, a) for a in loads]
    if any(n is None for n in nodes):
        return None
    edits = [*braces, TextEdit(line, line, declaration), TextEdit(right.start, right.start, f"{name} = ")]
    edits += [TextEdit(n.start, n.end, name) for n in nodes if n is not None]
    return Offer(
        title=f"Keep {store.pointer}[{store.index}] in a variable for the next iteration",
        kind="proved",
        kernel=facts.name,
        edits=tuple(edits),
        spans=(loop.span, store.span, *(a.span for a in loads)),
        codes=Carry.codes,
    )


def source_node(assessment: Assessment, access: Access) -> Written | None:
    """What the user wrote for an access."""
    return node_at(assessment.source, access.span)


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


def assignment_of(place: Written | None) -> Written | None:
    """The plain assignment whose left side a store is."""
    if place is None:
        return None
    around = place.up("assignment_expression")
    left = around.child("left") if around is not None else None
    operator = around.node.child_by_field_name("operator") if around is not None else None
    whole = left is not None and (left.start, left.end) == (place.start, place.end)
    return around if whole and operator is not None and operator.type == "=" else None


def first_of(head: Written) -> tuple[str, str] | None:
    """The counter of a for loop and the text of its first value."""
    initializer = head.child("initializer")
    if initializer is None:
        return None
    match = re.fullmatch(r"(?:[A-Za-z_][\w ]*\s+)?([A-Za-z_]\w*)\s*=\s*([\w +\-*/()]+?)\s*;?", initializer.text)
    return (match[1], match[2]) if match else None
