"""Move the elements of a transpose through local memory, so that they are loaded and stored in order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from tree_sitter import Node

from burstline_model.facts import Access, Guard, KernelFacts, Span
from burstline_model.parallelism.alias import may_alias
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.types import named
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.legality.exact_places import require_exact
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    in_front_of,
    line_end,
    step_in,
)
from burstline_server.rewrites.syntax import SourceNode, above_pragmas, kernel_body
from burstline_server.rewrites.tiles.inserted import Inserted
from burstline_server.rewrites.tiles.inside import Inside
from burstline_server.rewrites.tiles.layout import Group, Loading, Tile, loading_of, tile_of
from burstline_server.rewrites.tiles.limits import Limit, limits_of, require_fixed_limits
from burstline_server.rewrites.tiles.shared import holds_together
from burstline_server.rewrites.tiles.staged import (
    Staged,
    as_used,
    between_brackets,
    require_unchanged,
    steps_of,
    subscript_used,
)
from burstline_server.rewrites.tiles.tile_groups import (
    dimensions_of,
    group_of,
    require_group,
    require_structured,
    shared_out,
)
from burstline_server.rewrites.tiles.tile_lines import (
    Fill,
    Lines,
    Names,
    declarations,
    limit_texts,
    load_lines,
    own_place,
)
from burstline_server.rewrites.tiles.tiled_loop import BARRIER, first_line

_PLAIN = {"expression_statement", "declaration"}
_STATEMENTS = _PLAIN | {"compound_statement", "if_statement", "for_statement", "while_statement", "return_statement"}


class TransposeTile(Rewrite):
    """Elements that neighbouring work-items load or store far apart, exchanged in a tile in local memory.

    Offered for an NDRange kernel that moves an element outside loops, at a place where the next element is that of the
    next work-item in another dimension (``out[x * height + y] = in[y * width + x]``). For a load, each work-item of the
    group loads what another one needs, in the order of addresses, and finds its own behind a barrier; for a store, it
    stores what another one computed. Needed are conditions that are limits of ids, or the same for the whole group, and
    that nothing else may reach the buffer. Where the kernel does not fix the size of its work-groups,
    ``reqd_work_group_size`` is added, and the host launches it so,
    as it may do already.
    """

    name = "transpose tile"
    codes = ("BL102", "BL101", "BL106")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each access."""
        facts = kernel.facts
        for access in facts.accesses if facts.model == "ndrange" else ():
            if access.loops or access.space != "global" or access.volatile or access.hint is not None:
                continue
            steps = steps_of(facts, access, None) if access.op != "atomic" else None
            if steps is not None and _is_turned(steps):
                spans = (access.span, facts.name_span)
                offer = partial(_offer, assessment, kernel, access, steps, spans)
                yield Candidate(Title("transpose_tile", (access.pointer,)), spans, offer)


def _is_turned(steps: dict[int, Polynomial]) -> bool:
    """Whether the next element is that of the next work-item in another dimension than the first."""
    first = steps.get(0)
    apart = first is not None and first.constant not in {1, -1}
    return apart and any(d > 0 and step.constant == 1 for d, step in steps.items())


def _offer(
    assessment: Assessment, kernel: KernelAssessment, access: Access, steps: dict[int, Polynomial],
    spans: tuple[Span, ...],
) -> Offer:  # fmt: skip
    facts, effects = kernel.facts, Effects(assessment.source)
    require_structured(effects, facts)
    statement = _statement(effects, access)
    guard = _require_together(effects, facts, access, statement)
    require_exact(assessment.source, facts, [access])
    staged = (_loaded if access.op == "load" else _stored)(facts, effects, access, steps)
    dimensions = dimensions_of(facts)
    groups = group_of(assessment, kernel, effects, dimensions, [access.element_bytes])
    group = groups.size
    require_group(group)
    tile = tile_of(steps, dict(enumerate(group)))
    if tile is None or len(tile.dimensions) < 2:
        raise NotOfferedError("nothing_in_order")
    edits = _Exchange(assessment, facts, effects, staged, tile, group, statement, guard).edits()
    return shared_out(
        assessment, facts, groups, dimensions, edits, spans=spans,
        kinds=("transpose_tile_kept", "transpose_tile_groups"),
        names=(access.pointer,), bytes_=tile.elements * access.element_bytes, codes=TransposeTile.codes,
    )  # fmt: skip


def _statement(effects: Effects, access: Access) -> SourceNode:
    """The plain statement that an access is in."""
    node: Node | None = subscript_used(effects, access).node
    while node is not None and node.type not in _STATEMENTS:
        node = node.parent
    if node is None or node.type not in _PLAIN or access.call_chain:
        raise NotOfferedError("not_all_elements")
    statement = as_used(effects.source, node)
    if not statement.text.endswith(";"):
        raise NotOfferedError("macro_in_it")
    return statement


def _require_together(effects: Effects, facts: KernelFacts, access: Access, statement: SourceNode) -> Guard | None:
    """The one limit that keeps work-items from an access; None where all of a group reach it."""
    if any(g.span.file is not None or statement.start <= g.span.start < statement.end for g in access.guards):
        raise NotOfferedError("condition_differs")
    apart = [guard for guard in access.guards if not holds_together(facts, guard, ())]
    if len(apart) > 1 or (apart and facts.barriers):
        raise NotOfferedError("condition_differs")
    if facts.channels:
        raise NotOfferedError("has_channels")
    if apart:
        limits_of(effects, facts, apart[0])
    return apart[0] if apart else None


