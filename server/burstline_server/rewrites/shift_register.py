"""Keep in a shift register what an iteration a few ahead would read back from memory."""

from __future__ import annotations

import re
from collections.abc import Iterable

from burstline_model.facts import Access, Loop
from burstline_model.pipeline.dependence import dependences
from burstline_server.assess import Assessment
from burstline_server.costing import KernelAssessment
from burstline_server.rewrites.carry import assignment_of, first_of, is_plain
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
    step_of,
)

MAX_DISTANCE = 8
"""Most iterations between a store and the load that reads it."""


class ShiftRegister(Rewrite):
    """A register for each value on its way from the iteration that stores it to the one, 2 to 8 later, that loads it.

    Offered where each iteration certainly loads, before it stores, just what one a fixed distance before stored: one
    unconditional store to the buffer in the innermost loop. The first values are loaded before the loop, each under
    the loop's own condition. No result changes.
    """

    name = "shift register"
    codes = ("BL401",)

    def offers(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Offer]:
        """One edit for each loop that waits for such a dependence."""
        for one in kernel.estimate.loops:
            if one.store is not None and (one.ii or 1) > 1 and not one.serial:
                offer = _offer(assessment, kernel, kernel.facts.loops[one.loop])
                if offer is not None:
                    yield offer


def _pair(kernel: KernelAssessment, loop: Loop) -> tuple[Access, list[Access], int] | None:
    """The store, the loads that read it, and how many iterations later; None where it is not that simple."""
    facts = kernel.facts
    found = dependences(facts, loop)
    near = [d for d in found if d.proven and d.space == "global" and d.distance is not None]
    distances = {d.distance for d in near if d.distance is not None}
    if len(distances) != 1 or len({d.store for d in near}) != 1 or not 2 <= min(distances) <= MAX_DISTANCE:
        return None
    store, loads = facts.accesses[near[0].store], [facts.accesses[d.load] for d in near]
    stores = [a for a in facts.accesses if a.pointer == store.pointer and loop.id in a.loops and a.op != "load"]
    others = any(d.store != store.id for d in found if d.load in {a.id for a in loads})
    inside = store.loops[-1] == loop.id and all(a.loops == store.loops for a in loads)
    if others or not inside or len(stores) > 1 or store.guards or store.call_chain:
        return None
    same = len({a.index for a in loads}) == 1 and all(is_plain(a, store) for a in loads)
    return (store, loads, min(distances)) if same else None


def _offer(assessment: Assessment, kernel: KernelAssessment, loop: Loop) -> Offer | None:
    source, pair = assessment.source, _pair(kernel, loop)
    head = loop_at(source, loop.span)
    if pair is None or head is None:
        return None
    store, loads, distance = pair
    start, condition, update = first_of(head), head.child("condition"), head.child("update")
    place, assignment = in_front_of(source.original, head.start), assignment_of(node_at(source, store.span))
    braces = () if head.in_block else braced(head)
    nodes = [node for a in loads if (node := node_at(source, a.span)) is not None]
    if start is None or condition is None or update is None or place is None or assignment is None or braces is None:
        return None
    variable, value = start
    right, step, index = assignment.child("right"), step_of(update.text, variable), loads[0].index
    if right is None or step is None or len(nodes) < len(loads) or not changes_nothing(condition.text + index):
        return None
    if not outlives(index, head, variable) or not outlives(condition.text, head, variable):
        return None
    register = free_name(source.original, f"{store.pointer}_before")
    shifting = _after(assignment, [f"{register}[{i}] = {register}[{i + 1}];" for i in range(distance)])
    if shifting is None:
        return None
    line, indent = above_pragmas(source.original, place[0]), place[1]
    end = line_end(source.original)
    lines = [f"{store.type} {register}[{distance + 1}];"]
    for i in range(distance):
        at = value if not i else f"{value} {'+' if step > 0 else '-'} {abs(step) * i}"
        texts = [re.sub(rf"\b{re.escape(variable)}\b", alone(at), text) for text in (condition.text, index)]
        lines.append(f"{register}[{i}] = {texts[0]} ? {store.pointer}[{texts[1]}] : 0;")
    edits = [*braces, TextEdit(line, line, "".join(f"{indent}{one}{end}" for one in lines)), *shifting]
    edits += [TextEdit(right.start, right.start, f"{register}[{distance}] = ")]
    edits += [TextEdit(node.start, node.end, f"{register}[0]") for node in nodes]
    return Offer(
        title=f"Keep {store.pointer}[{store.index}] in a shift register for {distance} iterations",
        kind="proved",
        kernel=kernel.facts.name,
        edits=tuple(edits),
        spans=(loop.span, store.span, *(a.span for a in loads)),
        codes=ShiftRegister.codes,
    )


def _after(assignment: Written, lines: list[str]) -> tuple[TextEdit, ...] | None:
    """Lines put after the statement that an assignment is, and after the comment behind it; None where it is more."""
    statement = assignment.up("expression_statement")
    if statement is None or statement.start != assignment.start:
        return None
    text = statement.source.original
    own = in_front_of(text, statement.start)
    stop = text.find(b"\n", statement.end)
    rest = text[statement.end : stop].strip()
    comment = rest.startswith(b"//") or (rest.startswith(b"/*") and rest.find(b"*/") == len(rest) - 2)
    at = statement.end + len(text[statement.end : stop].rstrip()) if comment and stop > 0 else statement.end
    if own is None:
        return None
    end = line_end(text)
    told = "".join(f"{end}{own[1]}{line}" for line in lines)
    if statement.in_block:
        return (TextEdit(at, at, told),)
    around = braced(statement)
    return (around[0], TextEdit(at, at, told + around[1].text)) if around is not None else None
