"""One element of a buffer that a loop does not move: how it is written, and what else in the loop reaches it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from burstline_model.facts import Access, KernelFacts, Loop
from burstline_server.assessment.assessor import Assessment
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.heads import require_fixed
from burstline_server.rewrites.legality.order import Meeting, meetings
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.syntax import SourceNode, node_at


def loops_around(facts: KernelFacts, store: Access) -> list[Loop]:
    """The loops around a store in which its place stays the same, the outermost first."""
    found: list[Loop] = []
    for number in reversed(store.loops):
        loop = facts.loops[number]
        symbols = [facts.symbols.get(name) for name in (store.offset.symbols if store.offset is not None else ())]
        if any(s is None or loop.counter in {s.name, *s.depends_on} or s.loop == loop.id for s in symbols):
            break
        found.insert(0, loop)
    return found


def element(one: Access) -> object:
    """What accesses have in common that reach the same element in one iteration, as a value of one type."""
    return one.pointer, one.space, one.offset, one.element_bytes, one.type


def source_nodes(assessment: Assessment, own: Sequence[Access]) -> list[SourceNode]:
    """Where accesses are written, each place once; raises `NotOfferedError` where the user did not write one out."""
    found = dict.fromkeys(a.span for a in own)
    nodes = [node_at(assessment.source, span) for span in found]
    written = [n for n in nodes if n is not None]
    if len(written) < len(nodes):
        raise NotOfferedError("macro_in_it")
    return written


def takes_address(node: SourceNode) -> bool:
    """Whether the address of a place is taken, or that of something around it."""
    outer = node.node.parent
    while outer is not None and outer.type in {"parenthesized_expression", "field_expression", "subscript_expression"}:
        outer = outer.parent
    operator = outer.child_by_field_name("operator") if outer is not None else None
    return outer is not None and outer.type == "pointer_expression" and operator is not None and operator.type == "&"


def root_of(node: SourceNode) -> SourceNode | None:
    """The pointer of ``p[i]``, ``*p`` or ``p[i].x``; None for anything else."""
    inner: SourceNode | None = node
    while inner is not None and inner.node.type == "field_expression":
        operator = inner.node.child_by_field_name("operator")
        if operator is None or operator.type != ".":
            return None
        inner = inner.child("argument")
    if inner is None or inner.node.type not in {"subscript_expression", "pointer_expression"}:
        return None
    operator = inner.node.child_by_field_name("operator")
    pointer = inner.child("argument")
    plain = inner.node.type == "subscript_expression" or (operator is not None and operator.type == "*")
    return pointer if plain and pointer is not None and pointer.node.type == "identifier" else None


def word_of(place: SourceNode) -> str:
    """What a variable for a place is called after: its pointer, and its field."""
    root = root_of(place)
    field = re.search(r"\.(\w+)$", place.text)
    return (root.text if root is not None else "value") + (f"_{field[1]}" if field else "")


def require_one_place(effects: Effects, facts: KernelFacts, place: SourceNode, head: SourceNode, loop: Loop) -> None:
    """Raises `NotOfferedError` unless a place is the same before, in and after a loop."""
    root = root_of(place)
    pointer = root.text if root is not None else ""
    declared = {n for node in inside(head.node) if node.type == "declaration" for n in effects.sets(node)}
    if pointer in effects.reassigned(head.node) | declared:
        raise NotOfferedError("changes_in_loop", pointer)
    inner: SourceNode | None = place
    while inner is not None and inner.node.type == "field_expression":
        inner = inner.child("argument")
    index = inner.child("index") if inner is not None and inner.node.type == "subscript_expression" else None
    if index is not None:
        require_fixed(effects, facts, index, head, loop)
        if pointer in effects.reads(index.node):
            raise NotOfferedError("loop_may_store", pointer, place.text)


def meet_in(facts: KernelFacts, a: Access, b: Access, loop: Loop) -> bool:
    """Whether two accesses may reach one place while the loop runs."""
    return bool(meetings_in(facts, a, b, loop))


def meetings_in(facts: KernelFacts, a: Access, b: Access, loop: Loop) -> list[Meeting]:
    """How two accesses may reach one place while the loop runs, whichever comes first."""
    if a.op == "load" and b.op == "load":
        return []
    found = [one for first, second in ((a, b), (b, a)) for one in meetings(facts, first, second)]
    return [m for m in found if m.loop is None or loop.id in {m.loop.id, *facts.loops_around(m.loop.id)}]
