"""Load each element of a moving neighbourhood once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise

from burstline_model.facts import Access, Loop
from burstline_model.parallelism.alias import may_alias
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.nodes import previous_end
from burstline_server.analysis.types import named
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.legality.exact_places import require_exact
from burstline_server.rewrites.legality.heads import counts_up, require_fixed, with_value
from burstline_server.rewrites.loop_bodies import in_front
from burstline_server.rewrites.reasons import Title
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
from burstline_server.rewrites.syntax import SourceNode, free_name, loop_at, node_at, written
from burstline_server.source.source import Source

MAX_TAPS = 16
"""Most elements that a window holds."""


class SlidingWindow(Rewrite):
    """A private window that moves along a row: one new load an iteration, where each element was loaded several times.

    ``x[i - 1]``, ``x[i]``, ``x[i + 1]`` become variables that hand their values on; only the foremost is loaded.
    Offered for a loop of a single work-item kernel that counts up by one, loads every one of them in each iteration
    without a condition, and stores nothing to the buffer. What the window holds at first is loaded before the loop,
    under the loop's own condition. No result changes.
    """

    name = "sliding window"
    codes = ("BL101", "BL102", "BL105", "BL106")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each neighbourhood."""
        facts = kernel.facts
        if facts.model != "single_work_item":
            return
        around = {loop.parent for loop in facts.loops}
        for loop in facts.loops:
            if loop.id in around:
                continue
            for taps in _neighbourhoods(kernel, loop):
                yield Candidate(
                    _title(taps),
                    (loop.span, *(a.span for found in taps.values() for a in found)),
                    partial(_offer, assessment, kernel, loop, taps),
                )


def _offer(assessment: Assessment, kernel: KernelAssessment, loop: Loop, taps: Taps) -> Offer:
    if loop.unroll not in {None, 1}:
        raise NotOfferedError("pragma_says")
    if loop.early_exit:
        raise NotOfferedError("early_exit")
    require_exact(assessment.source, kernel.facts, [a for found in taps.values() for a in found])
    return Offer(
        title=_title(taps),
        kind="proved",
        kernel=kernel.facts.name,
        edits=_edits(assessment, kernel, loop, taps),
        spans=(loop.span, *(a.span for found in taps.values() for a in found)),
        codes=SlidingWindow.codes,
    )


Taps = dict[int, list[Access]]
"""Loads by how many elements they lie after the rearmost."""


def _title(taps: Taps) -> Title:
    first, last = taps[min(taps)][0], taps[max(taps)][0]
    return Title("sliding_window", (f"{first.pointer}[{first.index}]", f"{last.pointer}[{last.index}]"))


