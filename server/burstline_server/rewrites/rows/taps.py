"""What an iteration of two loops reads of a plane: places a few rows and columns apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.parallelism.alias import may_alias
from burstline_model.parallelism.loop_copies import constant_trips
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.analysis.types import named
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.legality.heads import Head, counts_up
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.tiles.windows import loop_used

MOST_ROWS = 16
"""Most rows that a plane's places lie apart, and columns."""
SHORTEST = 4
"""Fewest elements of a row."""
ANY_PITCH = 1 << 20
"""What counts as the elements of a row where arguments say how many, when places are compared."""


@fixed
class Tap:
    """A load: the row and the column of its place, counted from the first of all.

    `rows` and `columns` are the loops inside that move it, each with its step.
    """

    access: Access
    row: int
    column: int
    rows: tuple[tuple[int, int], ...] = ()
    columns: tuple[tuple[int, int], ...] = ()


@fixed
class Plane:
    """The places that an iteration reads of one buffer.

    `pitch` are elements from one row to the next; `rows` and `columns` how many there are. `first` and `last` are the
    least and the greatest place that an iteration reads, in elements after its first row and column.
    """

    taps: tuple[Tap, ...]
    pitch: int
    rows: int
    columns: int
    first: int
    last: int
    newest: tuple[Tap, int] = field(repr=False)
    """A load that reaches the last row, in none of the loops inside if one does, and how far from the last column."""

    @property
    def before(self) -> int:
        """Places of the first row and column before the first that is read."""
        return self.first

    @property
    def after(self) -> int:
        """Places up to the last row and column behind the last that is read."""
        return (self.rows - 1) * self.pitch + self.columns - 1 - self.last


def planes_of(facts: KernelFacts, outer: Loop, inner: Loop) -> Iterator[list[Access]]:
    """Loads of one buffer that move on by an element with the inner loop, and by a row with the outer one."""
    groups: list[list[Access]] = []
    for access in facts.accesses_in(inner):
        if access.op != "load" or access.space != "global" or not _moves(facts, access, outer, inner):
            continue
        for group in groups:
            one = group[0]
            same = (one.pointer, one.type) == (access.pointer, access.type)
            if same and all(_step(one, loop) == _step(access, loop) for loop in (outer, inner)):
                group.append(access)
                break
        else:
            groups.append([access])
    for group in groups:
        if len({a.offset for a in group}) > 1 or any(a.loops[-1] != inner.id for a in group):
            yield group


def _step(access: Access, loop: Loop) -> Polynomial | None:
    return access.offset.coefficient(loop.counter) if access.offset is not None else None


def _moves(facts: KernelFacts, access: Access, outer: Loop, inner: Loop) -> bool:
    """Whether a load without conditions moves so, and with nothing else but loops and arguments."""
    offset = access.offset
    plain = not access.guards and not access.call_chain and not access.volatile and access.hint is None
    if offset is None or not plain or named(access.type) is None:
        return False
    along, down = _step(access, inner), _step(access, outer)
    if along is None or along.constant != access.element_bytes or down is None or not down.terms:
        return False
    others = [facts.symbols.get(n) for n in offset.symbols]
    return all(s is not None and s.kind in {"loop", "argument"} for s in others)


def plane_of(facts: KernelFacts, outer: Loop, inner: Loop, loads: list[Access]) -> Plane | None:
    """The plane that loads are of; None where they are in one row, or too far apart.

    Arguments may give the length of its rows where all four corners of what an iteration reads are read: then all of
    it is in the buffer, however long a row is. Raises `NotOfferedError` for other rows of no constant length.
    """
    size, down = loads[0].element_bytes, _step(loads[0], outer)
    if down is None:
        return None
    pitch = down.constant // size if down.constant is not None else ANY_PITCH
    if pitch < SHORTEST or any(c % size for _, c in down.terms):
        return None
    found = [tap for a in loads if (tap := _tap(facts, inner, a, loads[0], (down, pitch))) is not None]
    if down.constant is None and _in_rows(facts, inner, loads, down) and not _has_corners(facts, loads, found):
        raise NotOfferedError("row_not_constant", min(down.symbols))
    if len(found) < len(loads):
        return None
    spans = [reach(facts, tap) for tap in found]
    lines = min(s[0] for s in spans), max(s[1] for s in spans)
    columns = min(s[2] for s in spans), max(s[3] for s in spans)
    if not 0 < lines[1] - lines[0] < MOST_ROWS or columns[1] - columns[0] >= min(MOST_ROWS, pitch):
        return None
    moved = tuple(Tap(t.access, t.row - lines[0], t.column - columns[0], t.rows, t.columns) for t in found)
    ends = [reach(facts, tap) for tap in moved]
    first, last = min(r[0] * pitch + r[2] for r in ends), max(r[1] * pitch + r[3] for r in ends)
    down_most, across = lines[1] - lines[0], columns[1] - columns[0]
    newest = min(
        ((t, across - r[3]) for t, r in zip(moved, ends, strict=True) if r[1] == down_most),
        key=lambda one: (bool(one[0].rows or one[0].columns), one[1]),
    )
    return Plane(moved, pitch, down_most + 1, across + 1, first, last, newest)


def _in_rows(facts: KernelFacts, inner: Loop, loads: list[Access], down: Polynomial) -> bool:
    """Whether loads are in several rows of no constant length."""
    apart = [a.offset - loads[0].offset for a in loads if a.offset is not None and loads[0].offset is not None]
    walks = [facts.loops[i] for a in loads for i in a.loops[a.loops.index(inner.id) + 1 :]]
    apart += [step for a in loads for loop in walks if (step := _step(a, loop)) is not None]
    return any(d.symbols & down.symbols for d in apart)


