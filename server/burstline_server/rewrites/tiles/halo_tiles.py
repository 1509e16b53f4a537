"""Load what a work-group's neighbourhoods share once, into a tile in local memory with the places around the group."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from math import gcd

from burstline_model.facts import Access, Guard, KernelFacts, Span
from burstline_server.analysis.types import named
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.legality.exact_places import require_exact
from burstline_server.rewrites.legality.expression_types import canonical
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Rewrite, TextEdit, step_in
from burstline_server.rewrites.rows.taps import place_in
from burstline_server.rewrites.syntax import above_pragmas, free_name, kernel_body
from burstline_server.rewrites.tiles.halo import Box, Compared, Halo, Site, boxes_of, compared, condition, halo_of
from burstline_server.rewrites.tiles.halo import neighbours as neighbours_of
from burstline_server.rewrites.tiles.inserted import Inserted
from burstline_server.rewrites.tiles.layout import Group
from burstline_server.rewrites.tiles.limits import require_fixed_limits
from burstline_server.rewrites.tiles.shared import in_c, written_names
from burstline_server.rewrites.tiles.staged import require_unchanged, subscript_used
from burstline_server.rewrites.tiles.tile_groups import (
    MOST_BYTES,
    WorkGroups,
    dimensions_of,
    given_groups,
    require_group,
    require_structured,
    shared_out,
)
from burstline_server.rewrites.tiles.tile_lines import Lines
from burstline_server.rewrites.tiles.tiled_loop import BARRIER, first_line

MOST_SITES, MOST_BOXES = 9, 6
"""Most loads that fill a tile, and most conditions that one of them is under."""
WORD = 64
"""Bytes of a memory word."""
ROW, PLANE = 256, (64, 16)
"""Work-items of a group whose size is free, in one dimension and in two."""


class HaloTiles(Rewrite):
    """Neighbours of each work-item's own place, loaded once by its work-group into a tile with a halo in local memory.

    Offered for an NDRange kernel whose work-items read places a few elements and rows around their own
    (``in[(y - 1) * w + x + 1]``), also in loops of constant trips. At the kernel's start the group loads its block and
    the places around it, those next to the block by loads of their own; behind a barrier all is read from the tile.
    Where the lanes fill a memory word, the copy starts a whole word before the block. An element is loaded only if
    some work-item of the group reads it, or reads places on both sides of it: the conditions in front of the loads
    have to be limits of ids (``x > 0 && x < w - 1``) and become conditions of the copy. No store of the kernel may
    reach the buffer. Where the kernel does not fix the size of its work-groups, ``reqd_work_group_size`` is added, and
    the host launches it so, as it may do already. Rows that loops run along (``for (j = start[i]; j < start[i + 1];
    …)``) are left out.
    """

    name = "halo tiles"
    codes = ("BL101", "BL102", "BL106")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each neighbourhood."""
        facts = kernel.facts
        for loads in neighbours_of(facts) if facts.model == "ndrange" else ():
            halo = halo_of(facts, loads)
            if halo is not None and not _end_loops(facts, loads):
                spans = (*dict.fromkeys(a.span for a in loads), facts.name_span)
                make = partial(_offer, assessment, kernel, loads, halo, spans)
                yield Candidate(Title("halo_tile", (loads[0].pointer,)), spans, make)


def _end_loops(facts: KernelFacts, loads: list[Access]) -> bool:
    """Whether loops run between what loads bring in: what the loops load takes much more."""
    own = {a.id for a in loads}
    names = {name for loop in facts.loops if loop.trip is not None for name in loop.trip.symbols}
    return any(facts.symbols[name].loaded_from in own for name in names if name in facts.symbols)


