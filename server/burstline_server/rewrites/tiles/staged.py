"""The loads of a loop that a group can make together, and what each work-item's place is made of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from tree_sitter import Node

from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.parallelism.alias import may_alias
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.analysis.types import named
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.legality.exact_places import require_exact
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.syntax import SourceNode, node_at, written
from burstline_server.rewrites.tiles.layout import ALONG
from burstline_server.rewrites.tiles.shared import is_shared
from burstline_server.rewrites.tiles.windows import Window, counters_of, window_of
from burstline_server.source.source import Source

_MOVED = ("global_id", "local_id")


@fixed
class Staged:
    """Loads of one place, written alike: ``array[index]``, of elements of `type`.

    `steps` are elements from one work-item to the next in each dimension of the group, and in `ALONG` from one
    iteration to the next; what does not move the place is left out. `window` is what an iteration reads, `counters` the
    variables of the loops inside that move it, by the loop's id.
    """

    access: Access
    array: str
    index: SourceNode
    places: tuple[SourceNode, ...]
    steps: Mapping[int, Polynomial]
    window: Window = field(default_factory=Window)
    counters: Mapping[int, str] = field(default_factory=dict)


@fixed
class Walk:
    """A load of a loop, how it moves, and what an iteration reads."""

    access: Access
    steps: Mapping[int, Polynomial]
    window: Window


def steps_of(facts: KernelFacts, access: Access, loop: Loop | None) -> dict[int, Polynomial] | None:
    """How an access moves, in elements; None where that is not the same for all work-items of the group."""
    offset, size = access.offset, access.element_bytes
    if offset is None or size < 1:
        return None
    ids = {s.name: s for n in offset.symbols if (s := facts.symbols.get(n)) is not None and s.kind in _MOVED}
    if not is_shared(facts, offset.without(ids), access.loops):
        return None
    others = [facts.symbols[n] for n in offset.symbols if n not in ids]
    inside = (
        {facts.loops[i].counter for i in access.loops[access.loops.index(loop.id) :]} if loop is not None else set()
    )
    if any(not inside.isdisjoint(one.depends_on) for one in others):
        return None
    found: dict[int, Polynomial] = {}
    for name, symbol in ids.items():
        step = offset.coefficient(name)
        if step is None or not is_shared(facts, step, ()):
            return None
        found[symbol.dimension] = found.get(symbol.dimension, Polynomial()) + step
    if loop is not None:
        along = offset.coefficient(loop.counter)
        if along is None or not is_shared(facts, along, ()):
            return None
        found[ALONG] = along
    whole: dict[int, Polynomial] = {}
    for dimension, step in found.items():
        if any(c % size for _, c in step.terms):
            return None
        if step.terms:
            whole[dimension] = Polynomial(tuple((m, c // size) for m, c in step.terms))
    return whole


def is_apart(steps: Mapping[int, Polynomial]) -> bool:
    """Whether neighbouring work-items load places apart, and each walks through neighbours."""
    first = steps.get(0)
    return first is not None and first.constant not in {1, -1} and ALONG in steps and steps[ALONG].constant == 1


def is_repeated(steps: Mapping[int, Polynomial], dimensions: int) -> bool:
    """Whether work-items of a group that lie in several dimensions load the same elements."""
    own = [d for d in range(dimensions) if d in steps]
    return dimensions > 1 and 0 < len(own) < dimensions and ALONG in steps


def loads_of(facts: KernelFacts, loop: Loop, dimensions: int) -> list[Walk]:
    """The loads in a loop, without conditions of their own, that a tile would put in order or save."""
    found = []
    for access in facts.accesses_in(loop):
        if access.op != "load" or access.space != "global" or access.volatile or access.hint is not None:
            continue
        steps = steps_of(facts, access, loop) if access.guards == loop.guards else None
        if steps is None:
            continue
        right_in = access.loops[-1] == loop.id
        if right_in and (is_apart(steps) or is_repeated(steps, dimensions)):
            found.append(Walk(access, steps, Window()))
        elif not right_in and (made := window_of(facts, access, loop, steps)) is not None and is_apart(made[1]):
            found.append(Walk(access, made[1], made[0]))
    return found


def require_unchanged(facts: KernelFacts, access: Access) -> None:
    """Raises `NotOfferedError` where a store of the kernel may reach what an access loads."""
    for store in facts.accesses:
        if store.op != "load" and may_alias(facts, store, access):
            if store.pointer == access.pointer:
                raise NotOfferedError("kernel_stores", access.pointer)
            raise NotOfferedError("may_overlap", access.pointer, store.pointer)


def staged_of(facts: KernelFacts, effects: Effects, loads: Sequence[Walk]) -> list[Staged]:
    """The loads as they are written, those of one place together."""
    found: dict[tuple[str, Polynomial | None, tuple[int, ...]], Staged] = {}
    require_exact(effects.source, facts, [load.access for load in loads])
    for load in loads:
        access = load.access
        require_unchanged(facts, access)
        if access.call_chain:
            raise NotOfferedError("in_helper")
        place = subscript_of(effects, access)
        array, index = place.child("argument"), place.child("index")
        whole = written(effects.source, index.node) if index is not None else None
        if array is None or whole is None or array.node.type != "identifier" or named(access.type) is None:
            raise NotOfferedError("not_all_elements")
        if not effects.pure(whole.node):
            raise NotOfferedError("has_effect", whole.text)
        key = (array.text, access.offset, access.loops)
        if key in found:
            one = found[key]
            if place.start not in {p.start for p in one.places}:
                found[key] = replace(one, places=(*one.places, place))
        else:
            counters = counters_of(facts, effects, load.window)
            found[key] = Staged(access, array.text, whole, (place,), load.steps, load.window, counters)
    return list(found.values())


def subscript_of(effects: Effects, access: Access) -> SourceNode:
    """The ``array[index]`` of an access, of which a component may be taken."""
    place = node_at(effects.source, access.span)
    if place is not None and place.node.type == "field_expression":
        place = place.child("argument")
    if place is None or place.node.type != "subscript_expression":
        raise NotOfferedError("not_all_elements")
    return place


def subscript_used(effects: Effects, access: Access) -> SourceNode:
    """The same where a macro may be in the index: what is written between the brackets means the same elsewhere."""
    source, span = effects.source, access.span
    at = source.offset_of(span.start) if span.file is None else None
    node: Node | None = source.tree.root_node.descendant_for_byte_range(at, at + 1) if at is not None else None
    while node is not None and node.type != "subscript_expression":
        node = node.parent
    place = as_used(source, node) if node is not None else None
    index, array = (place.child(n) if place is not None else None for n in ("index", "argument"))
    if place is None or index is None or array is None or (place.start, place.end) != (span.start, span.end):
        raise NotOfferedError("not_all_elements")
    if between_brackets(place) is None:
        raise NotOfferedError("macro_in_it")
    return place


def between_brackets(place: SourceNode) -> str | None:
    """What is written between the brackets of ``array[index]``; None where these come from a macro."""
    array = place.child("argument")
    match = re.fullmatch(rf"{re.escape(array.text)}\s*\[(.*)\]", place.text, re.DOTALL) if array is not None else None
    return match[1].strip() if match is not None else None


def as_used(source: Source, node: Node) -> SourceNode:
    """A node where the user wrote it, macros in it or not."""
    return SourceNode(source, node, source.origin(node.start_byte, node.end_byte).start - node.start_byte)