def _has_corners(facts: KernelFacts, loads: list[Access], taps: list[Tap]) -> bool:
    """Whether the corners of what loads read in an iteration are among it: the places between are in the buffer."""
    if len(taps) < len(loads):
        return False
    spans = [reach(facts, tap) for tap in taps]
    rows = min(s[0] for s in spans), max(s[1] for s in spans)
    columns = min(s[2] for s in spans), max(s[3] for s in spans)
    return all(any(row in s[:2] and column in s[2:] for s in spans) for row in rows for column in columns)


def _whole_rows(distance: Polynomial, down: Polynomial, size: int) -> tuple[int, int] | None:
    """A distance as rows of no constant length, and elements; None where it is not."""
    monomial, length = next(term for term in down.terms if term[0])
    along = dict(distance.terms).get(monomial, 0)
    rest = (distance - down * Polynomial.number(along // length)).constant
    return (along // length, rest // size) if along % length == 0 and rest is not None and rest % size == 0 else None


def _tap(facts: KernelFacts, inner: Loop, access: Access, base: Access, row_of: tuple[Polynomial, int]) -> Tap | None:
    """Where a load lies from another one; None where that is no number, or it is not whole rows and a few columns.

    `row_of` is a row's length in bytes and in elements.
    """
    down, pitch = row_of
    offset, from_, size = access.offset, base.offset, access.element_bytes
    if offset is None or from_ is None:
        return None
    rows: list[tuple[int, int]] = []
    columns: list[tuple[int, int]] = []
    inside = [facts.loops[i] for i in access.loops[access.loops.index(inner.id) + 1 :]]
    for loop in inside:
        step, trips = offset.coefficient(loop.counter), constant_trips(loop)
        if step is None or not trips or loop.early_exit or loop.guards:
            return None
        whole = _whole_rows(step, down, size) if down.constant is None else None
        if whole is not None and whole[0] and not whole[1]:
            rows.append((loop.id, whole[0]))
            continue
        if step.constant is None or step.constant % size:
            return None
        elements = step.constant // size
        if elements and elements % pitch == 0:
            rows.append((loop.id, elements // pitch))
        elif abs(elements) >= MOST_ROWS:
            return None
        elif elements:
            columns.append((loop.id, elements))
    other = [facts.loops[i].counter for i in base.loops[base.loops.index(inner.id) + 1 :]]
    apart = offset.without([loop.counter for loop in inside]) - from_.without(other)
    if down.constant is None:
        found = _whole_rows(apart, down, size)
        return Tap(access, *found, tuple(rows), tuple(columns)) if found is not None else None
    distance = apart.constant
    if distance is None or distance % size:
        return None
    row = (distance // size + pitch // 2) // pitch
    return Tap(access, row, distance // size - row * pitch, tuple(rows), tuple(columns))


def reach(facts: KernelFacts, tap: Tap) -> tuple[int, int, int, int]:
    """The first and the last row, and the first and the last column, of what a load reads in an iteration."""
    found = []
    for at, steps in ((tap.row, tap.rows), (tap.column, tap.columns)):
        whole = [step * ((constant_trips(facts.loops[i]) or 1) - 1) for i, step in steps]
        found += [at + sum(min(0, n) for n in whole), at + sum(max(0, n) for n in whole)]
    return found[0], found[1], found[2], found[3]


def counter_of(effects: Effects, facts: KernelFacts, loop: int) -> tuple[str, int]:
    """The variable of a loop inside, and the number that it begins with."""
    head = counts_up(effects, loop_used(effects.source, facts.loops[loop].span), closed=True)
    first = number_of(head)
    if first is None:
        raise NotOfferedError("first_not_constant")
    return head.name, first


def number_of(head: Head) -> int | None:
    """A loop's first value where it is a plain number."""
    text = "".join(head.first.expanded.split()).strip("()")
    digits = text.removeprefix("-")
    plain = digits.isdecimal() and (digits == "0" or not digits.startswith("0"))
    return int(text) if plain else None


def place_in(effects: Effects, facts: KernelFacts, tap: Tap, own: tuple[str, str] = ("", "")) -> str:
    """Where a load's place is in an array of rows; `own` is what its row and its column are counted from."""
    names = [counter_of(effects, facts, i)[0] for i, _ in (*tap.rows, *tap.columns)]
    if len(set(names)) < len(names):
        raise NotOfferedError("index_computed", tap.access.pointer)
    text = ""
    for from_, first, steps in zip(own, (tap.row, tap.column), (tap.rows, tap.columns), strict=True):
        parts, at = [from_] if from_ else [], first
        for i, step in steps:
            name, begins = counter_of(effects, facts, i)
            at -= step * begins
            parts.append(name if step == 1 else f"{step} * {name}")
        more = f" {'-' if at < 0 else '+'} {abs(at)}" if at else ""
        text += f"[{' + '.join(parts)}{more}]" if parts else f"[{at}]"
    return text


def require_unchanged(facts: KernelFacts, outer: Loop, loads: list[Access]) -> None:
    """Raises `NotOfferedError` where the loops may store to what they keep."""
    for store in facts.accesses_in(outer):
        if store.op != "load" and may_alias(facts, store, loads[0]):
            raise NotOfferedError("stored_in_loops", loads[0].pointer, store.pointer)
