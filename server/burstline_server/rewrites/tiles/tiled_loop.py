"""A loop in blocks, each of which the group loads into tiles before it computes: the edits."""

from __future__ import annotations

from tree_sitter import Node

from burstline_model.facts import Guard, KernelFacts
from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.legality.heads import Head
from burstline_server.rewrites.rewrite import NotOfferedError, TextEdit, in_front_of, line_end, step_in
from burstline_server.rewrites.syntax import above_pragmas, alone, kernel_body
from burstline_server.rewrites.tiles.elsewhere import Elsewhere
from burstline_server.rewrites.tiles.inserted import Inserted
from burstline_server.rewrites.tiles.inside import Inside
from burstline_server.rewrites.tiles.layout import ALONG, Group, Loading, Tile, loading_of
from burstline_server.rewrites.tiles.limits import limits_of, require_fixed_limits
from burstline_server.rewrites.tiles.staged import Staged
from burstline_server.rewrites.tiles.tile_lines import (
    Fill,
    Lines,
    Names,
    declarations,
    limit_texts,
    load_lines,
    own_place,
)
from burstline_server.rewrites.tiles.windows import ROWS

COPIES = 4
"""Rows that a group of one dimension loads at the same time, and iterations that compute so."""
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"


@fixed
class Plan:
    """What is staged, in which tiles, by which group, in blocks of how many iterations.

    `shorter`: the last block may be. `copies` of the computing loop's body: as many as a block has iterations for all
    of them, 0 for what a pragma asks.
    """

    staged: tuple[Staged, ...]
    tiles: tuple[Tile, ...]
    group: Group
    block: int
    shorter: bool
    copies: int


