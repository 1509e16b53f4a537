"""Shift registers: how far they reach, and after how many iterations what was put in reaches where it is read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from tree_sitter import Node

from burstline_model.facts import LocalArray
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.analysis.nodes import text_of, unwrapped
from burstline_server.analysis.values import ArrayElement

NO_ROUNDS: Mapping[str, int] = {}
MOST_PLACES = 64
"""Most places that one access in unrolled loops is followed at, besides those of its longest loop."""
MOST_WAYS = 256
"""Most places that a value is followed to, those of a longer way in one direction being one."""


@fixed
class _Move:
    """What is read at any of `sources` at one time of an iteration is put `gap` bytes further on at a later one."""

    read: int
    when: int
    sources: tuple[range, ...]
    gap: int

    @property
    def places(self) -> int:
        """How many places it reads."""
        return sum(map(len, self.sources))

    def steps_from(self, at: int) -> int:
        """How often the move takes on what is at a place, once an iteration."""
        for row in self.sources:
            if at in row:
                break
        else:
            return 0
        if self.gap % row.step:
            return 1
        left = (row[-1] - at) if self.gap * row.step > 0 else (row[0] - at)
        return abs(left // self.gap) + 1

    def fills(self, at: int) -> bool:
        """Whether it overwrites a place."""
        return any(at - self.gap in row for row in self.sources)


class _Line:
    """The moves of an array, by the places that they move from: an unrolled loop has one for each element."""

    def __init__(self, moves: Sequence[_Move]) -> None:
        self.moves = moves
        self._long = [move for move in moves if move.places > MOST_PLACES]
        self._short: dict[int, list[_Move]] = {}
        for move in moves:
            for at in {at for row in move.sources for at in row} if move.places <= MOST_PLACES else ():
                self._short.setdefault(at, []).append(move)

    def taking(self, at: int) -> Sequence[_Move]:
        """Those that may take on what is at a place."""
        return self._short.get(at, []) + self._long if self._long else self._short.get(at, [])

    def is_refilled(self, at: int, read: int, since: int) -> bool:
        """Whether a place is overwritten before it is read, with what is moved there after it was written."""
        return any(move.fills(at) and not read < move.when < since for move in self.moves)


@dataclass(slots=True)
class ShiftRegister:
    """When an iteration reads the elements of an array, and when it moves one to another, in bytes from its start."""

    now: int = 0
    reads: dict[Polynomial, list[int]] = field(default_factory=dict)
    moves: list[tuple[int, int, Polynomial, Polynomial]] = field(default_factory=list)
    known: bool = True
    """Every move that was seen is one from a place to another."""

    def copy(self) -> ShiftRegister:
        """The same, to read ahead with."""
        return ShiftRegister(self.now, {p: [*times] for p, times in self.reads.items()}, [*self.moves], self.known)

    def read(self, place: Polynomial | None) -> None:
        """An element is read."""
        self.now += 1
        if place is not None:
            self.reads.setdefault(place, []).append(self.now)

    def written(self) -> int:
        """An element is written; returns when."""
        self.now += 1
        return self.now

    def moved(self, to: Polynomial | None, sources: Iterable[Polynomial | None]) -> None:
        """What is at a place, or at one of several, is put to another as it is."""
        self.now += 1
        own = set(sources)
        source = own.pop() if len(own) == 1 else None
        if to is None or source is None:
            self.known = False
        elif to != source:
            self.moves.append((self.reads.get(source, [self.now])[-1], self.now, source, to))

    def distance(
        self, when: int, to: Polynomial | None, sources: Collection[Polynomial | None], trips: Mapping[str, int],
        rounds: Mapping[str, int] = NO_ROUNDS, *, until: int | None = None,
    ) -> int | None:  # fmt: skip
        """Iterations from when `to` is written to when that value is read at one of `sources` first.

        `until`: when what is made of them is written, if not there.

        0 where it never comes there, None where the text does not fix the places. `trips` are those of inner loops, by
        counter; of those in `rounds` only one iteration reads.
        """
        moves = [_move(own, trips) for own in self.moves]
        starts = _rows(to, trips)
        read_at = [
            (_rows(p, trips, rounds), [at for at in self.reads.get(p, ()) if at < (until or when)])
            for p in sources
            if p is not None
        ]
        line = [move for move in moves if move is not None]
        if not self.known or len(line) < len(moves) or starts is None or sum(map(len, starts)) > MOST_PLACES:
            return None
        if len(read_at) < len(sources) or not all(rows and times for rows, times in read_at):
            return None
        reads = [(at, rows) for rows, times in read_at if rows is not None for at in times]
        taken = _Line(line)
        found = (_passes(taken, at, when, rows, read) for read, rows in reads for row in starts for at in row)
        return min((n for n in found if n), default=0)


@fixed
class Taps:
    """Where the elements of an array are read for more than to move them, and how far the others are moved, in bytes.

    None where the text does not fix it.
    """

    reads: frozenset[Polynomial | None] = frozenset()
    gaps: frozenset[int | None] = frozenset()

    def read(self, place: Polynomial | None) -> Taps:
        """With one more read."""
        return self if place in self.reads else Taps(self.reads | {place}, self.gaps)

    def moved(self, root: str, to: Polynomial | None, sources: Collection[ArrayElement]) -> Taps:
        """With one more move of an element of `root`: what `sources` were."""
        own = [source for name, source in sources if name == root]
        source = own[0] if len(own) == 1 else None
        return Taps(self.reads, self.gaps | {(to - source).constant if to is not None and source is not None else None})

    def reach(self, array: LocalArray, trips: Mapping[str, int]) -> int | None:
        """The elements from where a shift register begins to where it is read last; None for any other array."""
        gaps = [gap for gap in self.gaps if gap]
        rows = [rows for place in self.reads if (rows := _rows(place, trips))]
        if not array.length or not gaps or len(gaps) < len(self.gaps) or not rows or len(rows) < len(self.reads):
            return None
        places = [place // array.element_bytes for own in rows for row in own if row for place in (row[0], row[-1])]
        if not places or (min(gaps) < 0 < max(gaps)):
            return None
        return min(array.length, max(places) + 1 if gaps[0] > 0 else array.length - min(places))


def is_shift(node: Node) -> bool:
    """Whether an element is read, or written, in a statement that puts it to another place of its array as it is."""
    around = node.parent
    while around is not None and around.type == "parenthesized_expression":
        around = around.parent
    if around is None or around.type != "assignment_expression":
        return False
    left, right = around.child_by_field_name("left"), around.child_by_field_name("right")
    operator = around.child_by_field_name("operator")
    if left is None or right is None or operator is None or operator.type != "=":
        return False
    left, right = unwrapped(left), unwrapped(right)
    alone = around.parent is not None and around.parent.type == "expression_statement"
    return alone and node in (left, right) and bool(_array(left)) and _array(left) == _array(right)


def _array(node: Node) -> str:
    """The name of the array that an element is of."""
    if node.type != "subscript_expression":
        return ""
    while node.type == "subscript_expression":
        inner = node.child_by_field_name("argument")
        if inner is None:
            return ""
        node = unwrapped(inner)
    return text_of(node) if node.type == "identifier" else ""


def _move(own: tuple[int, int, Polynomial, Polynomial], trips: Mapping[str, int]) -> _Move | None:
    read, when, source, to = own
    gap, rows = (to - source).constant, _rows(source, trips)
    return _Move(read, when, rows, gap) if gap and rows is not None else None


def _rows(
    place: Polynomial | None, trips: Mapping[str, int], rounds: Mapping[str, int] = NO_ROUNDS
) -> tuple[range, ...] | None:
    """The places of an access in all iterations of the loops that pick them; None where they are not known.

    Of the loops in `rounds` in that iteration alone.
    """
    if place is None or not place.symbols <= trips.keys():
        return None
    steps: list[tuple[int, int]] = []
    start = place.offset
    for name in place.symbols:
        factor = place.coefficient(name)
        step = factor.constant if factor is not None else None
        if not step:
            return None
        steps.append((trips[name], step) if name not in rounds else (1, step))
        start += step * rounds.get(name, 0)
    *others, (n, step) = sorted(steps) or [(1, 1)]
    if prod(n for n, _ in others) > MOST_PLACES:
        return None
    first = [start + sum(at) for at in product(*(range(0, n * s, s) for n, s in others))]
    return tuple(range(at, at + n * step, step) for at in first)


def _passes(line: _Line, start: int, since: int, rows: Sequence[range], read: int) -> int | None:
    """Iterations until what is at `start` since a time of one is read, at any place of `rows`; None: never."""
    if any(start in row for row in rows) and not line.is_refilled(start, read, since):
        return 1
    found: int | None = None
    waiting, seen = [(start, since, 0)], {start}
    while waiting and len(seen) < MOST_WAYS:
        at, came, passes = waiting.pop()
        for move in line.taking(at):
            steps = move.steps_from(at)
            if not steps:
                continue
            hits = (_hit(row, at, move.gap, steps) for row in rows)
            first = min((n for n in hits if n), default=0)
            here = passes + (move.read < came) + (first or steps) - 1
            if first:
                here += read < move.when
                found = here if here and (found is None or here < found) else found
            elif (to := at + steps * move.gap) not in seen:
                seen.add(to)
                waiting.append((to, move.when, here))
    return found


def _hit(row: range, at: int, gap: int, steps: int) -> int:
    """After how many steps something is at a place of a row first; 0 where it is not in so many."""
    if len(row) == 1:
        n, rest = divmod(row[0] - at, gap)
        return n if not rest and 0 < n <= steps else 0
    return next((n for n in range(1, steps + 1) if at + n * gap in row), 0)
