"""What a work-group reads of a plane around its own places, and which of it some work-item reads for certain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from burstline_model.facts import Access, Guard, KernelFacts
from burstline_model.parallelism.loop_copies import constant_trips
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.rows.taps import MOST_ROWS, Tap, reach
from burstline_server.rewrites.tiles.layout import Group
from burstline_server.rewrites.tiles.limits import Limit, compares_signed, limits_of
from burstline_server.rewrites.tiles.staged import steps_of

Guards = tuple[Guard, ...]


@fixed
class Halo:
    """Loads of one buffer by a group: places around each work-item's own, rows and columns from 0.

    `base` is the place of row and column 0 in elements, `pitch` the elements from one row to the next (None: one row).
    """

    taps: tuple[Tap, ...]
    base: Polynomial
    pitch: Polynomial | None
    rows: int
    columns: int


def neighbours(facts: KernelFacts) -> Iterable[list[Access]]:
    """The loads of a buffer at places that move alike, an element from one work-item to the next."""
    groups: list[tuple[Mapping[int, Polynomial], list[Access]]] = []
    for access in facts.accesses:
        if access.op != "load" or access.space != "global" or access.volatile or access.hint is not None:
            continue
        steps = steps_of(facts, access, None) if not access.call_chain else None
        if steps is None or 0 not in steps or steps[0].constant != 1 or 2 in steps:
            continue
        for known, group in groups:
            same = (group[0].pointer, group[0].type) == (access.pointer, access.type)
            if same and known == steps and _distance(facts, access, group[0], steps.get(1)) is not None:
                group.append(access)
                break
        else:
            groups.append((steps, [access]))
    return (group for _, group in groups)


def halo_of(facts: KernelFacts, loads: list[Access]) -> Halo | None:
    """The places that loads reach around a work-item's own; None where there is one alone."""
    steps = steps_of(facts, loads[0], None) or {}
    pitch = steps.get(1)
    found = [tap for a in loads if (tap := _distance(facts, a, loads[0], pitch)) is not None]
    if len(found) < len(loads) or loads[0].offset is None:
        return None
    ends = [reach(facts, tap) for tap in found]
    rows = min(e[0] for e in ends), max(e[1] for e in ends)
    columns = min(e[2] for e in ends), max(e[3] for e in ends)
    if rows[0] == rows[1] and columns[0] == columns[1]:
        return None
    size = loads[0].element_bytes
    moving = [facts.loops[i].counter for i in loads[0].loops]
    base = Polynomial(tuple((m, c // size) for m, c in loads[0].offset.without(moving).terms))
    base += Polynomial.number(columns[0])
    for _ in range(abs(rows[0])):
        base = (base + pitch if rows[0] > 0 else base - pitch) if pitch is not None else base
    moved = tuple(Tap(t.access, t.row - rows[0], t.column - columns[0], t.rows, t.columns) for t in found)
    return Halo(moved, base, pitch, rows[1] - rows[0] + 1, columns[1] - columns[0] + 1)


def _distance(facts: KernelFacts, access: Access, base: Access, pitch: Polynomial | None) -> Tap | None:
    """Where a load lies from another one, in rows and columns; None where it is not near, or that is not known."""
    size = access.element_bytes
    if access.offset is None or base.offset is None or any(c % size for _, c in base.offset.terms):
        return None
    rows: list[tuple[int, int]] = []
    columns: list[tuple[int, int]] = []
    loops = [facts.loops[i] for i in access.loops]
    for loop in loops:
        step, trips = access.offset.coefficient(loop.counter), constant_trips(loop)
        if not trips or loop.early_exit or step is None or any(c % size for _, c in step.terms):
            return None
        place = _in_rows(Polynomial(tuple((m, c // size) for m, c in step.terms)), pitch)
        if place is None or (place[0] and place[1]):
            return None
        if place[0]:
            rows.append((loop.id, place[0]))
        elif place[1]:
            columns.append((loop.id, place[1]))
    ends = [one.offset.without([facts.loops[i].counter for i in one.loops]) for one in (access, base) if one.offset]
    apart = ends[0] - ends[1]
    if any(c % size for _, c in apart.terms):
        return None
    place = _in_rows(Polynomial(tuple((m, c // size) for m, c in apart.terms)), pitch)
    if place is None:
        return None
    tap = Tap(access, *place, tuple(rows), tuple(columns))
    near = reach(facts, tap)
    return tap if all(abs(end) < MOST_ROWS for end in near) else None


def _in_rows(distance: Polynomial, pitch: Polynomial | None) -> tuple[int, int] | None:
    """A distance as whole rows and columns; None where it is not."""
    rest, rows = distance.constant, 0
    if pitch is None:
        return (0, rest) if rest is not None else None
    if pitch.constant is not None:
        if rest is None or abs(pitch.constant) < MOST_ROWS:
            return None
        rows = (rest + pitch.constant // 2) // pitch.constant
        return rows, rest - rows * pitch.constant
    if rest is None:
        lead, by = next((m, c) for m, c in pitch.terms if m)
        own = next((c for m, c in distance.terms if m == lead), 0)
        if own % by or abs(own // by) > MOST_ROWS:
            return None
        rows = own // by
        rest = (distance - Polynomial(tuple((m, c * rows) for m, c in pitch.terms))).constant
    return (rows, rest) if rest is not None else None


@fixed
class Box:
    """Rows and columns around a work-item's own place, first and last, that it reads under `guards`.

    All of it lies between places that the work-item reads.
    """

    rows: tuple[int, int]
    columns: tuple[int, int]
    guards: Guards


def boxes_of(facts: KernelFacts, halo: Halo) -> list[Box]:
    """What a work-item reads: for each set of conditions, the columns of every row, and the rows that have them."""
    found: list[Box] = []
    sets: dict[Guards, dict[int, tuple[int, int]]] = {}
    for tap in halo.taps:
        guards = [*tap.access.guards, *(g for i in tap.access.loops for g in facts.loops[i].guards)]
        first, last, left, right = reach(facts, tap)
        rows = sets.setdefault(tuple(dict.fromkeys(guards)), {})
        for row in range(first, last + 1):
            own = rows.get(row, (left, right))
            rows[row] = min(own[0], left), max(own[1], right)
    for held, rows in sets.items():
        for columns in dict.fromkeys(rows.values()):
            holding = [r for r, own in rows.items() if own[0] <= columns[0] and columns[1] <= own[1]]
            box = Box((min(holding), max(holding)), columns, held)
            if not any(_within(box, one) for one in found):
                found = [*(one for one in found if not _within(one, box)), box]
    return found


def _within(one: Box, other: Box) -> bool:
    return (
        set(other.guards) <= set(one.guards)
        and other.rows[0] <= one.rows[0] <= one.rows[1] <= other.rows[1]
        and other.columns[0] <= one.columns[0] <= one.columns[1] <= other.columns[1]
    )


@fixed
class Compared:
    """A limit, and whether C compares it with a sign."""

    limit: Limit
    signed: bool

    @property
    def least(self) -> int | None:
        """The first id that it holds for, where that is a number."""
        difference, own = self.limit.left - self.limit.right, self.limit.dimension
        if own is None or not self.limit.rises:
            return None
        rest = next((c for m, c in difference.terms if not m), 0)
        ids = [c for m, c in difference.terms if m]
        if len(ids) != 1 or abs(ids[0]) != 1:
            return None
        # A difference below 0, or not: -id + rest < 0 from rest + 1 on, id + rest >= 0 from -rest on.
        return rest + 1 if self.limit.less else -rest


def compared(effects: Effects, facts: KernelFacts, guard: Guard) -> list[Compared]:
    """The limits of a condition; raises `NotOfferedError` where it is anything else, or its arithmetic may wrap."""
    limits, signed = limits_of(effects, facts, guard), compares_signed(effects, guard)
    for one in limits:
        named = {n for side in (one.left, one.right) if len(side.terms) > 1 for n in side.symbols}
        if any("." in n and facts.symbols[n].kind == "argument" for n in named):
            raise NotOfferedError("condition_differs")  # a part of a vector may be unsigned
        sides = [
            side for side in (one.left, one.right) if any(facts.symbols[n].kind == "global_id" for n in side.symbols)
        ]
        if not signed and any(len(side.terms) > 1 for side in sides):
            raise NotOfferedError("condition_differs")
    return [Compared(one, signed) for one in limits]


@fixed
class Site:
    """A load that every work-item makes, at its own place in the tile and so many rows and columns further on.

    `lead`: columns of the tile before the halo's first.
    """

    row: int
    column: int
    lead: int


def condition(
    facts: KernelFacts,
    limits: Mapping[Guard, list[Compared]],
    box: Box,
    site: Site,
    group: Group,
    items: tuple[str, str],
    extents: tuple[int, int],
    *,
    flat: bool,
) -> list[str] | None:
    """When some work-item of the group reads an element of a site as one of a box; None: never.

    `extents` are the rows and columns of the tile, `items` the ids in the group in x and y. `flat`: those of the group
    along y read the same.
    """  # fmt: skip
    found: list[str] = []
    own = [one for guard in box.guards for one in limits[guard]]
    along = (site.column - site.lead, box.columns, extents[1] - site.column)
    down = (site.row, box.rows, extents[0] - site.row)
    for d, (at, (first, last), left) in enumerate((along, down)):
        size, item = group[d], items[d]
        if flat and d == 1:
            found += _limited(facts, [one for one in own if one.limit.dimension == d], d, "0", str(size - 1))
            continue
        most = min(size, left) - 1
        if at + most - first < 0 or at - last >= size:
            return None
        if at - first < 0:
            found.append(f"{item} >= {first - at}")
        if at + most - last >= size:
            found.append(f"{item} < {size + last - at}")
        low, high = _moved(item, at - last, most, 0, size - 1), _moved(item, at - first, most, 0, size - 1)
        found += _limited(facts, [one for one in own if one.limit.dimension == d], d, low, high)
    for one in own:
        if one.limit.dimension not in {0, 1}:
            found.append(_text(facts, one, 2, "(long)get_global_id(2)" if one.signed else "get_global_id(2)"))
    return list(dict.fromkeys(found))


def _limited(facts: KernelFacts, own: list[Compared], d: int, low: str, high: str) -> list[str]:
    """Limits of one dimension, for one of the work-items from `low` to `high` of the group."""
    rising, falling = ([one for one in own if one.limit.rises is rises] for rises in (True, False))
    least = [one.least for one in rising]
    if rising and falling and None in least:
        raise NotOfferedError("condition_differs")
    found = [_text(facts, one, d, _id(d, high, signed=one.signed)) for one in rising]
    for one in falling:
        first = _id(d, low, signed=one.signed)
        bound = max((n for n in least if n is not None), default=0)
        if bound > 0:
            first = f"max({first}, ({'long' if one.signed else 'ulong'}){bound})"
        found.append(_text(facts, one, d, first))
    return found


def _text(facts: KernelFacts, one: Compared, d: int, own: str) -> str:
    return one.limit.text(facts, {**dict.fromkeys(range(3), "0"), d: own})


def _id(d: int, item: str, *, signed: bool) -> str:
    """The global id of an item of the group, as it is compared."""
    first = f"{'xyz'[d]}@"
    whole = first if item == "0" else f"({first} + {item})"
    return whole if signed else f"(ulong){whole}"


def _moved(item: str, by: int, most: int, least: int, last: int) -> str:
    """An item's id moved by so much, kept inside the group; `most` is the greatest that reaches it."""
    if most + by <= least:
        return str(least)
    if by >= last:
        return str(last)
    text = item if by == 0 else f"{item} {'+' if by > 0 else '-'} {abs(by)}"
    if by < least:
        return f"max({text}, {least})"
    return f"min({text}, {last})" if most + by > last else text
