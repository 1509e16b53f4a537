"""Keep in registers the row that unrolled loops read again in the next iteration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.parallelism.alias import may_alias
from burstline_model.parallelism.loop_copies import constant_trips
from burstline_model.record import fixed
from burstline_server.analysis.types import named
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.legality.certain_reads import joined
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.legality.exact_places import ExactPlaces
from burstline_server.rewrites.legality.expression_types import canonical
from burstline_server.rewrites.legality.heads import Head, counts_up, head_of
from burstline_server.rewrites.legality.integer_ranges import IntegerRanges
from burstline_server.rewrites.loop_bodies import Body, in_front
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    in_front_of,
    step_in,
)
from burstline_server.rewrites.rows.place_guards import guard_nodes
from burstline_server.rewrites.syntax import SourceNode, alone, free_name, written
from burstline_server.rewrites.tiles.elsewhere import Elsewhere
from burstline_server.rewrites.tiles.staged import subscript_used
from burstline_server.rewrites.tiles.windows import loop_used

MOST_ELEMENTS = 1024
"""Most elements that a window holds."""
_SUMS = {"identifier", "parenthesized_expression", "call_expression", "binary_expression"}
"""Indexes that a number can be taken from as they are written: the place moves with them by one element."""
_ADDED_ZERO = re.compile(r"(?<=[\w)\]]) [+-] 0(?=$|[])]| [-+<>=&|?:])")


class RegisterWindow(Rewrite):
    """A shift register for the row that unrolled loops walk along: each iteration of the loop around loads one element.

    For ``for (int k = 0; k < 8; k++) sum += h[k] * x[i + k];``, unrolled in a loop over ``i``: seven of the eight
    elements were loaded in the iteration before. They move on by one place in a private array, and the foremost is
    loaded. Offered for a loop of a single work-item kernel that counts up by one and moves the loads on by one
    element, where the loops in it are unrolled whole, start and end at constants and move them by constant distances
    (``x[i - k]`` and several loads of one row as well). Nothing in the loop may store to the buffer. What the array
    holds at first is loaded before the loop, under the loop's own condition.

    A condition in the loop may decide whether an element is loaded where it asks for its place alone (``i - k >= 0``):
    the window asks the same for the place that it loads. No result changes.
    """

    name = "register window"
    codes = ("BL101", "BL102", "BL105", "BL106")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each row."""
        facts = kernel.facts
        around = {loop.parent for loop in facts.loops}
        for loop in facts.loops if facts.model == "single_work_item" else ():
            if loop.id not in around or _is_whole(loop):
                continue
            for row in _rows(facts, loop):
                title = Title("register_window", (row.loads[0].access.pointer,))
                spans = (loop.span, *dict.fromkeys(load.access.span for load in row.loads))
                yield Candidate(title, spans, partial(_offer, assessment, kernel, loop, row))


@fixed
class _Load:
    """A load: how many elements after the first of its row it lies at the counters' first values.

    `steps` are the loops inside that move it, each with the elements from one iteration to the next.
    """

    access: Access
    at: int
    steps: tuple[tuple[int, int], ...]


@fixed
class _Row:
    """Loads that the next iteration makes one element further on, and how many elements they reach."""

    loads: tuple[_Load, ...]
    elements: int


def _is_whole(loop: Loop) -> bool:
    """Whether a pragma asks for all iterations of a loop at once."""
    return loop.unroll is not None and (loop.unroll == 0 or loop.unroll >= (constant_trips(loop) or loop.unroll + 1))


def _rows(facts: KernelFacts, loop: Loop) -> Iterator[_Row]:
    """The rows that loops inside a loop walk along."""
    groups: list[list[_Load]] = []
    for access in facts.accesses_in(loop):
        load = _load(facts, loop, access)
        if load is None:
            continue
        for group in groups:
            first = group[0].access
            apart = _apart(facts, loop, access, first)
            if apart is not None and (first.pointer, first.type) == (access.pointer, access.type):
                group.append(_Load(access, apart, load.steps))
                break
        else:
            groups.append([load])
    for group in groups:
        least = min(_reach(facts, load)[0] for load in group)
        elements = max(_reach(facts, load)[1] for load in group) - least + 1
        if any(load.steps for load in group) and 1 < elements <= MOST_ELEMENTS:
            yield _Row(tuple(_Load(one.access, one.at - least, one.steps) for one in group), elements)