def _offer(
    assessment: Assessment, kernel: KernelAssessment, loads: list[Access], halo: Halo, spans: tuple[Span, ...]
) -> Offer:  # fmt: skip
    facts, effects = kernel.facts, Effects(assessment.source)
    require_structured(effects, facts)
    require_unchanged(facts, loads[0])
    if facts.channels:
        raise NotOfferedError("has_channels")
    if named(loads[0].type) is None:
        raise NotOfferedError("not_all_elements")
    groups = given_groups(assessment, kernel, effects) or _usual(kernel)
    group = groups.size
    require_group(group)
    if group[2] > 1:
        raise NotOfferedError("group_not_fixed")
    tile = _Tile(assessment, facts, effects, halo, group)
    bytes_ = tile.extents[0] * tile.extents[1] * loads[0].element_bytes
    if bytes_ > MOST_BYTES:
        raise NotOfferedError("tile_too_large", MOST_BYTES // 1024)
    return shared_out(
        assessment, facts, groups, dimensions_of(facts), tile.edits(), spans=spans,
        kinds=("halo_tile_kept", "halo_tile_groups"),
        names=(loads[0].pointer,), bytes_=bytes_, codes=HaloTiles.codes,
    )  # fmt: skip


def _usual(kernel: KernelAssessment) -> WorkGroups:
    """Work-groups of a size that has little around the block."""
    launched = kernel.launch.global_size
    sizes = (*launched, 1, 1)[:2] if launched else (0, 0)
    if dimensions_of(kernel.facts) == 1:
        return WorkGroups((gcd(sizes[0], ROW), 1, 1))
    return WorkGroups((gcd(sizes[0], PLANE[0]), gcd(sizes[1], PLANE[1]), 1))


class _Tile:
    """The tile of one neighbourhood; raises `NotOfferedError` where an edit cannot be written."""

    def __init__(
        self, assessment: Assessment, facts: KernelFacts, effects: Effects, halo: Halo, group: Group
    ) -> None:  # fmt: skip
        self._text, self._facts, self._effects, self._halo, self._group = (
            assessment.source.original, facts, effects, halo, group,
        )  # fmt: skip
        access = halo.taps[0].access
        self._access, lanes = access, facts.simd
        body = kernel_body(assessment.source, facts.name_span)
        opening = first_line(assessment, body) if body is not None else None
        if body is None or opening is None:
            raise NotOfferedError("no_line_for_declaration")
        self._opening, self._changed = opening, effects.sets(body)
        self._places = [subscript_used(effects, tap.access) for tap in halo.taps]
        for place in self._places:
            array = place.child("argument")
            if array is None or array.text != access.pointer or array.node.type != "identifier":
                raise NotOfferedError("not_all_elements")
        require_exact(assessment.source, facts, [tap.access for tap in halo.taps])
        if access.pointer in self._changed or facts.argument(access.pointer) is None:
            raise NotOfferedError("changes_in_loop", access.pointer)
        lead = lanes if lanes * access.element_bytes >= WORD else 0
        begins = next((c for m, c in halo.base.terms if not m), 0)
        self._lead = begins % lead if lead else 0
        flat = halo.pitch is None
        wide = group[0] + halo.columns - 1 + self._lead
        self.extents = (1 if flat else group[1] + halo.rows - 1, wide)
        self._items = free_name(self._text, "item_x"), free_name(self._text, "item_y")
        self._firsts = free_name(self._text, "x_first"), free_name(self._text, "y_first")
        self._name = free_name(self._text, f"{access.pointer}_tile")
        self._flat = flat

    def edits(self) -> list[TextEdit]:
        """All edits but for attributes."""
        inserted = Inserted(self._text)
        line, indent = self._opening
        step = step_in(self._text, indent)
        lines = Lines(indent, step, inserted.end)
        shape = f"[{self.extents[1]}]" if self._flat else f"[{self.extents[0]}][{self.extents[1]}]"
        lines.add(f"__local {self._access.type} {self._name}{shape};")
        used = 2 if self._group[1] > 1 or not self._flat else 1
        for d in range(used):
            lines.add(f"const int {self._items[d]} = get_local_id({d});")
        loads = self._loads()
        for d in range(used):
            if f"{'xyz'[d]}@" in str(loads):
                lines.add(f"const long {self._firsts[d]} = get_global_id({d}) - {self._items[d]};")
        for conditions, load in loads:
            said = self._named(conditions)
            if said:
                lines.add(f"if ({said})")
                lines.deeper()
            lines.add(self._named(load))
            lines.deeper(-bool(said))
        lines.add(BARRIER)
        inserted.add(above_pragmas(self._effects.source, line), lines.text)
        own = ("" if self._flat else self._items[1], self._items[0])
        seen = set[int]()
        for tap, place in zip(self._halo.taps, self._places, strict=True):
            if place.start in seen:
                continue
            seen.add(place.start)
            moved = type(tap)(tap.access, tap.row, tap.column + self._lead, tap.rows, tap.columns)
            at = place_in(self._effects, self._facts, moved, own)
            inserted.replace(place, self._name + (at.removeprefix("[0]") if self._flat else at))
        return inserted.edits

    def _named(self, text: str) -> str:
        for axis, name in zip("xy", self._firsts, strict=True):
            text = text.replace(f"{axis}@", name)
        return text

    def _loads(self) -> list[tuple[str, str]]:
        """The loads that fill the tile, each with its conditions."""
        group, extents = self._group, self.extents
        boxes = boxes_of(self._facts, self._halo)
        limits: dict[Guard, list[Compared]] = {}
        for guard in dict.fromkeys(g for box in boxes for g in box.guards):
            limits[guard] = compared(self._effects, self._facts, guard)
            require_fixed_limits(self._facts, (one.limit for one in limits[guard]), self._changed)
        if len(boxes) > MOST_BOXES:
            raise NotOfferedError("too_many_boxes", MOST_BOXES)
        sites = [
            Site(row, column, self._lead)
            for row in range(0, extents[0], group[1])
            for column in range(0, extents[1], group[0])
        ]
        if len(sites) > MOST_SITES:
            raise NotOfferedError("halo_too_wide", "×".join(map(str, group[:2])))
        found = []
        for site in sites:
            conditions = self._conditions(boxes, limits, site)
            if conditions is not None:
                found.append((conditions, self._load(site)))
        return found

    def _conditions(self, boxes: list[Box], limits: dict[Guard, list[Compared]], site: Site) -> str | None:
        """The condition of one load; None where nothing of it is read."""
        group, extents, items = self._group, self.extents, self._items
        outside = []
        if extents[1] - site.column < group[0]:
            outside.append(f"{items[0]} < {extents[1] - site.column}")
        if self._flat and group[1] > 1:
            outside.append(f"{items[1]} == 0")
        elif extents[0] - site.row < group[1]:
            outside.append(f"{items[1]} < {extents[0] - site.row}")
        ways = [
            [one for one in way if one not in outside]
            for box in boxes
            if (way := condition(self._facts, limits, box, site, group, items, extents, flat=self._flat)) is not None
        ]
        if not ways:
            return None
        if [] in ways:
            return " && ".join(outside)
        shared = [one for one in ways[0] if all(one in way for way in ways)]
        rest = [" && ".join(one for one in way if one not in shared) for way in ways]
        rest = list(dict.fromkeys(rest))
        either = (
            []
            if "" in rest or len(rest) < 2
            else ["(" + " || ".join(f"({one})" if " && " in one else one for one in rest) + ")"]
        )
        return " && ".join([*outside, *shared, *either])

    def _load(self, site: Site) -> str:
        """The load of one site, as a statement."""
        halo, facts, items = self._halo, self._facts, self._items
        # Less an unsigned int is a large one, which would not wrap back in a long.
        names = {a.name: f"(long){a.name}" for a in facts.arguments if canonical(a.type) == "uint" and not a.is_pointer}
        moves = (site.column - self._lead, site.row)
        for name in halo.base.symbols:
            symbol = facts.symbols[name]
            d = symbol.dimension
            if symbol.kind not in {"global_id", "local_id"} or d > 1:
                continue
            if self._flat and d == 1:
                raise NotOfferedError("place_moves", self._access.pointer)
            by = f" {'+' if moves[d] >= 0 else '-'} {abs(moves[d])}" if moves[d] else ""
            first = f"{'xyz'[d]}@ + " if symbol.kind == "global_id" else ""
            names[name] = f"({first}{items[d]}{by})"
        index = in_c(facts, halo.base, names)
        if any("." in name for name in halo.base.symbols if facts.symbols[name].kind == "argument"):
            index = None  # a part of a vector may be unsigned too
        if index is None or written_names(halo.base, facts) & self._changed:
            raise NotOfferedError("row_step_unknown", self._access.pointer)
        place = "".join(
            f"[{item} + {at}]" if at else f"[{item}]"
            for item, at in zip((items[1], items[0]), (site.row, site.column), strict=True)
        )
        if self._flat:
            place = place[place.index("]") + 1 :]
        return f"{self._name}{place} = {self._access.pointer}[{index}];"