def _neighbourhoods(kernel: KernelAssessment, loop: Loop) -> Iterator[Taps]:
    """Loads of a loop that a few elements lie between, each of which moves on by one element an iteration."""
    facts, groups = kernel.facts, list[tuple[Polynomial, dict[int, list[Access]]]]()
    inside = facts.accesses_in(loop)
    for access in inside:
        if access.op != "load" or access.space != "global" or not _moves_on(kernel, access, loop):
            continue
        if any(s.op != "load" and may_alias(facts, s, access) for s in inside):
            continue
        for base, found in groups:
            distance = (access.offset - base).constant if access.offset is not None else None
            same = next(iter(found.values()))[0]
            near = distance is not None and abs(distance) < MAX_TAPS * access.element_bytes
            if near and distance is not None and (same.pointer, same.type) == (access.pointer, access.type):
                found.setdefault(distance // access.element_bytes, []).append(access)
                break
        else:
            groups.append((access.offset or Polynomial(), {0: [access]}))
    for _, found in groups:
        least, most = min(found), max(found)
        if 0 < most - least < MAX_TAPS:
            yield {at - least: accesses for at, accesses in sorted(found.items())}


def _moves_on(kernel: KernelAssessment, access: Access, loop: Loop) -> bool:
    """Whether a load without conditions moves to the next element, and in no other way, from iteration to iteration."""
    facts, offset = kernel.facts, access.offset
    plain = not access.guards and not access.call_chain and not access.volatile and access.loops[-1] == loop.id
    if offset is None or not plain or access.hint is not None or named(access.type) is None:
        return False
    step = offset.coefficient(loop.counter)
    others = [s for n in offset.symbols if n != loop.counter and (s := facts.symbols.get(n)) is not None]
    fixed = all(s.kind in {"loop", "argument"} for s in others)
    return fixed and step is not None and step.constant == access.element_bytes


def _edits(assessment: Assessment, kernel: KernelAssessment, loop: Loop, taps: Taps) -> tuple[TextEdit, ...]:
    text, source, effects = assessment.source.original, assessment.source, Effects(assessment.source)
    head = counts_up(effects, loop_at(source, loop.span), within=(kernel.facts, loop))
    body = head.loop.child("body")
    indexes = {at: _indexes(source, found) for at, found in taps.items()}
    if body is None:
        raise NotOfferedError("macro_in_it")
    if not all(indexes.values()):
        raise NotOfferedError("not_all_elements")
    for index in (i for found in indexes.values() for i in found):
        require_fixed(effects, kernel.facts, index, head.loop, loop, counter=head.name)
    foremost, type_, pointer = max(taps), taps[0][0].type, taps[0][0].pointer
    newest = indexes[foremost][0]
    zero = "0" if taps[0][0].element_bytes == taps[0][0].scalar_bytes else f"({type_})(0)"
    holds = "" if loop.trip is not None and loop.trip.constant else f"{head.runs(head.value)} ? "
    names = [free_name(text, f"{pointer}_{at}") for at in range(foremost + 1)]
    before = [f"{type_} {names[0]};"]
    # The loop begins with moving the window on, so it is one place further back before.
    for at in range(foremost):
        own = indexes[at][0] if at in indexes else newest
        shifted = with_value(own, head.name, head.value) + ("" if at in indexes else f" - {foremost - at}")
        before.append(f"{type_} {names[at + 1]} = {holds}{pointer}[{shifted}]{f' : {zero}' if holds else ''};")
    moved = [f"{a} = {b};" for a, b in pairwise(names)] + [f"{names[-1]} = {pointer}[{newest.text}];"]
    edits = [*in_front(head.loop, before), *_at_start(text, head.loop, body, moved)]
    for at, found in taps.items():
        edits += [
            TextEdit(start, stop, names[at]) for start, stop in sorted({(a.span.start, a.span.end) for a in found})
        ]
    return tuple(edits)


def _indexes(source: Source, accesses: list[Access]) -> list[SourceNode]:
    """What the user wrote between the brackets of each access; nothing where one is written in another way."""
    found = []
    for access in accesses:
        place = node_at(source, access.span)
        array, index = (place.child(n) if place is not None else None for n in ("argument", "index"))
        if place is None or place.node.type != "subscript_expression" or array is None or index is None:
            return []
        if array.text != access.pointer:
            return []
        found.append(index)
    return found


def _at_start(text: bytes, head: SourceNode, body: SourceNode, lines: list[str]) -> list[TextEdit]:
    """Statements put at the start of a loop's body, which becomes a block where it was one statement."""
    block = body.node.type == "compound_statement"
    first = written(body.source, body.node.named_children[0]) if block else body
    inside = first.start if first is not None else body.start + 1
    place, own = in_front_of(text, inside), in_front_of(text, head.start)
    if place is not None:
        edits = [TextEdit(place[0], place[0], "".join(f"{place[1]}{one}{line_end(text)}" for one in lines))]
    else:
        edits = [TextEdit(inside, inside, " ".join(lines) + " ")]
    if block:
        return edits
    opening = previous_end(body.node) + body.shift
    if place is None or own is None:
        return [TextEdit(inside, inside, "{ " + " ".join(lines) + " "), TextEdit(body.end, body.end, " }")]
    closing = after_comment(text, body.end)
    return [TextEdit(opening, opening, " {"), *edits, TextEdit(closing, closing, f"{line_end(text)}{own[1]}}}")]