def _load(facts: KernelFacts, loop: Loop, access: Access) -> _Load | None:
    """A load that moves on by an element with a loop, and by constant distances with those inside it."""
    offset, size = access.offset, access.element_bytes
    plain = access.op == "load" and access.space == "global" and not access.volatile and access.hint is None
    if offset is None or not plain or access.call_chain or named(access.type) is None:
        return None
    along, symbols = offset.coefficient(loop.counter), [facts.symbols.get(name) for name in offset.symbols]
    if along is None or along.constant != size or any(s is None or s.kind not in {"loop", "argument"} for s in symbols):
        return None
    steps = []
    for inner in (facts.loops[i] for i in access.loops[access.loops.index(loop.id) + 1 :]):
        step, trips = offset.coefficient(inner.counter), constant_trips(inner)
        if step is None or step.constant is None or step.constant % size or not trips:
            return None
        if step.constant:
            steps.append((inner.id, step.constant // size))
    return _Load(access, 0, tuple(steps))


def _apart(facts: KernelFacts, loop: Loop, one: Access, other: Access) -> int | None:
    """The elements between two loads where the counters of loops inside have their first values; None: not known."""
    if one.offset is None or other.offset is None:
        return None
    places = [
        a.offset.without([facts.loops[i].counter for i in a.loops[a.loops.index(loop.id) + 1 :]])
        for a in (one, other)
        if a.offset is not None
    ]
    distance = (places[0] - places[1]).constant
    return distance // one.element_bytes if distance is not None and distance % one.element_bytes == 0 else None


def _reach(facts: KernelFacts, load: _Load) -> tuple[int, int]:
    """The first and the last element that a load reaches in one iteration."""
    whole = [step * ((constant_trips(facts.loops[i]) or 1) - 1) for i, step in load.steps]
    return load.at + sum(min(0, n) for n in whole), load.at + sum(max(0, n) for n in whole)


def _offer(assessment: Assessment, kernel: KernelAssessment, loop: Loop, row: _Row) -> Offer:
    facts = kernel.facts
    inside = {i for load in row.loads for i in load.access.loops[load.access.loops.index(loop.id) + 1 :]}
    if loop.early_exit or any(facts.loops[i].early_exit for i in inside):
        raise NotOfferedError("early_exit")
    if not all(_is_whole(facts.loops[i]) for i in inside):
        raise NotOfferedError("not_unrolled")
    for store in facts.accesses_in(loop):
        if store.op != "load" and may_alias(facts, store, row.loads[0].access):
            raise NotOfferedError("stored_in_loops", row.loads[0].access.pointer, store.pointer)
    return Offer(
        title=Title("register_window_of", (row.loads[0].access.pointer, row.elements)),
        kind="proved",
        kernel=facts.name,
        edits=tuple(_Edits(assessment, facts, loop, row).edits()),
        spans=(loop.span, *dict.fromkeys(load.access.span for load in row.loads)),
        codes=RegisterWindow.codes,
    )


class _Edits:
    """The edits for one row; raises `NotOfferedError` where one of them cannot be written."""

    def __init__(self, assessment: Assessment, facts: KernelFacts, loop: Loop, row: _Row) -> None:
        self._source, self._facts, self._loop, self._row = assessment.source, facts, loop, row
        self._text = assessment.source.original
        self._effects = Effects(assessment.source)
        self._head = counts_up(self._effects, loop_used(self._source, loop.span), closed=True, within=(facts, loop))
        if canonical(self._head.type) not in {"int", "long"}:
            raise NotOfferedError("counter_may_wrap", self._head.name)
        body, place = self._head.loop.child("body"), in_front_of(self._text, self._head.loop.start)
        if body is None or place is None:
            raise NotOfferedError("no_line_for_declaration")
        self._indent = place[1]
        self._ranges = IntegerRanges(self._effects, self._head.loop.node)
        self._firsts: dict[str, int] = {}
        self._inner = {i: self._inside(facts.loops[i]) for load in row.loads for i, _ in load.steps}
        self._elsewhere = Elsewhere(self._effects, body, {self._head.name, *(h.name for h in self._inner.values())})
        self._places = [subscript_used(self._effects, load.access) for load in row.loads]
        self._exact = ExactPlaces(self._source, self._effects, facts)
        self._require_plain()
        pointer = row.loads[0].access.pointer
        self._window, self._back, self._at = (free_name(self._text, n) for n in (f"{pointer}_window", "back", "at"))

    def _inside(self, loop: Loop) -> Head:
        """The head of a loop inside: its counter starts at a number and steps by one, and its body leaves it alone."""
        head = head_of(self._effects, loop_used(self._source, loop.span))
        body = head.loop.node.child_by_field_name("body")
        first = self._ranges.of(head.first.node)
        if first is None or first[0] != first[1] or head.step not in {1, -1}:
            raise NotOfferedError("first_not_constant")
        if body is None or head.name in self._effects.sets(body) or canonical(head.type) != "int":
            raise NotOfferedError("bound_may_change")
        self._firsts[head.name] = first[0]
        return head

    def _require_plain(self) -> None:
        """Refuses loads that are no elements of the argument, and places that are not what their polynomials say."""
        pointer, node = self._row.loads[0].access.pointer, self._head.loop.node
        for load, place in zip(self._row.loads, self._places, strict=True):
            array = place.child("argument")
            if array is None or array.text != pointer:
                raise NotOfferedError("not_all_elements")
            if not self._exact.has(load.access, at=place.node):
                raise NotOfferedError("index_comes_round", load.access.place)
        if pointer in self._effects.reassigned(node) or self._elsewhere.declares(pointer):
            raise NotOfferedError("changes_in_loop", pointer)

    def edits(self) -> Iterator[TextEdit]:
        """All edits."""
        row, step = self._row, step_in(self._text, self._indent)
        access, last = row.loads[0].access, row.elements - 1
        zero = "0" if access.element_bytes == access.scalar_bytes else f"({access.type})(0)"
        newest = max(
            range(len(row.loads)), key=lambda i: (_reach(self._facts, row.loads[i])[1], -len(row.loads[i].steps))
        )
        load, guards = (
            row.loads[newest],
            guard_nodes(self._source, self._facts, self._loop, [one.access for one in row.loads]),
        )
        index = self._places[newest].child("index")
        whole = written(self._source, index.node) if index is not None else None
        if whole is None or whole.node.type not in _SUMS:
            raise NotOfferedError("index_computed", access.pointer)
        if not self._exact.keeps(*(guard.node for guard, _ in guards)):
            raise NotOfferedError("conditional_load", access.place)
        if guards and any(abs(n) > 1 for one in row.loads for _, n in one.steps):
            raise NotOfferedError("conditional_load", access.place)
        ahead = {self._inner[i].name: self._last(i, n) for i, n in load.steps}
        if len(ahead) < len(load.steps):
            raise NotOfferedError("index_computed", access.pointer)
        now = _plain(self._elsewhere.text(whole, ahead))
        asked = [self._asked(guard, ahead) for guard in guards]
        # An iteration begins with moving on, so that before the loop the window is one place further back.
        first = self._head.value if self._head.value.startswith("(") else alone(self._head.value)
        before = f"{self._elsewhere.text(whole, {**ahead, self._head.name: first})} - {self._back}"
        earlier = {**ahead, self._head.name: f"(-{self._back})" if first == "0" else f"({first} - {self._back})"}
        known = self._loop.trip is not None and bool(self._loop.trip.constant)
        holds = [] if known else [self._head.runs(self._head.value)]
        holds += [self._asked(guard, earlier) for guard in guards]
        value = f"{access.pointer}[{_plain(before)}]"
        lines = [
            f"{access.type} {self._window}[{row.elements}];",
            "#pragma unroll",
            f"for (int {self._back} = 1; {self._back} < {row.elements}; {self._back}++)",
            f"{step}{self._window}[{row.elements} - {self._back}] = {self._chosen(holds, value, zero)};",
        ]
        yield from in_front(self._head.loop, lines)
        moved = [
            "#pragma unroll",
            f"for (int {self._at} = 0; {self._at} < {last}; {self._at}++)",
            f"{step}{self._window}[{self._at}] = {self._window}[{self._at} + 1];",
            f"{self._window}[{last}] = {self._chosen(asked, f'{access.pointer}[{now}]', zero)};",
        ]
        body = Body.of(self._source, self._head.loop.node, self._indent)
        yield from (edit for edit in body.around(moved, (), "") if edit.text or edit.start < edit.end)
        for one, place in zip(row.loads, self._places, strict=True):
            yield TextEdit(place.start, place.end, f"{self._window}[{self._position(one)}]")

    def _asked(self, guard: tuple[SourceNode, bool], values: Mapping[str, str]) -> str:
        """A condition for other values of counters."""
        text = _plain(self._elsewhere.text(guard[0], values))
        whole = text if guard[0].node.type == "parenthesized_expression" else f"({text})"
        return f"!{whole}" if guard[1] else text

    @staticmethod
    def _chosen(conditions: list[str], value: str, zero: str) -> str:
        return f"{joined(conditions)} ? {value} : {zero}" if conditions else value

    def _last(self, loop: int, step: int) -> str:
        """The value of a counter inside where it moves a load furthest on."""
        head, trips = self._inner[loop], constant_trips(self._facts.loops[loop]) or 1
        value = self._firsts[head.name] + (head.step or 1) * (trips - 1 if step > 0 else 0)
        return f"({value})" if value < 0 else str(value)

    def _position(self, load: _Load) -> str:
        """Where a load is in the window, by the counters inside."""
        at, text = load.at, ""
        for i, step in load.steps:
            head = self._inner[i]
            by = step * (head.step or 1)
            at -= by * self._firsts[head.name]
            times = head.name if abs(by) == 1 else f"{abs(by)} * {head.name}"
            text += f" {'-' if by < 0 else '+'} {times}"
        if not text.startswith(" +"):
            return f"{at}{text}"
        more = f" {'-' if at < 0 else '+'} {abs(at)}" if at else ""
        return text.removeprefix(" + ") + more


def _plain(text: str) -> str:
    """An expression without the zeros that it adds."""
    text = _ADDED_ZERO.sub("", text)
    return text.removeprefix("0 + ") if "?" not in text else text
