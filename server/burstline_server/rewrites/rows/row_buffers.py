"""Keep the rows of a plane that neighbours are read from on chip."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from tree_sitter import Node

from burstline_model.facts import Access, Loop
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.exact_places import require_exact
from burstline_server.rewrites.legality.expression_types import canonical, type_of
from burstline_server.rewrites.legality.heads import Head, counts_up, reads_memory
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Rewrite, goes_on, in_front_of, step_in
from burstline_server.rewrites.rows.taps import (
    Plane,
    Tap,
    counter_of,
    number_of,
    place_in,
    plane_of,
    planes_of,
    require_unchanged,
)  # fmt: skip
from burstline_server.rewrites.syntax import SourceNode, above_pragmas, alone, declared_types, free_name, written
from burstline_server.rewrites.tiles.elsewhere import Elsewhere
from burstline_server.rewrites.tiles.inserted import Inserted
from burstline_server.rewrites.tiles.staged import between_brackets, subscript_used
from burstline_server.rewrites.tiles.windows import loop_used

MOST_BYTES = 131_072
"""Most that the rows of a kernel take."""
_SIGNED = {"char", "uchar", "short", "ushort", "int", "long"}
_SUMS = {"identifier", "number_literal", "parenthesized_expression", "binary_expression", "comment"}


class RowBuffers(Rewrite):
    """Rows of a plane in memory on chip: one new load an iteration, where neighbours in other rows are loaded as well.

    Offered for two loops, one right in the other, of a single work-item kernel that count rows and columns up by one
    and load places in several rows (``in[(y - 1) * W + x]``, ``in[y * W + x + 1]``), without conditions, at constant
    distances or in unrolled loops of constant trips. The rows above the newest one are kept in a private array, and
    their columns around the place in a window. The loops begin as many rows and columns earlier, where they only load.
    Nothing is loaded but places between the first and the last that the kernel reads. Needed are a constant number of
    columns (a macro or a number, not an argument), and that nothing in the loops may store to the buffer. Rows are of a
    constant length, or of one that an argument gives, where the four corners of what an iteration reads are read. No
    result changes.
    """

    name = "row buffers"
    codes = ("BL101", "BL102", "BL105", "BL106")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each plane."""
        facts = kernel.facts
        for inner in facts.loops if facts.model == "single_work_item" else ():
            if inner.parent is None:
                continue
            outer = facts.loops[inner.parent]
            for loads in planes_of(facts, outer, inner):
                why: NotOfferedError | None = None
                plane: Plane | None = None
                try:
                    plane = plane_of(facts, outer, inner, loads)
                except NotOfferedError as error:
                    why = error
                if plane is None and why is None:
                    continue
                spans = (inner.span, outer.span, *dict.fromkeys(a.span for a in loads))
                make = partial(_offer, assessment, kernel, outer, inner, loads, plane, why)
                yield Candidate(Title("row_buffers", (loads[0].pointer,)), spans, make)


