"""What one iteration of a loop hands to the next through private arrays."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain as chained
from itertools import combinations
from typing import Literal

from burstline_model.body_operations import Recurrence
from burstline_model.facts import Access, LocalArray, Span
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.analysis.array_parts import ArrayParts, Part, part_of
from burstline_server.analysis.carried import mark_of, steps_of
from burstline_server.analysis.chains import (
    Chain,
    Chains,
    added,
    from_mark,
    joined,
    rough_length,
    times_in,
    without,
    without_loops,
)
from burstline_server.analysis.frames import OpenAccess, OpenGuard
from burstline_server.analysis.one_way import Moves, moves_of, way_of
from burstline_server.analysis.resets import Places, Resets, is_zero
from burstline_server.analysis.shifts import ShiftRegister
from burstline_server.analysis.types import CType
from burstline_server.analysis.values import ArrayElement, Pointer, Value

RemainderOf = Callable[[str], tuple[Polynomial, Polynomial] | None]
"""What a symbol is the remainder of, and by what; None for any other."""

REGISTER_BYTES = 64
"""The largest private array that compilers keep in registers (vendor's guide): each iteration gets all of it, whichever
element it changes."""


def in_registers(pointer: Pointer, array: LocalArray | None) -> bool:
    """Whether a place in private memory is a variable, or in an array so small that registers hold it."""
    return pointer.space == "private" and (array is None or _is_small(array))


def _is_small(array: LocalArray) -> bool:
    return 0 < (array.length or 0) * array.element_bytes <= REGISTER_BYTES


@fixed
class _WayBack:
    """A chain from elements of an array to an element, which is written at a time of an iteration (see `_period`).

    `inner` are the loops in that iteration that it is in.
    """

    steps: Chain
    period: int
    when: int
    to: Polynomial | None
    sources: frozenset[Polynomial | None]
    inner: tuple[_Open, ...]
    around: int = 0
    """The iterations that the way takes where it leads through several elements; 0 for one element."""

    def leaves_a_trail(self, array: _Open) -> bool:
        """Whether each iteration leaves its result in an element of its own, and goes on from there."""
        return not array.shifted and self.to is not None and any(source != self.to for source in self.sources)

    def in_turn(self, trips: Mapping[str, int]) -> _WayBack:
        """The same without inner loops no iteration of which takes what an earlier one of them wrote."""
        loops = {one.loop for one in self.inner if not self._hands_on(one, trips)}
        return replace(self, steps=without_loops(self.steps, loops)) if loops else self

    def _hands_on(self, inner: _Open, trips: Mapping[str, int]) -> bool:
        """Whether an inner loop may read what one of its iterations before it wrote."""
        step = self.to.coefficient(inner.counter) if self.to is not None else None
        each, last = step.constant if step is not None else None, trips.get(inner.counter)
        if each and inner.keeps_rows_apart(each, trips):
            return False
        if inner.shifted or self.to is None or each is None or last is None or None in self.sources:
            return True
        gaps = [(self.to - source).constant for source in self.sources if source is not None]
        if not each:
            return not all(gaps)
        return any(gap is None or (gap % each == 0 and 0 < gap // each < last) for gap in gaps)


@dataclass(slots=True)
class _Open:
    """A private array in an iteration of a loop that changes it."""

    counter: str
    loop: int
    length: int | None
    small: bool
    reads: set[Polynomial | None] = field(default_factory=set)
    shifted: bool = False
    line: ShiftRegister = field(default_factory=ShiftRegister)
    looked_up: bool = False
    replaced: bool = False
    """It is written before anything reads it: nothing comes from the iteration before."""
    ways: list[_WayBack] = field(default_factory=list)
    """From elements, through operations, to elements."""
    zeros: Places | None = frozenset()
    """The elements that are 0 before the loop; None for all of them."""
    written: set[Polynomial | None] = field(default_factory=set)
    under: int = 0
    """The conditions around the loop."""
    adds_alone: bool = True
    """Every iteration changes elements through what they were, under no condition."""
    moves: Moves | None = None
    """Where values come from, once one is written that comes from an array."""

    def keeps_rows_apart(self, each: int, trips: Mapping[str, int]) -> bool:
        """Whether each iteration has a row of the array to itself, so many bytes from the one before."""
        for place in {*self.reads, *self.written}:
            if place is None or (step := place.coefficient(self.counter)) is None or step.constant != each:
                return False
            row = place.without([self.counter])
            first = last = row.offset
            for name in row.symbols:
                factor = row.coefficient(name)
                if factor is None or factor.constant is None or name not in trips:
                    return False
                way = factor.constant * (trips[name] - 1)
                first, last = first + min(way, 0), last + max(way, 0)
            if first < 0 or last >= abs(each):
                return False
        return True

    def slowest(self, trips: Mapping[str, int], loops: Mapping[str, int]) -> tuple[_WayBack, int] | None:
        """The way back that most operations are on for the iterations that it takes, and their number.

        `trips` and `loops` are those of the loops inside that have ended, by counter.
        """
        found: tuple[_WayBack, int] | None = None
        ways = [one.in_turn(trips) if self.shifted else one for one in self.ways]
        ways = ways if any(map(self._may_come_back, self.ways)) else []
        in_rounds = chained.from_iterable(self._by_round(way, trips, loops) for way in ways)
        for way in (*in_rounds, *self._exchanged(ways, trips)):
            distance = way.around or self._distance(way, way, trips)
            long = distance and rough_length(way.steps) / distance
            if long and (found is None or long > rough_length(found[0].steps) / found[1]):
                found = way, distance
        return found

    def _by_round(self, way: _WayBack, trips: Mapping[str, int], loops: Mapping[str, int]) -> Iterator[_WayBack]:
        """A way from the places of a shift register that a loop inside reads in turn, as one from each of them.

        What a round reads goes through the rounds from there on alone: what all of them work on has aged longest, or
        shortest, so the first and the last rounds are looked at.
        """
        around = {loop for (_, own), _ in way.steps for loop in own}
        moving = {s for s in way.sources if s is not None and not loops.keys().isdisjoint(s.symbols)}
        names = {name for source in moving for name in source.symbols}
        name = names.pop() if len(names) == 1 else ""
        if not self.shifted or way.around or not trips.get(name) or loops.get(name) not in around:
            yield way
            return
        if fixed := way.sources - moving:
            yield replace(way, sources=fixed)
        last = trips[name]
        for n in sorted({*range(min(last, MOST_ROUNDS)), *range(max(last - MOST_ROUNDS, 0), last)}):
            age = self.line.distance(way.when, way.to, moving, trips, {name: n})
            if age == 0:
                continue
            steps = times_in(way.steps, loops[name], last - n)
            yield replace(way, steps=steps, sources=frozenset(moving), around=self.length or 1 if age is None else age)

    def _may_come_back(self, way: _WayBack) -> bool:
        """Whether an iteration may read, on this way, what an earlier one wrote to any element.

        Not where each walks on by one step, and what is read lies ahead of all that is written, or between it.
        """
        step = way.to.coefficient(self.counter) if way.to is not None else None
        each = step.constant if step is not None else None
        if self.small or self.shifted or not each or way.to is None or not way.sources:
            return True
        inside = {one.counter for one in way.inner}
        gaps = [
            (to - read).constant for to in self.written if to is not None for read in way.sources if read is not None
        ]
        if None in self.written or None in way.sources or not inside.isdisjoint(way.to.symbols):
            return True
        return any(gap is None or (gap % each == 0 and gap // each > 0) for gap in gaps)

    def _distance(self, start: _WayBack, end: _WayBack, trips: Mapping[str, int]) -> int:
        """After how many iterations the second way takes what the first has put in; 0: never."""
        if not self.shifted or not self.length:
            return 1
        known = self.line.distance(start.when, start.to, end.sources, trips, until=end.when)
        return self.length if known is None else known

    def _exchanged(self, ways: Sequence[_WayBack], trips: Mapping[str, int]) -> Iterator[_WayBack]:
        """Ways that come back through each other, as sums that change places do."""
        if not self.shifted or not self.length or len(ways) > MOST_EXCHANGED:
            return
        alone = [way for way in ways if not self._distance(way, way, trips)]
        for first, second in combinations(alone, 2):
            there, back = self._distance(first, second, trips), self._distance(second, first, trips)
            if there and back:
                yield replace(first, steps=added(first.steps, second.steps), around=there + back)


MOST_ACCESSES = 2_000
"""Most accesses to arrays that are kept of a kernel."""
MOST_ROUNDS = 16
"""Most rounds of a loop over a shift register that are looked at from either end."""
MOST_EXCHANGED = 16
"""Most ways through an array that are looked at in pairs."""


@dataclass(slots=True)
class PrivateArrays:
    """Which private arrays loops carry from one iteration to the next, and from which loads their elements come."""

    _open: dict[str, list[_Open]] = field(default_factory=dict)
    _loaded: dict[tuple[str, int | None], Chains] = field(default_factory=dict)
    """The chains from loads of what was stored, by array and offset; under None where the offset is not fixed."""
    _trips: dict[str, int] = field(default_factory=dict)
    """How often each loop runs that has ended, by counter."""
    _loops: dict[str, int] = field(default_factory=dict)
    """Those loops themselves."""
    resets: Resets = field(default_factory=Resets)
    accesses: list[OpenAccess] = field(default_factory=list)
    """Those of arrays too large for registers."""
    in_registers: list[OpenAccess] = field(default_factory=list)
    """Those of arrays that registers hold, at places that change."""
    parts: ArrayParts = field(default_factory=ArrayParts)

    def copy(self) -> PrivateArrays:
        """The same, to read ahead with."""
        opened = {
            root: [
                replace(one, reads=set(one.reads), written=set(one.written), ways=[*one.ways], line=one.line.copy())
                for one in stack
            ]
            for root, stack in self._open.items()
        }
        return PrivateArrays(
            opened, dict(self._loaded), dict(self._trips), dict(self._loops), self.resets.copy(), [*self.accesses],
            [*self.in_registers], self.parts.copy(),
        )  # fmt: skip

    def enter(
        self, roots: Iterable[str], loop: int, counter: str, arrays: Mapping[str, LocalArray],
        guards: Sequence[OpenGuard],
    ) -> None:  # fmt: skip
        """An iteration begins of a loop that changes these arrays, under these conditions."""
        for root in roots:
            length = array.length if (array := arrays.get(root)) is not None else None
            small = array is not None and _is_small(array)
            zeros = self.resets.entered(root, array, guards)
            self._open.setdefault(root, []).append(_Open(counter, loop, length, small, zeros=zeros, under=len(guards)))

    def leave(self, loop: int, counter: str, trips: Polynomial | None, observed: Container[str]) -> list[Recurrence]:
        """The loop ends, after so many trips where that is known: what its arrays carry to the next iteration.

        `observed`: see `cycles`.
        """
        found = []
        if (count := trips.constant if trips is not None else None) is not None:
            self._trips[counter] = count
            self._loops[counter] = loop
        own = [(root, one) for root, stack in self._open.items() for one in stack if one.loop == loop]
        moves = {root: one.moves for root, one in own if not one.replaced}
        for root, stack in self._open.items():
            while stack and stack[-1].loop == loop:
                one = stack.pop()
                self.resets.left(root, one.counter, count)
                if not one.replaced and (slowest := one.slowest(self._trips, self._loops)) is not None:
                    (back, distance), way = slowest, way_of(root, moves)
                    found.append(
                        Recurrence(
                            names=(root,), steps=steps_of(back.steps), distance=distance, array=True,
                            looked_up=one.looked_up, registers=one.small, period=back.period,
                            observed=back.leaves_a_trail(one) or mark_of(f"[{root}]", loop) in observed,
                            from_zero=one.adds_alone and _are_zero(one),
                            one_way=way.loops if way is not None else None,
                            stays=way is not None and way.stays,
                        )
                    )  # fmt: skip
        return found

    def note(
        self, op: Literal["load", "store"], span: Span, pointer: Pointer, type_: CType, index: str,
        loops: Sequence[int], calls: Sequence[Span], guards: Sequence[OpenGuard], *, small: bool,
    ) -> None:  # fmt: skip
        """An array is accessed: memory blocks serve that through their ports, unless it is `small`, in registers."""
        noted = self.in_registers if small else self.accesses
        if len(noted) < MOST_ACCESSES and not (small and (pointer.offset is None or not pointer.offset.symbols)):
            access = Access(
                id=len(noted), span=span, op=op, space="private", pointer=pointer.root, type=type_.name,
                element_bytes=type_.size, scalar_bytes=type_.scalar_bytes, index=index, offset=pointer.offset,
                loops=tuple(loops), call_chain=tuple(calls),
            )  # fmt: skip
            noted.append(OpenAccess(access, tuple(guards), None))

    def read(self, pointer: Pointer, type_: CType, held: Chains) -> Chains:
        """An element of an array that held all this is read; returns the chains that its value came through."""
        held = self._through(pointer.root, part_of(pointer, type_), held)
        for one in self._open.get(pointer.root, ()):
            one.reads.add(pointer.offset)
            one.line.read(pointer.offset)
        own = self._loaded.get((pointer.root, _fixed(pointer))) if _fixed(pointer) is not None else None
        if own is None:
            return held
        carried = tuple(c for c in held if not c[0].startswith("@"))
        return joined([carried, own, self._loaded.get((pointer.root, None), ())])

    def _through(self, root: str, part: Part | None, held: Chains) -> Chains:
        return self.parts.through(root, part, held, {mark_of(f"[{root}]", o.loop) for o in self._open.get(root, ())})

    def element(self, pointer: Pointer, held: Value) -> frozenset[ArrayElement]:
        """What an element of an array that held all this is made of: itself, and what other arrays brought."""
        others = frozenset(e for e in held.made_of if e[0] != pointer.root)
        return others | {(pointer.root, pointer.offset)} if pointer.root in self._open else others

    def written(
        self,
        pointer: Pointer,
        stored: Value,
        before: Value | None,
        remainder_of: RemainderOf,
        guards: Sequence[OpenGuard] = (),
        type_: CType | None = None,
        *,
        looked_up: bool = False,
    ) -> Value | None:
        """An element (`looked_up`: one that data chose) is written; returns what the array held, if that matters."""
        place = (pointer.root, _fixed(pointer))
        self.resets.written(pointer.root, pointer.offset, guards, zero=is_zero(stored))
        loads = tuple(c for c in stored.chains if c[0].startswith("@"))
        self._loaded[place] = joined([self._loaded.get(place, ()), loads])
        stack = self._open.get(pointer.root, [])
        held = before.chains if before is not None else ()
        for depth, one in enumerate(stack):
            mark = mark_of(f"[{pointer.root}]", one.loop)
            one.looked_up = one.looked_up or looked_up
            if not one.reads:
                one.replaced = True
                before = before._replace(chains=without(before.chains, one.loop)) if before is not None else None
                continue
            chain = from_mark(stored.chains, mark)
            one.written.add(pointer.offset)
            one.adds_alone = one.adds_alone and chain is not None and len(guards) == one.under
            made_of = {(r, at) for r, at in stored.made_of if any(o.loop == one.loop for o in self._open.get(r, ()))}
            if made_of or chain is not None:
                counters = {o.counter: o.loop for o in stack[depth + 1 :]}
                one.moves = moves_of(pointer, made_of, stored.chains, counters).with_(one.moves)
            if chain is None or one.replaced:
                continue
            own = frozenset(source for root, source in stored.made_of if root == pointer.root)
            if self._is_moved(
                pointer._replace(offset=next(iter(own))) if len(own) == 1 else None, type_, stored, mark, held
            ):
                one.adds_alone = False
                one.shifted = one.shifted or any(r != pointer.offset for r in one.reads)
                one.line.moved(pointer.offset, own)
                continue
            behind = _iterations_behind(one, pointer.offset, own) if depth == len(stack) - 1 else 0
            if not (one.small or behind) and _from_this_iteration(one.reads, pointer.offset):
                continue
            chain = _apart(chain, [o for o in stack if not self._stays(o, pointer.offset)])
            if rough_length(chain) and (one.small or self._stays(one, pointer.offset)):
                period = _period(one, pointer.offset, remainder_of)
                when, inner = one.line.written(), tuple(stack[depth + 1 :])
                one.ways.append(_WayBack(chain, period, when, pointer.offset, own, inner, behind))
        self.parts.written(pointer.root, part_of(pointer, type_), stored.chains)
        return before

    def _is_moved(
        self, source: Pointer | None, type_: CType | None, stored: Value, mark: str, held: Chains
    ) -> bool:  # fmt: skip
        """Whether an array that held all this is given what it had at another element, as it is."""
        if source is None:
            return stored.chains == held
        through = self._through(source.root, part_of(source, type_), held)
        return from_mark(stored.chains, mark) == from_mark(through, mark)

    @staticmethod
    def _stays(one: _Open, offset: Polynomial | None) -> bool:
        """Whether a later iteration may read the element: not when each has a different one."""
        if offset is None or one.counter not in offset.symbols:
            return True
        return any(read != offset for read in one.reads)


def _period(one: _Open, offset: Polynomial | None, remainder_of: RemainderOf) -> int:
    """After how many iterations an element comes again that a remainder of the counter chooses; 1 where none does."""
    if offset is None or one.reads != {offset} or one.counter in offset.symbols:
        return 1
    turning = [found for name in offset.symbols if (found := remainder_of(name)) and one.counter in found[0].symbols]
    if len(turning) != 1:
        return 1
    value, divisor = turning[0]
    step = value.coefficient(one.counter)
    whole = step is not None and step.constant == 1 and value.without([one.counter]).constant is not None
    return divisor.constant or 1 if whole else 1


def _iterations_behind(one: _Open, offset: Polynomial | None, sources: Iterable[Polynomial | None]) -> int:
    """How many iterations before it the innermost loop wrote the nearest of the elements that one is made of.

    0 where it walks over them in another way than a fixed number of places behind itself.
    """
    step = offset.coefficient(one.counter) if offset is not None else None
    each = step.constant if step is not None else None
    gaps = [(offset - source).constant if source is not None and offset is not None else None for source in sources]
    if not each or not all(gaps):
        return 0
    times = [gap // each for gap in gaps if gap is not None and gap % each == 0 and gap // each > 0]
    return min(times, default=0)


def _from_this_iteration(reads: Iterable[Polynomial | None], offset: Polynomial | None) -> bool:
    """Whether inner loops, counting up, write the elements that are read before they read them.

    A wave through an array: each element is made of those a fixed number of places before it.
    """
    if offset is None or not offset.symbols or any(c < 0 for monomial, c in offset.terms if monomial):
        return False
    behind = [(offset - read).constant if read is not None else None for read in reads]
    return bool(behind) and all(gap is not None and gap > 0 for gap in behind)


def _are_zero(one: _Open) -> bool:
    """Whether all elements that a loop changes are 0 before it."""
    return one.zeros is None or all(place in one.zeros for place in (*one.reads, *one.written) if place is not None)


def _fixed(pointer: Pointer) -> int | None:
    return pointer.offset.constant if pointer.offset is not None else None


def _apart(chain: Chain, own: Iterable[_Open]) -> Chain:
    """A chain without the loops whose iterations each have a different element."""
    return without_loops(chain, {one.loop for one in own})
