"""Two nested loops in the other order, so that neighbouring elements follow each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import product

from tree_sitter import Node

from burstline_model.estimate.after_change import steps_of
from burstline_model.estimate.changes import Interchange as Interchanged
from burstline_model.facts import Access, KernelFacts, Loop
from burstline_server.analysis.nodes import holds
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.exact_places import ExactPlaces
from burstline_server.rewrites.legality.heads import Head, head_of, reads_memory
from burstline_server.rewrites.legality.order import MAX_PAIRS, reversed_by_interchange
from burstline_server.rewrites.pragma_line import require_no_pragmas
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Refusal, Rewrite, TextEdit
from burstline_server.rewrites.syntax import kernel_body, loop_begun_at, written
from burstline_server.source.source import Source

_JUMPS = {"return_statement", "goto_statement", "labeled_statement"}
_DECLARING = {"declaration", "parameter_declaration"}
_DIRECTIVE = re.compile(rb"^[ \t]*#", re.MULTILINE)


class Interchange(Rewrite):
    """Two loops, one right in the other, in the other order: neighbours are then moved one after the other.

    Offered where the elements of a buffer lie side by side along the outer loop and apart along the inner one. Nothing
    is between the two heads, both count a signed counter to a bound by a fixed step, neither's bounds follow from the
    other, and the body sets nothing but memory and its own variables. No two accesses reach one place in an iteration
    of each loop that would come in the opposite order: each element is added to in the order as before, so that no
    result changes. Loops with a pragma, and bodies that leave the loop or use channels, atomics or ``printf``, are
    refused.
    """

    name = "interchange"
    codes = ("BL102",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterator[Candidate]:
        """One edit for each pair of loops along whose outer one elements lie side by side."""
        facts = kernel.facts
        pairs: dict[tuple[int, int], list[Access]] = {}
        for access in facts.accesses if facts.model == "single_work_item" else ():
            if len(access.loops) > 1 and access.space == "global" and access.offset is not None:
                outer, inner = access.loops[-2:]
                counters = [facts.loops[i].counter for i in (outer, inner)]
                steps = [abs(steps_of(facts, access).get(counter, 0)) for counter in counters]
                apart = steps[1] != access.element_bytes and counters[1] in access.offset.symbols
                if steps[0] == access.element_bytes and apart:
                    pairs.setdefault((outer, inner), []).append(access)
        for (outer, inner), accesses in pairs.items():
            one, other = facts.loops[outer], facts.loops[inner]
            yield Candidate(
                Title("interchange", (one.variable, other.variable)),
                (other.span, one.span, *(a.span for a in accesses)),
                partial(_offer, assessment, kernel, one, other, accesses),
            )

    def refusals(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Refusal]:
        """The loops that the model would interchange."""
        estimate = kernel.with_figures.estimate
        asked = {(c.outer, c.inner) for o in estimate.levers if isinstance(c := o.change, Interchanged)}
        return (one for one in super().refusals(assessment, kernel) if one.title.names in asked)


def _offer(
    assessment: Assessment, kernel: KernelAssessment, outer: Loop, inner: Loop, accesses: list[Access]
) -> Offer:  # fmt: skip
    facts, source = kernel.facts, assessment.source
    if outer.span.file is not None or not facts.span.start <= outer.span.start < facts.span.end:
        raise NotOfferedError("in_helper")
    effects = Effects(source)
    heads = [head_of(effects, loop_begun_at(source, loop.span)) for loop in (outer, inner)]
    body = _nested(*heads)
    for loop, head, other in zip((outer, inner), heads, reversed(heads), strict=True):
        # A loop that the other one's zero trips kept from running must not run for ever, or round its counter, now.
        if kernel.launch.trips.get(loop.id) is not None or loop.trip is None or not head.ends_once:
            raise NotOfferedError("no_fixed_trips")
        _require_plain(effects, loop, head, other, body)
    _require_own(effects, facts, body, {head.name for head in heads})
    _require_unused(effects, source, facts, heads)
    _require_order(source, effects, facts, outer, inner)
    places = [_written_head(head) for head in heads]
    texts = [source.original[start:end].decode("utf-8", "replace") for start, end in places]
    return Offer(
        title=Title("interchange", (outer.variable, inner.variable)),
        kind="proved",
        kernel=facts.name,
        edits=tuple(TextEdit(*place, text) for place, text in zip(places, reversed(texts), strict=True)),
        spans=(inner.span, outer.span, *(a.span for a in accesses)),
        codes=Interchange.codes,
    )


def _nested(outer: Head, inner: Head) -> Node:
    """The inner loop's body; refuses anything between the two heads."""
    around, body = outer.loop.node.child_by_field_name("body"), inner.loop.node.child_by_field_name("body")
    within = [around] if around is not None and around.type != "compound_statement" else _statements(around)
    if [n.id for n in within] != [inner.loop.node.id] or body is None:
        raise NotOfferedError("not_right_in_other")
    text = outer.loop.source.original[outer.loop.start : inner.loop.start]
    if _DIRECTIVE.search(text) is not None:
        raise NotOfferedError("has_directives")
    return body


def _statements(block: Node | None) -> list[Node]:
    return [n for n in block.named_children if n.type != "comment"] if block is not None else []


