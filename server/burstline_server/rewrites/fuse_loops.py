"""Two loops that follow each other become one, which passes over memory once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import product

from tree_sitter import Node

from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.parallelism.alias import may_alias
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.exact_places import ExactPlaces
from burstline_server.rewrites.legality.expression_types import canonical
from burstline_server.rewrites.legality.heads import Head, head_of, reads_memory
from burstline_server.rewrites.legality.order import MAX_PAIRS, reversed_by_fusion
from burstline_server.rewrites.pragma_line import require_no_pragmas
from burstline_server.rewrites.reasons import Assertion, Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Refusal,
    Rewrite,
    TextEdit,
    in_front_of,
    line_end,
    step_in,
)
from burstline_server.rewrites.syntax import SourceNode, kernel_body, loop_at, written

_LOOPS = {"for_statement", "while_statement", "do_statement"}
_BETWEEN = {"comment", "declaration"}
_TYPES = {"type_definition", "enum_specifier", "struct_specifier", "union_specifier"}
"""What may declare names of types, and of constants."""
_DIRECTIVE = re.compile(rb"^[ \t]*#", re.MULTILINE)


class FuseLoops(Rewrite):
    """Two loops with the same trips, one right after the other, become one: what both read is fetched once.

    ``for (i…) b[i] = f(a[i]);  for (j…) c[j] = a[j] + b[j];`` becomes one loop with both statements, whose iterations
    are begun once in place of twice. Offered where both heads start, end and step alike, nothing but comments and
    declarations is between them, and every element that one loop stores to and the other one uses is reached by the
    second loop in the same iteration or a later one than by the first: so each value is read as before, and no result
    changes. No variable that one loop sets is used in the other, and no private array but for the
    element that the counter names. Where buffers may overlap, the user
    asserts that they do not. Loops with a pragma, and bodies that leave the loop or use atomics, barriers, channels or
    functions with side effects, are refused.
    """

    name = "fuse loops"
    codes = ("BL106", "BL101", "BL102", "BL103", "BL401", "BL402")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterator[Candidate]:
        """One edit for each two loops that follow each other with the same trips."""
        facts, source = kernel.facts, assessment.source
        begun = {loop.span.start: loop for loop in facts.loops if loop.span.file is None and loop.kind == "for"}
        for loop in begun.values():
            if loop.trip is None or not facts.span.start <= loop.span.start < facts.span.end:
                continue
            node = loop_at(source, loop.span)
            after = _following(node) if node is not None else None
            if node is None or after is None:
                continue
            other = begun.get(source.origin(after.start_byte, after.end_byte).start)
            if other is not None and (other.parent, other.trip) == (loop.parent, loop.trip):
                yield Candidate(
                    Title("fuse_loops", (loop.variable, other.variable)),
                    (loop.span, other.span),
                    partial(_offer, assessment, kernel, loop, other),
                )

    def refusals(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Refusal]:
        """The loops that both pass over one buffer of global memory."""
        facts = kernel.facts
        by_head = {
            loop.span: {a.pointer for a in facts.accesses_in(loop) if a.space == "global"} for loop in facts.loops
        }
        refused = super().refusals(assessment, kernel)
        return (one for one in refused if by_head[one.spans[0]] & by_head[one.spans[1]])


def _following(loop: SourceNode) -> Node | None:
    """The loop that comes next, with nothing but comments and declarations before it."""
    if not loop.in_block:
        return None
    after = loop.node.next_named_sibling
    while after is not None and after.type in _BETWEEN:
        after = after.next_named_sibling
    return after if after is not None and after.type == "for_statement" else None


def _offer(assessment: Assessment, kernel: KernelAssessment, loop: Loop, other: Loop) -> Offer:
    facts, source, effects = kernel.facts, assessment.source, Effects(assessment.source)
    heads = [head_of(effects, loop_at(source, one.span)) for one in (loop, other)]
    for one in (loop, other):
        about = (one.unroll, one.ivdep, one.initiation_interval, one.coalesce, one.max_concurrency)
        if any(said is not None for said in about) or not one.pipelined:
            raise NotOfferedError("pragma_says")
        if one.early_exit:
            raise NotOfferedError("early_exit")
    require_no_pragmas(heads[0].loop)
    _require_alike(effects, *heads)
    text = source.original[heads[0].loop.start : heads[1].loop.end]
    if _DIRECTIVE.search(text) is not None:
        raise NotOfferedError("has_directives")
    bodies = [head.loop.child("body") for head in heads]
    first, second = (body for body in bodies if body is not None)
    for body in (first, second):
        _require_plain(effects, body.node)
    between = _between(effects, heads)
    _require_apart(effects, facts, heads, (first.node, second.node))
    overlapping, shared = _require_order(assessment, effects, facts, loop, other)
    asserts = tuple(Assertion("apart", (one, tuple(sorted(others)))) for one, others in sorted(overlapping.items()))
    title = (loop.variable, other.variable)
    return Offer(
        title=Title("fuse_loops_over", (*title, shared), asserts) if shared else Title("fuse_loops", title, asserts),
        kind="assertion" if asserts else "proved",
        kernel=facts.name,
        edits=_edits(effects, heads, (first, second), between),
        spans=(loop.span, other.span, *(a.span for one in (loop, other) for a in facts.accesses_in(one))),
        codes=FuseLoops.codes,
        host_side=HostSide(apart=True) if asserts else None,
    )


def _require_alike(effects: Effects, one: Head, other: Head) -> None:
    """Refuses heads that do not count alike, or that a body may change."""
    if one.step is None or other.step is None:
        raise NotOfferedError("no_fixed_step")
    declared = [_is_declared(head) for head in (one, other)]
    same = one.name == other.name or all(declared)
    alike = one.step == other.step and canonical(one.type) == canonical(other.type)
    starts = effects.alike(one.first.node, other.first.node)
    ends = effects.alike(one.condition.node, other.condition.node, {other.name: one.name})
    if not (alike and starts and ends and same) or declared[0] != declared[1]:
        raise NotOfferedError("heads_differ")
    for head in (one, other):
        parts = (head.first.node, head.condition.node)
        for body in (h.loop.node.child_by_field_name("body") for h in (one, other)):
            changed = effects.sets(body) if body is not None else set[str]()
            if effects.reads(*parts) & changed or head.name in changed or any(reads_memory(part) for part in parts):
                raise NotOfferedError("bound_may_change")
    if not all(declared) and {one.name, other.name} & effects.reads(one.first.node, other.first.node):
        raise NotOfferedError("bound_may_change")


def _is_declared(head: Head) -> bool:
    initializer = head.loop.node.child_by_field_name("initializer")
    return initializer is not None and initializer.type == "declaration"


def _require_plain(effects: Effects, body: Node) -> None:
    """Refuses a body that leaves its loop, or that calls what does more than compute."""
    for node in inside(body):
        if node.type in {"return_statement", "goto_statement", "labeled_statement", "switch_statement"}:
            raise NotOfferedError("has_jumps")
        if node.type in {"break_statement", "continue_statement"}:
            around = node.parent
            while around is not None and around.type not in _LOOPS and around.id != body.id:
                around = around.parent
            if around is None or around.id == body.id:
                raise NotOfferedError("has_jumps")
        if node.type == "call_expression" and not effects.pure(node):
            raise NotOfferedError("has_effect", effects.called(node) or effects.text(node))


def _between(effects: Effects, heads: list[Head]) -> list[SourceNode]:
    """The comments and declarations between two loops; refuses one that may not come before the first of them."""
    found: list[SourceNode] = []
    one, other = heads
    after = one.loop.node.next_named_sibling
    while after is not None and after.id != other.loop.node.id:
        said = written(one.loop.source, after)
        if said is None:
            raise NotOfferedError("macro_in_it")
        if after.type == "declaration":
            names = effects.sets(after)
            used = effects.reads(one.loop.node) | effects.sets(one.loop.node)
            if names & used or effects.reads(after) & effects.sets(one.loop.node):
                raise NotOfferedError("set_outside", min(names))
            if not effects.pure(after) or any(reads_memory(n) for n in after.children_by_field_name("declarator")):
                raise NotOfferedError("has_effect", min(names))
            if effects.qualifiers(after) & {"local", "static"}:
                raise NotOfferedError("has_effect", min(names))
        found.append(said)
        after = after.next_named_sibling
    return found


def _require_apart(
    effects: Effects, facts: KernelFacts, heads: list[Head], bodies: tuple[Node, Node]
) -> None:  # fmt: skip
    """Refuses variables that one body sets and the other one uses, and names that mean something else in the other."""
    one, other = heads
    whole = kernel_body(one.loop.source, facts.name_span)
    memory = {a.name for a in facts.arguments if a.is_pointer} | {a.name for a in facts.arrays if a.space == "local"}
    own = [{n for d in inside(body) if d.type == "declaration" for n in effects.sets(d)} for body in bodies]
    uses = [effects.reads(body) | effects.sets(body) for body in bodies]
    for node in inside(whole) if whole is not None else ():
        operator = node.child_by_field_name("operator")
        taken = node.child_by_field_name("argument")
        if node.type == "pointer_expression" and operator is not None and operator.type == "&" and taken is not None:
            names = effects.reads(taken) & (uses[0] | uses[1])
            if names:
                raise NotOfferedError("address_given", min(names))
        if node.type == "declaration":
            for declarator in node.children_by_field_name("declarator"):
                if any(n.type == "pointer_declarator" for n in inside(declarator)):
                    names = effects.sets(node) & (uses[0] | uses[1])
                    if names:
                        raise NotOfferedError("declares_pointer")
    if effects.reassigned(*bodies) & memory:
        raise NotOfferedError("set_outside", min(effects.reassigned(*bodies) & memory))
    for at in (0, 1):
        # A name that is a body's own in one block may be one from outside in another.
        outside = {n for n in effects.sets(bodies[at]) if n not in memory} - _only_own(effects, bodies[at], own[at])
        both = {n for n in outside & uses[1 - at] if not _is_of_each_iteration(effects, n, heads, bodies)}
        if both:
            raise NotOfferedError("set_in_other", min(both))
    if one.name != other.name and one.name in uses[1] | own[1]:
        raise NotOfferedError("set_in_other", one.name)
    if other.name in own[1] or one.name in own[0] | own[1]:
        raise NotOfferedError("bound_may_change")


def _is_of_each_iteration(effects: Effects, name: str, heads: list[Head], bodies: tuple[Node, Node]) -> bool:
    """Whether each iteration of two loops uses no element of a private array but the one that its counter names."""
    for head, body in zip(heads, bodies, strict=True):
        for node in inside(body):
            if node.type != "identifier" or effects.text(node) != name:
                continue
            place = node.parent
            index = place.child_by_field_name("index") if place is not None else None
            if place is None or place.type != "subscript_expression" or index is None or index == node:
                return False
            if index.type != "identifier" or effects.text(index) != head.name:
                return False
    return True


def _only_own(effects: Effects, body: Node, own: set[str]) -> set[str]:
    """The names that a body has for its own variables alone, wherever it uses them."""
    foreign = set[str]()
    for node in inside(body):
        name = effects.text(node) if node.type == "identifier" else ""
        if name in own and name not in foreign and not _is_declared_around(effects, node, name, body):
            foreign.add(name)
    return own - foreign


def _is_declared_around(effects: Effects, node: Node, name: str, body: Node) -> bool:
    """Whether a body declares what a name means, before it is used."""
    at: Node | None = node
    while at is not None and at.start_byte >= body.start_byte and at.end_byte <= body.end_byte:
        for one in at.named_children if at.type in {"compound_statement", "for_statement"} else ():
            if one.type != "declaration" or one.start_byte > node.start_byte or name not in effects.sets(one):
                continue
            if one.end_byte <= node.start_byte or name not in effects.reads(*_values(one)):
                return True
        at = at.parent
    return False


def _values(declaration: Node) -> list[Node]:
    found = [d.child_by_field_name("value") for d in declaration.children_by_field_name("declarator")]
    return [one for one in found if one is not None]


def _require_order(
    assessment: Assessment, effects: Effects, facts: KernelFacts, loop: Loop, other: Loop
) -> tuple[dict[str, set[str]], tuple[str, ...]]:
    """The buffers that must not overlap, and those that both loops use.

    Refuses accesses of the first loop that may reach a place in a later iteration than one of the second loop.
    """
    loops = (loop.id, other.id)
    waits = (*(b.loops for b in facts.barriers), *(c.loops for c in facts.channels))
    if any(i in around for i in loops for around in waits):
        raise NotOfferedError("has_channels")
    # What the compiler moves in front of a loop is still written in it.
    sides = [[a for a in facts.accesses if one.id in a.loops or _is_in(a, one)] for one in (loop, other)]
    every = [*sides[0], *sides[1]]
    if any(a.op == "atomic" for a in every):
        raise NotOfferedError("has_atomics")
    if any(a.volatile or a.hint for a in every):
        raise NotOfferedError("not_plain_memory", next(a.pointer for a in every if a.volatile or a.hint))
    if len(sides[0]) * len(sides[1]) > MAX_PAIRS:
        raise NotOfferedError("too_many_accesses")
    found: dict[str, set[str]] = {}
    exact: dict[int, bool] = {}
    places = ExactPlaces(assessment.source, effects, facts)
    for one, two in product(*sides):
        if (one.op == two.op == "load") or not may_alias(facts, one, two):
            continue
        if one.pointer != two.pointer:
            if facts.argument(one.pointer) is None or facts.argument(two.pointer) is None:
                raise NotOfferedError("may_overlap", one.pointer, two.pointer)
            name, overlapped = sorted((one.pointer, two.pointer))
            found.setdefault(name, set()).add(overlapped)
            continue
        for a in (one, two):
            if a.id not in exact:
                exact[a.id] = places.has(a)
        inside_them = loop.id in one.loops and other.id in two.loops and exact[one.id] and exact[two.id]
        if not inside_them or reversed_by_fusion(facts, one, two, loop, other):
            raise NotOfferedError("later_in_first", one.place, two.place)
    names = {a.pointer for a in sides[0]} & {a.pointer for a in sides[1]}
    return found, tuple(sorted(names & {a.pointer for a in every if a.space == "global"}))


def _is_in(access: Access, loop: Loop) -> bool:
    span = access.call_chain[0] if access.call_chain else access.span
    return span.file is None and loop.span.start <= span.start < max(loop.body.end, loop.span.end)


def _edits(
    effects: Effects, heads: list[Head], bodies: tuple[SourceNode, SourceNode], between: list[SourceNode]
) -> tuple[TextEdit, ...]:
    """One loop in place of two, with the declarations that were between them in front of it."""
    one, other = heads
    text = one.loop.source.original
    place, end = in_front_of(text, one.loop.start), line_end(text)
    if place is None or not other.loop.in_block:
        raise NotOfferedError("no_line_for_declaration")
    indent = place[1]
    unit = step_in(text, indent)
    close = next((c for c in reversed(one.loop.node.children) if c.type == ")"), None)
    head_end = written(one.loop.source, close) if close is not None else None
    if head_end is None:
        raise NotOfferedError("macro_in_head")
    declared = {n for d in bodies[0].node.named_children if d.type == "declaration" for n in effects.sets(d)}
    types = any(n.type in _TYPES for body in bodies for n in inside(body.node))
    clash = types or declared & (effects.reads(bodies[1].node) | effects.sets(bodies[1].node))
    within = _indent_within(bodies, indent) or indent + unit
    lines = [text[one.loop.start : head_end.end].decode() + " {"]
    for body, edits in ((bodies[0], []), (bodies[1], _renames(effects, one, other, bodies[1]))):
        said = _statements(body, edits, within, end)
        lines += [f"{within}{{", said, f"{within}}}"] if clash else [said]
        if body is bodies[0]:
            lines += [f"{within}{c.text.rstrip()}" for c in between if c.node.type == "comment"]
    lines = [line for line in lines if line.strip()]
    moved = [c.text for c in between if c.node.type == "declaration"]
    front = "".join(f"{line}{end}{indent}" for line in moved)
    return (TextEdit(one.loop.start, other.loop.end, front + end.join([*lines, f"{indent}}}"])),)


def _indent_within(bodies: Iterable[SourceNode], indent: str) -> str:
    """What the statements of bodies are indented by, where one begins a line; empty where none does."""
    for body in bodies:
        nodes = body.node.named_children if body.node.type == "compound_statement" else [body.node]
        found = (written(body.source, n) for n in nodes if n.type != "comment")
        places = (in_front_of(body.source.original, n.start) for n in found if n is not None)
        inner = next((p[1] for p in places if p is not None and len(p[1]) > len(indent)), "")
        if inner:
            return inner
    return ""


def _renames(effects: Effects, one: Head, other: Head, body: SourceNode) -> list[TextEdit]:
    """The second counter by the first one's name."""
    if one.name == other.name:
        return []
    edits: list[TextEdit] = []
    for node in inside(body.node):
        if node.type == "identifier" and effects.text(node) == other.name:
            place = written(body.source, node)
            if place is None or place.text != other.name:
                raise NotOfferedError("macro_in_it")
            edits.append(TextEdit(place.start, place.end, one.name))
    return edits


def _statements(body: SourceNode, edits: Iterable[TextEdit], indent: str, end: str) -> str:
    """The statements of a body on lines of their own."""
    start, stop = body.start, body.end
    braces = body.node.type == "compound_statement"
    if braces:
        opening, closing = (written(body.source, body.node.children[at]) for at in (0, -1))
        if opening is None or closing is None or opening.text != "{" or closing.text != "}":
            raise NotOfferedError("macro_in_it")
        start, stop = opening.end, closing.start
    text = body.source.original[start:stop]
    for edit in sorted(edits, key=lambda e: e.start, reverse=True):
        text = text[: edit.start - start] + edit.text.encode() + text[edit.end - start :]
    said = text.decode("utf-8", "replace").rstrip()
    first, _, rest = said.partition(end)
    if not first.strip() and rest:
        return rest
    return indent + said.strip()