def _loaded(facts: KernelFacts, effects: Effects, load: Access, steps: dict[int, Polynomial]) -> Staged:
    """A load as ``array[index]``, of a buffer that nothing stores to."""
    require_unchanged(facts, load)
    place = subscript_used(effects, load)
    array, index = place.child("argument"), place.child("index")
    if array is None or index is None or array.node.type != "identifier" or named(load.type) is None:
        raise NotOfferedError("not_all_elements")
    if not effects.pure(index.node):
        raise NotOfferedError("has_effect", index.text)
    return Staged(load, array.text, index, (place,), steps)


def _stored(facts: KernelFacts, effects: Effects, store: Access, steps: dict[int, Polynomial]) -> Staged:
    """A store as ``array[index] = value;``, of which nothing else is read or stored but what makes its value."""
    for other in facts.accesses:
        if other.id == store.id or not may_alias(facts, other, store):
            continue
        if other.pointer == store.pointer:
            raise NotOfferedError("kernel_stores", store.pointer)
        if other.op != "load" or other.id not in store.value_from:
            raise NotOfferedError("may_overlap", store.pointer, other.pointer)
    place = subscript_used(effects, store)
    assignment, array, index = place.node.parent, place.child("argument"), place.child("index")
    operator = assignment.child_by_field_name("operator") if assignment is not None else None
    if assignment is None or operator is None or operator.type != "=" or array is None or index is None:
        raise NotOfferedError("store_not_plain")
    whole = assignment.child_by_field_name("left") == place.node and named(store.type) is not None
    outer = assignment.parent
    if not whole or outer is None or outer.type != "expression_statement" or array.node.type != "identifier":
        raise NotOfferedError("store_not_plain")
    if not effects.pure(index.node):
        raise NotOfferedError("has_effect", index.text)
    return Staged(store, array.text, index, (place,), steps)


class _Exchange:
    """The edits for one load or store."""

    def __init__(
        self, assessment: Assessment, facts: KernelFacts, effects: Effects, staged: Staged, tile: Tile, group: Group,
        statement: SourceNode, guard: Guard | None,
    ) -> None:  # fmt: skip
        text, whole = assessment.source.original, kernel_body(assessment.source, facts.name_span)
        opening = first_line(assessment, whole) if whole is not None else None
        place = in_front_of(text, statement.start) if statement.in_block else (statement.start, "")
        if whole is None or opening is None or place is None:
            raise NotOfferedError("no_line_for_declaration")
        self._text, self._facts, self._effects, self._staged, self._tile = text, facts, effects, staged, tile
        self._group, self._statement, self._opening, self._place = group, statement, opening, place
        self._names = Names.of(text, staged.array, [staged], group)
        self._changed = effects.sets(whole)
        self._within = Inside(effects, whole, statement, guard, self._names.inside) if guard is not None else None
        if not statement.in_block:
            if self._within is None or not self._within.is_around(statement):
                raise NotOfferedError("condition_differs")
            self._place = statement.start, self._within.indent
        self._limits: list[Limit] = limits_of(effects, facts, guard) if guard is not None else []
        require_fixed_limits(facts, self._limits, self._changed)

    def edits(self) -> list[TextEdit]:
        """All edits but for attributes."""
        one, names, (line, indent) = self._staged, self._names, self._place
        inserted, end = Inserted(self._text), line_end(self._text)
        opening = Lines(self._opening[1], "", end)
        declared = declarations([one], [self._tile], self._group, names, opening)
        inserted.add(above_pragmas(self._effects.source, self._opening[0]), declared)
        if self._within is not None:
            self._within.make(inserted)
            needed = {*self._effects.reads(one.index.node), one.array}
            if lost := needed & self._within.guarded:
                raise NotOfferedError("outside_undefined", min(lost))
        loading = loading_of(self._tile, self._group, names.items, names.loops)
        own, lines = own_place(one, self._tile, names, ""), Lines(indent, step_in(self._text, indent), end)
        fill = Fill(
            one,
            self._tile,
            loading,
            names.tiles[0],
            between_brackets(one.places[0]) or one.index.text,
            "1",
            1,
            self._conditions(loading),
        )
        if one.access.op == "load":
            load_lines(lines, self._facts, fill, names, self._changed)
            lines.add(BARRIER)
            alone = not self._statement.in_block
            inserted.add(line, lines.text.removeprefix(indent) + indent if alone else lines.text)
            inserted.replace(one.places[0], names.tiles[0] + own)
            if self._within is not None:
                self._use_inside(inserted)
        else:
            if self._within is not None:
                inserted.add(self._statement.start, f"if ({names.inside}) ")
            inserted.replace(one.places[0], names.tiles[0] + own)
            lines.add(BARRIER)
            load_lines(lines, self._facts, replace(fill, out=True), names, self._changed)
            inserted.add(self._statement.end, end + lines.text.removesuffix(end))
        return inserted.edits

    def _use_inside(self, inserted: Inserted) -> None:
        """A statement that uses what was loaded is for work-items inside the limits alone, but for a plain copy."""
        if self._statement.node.type == "expression_statement":
            inserted.add(self._statement.start, f"if ({self._names.inside}) ")
            return
        declarator, place = self._statement.child("declarator"), self._staged.places[0]
        value = declarator.child("value") if declarator is not None else None
        several = len(self._statement.node.children_by_field_name("declarator")) > 1
        if value is None or several or (value.start, value.end) != (place.start, place.end):
            raise NotOfferedError("condition_differs")

    def _conditions(self, loading: Loading) -> list[str]:
        if self._within is None:
            return []
        ids = self._within.ids
        return limit_texts(self._facts, self._limits, ids, self._tile, loading, self._names, self._group)