def _offer(
    assessment: Assessment, kernel: KernelAssessment, outer: Loop, inner: Loop, loads: list[Access],
    plane: Plane | None, why: NotOfferedError | None,
) -> Offer:  # fmt: skip
    facts, effects = kernel.facts, Effects(assessment.source)
    if plane is None:
        raise why or NotOfferedError("not_all_elements")
    trips = inner.trip.constant if inner.trip is not None else None
    if trips is None:
        bounds = min(inner.trip.symbols) if inner.trip is not None and inner.trip.symbols else inner.variable
        raise NotOfferedError("row_not_constant", bounds)
    if any(loop.unroll not in {None, 1} or loop.coalesce is not None for loop in (outer, inner)):
        raise NotOfferedError("pragma_says")
    if outer.early_exit or inner.early_exit:
        raise NotOfferedError("early_exit")
    if () in {outer.ivdep, inner.ivdep}:
        raise NotOfferedError("pragma_says")
    if any(one.unroll != 0 for tap in plane.taps for i, _ in (*tap.rows, *tap.columns) if (one := facts.loops[i])):
        raise NotOfferedError("not_unrolled")
    require_unchanged(facts, outer, loads)
    held = (plane.rows - 1) * (trips + plane.columns - 1)
    taken = held * loads[0].element_bytes
    if taken > MOST_BYTES:
        raise NotOfferedError("rows_too_large", MOST_BYTES // 1024)
    if plane.before >= min(plane.pitch, trips) or plane.after >= min(plane.pitch, trips) or not trips:
        raise NotOfferedError("few_trips", trips)
    edits = _Edits(assessment, kernel, effects, (outer, inner), plane, trips).edits()
    return Offer(
        title=Title("row_buffers_of", (loads[0].pointer, plane.rows - 1, -(-taken // 128))),
        kind="proved",
        kernel=facts.name,
        edits=tuple(edits.edits),
        spans=(inner.span, outer.span, *dict.fromkeys(a.span for a in loads)),
        codes=RowBuffers.codes,
    )


class _Edits:
    """The edits for one plane; raises `NotOfferedError` where one of them cannot be written."""

    def __init__(
        self, assessment: Assessment, kernel: KernelAssessment, effects: Effects, loops: tuple[Loop, Loop],
        plane: Plane, trips: int,
    ) -> None:  # fmt: skip
        text = assessment.source.original
        self._effects, self._facts, self._plane, self._trips, self._text = effects, kernel.facts, plane, trips, text
        self._outer, self._inner = (self._head(loop) for loop in loops)
        self._known = loops[0].trip is not None and bool(loops[0].trip.constant)
        outer_body, body = (head.loop.child("body") for head in (self._outer, self._inner))
        place, own = (in_front_of(text, head.loop.start) for head in (self._outer, self._inner))
        if outer_body is None or body is None or place is None or own is None or not self._outer.loop.in_block:
            raise NotOfferedError("no_line_for_declaration")
        self._line, self._indent = above_pragmas(assessment.source, place[0]), place[1]
        self._own, self._body, self._outer_body = own[1], body, outer_body
        self._step = step_in(text, own[1])
        self._elsewhere = Elsewhere(effects, body, {self._inner.name})
        self._places = [subscript_used(effects, tap.access) for tap in plane.taps]
        pointer = plane.taps[0].access.pointer
        if any(p.child("argument") is None or self._array(p) != pointer for p in self._places):
            raise NotOfferedError("not_all_elements")
        require_exact(assessment.source, kernel.facts, [tap.access for tap in plane.taps])
        self._require_right_in()
        self._rows, self._window = (free_name(text, f"{pointer}_{what}") for what in ("rows", "window"))

    def _head(self, loop: Loop) -> Head:
        head = counts_up(self._effects, loop_used(self._effects.source, loop.span), closed=True)
        first = self._type(head.first.node)
        if canonical(head.type) not in {"int", "long"} or not head.ends_once or first not in _SIGNED:
            raise NotOfferedError("counter_may_wrap", head.name)
        return head

    def _type(self, node: Node) -> str | None:
        source = self._effects.source
        found = type_of(node, source.text, declared_types(source, node))
        return canonical(found) if found is not None else None

    @staticmethod
    def _array(place: SourceNode) -> str:
        array = place.child("argument")
        return array.text if array is not None else ""

    def _require_right_in(self) -> None:
        """Refuses anything between the loops but declarations that hold for more rows as well."""
        node, held = self._inner.loop.node, self._outer_body.node
        if node.id == held.id:
            return
        if node.parent is None or node.parent.id != held.id:
            raise NotOfferedError("not_right_in_other")
        for one in held.named_children:
            if one.id == node.id or one.type == "comment":
                continue
            before = one.type == "declaration" and one.end_byte <= node.start_byte
            values = [v for d in one.children_by_field_name("declarator") if (v := d.child_by_field_name("value"))]
            if not before or not all(self._is_sum(v, 0) for v in values):
                raise NotOfferedError("not_right_in_other")

    def _is_sum(self, node: Node, depth: int) -> bool:
        """Whether an expression adds, subtracts and multiplies signed numbers: it holds for negative counters too."""
        if depth > 8 or self._type(node) not in {"int", "long"} or reads_memory(node):
            return False
        for one in inside(node):
            operator = one.child_by_field_name("operator")
            if one.type not in _SUMS or (operator is not None and operator.type not in {"+", "-", "*"}):
                return False
            if one.type in {"identifier", "number_literal"} and self._type(one) not in _SIGNED:
                return False
        return True

    def _index(self, tap: Tap, place: SourceNode) -> str:
        """The index of the newest place, as it is written before the body."""
        index = place.child("index")
        if index is None:
            raise NotOfferedError("not_all_elements")
        values = self._ends(tap)
        names = self._effects.reads(index.node) - values.keys()
        changed = names & self._effects.sets(self._body.node)
        if not self._is_sum(index.node, 0) or (names - {self._inner.name}) & self._effects.reassigned(
            self._outer_body.node
        ):
            raise NotOfferedError("index_computed", tap.access.pointer)
        if not changed and not values:
            return between_brackets(place) or index.text
        for name in changed:
            self._require_made(name, tap.access.pointer, 0)
        whole = written(self._effects.source, index.node)
        if whole is None:
            raise NotOfferedError("macro_in_it")
        return self._elsewhere.text(whole, values)

    def _ends(self, tap: Tap) -> dict[str, str]:
        """The counters of loops inside, where they reach the last row and column."""
        found: dict[str, str] = {}
        for i, step in (*tap.rows, *tap.columns):
            (name, first), loop = counter_of(self._effects, self._facts, i), self._facts.loops[i]
            most = loop.trip.constant if loop.trip is not None else None
            if most is None:
                raise NotOfferedError("index_computed", tap.access.pointer)
            value = first + (most - 1 if step > 0 else 0)
            found[name] = f"({value})" if value < 0 else str(value)
        if len(found) < len(tap.rows) + len(tap.columns):
            raise NotOfferedError("index_computed", tap.access.pointer)
        return found

    def _require_made(self, name: str, pointer: str, depth: int) -> None:
        """Refuses a variable of the body that is not made of sums alone."""
        values = [
            v
            for node in inside(self._outer_body.node)
            if node.type == "init_declarator" and self._effects.sets(node) == {name}
            if (v := node.child_by_field_name("value")) is not None
        ]
        if len(values) != 1 or depth > 8 or not self._is_sum(values[0], 0):
            raise NotOfferedError("index_computed", pointer)
        for more in self._effects.reads(values[0]) & self._effects.sets(self._body.node):
            self._require_made(more, pointer, depth + 1)

    def edits(self) -> Inserted:
        """All edits."""
        edits = Inserted(self._text)
        end, plane, indent = edits.end, self._plane, self._indent
        type_ = plane.taps[0].access.type
        width = self._trips + plane.columns - 1
        above = f"{indent}{type_} {self._rows}[{plane.rows - 1}][{width}];{end}"
        above += f"{indent}{type_} {self._window}[{plane.rows}][{plane.columns}];{end}"
        extra = "" if self._known else self._step
        if extra:
            above += f"{indent}if ({self._outer.runs(self._outer.value)}) {{{end}"
        edits.add(self._line, above)
        edits.replace(self._outer.first, _less(self._outer, plane.rows - 1))
        edits.replace(self._inner.first, _less(self._inner, plane.columns - 1))
        opening = self._opening()
        between = self._text[opening : self._body.start]
        if between.strip():
            raise NotOfferedError("comment_before_body")
        block = self._body.node.type == "compound_statement"
        conditions = f"{self._outer.name} >= {self._first(self._outer)}"
        if plane.columns > 1:
            conditions += f" && {self._inner.name} >= {self._first(self._inner)}"
        own = self._own + extra
        lines = "".join(f"{own}{self._step}{line}{end}" for line in self._moves())
        lines = f" {{{end}{lines}{own}{self._step}if ({conditions})"
        lines += " " if block else f"{end}{own}{self._step * 2}"
        edits.put(opening, self._body.start, lines)
        edits.add(self._inner.loop.end, f"{end}{own}}}")
        if extra:
            edits.add(self._outer.loop.end, f"{end}{indent}}}")
        self._deeper(edits, opening, extra)
        for tap, place in dict(zip((p.start for p in self._places), zip(plane.taps, self._places, strict=True),
                                   strict=True)).values():  # fmt: skip
            edits.replace(place, self._window + place_in(self._effects, self._facts, tap))
        return edits

    def _deeper(self, edits: Inserted, opening: int, extra: str) -> None:
        """Move lines to the right: of the body, and with `extra` of the loops; what an edit replaces stays."""
        kept = [(p.start, p.end) for p in self._places] + [(opening, self._body.start)]
        at = self._line
        while 0 <= at < self._outer.loop.end:
            line = self._text[at : self._text.find(b"\n", at) + 1 or None]
            inside_body = self._body.start < at < self._body.end
            more = extra + (self._step if inside_body else "")
            kept_here = any(start < at <= end for start, end in kept) or goes_on(self._text, at)
            if more and line.strip() and not kept_here:
                edits.add(at, more)
            at = self._text.find(b"\n", at) + 1 or -1

    def _opening(self) -> int:
        """Behind the bracket that closes the inner loop's head."""
        before = self._body.node.prev_sibling
        while before is not None and before.type == "comment":
            before = before.prev_sibling
        if before is None or before.type != ")":
            raise NotOfferedError("macro_in_head")
        return self._effects.source.origin(before.start_byte, before.end_byte).end

    def _first(self, head: Head) -> str:
        return head.first.text if head.first.text.isalnum() else alone(head.first.text)

    def _moves(self) -> list[str]:
        """What comes before the body: the window moves on, and the newest place is loaded."""
        plane, window, rows = self._plane, self._window, self._rows
        row, column = (free_name(self._text, name) for name in ("row", "column"))
        kept, last = plane.rows - 1, plane.columns - 1
        lines = []
        if plane.columns > 1:
            lines += ["#pragma unroll", f"for (int {row} = 0; {row} < {plane.rows}; {row}++)"]
            if plane.columns > 2:
                lines += [f"{self._step}#pragma unroll"]
                lines += [f"{self._step}for (int {column} = 0; {column} < {last}; {column}++)"]
                move = f"{window}[{row}][{column}] = {window}[{row}][{column} + 1];"
                lines += [f"{self._step * 2}{move}"]
            else:
                lines += [f"{self._step}{window}[{row}][0] = {window}[{row}][1];"]
        at = _plus(self._inner, last)
        tap, right = plane.newest
        place = self._places[plane.taps.index(tap)]
        index = self._index(tap, place)
        load = f"{window}[{kept}][{last}] = {tap.access.pointer}[{index}{f' + {right}' if right > 0 else ''}];"
        limits = []
        if plane.before:
            limits.append(self._either(
                f"{self._outer.name} > {_less(self._outer, kept)}",
                f"{self._inner.name} >= {_less(self._inner, last - plane.before)}",
            ))  # fmt: skip
        if plane.after:
            limits.append(self._either(_ahead(self._outer, 1), _ahead(self._inner, plane.after)))
        if limits:
            lines += [f"if ({limits[0][1:-1] if len(limits) == 1 else ' && '.join(limits)})", f"{self._step}{load}"]
        else:
            lines += [load]
        if kept == 1:
            lines += [f"{window}[0][{last}] = {rows}[0][{at}];", f"{rows}[0][{at}] = {window}[1][{last}];"]
            return lines
        over = ["#pragma unroll", f"for (int {row} = 0; {row} < {kept}; {row}++)"]
        lines += [*over, f"{self._step}{window}[{row}][{last}] = {rows}[{row}][{at}];"]
        lines += [*over, f"{self._step}{rows}[{row}][{at}] = {window}[{row} + 1][{last}];"]
        return lines

    @staticmethod
    def _either(one: str, other: str) -> str:
        return f"({one} || {other})"


def _ahead(head: Head, by: int) -> str:
    """The condition that a loop has so many more iterations."""
    operator, bound = head.limit or ("<", head.condition)
    return f"{head.name} {operator} {alone(bound.text)} - {by}"


def _less(head: Head, by: int) -> str:
    """A loop's first value less a number."""
    first = number_of(head)
    if first is not None and head.first.text == head.first.expanded:
        return str(first - by)
    return f"{alone(head.first.text)} - {by}" if by > 0 else f"{alone(head.first.text)} + {-by}"


def _plus(head: Head, by: int) -> str:
    """The counter of a loop, from 0 where the loop begins so much earlier."""
    first = number_of(head)
    if first is not None and head.first.text == head.first.expanded:
        more = by - first
        return f"{head.name} + {more}" if more > 0 else f"{head.name} - {-more}" if more else head.name
    return f"{head.name} - {alone(head.first.text)} + {by}"