class Blocks:
    """The edits for one loop; raises `NotOfferedError` where one of them cannot be written."""

    def __init__(
        self, assessment: Assessment, facts: KernelFacts, effects: Effects, head: Head, plan: Plan, guard: Guard | None
    ) -> None:  # fmt: skip
        text = assessment.source.original
        whole, body = kernel_body(assessment.source, facts.name_span), head.loop.child("body")
        place, bound = in_front_of(text, head.loop.start), head.bound
        opening = first_line(assessment, whole) if whole is not None else None
        if whole is None or body is None or place is None or bound is None or opening is None:
            raise NotOfferedError("no_line_for_declaration")
        self._text, self._facts, self._effects, self._head, self._plan = text, facts, effects, head, plan
        self._body, self._bound, self._opening = body, bound, opening
        (self._line, self._indent), self._changed = place, effects.sets(whole)
        self._step = step_in(text, self._indent)
        self._names = Names.of(text, head.name, plan.staged, plan.group)
        counters = {name for one in plan.staged for name in one.counters.values()}
        if head.name in counters:
            raise NotOfferedError("does_not_count_up")
        self._elsewhere = Elsewhere(effects, body, {head.name, *counters})
        self._within = Inside(effects, whole, head.loop, guard, self._names.inside) if guard is not None else None
        self._limits = limits_of(effects, facts, guard) if guard is not None else []
        self._count = self._names.count if plan.shorter else str(plan.block)
        self._inserted = Inserted(text)

    def edits(self) -> list[TextEdit]:
        """All edits but for attributes."""
        self._require_fixed()
        self._declare()
        if self._within is not None:
            self._within.make(self._inserted)
            self._require_defined(self._within)
        above = above_pragmas(self._effects.source, self._line)
        self._inserted.add(above, self._loading())
        self._compute(above)
        return self._inserted.edits

    def _require_fixed(self) -> None:
        """Refuses arrays that are others in each iteration, and limits of arguments that change."""
        for one in self._plan.staged:
            if one.array in self._effects.reassigned(self._body.node) or self._elsewhere.declares(one.array):
                raise NotOfferedError("changes_in_loop", one.array)
        require_fixed_limits(self._facts, self._limits, self._changed)

    def _require_defined(self, within: Inside) -> None:
        """Refuses what only work-items inside the limits have a value for, and all need."""
        needed = {name for one in self._plan.staged for name in (*self._elsewhere.names(one.index), one.array)}
        needed |= self._effects.reads(self._head.first.node, self._bound.node, *within.heads)
        if lost := needed & within.guarded:
            raise NotOfferedError("outside_undefined", min(lost))

    def _declare(self) -> None:
        """The tiles, and each work-item's place in its group, at the start of the kernel."""
        plan, (line, indent) = self._plan, self._opening
        declared = declarations(
            plan.staged, plan.tiles, plan.group, self._names, Lines(indent, "", line_end(self._text))
        )
        self._inserted.add(above_pragmas(self._effects.source, line), declared)

    def _loading(self) -> str:
        """The loop over blocks, and the loads at the start of each."""
        plan, names, head = self._plan, self._names, self._head
        lines = Lines(self._indent, self._step, line_end(self._text))
        first = f"{head.type} {names.first} = {head.first.text}"
        lines.add(f"for ({first}; {names.first} < {self._bound.text}; {names.first} += {plan.block}) {{")
        lines.deeper()
        if plan.shorter:
            rest = f"{alone(self._bound.text)} - {names.first}"
            lines.add(f"const int {names.count} = {rest} < {plan.block} ? {rest} : {plan.block};")
        copies = COPIES if plan.group[1] == 1 else 1
        for one, tile, name in zip(plan.staged, plan.tiles, names.tiles, strict=True):
            loading = loading_of(tile, plan.group, names.items, names.loops)
            index = self._elsewhere.text(one.index, self._values(one, loading))
            count = one.window.width_text(self._count, plan.block)
            fill = Fill(one, tile, loading, name, index, count, copies, self._conditions(tile, loading))
            load_lines(lines, self._facts, fill, names, self._changed)
        lines.add(BARRIER)
        return lines.text

    def _values(self, one: Staged, loading: Loading) -> dict[str, str]:
        """The counters where a work-item loads: of the loop in blocks, and of those inside that move the load."""
        column = loading.indexes[ALONG]
        if one.window.is_plain:
            return {self._head.name: f"({self._names.first} + {column})"}
        near = {one.counters[i]: "0" for i, _ in one.window.near}
        # A loop that runs once moves nothing: the tile has no dimension for it.
        rows = {one.counters[i]: loading.indexes.get(ROWS + n, "0") for n, (i, _) in enumerate(one.window.rows)}
        return {self._head.name: self._names.first, **near, **rows}

    def _compute(self, above: int) -> None:
        """The loop as it was, over one block, with elements of the tiles."""
        plan, names, end = self._plan, self._names, line_end(self._text)
        indent = self._indent + self._step
        if plan.copies:
            pragma = "#pragma unroll" if plan.copies == plan.block else f"#pragma unroll {plan.copies}"
            self._inserted.add(self._line, f"{indent}{pragma}{end}")
        self._inserted.indent(above, self._head.loop.end, self._step)
        guarded = plan.shorter and plan.copies == plan.block
        self._inserted.replace(self._head.first, names.first)
        self._inserted.replace(self._bound, f"{names.first} + {plan.block if guarded else self._count}")
        conditions = [names.inside] if self._within is not None else []
        conditions += [f"{self._head.name} < {names.first} + {self._count}"] if guarded else []
        if conditions:
            self._inserted.add(self._body.start, f"if ({' && '.join(conditions)}) ")
        for one, tile, name in zip(plan.staged, plan.tiles, names.tiles, strict=True):
            for place in one.places:
                self._inserted.replace(place, name + own_place(one, tile, names, self._head.name))
        self._inserted.add(self._head.loop.end, f"{end}{indent}{BARRIER}{end}{self._indent}}}")

    def _conditions(self, tile: Tile, loading: Loading) -> list[str]:
        """The conditions under which a work-item inside the limits reads an element of a tile."""
        if self._within is None:
            return []
        return limit_texts(self._facts, self._limits, self._within.ids, tile, loading, self._names, self._plan.group)


def first_line(assessment: Assessment, body: Node) -> tuple[int, str] | None:
    """The line of a body's first statement, and its indentation; None where something else is in front of it."""
    first = next((c for c in body.named_children if c.type != "comment"), None)
    if first is None:
        return None
    origin = assessment.source.origin(first.start_byte, first.start_byte + 1)
    own = origin.macro is None and origin.file is None
    return in_front_of(assessment.source.original, origin.start) if own else None
