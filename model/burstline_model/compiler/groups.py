"""Static coalescing: which accesses and lanes share one load/store unit.

Vendor reports: contiguous lanes and neighbouring accesses become one request; between lanes a gap of up to five
elements is fetched along and thrown away, a wider one makes separate units.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import reduce
from math import gcd

from burstline_model.compiler.forward import paired_loads
from burstline_model.compiler.program_order import Order
from burstline_model.compiler.rule_names import (
    ACROSS_CONDITIONS,
    ACROSS_CONDITIONS_EARLY,
    PAIRED_LOADS,
    STREAMS_APART,
    WHOLE_BLOCKS,
    Switches,
)
from burstline_model.facts import Access, Guard, KernelFacts
from burstline_model.parallelism.alias import exclusive
from burstline_model.parallelism.lanes import Lanes, depends_on, lane_factors, lanes_of, multiple_of
from burstline_model.parallelism.loop_copies import copies_apart, fully_unrolled
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed

WIDEST_GAP = 5
"""Elements from one lane to the next that are still fetched together (guide and reports: 1 to 5 are)."""

WIDEST_UNIT_BYTES = 1024
"""The widest unit (reports of three repositories, 18.1 to 20.2): what would be wider is cut from its first byte on."""

WIDEST_HOISTED_BYTES = 64
"""What invariant values that are fetched together span at most (16.1: units of 64 to 512 bits, a memory word)."""


@fixed
class Group:
    """Accesses that the compiler serves with `units` equal units of `width_bytes` each.

    `members` in program order; `span_bytes` is what one request covers, `useful_bytes` what all units together
    use of it per clock cycle of all lanes; `merged` means that a unit serves more than one element, `aligned`
    that its address is provably a multiple of its width, `start_multiple` the largest number known to divide it.
    """

    members: tuple[Access, ...]
    units: int
    span_bytes: int
    width_bytes: int
    useful_bytes: int
    lanes: int
    merged: bool
    aligned: bool
    start_multiple: int
    base: Polynomial | None
    scattered: bool


def is_invariant(facts: KernelFacts, access: Access) -> bool:
    """Whether a load's address is the same for every work-item and iteration."""
    if access.op != "load" or access.offset is None or access.volatile:
        return False
    own = access.offset.symbols
    every = own.union(*(facts.symbols[s].depends_on for s in own if s in facts.symbols))
    known = (facts.symbols[s] for s in every if s in facts.symbols)
    return {s.kind for s in known if s.operation is None} <= _UNIFORM


_UNIFORM = {"argument", "global_size", "local_size", "num_groups", "global_offset"}


def pairs_of_arms(facts: KernelFacts, order: Order, *, hoist: bool) -> dict[int, int]:
    """Loads of two arms that are one load at a chosen address: the later by the earlier one (see `paired_loads`)."""
    return paired_loads(facts, lambda a: hoist and is_invariant(facts, a) and not order.may_change(a))


class _Gathered:
    """Accesses of one form that may share a unit: their offsets in bytes from the first one's base."""

    __slots__ = ("highest", "lanes", "lowest", "members", "offsets", "places")

    def __init__(self, first: Access, lanes: Lanes) -> None:
        own = list(lanes.offsets or ())
        self.lanes = lanes
        self.members = [first]
        self.offsets = [own]
        self.places = set(own)
        self.lowest, self.highest = min(own, default=0), max(own, default=0)

    def add(self, access: Access, own: list[int]) -> None:
        """Take one more in."""
        self.members.append(access)
        self.offsets.append(own)
        self.places.update(own)
        self.lowest, self.highest = min(self.lowest, *own), max(self.highest, *own)

    def has(self, own: list[int]) -> bool:
        """Whether all these places are accessed already."""
        return self.places.issuperset(own)

    def has_any(self, own: list[int]) -> bool:
        """Whether any of these places is accessed already: of volatile ones, each access is made."""
        return not self.places.isdisjoint(own)