def _require_plain(effects: Effects, loop: Loop, head: Head, other: Head, body: Node) -> None:
    """Refuses a loop that a pragma is about, that may end early, or whose trips the other one or the body decides."""
    about = (loop.unroll, loop.ivdep, loop.initiation_interval, loop.coalesce, loop.max_concurrency)
    if any(one is not None for one in about) or not loop.pipelined:
        raise NotOfferedError("pragma_says")
    require_no_pragmas(head.loop)
    if loop.early_exit:
        raise NotOfferedError("early_exit")
    if head.step is None:
        raise NotOfferedError("no_fixed_step")
    parts = head.first.node, head.condition.node
    changed = effects.sets(body) | {other.name}
    if effects.reads(*parts) & changed or head.name in changed or any(reads_memory(part) for part in parts):
        raise NotOfferedError("bound_may_change")


def _require_own(effects: Effects, facts: KernelFacts, body: Node, counters: set[str]) -> None:
    """Refuses a body that does more than set memory and variables of its own."""
    declared: set[str] = set()
    for node in inside(body):
        if node.type in _JUMPS:
            raise NotOfferedError("has_jumps")
        if node.type == "declaration":
            declared |= effects.sets(node)
        if node.type == "call_expression" and not effects.pure(node):
            raise NotOfferedError("has_effect", effects.called(node) or effects.text(node))
    # A name may be one of the body's own in one block and one from outside in another.
    outside = {name for at in _around(body) for one in at.named_children if one.type in _DECLARING
               for name in effects.sets(one)}  # fmt: skip
    own = declared - outside
    memory = {a.name for a in facts.arguments if a.is_pointer} | {a.name for a in facts.arrays if a.space == "local"}
    changed = (effects.reassigned(body) - own) | (effects.sets(body) - own - memory)
    if changed:
        raise NotOfferedError("set_outside", min(changed))
    if declared & counters:
        raise NotOfferedError("bound_may_change")


def _require_unused(effects: Effects, source: Source, facts: KernelFacts, heads: list[Head]) -> None:
    """Refuses counters that are declared elsewhere and whose last value something may read."""
    whole, nest = kernel_body(source, facts.name_span), heads[0].loop.node
    for head in heads:
        initializer = head.loop.node.child_by_field_name("initializer")
        if initializer is not None and initializer.type == "declaration":
            continue
        for name in inside(whole) if whole is not None else ():
            if name.type != "identifier" or effects.text(name) != head.name or holds(nest, name):
                continue
            if not (_is_declared(name) or any(_sets_first(effects, at, head.name, nest) for at in _around(name))):
                raise NotOfferedError("used_elsewhere", head.name)


def _sets_first(effects: Effects, loop: Node, name: str, nest: Node) -> bool:
    """Whether a loop elsewhere gives its counter, a variable of this name, its own first value."""
    if loop.type != "for_statement" or holds(loop, nest):
        return False
    initializer = loop.child_by_field_name("initializer")
    return initializer is not None and name in effects.reassigned(initializer) | (
        effects.sets(initializer) if initializer.type == "declaration" else set()
    )


def _is_declared(name: Node) -> bool:
    """Whether a name is where a variable is declared."""
    at = name.parent
    first = at is not None and at.type == "init_declarator" and at.child_by_field_name("declarator") == name
    return at is not None and (at.type == "declaration" or first)


def _around(node: Node) -> Iterator[Node]:
    at = node.parent
    while at is not None:
        yield at
        at = at.parent


def _require_order(source: Source, effects: Effects, facts: KernelFacts, outer: Loop, inner: Loop) -> None:
    """Refuses accesses that may reach one place in the opposite order after the edit."""
    # What was moved in front of a loop is stored to nowhere in it.
    within = [a for a in facts.accesses_in(inner) if outer.id in a.loops]
    stores = [a for a in within if a.op != "load"]
    if any(a.volatile or a.op == "atomic" or a.hint for a in within):
        raise NotOfferedError("has_atomics")
    if len(stores) * len(within) > MAX_PAIRS:
        raise NotOfferedError("too_many_accesses")
    shared = [a for a in within if any(a.pointer == store.pointer for store in stores)]
    exact = ExactPlaces(source, effects, facts)
    inexact = next((a for a in shared if not exact.has(a)), None)
    if inexact is not None:
        raise NotOfferedError("opposite_order", inexact.place, inexact.place)
    for store, access in product(stores, within):
        level = store.loops.index(outer.id)
        if access.loops[: level + 2] != store.loops[: level + 2]:
            raise NotOfferedError("not_right_in_other")
        for one, two in ((store, access), (access, store)):
            if reversed_by_interchange(facts, one, two, level):
                if one.pointer != two.pointer:
                    raise NotOfferedError("may_overlap", store.pointer, access.pointer)
                raise NotOfferedError("opposite_order", store.place, access.place)


def _written_head(head: Head) -> tuple[int, int]:
    """Where a head's three parts are in the file; refuses one that macros make up."""
    parts = [head.loop.node.child_by_field_name(name) for name in ("initializer", "condition", "update")]
    found = [written(head.loop.source, part) for part in parts if part is not None]
    places = [one for one in found if one is not None]
    if len(places) < len(parts):
        raise NotOfferedError("macro_in_head")
    return places[0].start, places[-1].end