def groups_of(
    facts: KernelFacts,
    accesses: list[Access],
    copies: Mapping[int, int],
    order: Order,
    *,
    hoist: bool = False,
    one_condition: bool = False,
    in_order: bool = True,
    lane_gap_bytes: int = 0,
    switches: Switches = (),
) -> list[Group]:
    """Coalesce accesses of one space into groups, in program order of their first members.

    `hoist`: invariant loads are fetched once before everything else (16.x), so that all those of one
    buffer that nothing stores to share a unit wherever they are. `one_condition`: neighbours under different
    conditions do not share one, nor those with a doubtful access between them (16.x). `in_order`: copies of an unrolled
    loop share none where another pointer may reach the same place in between. `lane_gap_bytes`: lanes this far
    apart share a unit, even where that is more than `WIDEST_GAP` elements. `switches`: the rules in force that can be
    switched off.
    """
    gathered: list[_Gathered] = []
    hoisted: set[int] = set()
    by_key: dict[object, list[int]] = {}
    across = ACROSS_CONDITIONS in switches or ACROSS_CONDITIONS_EARLY in switches
    may_join = _may_join_16 if one_condition else _may_join if across else _may_join_alike
    nests = copies_apart(facts, copies)
    paired = pairs_of_arms(facts, order, hoist=hoist).values() if PAIRED_LOADS in switches else ()
    alone = frozenset(paired)
    for access in accesses:
        crossed = order.crossed(access) if in_order else frozenset[int]()
        lanes = _own_lanes(facts, access, copies, nests, crossed)
        early = hoist and is_invariant(facts, access) and not order.may_change(access)
        key = ("early", access.pointer) if early else _key(facts, access, lanes, switches)
        if access.id in alone:
            key = ("alone", access.id)
        near = by_key.setdefault(key, [])
        # The nearest groups suffice: what joins none of the last ones lies apart from all.
        for number in reversed(near[-MOST_CANDIDATES:]):
            known = gathered[number]
            shift = _distance(known.lanes, lanes)
            if shift is None:
                continue
            own = [o + shift for o in lanes.offsets or ()]
            if early or (
                _near(known, access, own)
                and not (access.volatile and known.has_any(own))
                and may_join(order, known, access, own)
                and not (facts.barriers and _barrier_between(facts, known.members[-1], access))
            ):
                known.add(access, own)
                break
        else:
            if early:
                hoisted.add(access.id)
            near.append(len(gathered))
            gathered.append(_Gathered(access, lanes))
    made: list[Group] = []
    for one in gathered:
        early = one.members[0].id in hoisted
        parts = (
            _within(one, _word_start(facts, one, copies), WIDEST_HOISTED_BYTES)
            if early
            else _touching(one.members, one.offsets)
        )
        for part in parts:
            served = [one.members[i] for i in part]
            size = max(served[0].element_bytes, 1)
            widest = WIDEST_HOISTED_BYTES if early else max(WIDEST_GAP, lane_gap_bytes // size)
            fused = _fused(copies, nests, order.crossed(served[0]) if in_order else ())
            made += _split(facts, served, one.lanes, _sorted(one.offsets[i] for i in part), fused, widest)
    if WHOLE_BLOCKS in switches:
        made = [_with_block(facts, group, copies) for group in made]
    return sorted(made, key=lambda g: g.members[0].id)


def _fused(copies: Mapping[int, int], nests: Mapping[int, int], crossed: Collection[int]) -> Mapping[int, int]:
    """The copies whose accesses may share a unit: those of loops without a loop in them that keep no order."""
    if not nests and not crossed:
        return copies
    return {loop: 1 if loop in nests or loop in crossed else n for loop, n in copies.items()}


def _own_lanes(
    facts: KernelFacts, access: Access, copies: Mapping[int, int], nests: Mapping[int, int], crossed: Collection[int]
) -> Lanes:
    """The lanes of an access. Each copy of a loop around rolled ones, or a barrier, has units of its own.

    What is next to those, at one place in every copy, is one access; not so in loops that are `crossed` by accesses
    that may touch that place.
    """
    lanes = lanes_of(facts, access, _fused(copies, nests, crossed))
    for depth, loop in enumerate(access.loops):
        n = copies.get(loop, 1) if loop in crossed else nests.get(loop, 1)
        rolled = loop in crossed or any(not fully_unrolled(facts.loops[i], copies) for i in access.loops[depth + 1 :])
        if n > 1 and (rolled or depends_on(facts, access, facts.loops[loop].counter)):
            lanes = replace(lanes, count=lanes.count * n, rows=(*lanes.rows, (Polynomial(), n)))
    return lanes


def _sorted(offsets: Iterable[list[int]]) -> list[int]:
    return sorted({o for own in offsets for o in own})


def _touching(members: list[Access], offsets: list[list[int]]) -> list[list[int]]:
    """Accesses (by their places) that leave no bytes between them; the lanes of one may have gaps."""
    if len(members) == 1:
        return [[0]]
    parts: list[list[int]] = []
    end = min(min(own) for own in offsets) - 1
    for i in sorted(range(len(members)), key=lambda i: min(offsets[i])):
        if min(offsets[i]) > end:
            parts.append([])
        parts[-1].append(i)
        end = max(end, max(offsets[i]) + members[i].element_bytes)
    return [sorted(part) for part in parts]


def _word_start(facts: KernelFacts, gathered: _Gathered, copies: Mapping[int, int]) -> int | None:
    """Where the base of some accesses lies in a memory word, in bytes from its start; None where nothing fixes it."""
    base = gathered.lanes.base
    if base is None:
        return None
    moving = multiple_of(facts, base - Polynomial.number(base.offset), lane_factors(facts, gathered.members[0], copies))
    return base.offset % WIDEST_HOISTED_BYTES if moving % WIDEST_HOISTED_BYTES == 0 else None


def _within(gathered: _Gathered, word_start: int | None, widest: int) -> list[list[int]]:
    """Accesses (by their places) in one word of so many bytes; from the first byte on where words are not known."""
    members, offsets = gathered.members, gathered.offsets
    parts: list[list[int]] = []
    end = 0
    for i in sorted(range(len(members)), key=lambda i: min(offsets[i])):
        if not parts or max(offsets[i]) + members[i].element_bytes > end:
            parts.append([])
            start = min(offsets[i])
            end = start + widest - (0 if word_start is None else (word_start + start) % widest)
        parts[-1].append(i)
    return [sorted(part) for part in parts]


def apart(facts: KernelFacts, accesses: Iterable[Access], *, hoist: bool) -> dict[object, list[Access]]:
    """Accesses in parts that never share a unit, whatever the copies are; loops decide, and what is hoisted."""
    order = Order(facts)
    parts: dict[object, list[Access]] = {}
    for access in accesses:
        early = hoist and access.space == "global" and is_invariant(facts, access) and not order.may_change(access)
        parts.setdefault(("early", access.pointer) if early else access.loops, []).append(access)
    return parts


MOST_CANDIDATES = 64
"""Most earlier groups of the same kind that an access is compared with."""


def _key(facts: KernelFacts, access: Access, lanes: Lanes, switches: Switches) -> object:
    """What two accesses must have in common to share a unit; all but the distance between them."""
    if access.op == "atomic" or lanes.base is None or lanes.offsets is None:
        return ("alone", access.id)
    moving = tuple((m, c) for m, c in lanes.base.terms if m)
    apart = STREAMS_APART in switches and _follows_items(facts, access)
    place = access.offset.offset if apart and access.offset is not None else 0
    return (access.op, access.pointer, access.loops, access.hint, access.call_chain[:1], moving, lanes.rows, place)


def _follows_items(facts: KernelFacts, access: Access) -> bool:
    """Whether a load steps with the work-item by one element and by nothing else; no bound of a loop does."""
    if access.op != "load" or facts.model != "ndrange" or access.offset is None or _in_head(facts, access):
        return False
    moving = [(m, c) for m, c in access.offset.terms if m]
    if len(moving) != 1 or len(moving[0][0]) != 1 or moving[0][1] != access.element_bytes:
        return False
    symbol = facts.symbols.get(moving[0][0][0])
    return symbol is not None and symbol.kind == "global_id" and symbol.dimension == 0


def _in_head(facts: KernelFacts, access: Access) -> bool:
    """Whether a load is in the header of a loop."""
    own = access.span
    return any(o.span.file == own.file and o.span.start <= own.start and own.end <= o.span.end for o in facts.loops)


def _distance(known: Lanes, lanes: Lanes) -> int | None:
    if known.base is None or lanes.base is None:
        return None
    return (lanes.base - known.base).constant


def _near(known: _Gathered, access: Access, own: list[int]) -> bool:
    """Whether an access lies so close to others that they may be fetched together."""
    size = access.element_bytes
    reach = (WIDEST_GAP - 1) * size
    highest = known.highest + known.members[0].element_bytes
    return min(own) <= highest + reach and max(own) + size >= known.lowest - reach


def _barrier_between(facts: KernelFacts, first: Access, later: Access) -> bool:
    """Whether work-items wait for each other between two accesses of one body: it ends a block of the pipeline."""
    if facts.model != "ndrange" or first.call_chain != later.call_chain:
        return False
    return any(first.span.start < barrier.span.start < later.span.start for barrier in facts.barriers)


def _may_join(order: Order, known: _Gathered, access: Access, own: list[int]) -> bool:
    """Neighbours share a unit whatever their conditions, unless something between touches their bytes."""
    same_place = known.has(own)
    if access.op == "store":
        # A later store to the same place replaces the earlier one; neighbours are written together, each enabled by
        # its own condition.
        return not same_place and not order.reads_of(known.members, access)
    if same_place and not exclusive(known.members[-1], access):
        first = known.members[0]
        if not _alike(first, access) and len(first.guards) > len(access.guards):
            return False
    if same_place and any(_decides(one, access) for one in known.members):
        return False
    return not order.value_changed(known.members[-1], access)


def _decides(first: Access, later: Access) -> bool:
    """Whether what a load returns decides if a later one is made where the first was not: no unit can be both."""
    if first.call_chain != later.call_chain or all(any(_implies(g, h) for g in later.guards) for h in first.guards):
        return False
    own = first.span
    return any(g.span.file == own.file and g.span.start <= own.start and own.end <= g.span.end for g in later.guards)


def _implies(condition: Guard, other: Guard) -> bool:
    """Whether a condition is another one, or begins with it: ``a && b`` holds where ``a`` does."""
    return condition.text == other.text or condition.text.startswith((f"{other.text} && ", f"{other.text[:-1]} || "))


def _may_join_alike(order: Order, known: _Gathered, access: Access, own: list[int]) -> bool:
    """As `_may_join`, neighbours under one condition alone."""
    if not _alike(known.members[0], access) and not known.has(own):
        return False
    return _may_join(order, known, access, own)


def _may_join_16(order: Order, known: _Gathered, access: Access, own: list[int]) -> bool:
    """16.x: neighbours share a unit under one condition, with nothing between that may touch the buffer."""
    first, last, same_place = known.members[0], known.members[-1], known.has(own)
    together = _alike(first, access)
    if access.op == "store":
        return together and not same_place and not order.read_between(last, access)
    if same_place:
        # A value that is there already stays good next to stores elsewhere; neighbours are not fetched across any.
        return not order.value_changed(last, access) and (together or len(first.guards) <= len(access.guards))
    return together and not order.changed_between(last, access)


def _alike(first: Access, access: Access) -> bool:
    """Whether two accesses are under the same conditions."""
    return [g.text for g in first.guards] == [g.text for g in access.guards]


def _split(
    facts: KernelFacts, members: list[Access], lanes: Lanes, offsets: list[int], copies: Mapping[int, int], widest: int
) -> list[Group]:
    first = members[0]
    size = max(first.element_bytes, 1)
    factors = lane_factors(facts, first, copies)
    # A single element of a power of two bytes has its type's alignment, unless its structure takes that away.
    of_type = not first.packed and size == _power(size)
    if lanes.offsets is None:
        return [
            Group(tuple(members), lanes.count, size, _power(size), size * lanes.count, lanes.count,
                  merged=False, aligned=of_type, start_multiple=size if of_type else first.scalar_bytes,
                  base=lanes.base, scattered=lanes.scattered)
        ]  # fmt: skip
    shapes: dict[tuple[int, int, bool], list[_Request]] = {}
    for one in (part for run in _runs(offsets, size, widest) for part in _requests(run, size)):
        shapes.setdefault((_power(one.span), one.useful, one.merged), []).append(one)
    groups = []
    for (width, useful, merged), alike in shapes.items():
        starts, span = [one.start for one in alike], max(one.span for one in alike)
        bases = [lanes.base + Polynomial.number(s) for s in starts] if lanes.base is not None else []
        places = [*bases, *(step for step, _ in lanes.rows)]
        factor = reduce(gcd, (multiple_of(facts, p, factors) for p in places), 0) if bases else 1
        units = len(starts) * lanes.row_count
        aligned = (of_type and not merged) or factor % width == 0
        groups.append(
            Group(tuple(members), units, span, width, useful * units, lanes.count,
                  merged=merged, aligned=aligned, start_multiple=factor,
                  base=bases[0] if bases else None, scattered=False)
        )  # fmt: skip
    return groups


def _with_block(facts: KernelFacts, group: Group, copies: Mapping[int, int]) -> Group:
    """A group of loads as wide as the aligned block around it, where it surely lies within one."""
    first, base = group.members[0], group.base
    if group.aligned or not group.merged or group.units > 1 or first.op != "load" or base is None:
        return group
    moving = multiple_of(facts, base - Polynomial.number(base.offset), lane_factors(facts, first, copies))
    block = group.width_bytes
    while block <= WIDEST_HOISTED_BYTES:
        if moving % block == 0 and base.offset % block + group.span_bytes <= block:
            return replace(group, width_bytes=block, aligned=True)
        block *= 2
    return group


def _runs(offsets: list[int], size: int, widest: int) -> list[list[int]]:
    """Offsets cut where the gap is too wide to be fetched along."""
    runs: list[list[int]] = []
    for offset in offsets:
        if runs and offset - runs[-1][-1] <= widest * size:
            runs[-1].append(offset)
        else:
            runs.append([offset])
    return runs


@fixed
class _Request:
    """What one unit fetches at once, in bytes; `merged`: it is not just one element."""

    start: int
    span: int
    useful: int
    merged: bool


def _requests(run: list[int], size: int) -> list[_Request]:
    """Neighbours as requests that a unit can be as wide as; an element that none is as wide as comes in parts."""
    first, span = run[0], run[-1] - run[0] + size
    if span <= WIDEST_UNIT_BYTES:
        return [_Request(first, span, len(run) * size, len(run) > 1)]
    if size > WIDEST_UNIT_BYTES:
        cuts = range(0, span, WIDEST_UNIT_BYTES)
        useful = span // len(cuts)
        return [_Request(first + at, min(WIDEST_UNIT_BYTES, span - at), useful, merged=True) for at in cuts]
    parts: dict[int, list[int]] = {}
    for offset in run:
        parts.setdefault((offset - first) // WIDEST_UNIT_BYTES, []).append(offset)
    return [_Request(own[0], own[-1] - own[0] + size, len(own) * size, merged=True) for own in parts.values()]


def _power(value: int) -> int:
    return 1 << max(0, value - 1).bit_length()
