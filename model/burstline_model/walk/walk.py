"""The walk of a load/store unit under a launch: requests, bytes used and bytes fetched."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod

from burstline_model.facts import Access, Guard
from burstline_model.lsu import Lsu, guards_of
from burstline_model.parallelism.extent import MAX_VALUE, Extent
from burstline_model.parallelism.lanes import lanes_of
from burstline_model.parallelism.running_copies import left_open
from burstline_model.polynomial import Polynomial
from burstline_model.record import small
from burstline_model.walk.digits import digits_of
from burstline_model.walk.guards import Share, counted, share_of
from burstline_model.walk.issue_order import Dimension, dimensions_of, take_turns, unrolled_of
from burstline_model.walk.legs import WHOLE, in_one_piece, legs_of
from burstline_model.walk.memory_words import Fetched, Leg, Start, fetched, footprint
from burstline_model.walk.one_by_one import MOST, Requests, words_one_by_one
from burstline_model.walk.sampler import Sampler
from burstline_model.walk.steps import Kind, Step, exact_step, step_along

A_WHILE = 16
"""So many requests in a row are more than the memory's queue could take in another order."""
BEYOND_BORDERS = 16
"""Words that addresses reach over from which on few of them are at a border."""
SEEN = 0.25
"""The share by which the words of some requests may miss those of all."""
STARTS = 5
"""Requests whose start is evaluated to find whether they are aligned."""


@small
class Walk:
    """How a unit's address moves, and what it costs. Bytes are of the whole launch, None while a size is not known.

    `kind` and `step_bytes` are those of the fastest dimension that moves it; `used_bytes` what the kernel uses, each
    word that is at hand counted once; `fetched_bytes` what the memory moves for it, between `low_bytes` and
    `high_bytes` where data decide, or the order of requests; `factor` the latter over the former. `item_bytes` is what
    one work-item uses. `apart`: its words lie anywhere. `in_turns`: requests of work-items in other iterations come
    between neighbours, so that these do not join, and `alone` times as much is fetched as if they did. `misaligned`:
    its requests start off a multiple of their width (None: not known). `thrash`: its cache loses what is read again.
    `data` is the condition that data decide. `stride_bytes` lie between all of many requests that follow each other
    (0: there are not so many).
    """

    kind: Kind
    step_bytes: float
    used_bytes: float | None
    fetched_bytes: float | None
    low_bytes: float | None
    high_bytes: float | None
    factor: float
    item_bytes: float | None
    requests: float | None
    apart: bool = False
    in_turns: bool = False
    alone: float = 1.0
    misaligned: bool | None = False
    thrash: bool = False
    data: str = ""
    stride_bytes: float = 0.0


class Walks:
    """The walks of a kernel's units under a launch, each made once."""

    def __init__(self, extent: Extent, word_bytes: int) -> None:
        self._extent = extent
        self._word = word_bytes
        self._sampler = Sampler(extent)
        self._shares: dict[tuple[object, ...], tuple[Sequence[Dimension], Share]] = {}
        self._dimensions: dict[tuple[int, ...], tuple[Dimension, ...]] = {}
        self._steps: dict[tuple[object, ...], list[Step]] = {}
        self._digits: dict[tuple[object, ...], list[list[Leg]]] = {}
        self._fetched: dict[tuple[object, ...], Fetched] = {}
        self._each: dict[Requests, float | None] = {}

    def of(self, lsu: Lsu) -> Walk:
        """The walk of a unit of global memory; where it is copied as in another form of the kernel, that one's."""
        extent = self._extent
        loops = extent.facts.accesses[lsu.members[0]].loops
        asked = lsu.members, lsu.style, lsu.width_bits, lsu.count, lsu.lanes, lsu.useful_bytes, lsu.cache_bytes
        key = (self._word, asked, extent.facts.simd, *(extent.copies.get(i, 1) for i in loops))
        known: dict[object, Walk] = extent.walks
        if key not in known:
            known[key] = self._made(lsu)
        return known[key]

    def _made(self, lsu: Lsu) -> Walk:
        facts = self._extent.facts
        access = facts.accesses[lsu.members[0]]
        copied = unrolled_of(self._extent, access.loops)
        along = self._along(access)
        # Copies that one unit serves are in its requests, and others far from each other.
        order = (*along, *copied) if lsu.count > 1 else (*copied, *along)
        every, share = self._chosen(along, order, *_conditions(self._extent, lsu))
        steps = self._steps_of(access, every)
        known = all(d.known for d in every) and self._countable(access)
        requests = prod(d.size for d in every) * share.point
        used = requests * lsu.lanes * lsu.useful_bytes
        plain = legs_of(every, steps, share, lsu.count)
        digits = self._digits_of(access, every)
        legs = legs_of(every, steps, share, lsu.count, digits) if any(digits) else plain
        span = self._span(lsu, access)
        start = self._start(access, every, steps)
        moved = self._words(legs, span, start, lsu.cache_bytes)
        each = self._one_by_one(lsu, every, copied, steps, share, span, moved.words)
        if each is not None:
            moved = Fetched(each)
        in_turns, joined = False, moved.words
        if self._take_turns(lsu, every, steps):
            alone, _ = footprint((), span, start, self._word, sweeps=legs)
            alone *= prod(leg.size for leg in legs)
            in_turns, moved = alone > joined, Fetched(max(alone, joined))
        by_data = share.point / share.given / prod(part.share for part in share.parts) if share.point else 1.0
        every_word = moved.words * lsu.count * self._word * share.given if share.point else 0.0
        words = every_word * by_data
        if lsu.op == "atomic":
            moved, words, every_word = Fetched(used / self._word), used, used
        moved_by = [leg.step for leg in legs if leg.size > 1] or steps
        # Items that come one by one leave it to what they go through whether neighbours lie apart.
        deciding = [leg.step for leg in legs[:1] if leg.size > 1] or moved_by
        anywhere = in_turns or {step.kind for step in deciding} == {"anywhere"}
        apart = anywhere and words > used and lsu.op != "atomic"
        if lsu.op != "atomic":
            used = min(used, words)
        items = prod(d.size * d.lanes for d in every if d.kind != "loop") if facts.model == "ndrange" else 1.0
        loops_known = all(d.known for d in every if d.kind == "loop")
        named = [leg.step for leg in plain if leg.size > 1] or steps
        own = next((s for s in named if s.kind != "same"), Step("same"))
        first = next((leg for leg in legs if leg.size > 1 and leg.step.kind != "same"), None)
        even = first is not None and first.step.kind == "steady" and first.size >= A_WHILE and not in_turns
        sizes = known and requests <= MAX_VALUE**2
        # At best, work-items that take turns stay together.
        least = words * joined / moved.words if in_turns else min(used, words)
        least *= share.low / share.point if share.point else 1.0
        sure = share.low >= share.point and not in_turns and not any(s.kind == "anywhere" for s in steps)
        return Walk(
            kind=own.kind,
            step_bytes=own.bytes,
            used_bytes=used if sizes else None,
            fetched_bytes=words if sizes else None,
            low_bytes=(words if sure else least) if sizes else None,
            high_bytes=every_word if sizes else None,
            factor=words / used if used else 1.0,
            item_bytes=used / items if loops_known else None,
            requests=requests if sizes else None,
            apart=apart,
            in_turns=in_turns,
            alone=moved.words / joined if in_turns and joined else 1.0,
            misaligned=self._misaligned(lsu, access, every),
            thrash=moved.thrash,
            data=share.data,
            stride_bytes=first.distance if first is not None and even else 0.0,
        )

    def _take_turns(self, lsu: Lsu, every: Sequence[Dimension], steps: Sequence[Step]) -> bool:
        """Whether requests in different iterations of a loop, in words of their own, come between neighbours.

        Those in the next iteration are of work-items far behind: where each has a place of its own, they lie apart.
        """
        number, loop = next(((d.number, s) for d, s in zip(every, steps, strict=True) if d.kind == "loop"), (0, None))
        item = next((step for d, step in zip(every, steps, strict=True) if d.kind != "loop"), None)
        if loop is None or lsu.cache_bytes or lsu.op == "atomic":
            return False
        apart = loop.kind == "anywhere" or abs(loop.bytes) >= self._word or (item is not None and item.kind != "same")
        return apart and take_turns(self._extent, number)

    def _along(self, access: Access) -> tuple[Dimension, ...]:
        """The dimensions that an access is issued along; those in the same loops have the same."""
        if access.loops not in self._dimensions:
            self._dimensions[access.loops] = dimensions_of(self._extent, access.loops)
        return self._dimensions[access.loops]

    def _steps_of(self, access: Access, every: Sequence[Dimension]) -> list[Step]:
        """The steps of an address along each dimension; addresses that are a constant apart take the same."""
        offset = access.offset
        form = tuple((m, c) for m, c in offset.terms if m) if offset is not None else None
        key = (form, access.element_bytes, access.loops)
        if key not in self._steps:
            self._steps[key] = [step_along(self._sampler, offset, access.element_bytes, d, every) for d in every]
        return self._steps[key]

    def _digits_of(self, access: Access, every: Sequence[Dimension]) -> list[list[Leg]]:
        """The steps along the digits of each dimension that an address takes apart."""
        key = (access.offset, access.element_bytes, access.loops, *(d.size for d in every))
        if key not in self._digits:
            one = access.offset, access.element_bytes
            self._digits[key] = [digits_of(self._sampler, *one, d, every) for d in every]
        return self._digits[key]

    def _one_by_one(
        self, lsu: Lsu, every: Sequence[Dimension], copied: Sequence[Dimension], steps: Sequence[Step], share: Share,
        span: float, by_steps: float,
    ) -> float | None:  # fmt: skip
        """Words of all requests of a unit without a cache, where its steps do not show them and requests can be made.

        Steps show them where each is the same everywhere.
        """
        facts, access = self._extent.facts, self._extent.facts.accesses[lsu.members[0]]
        if access.offset is None or lsu.cache_bytes or lsu.op == "atomic":
            return None
        many = prod(d.size for d in every) > MOST
        steady = all(step.kind in {"same", "steady"} for step in steps)
        if many:
            even = steady and all(map(in_one_piece, share.parts))
        else:  # borders and the ends of rows are no small part
            affine = all(facts.symbols[name].operation is None for name in access.offset.symbols)
            even = affine and all(part.share > WHOLE for part in share.parts)
        whole = all(d.size == int(d.size) for d in every) and span == int(span)
        if even or not whole:
            return None
        guards, arms = _conditions(self._extent, lsu)
        conditions = counted(self._sampler, guards) if not any(arms) else None
        if conditions is None or not self._sampler.known(access.offset):
            return None
        moved = frozenset[str]().union(*(d.names for d in every))
        ends = [trip for i in access.loops if (trip := facts.loops[i].trip) is not None]
        lanes = [*copied, *(d for d in every if d.lanes > 1)]
        copies = frozenset[str]().union(*(d.names for d in lanes))
        if any(exact_step(self._sampler, access.offset, d, (*every, *copied)) is None for d in lanes):
            return None
        slanted = any(not moved.isdisjoint(self._sampler.moving(trip)) for trip in ends)
        if slanted or any(not copies.isdisjoint(self._sampler.moving(one)) for one in conditions):
            return None
        asked = Requests(access.offset, tuple(conditions), tuple(every), int(span))
        if asked not in self._each:
            self._each[asked] = words_one_by_one(self._sampler, asked, self._word)
        found = self._each[asked]
        # Conditions that come round evenly leave steps that are exact; what is seen of many requests is not.
        return None if found is None or (many and steady and abs(found - by_steps) <= SEEN * found) else found

    def _words(self, legs: Sequence[Leg], span: float, start: Start, cache_bytes: int | None) -> Fetched:
        key = (tuple(legs), span, start, cache_bytes)
        if key not in self._fetched:
            self._fetched[key] = fetched(legs, span, start, self._word, cache_bytes)
        return self._fetched[key]

    def _chosen(
        self,
        every: Sequence[Dimension],
        order: Sequence[Dimension],
        guards: Sequence[Guard],
        arms: Sequence[Sequence[Guard]],
    ) -> tuple[Sequence[Dimension], Share]:  # fmt: skip
        """The dimensions, and how often conditions hold along those in `order`, the fastest first.

        They have the copies of loops that are copied whole as well. What units have in common is looked at once.
        """
        texts = tuple(tuple((g.text, g.span) for g in several) for several in (guards, *arms))
        key = (texts, tuple(every), tuple(order))
        if key not in self._shares:
            self._shares[key] = every, share_of(self._sampler, guards, order, arms)
        return self._shares[key]

    def _countable(self, access: Access) -> bool:
        """Whether all sizes around an access are known, those of one step too."""
        extent = self._extent
        loops = all(extent.trips[i] is not None for i in access.loops)
        return loops and (extent.facts.model != "ndrange" or extent.items is not None)

    def _span(self, lsu: Lsu, access: Access) -> float:
        """Bytes from the first to the last that a request of one unit covers."""
        own = lsu.useful_bytes * lsu.lanes / max(lsu.count, 1)
        if lsu.count > 1 or len(lsu.members) > 1:
            return max(own, 1.0)
        lanes = lanes_of(self._extent.facts, access, self._extent.copies)
        covered = max(lanes.offsets) + access.element_bytes if lanes.offsets else 0
        return float(max(own, covered, 1))

    def _start(self, access: Access, every: Sequence[Dimension], steps: Sequence[Step]) -> Start:
        """Where in a word the first address is, as far as it is known.

        It follows from one in the middle and the steps to there: at a border an index may be clamped to another place.
        Where all addresses lie in a few words, borders are no small part of them.
        """
        element = max(access.element_bytes, 1)
        if access.offset is None:
            return Start(0, min(element & -element, self._word))
        data = Polynomial.of({m: c for m, c in access.offset.terms if not self._sampler.known(Polynomial.of({m: 1}))})
        even = {"same", "steady", "mostly"} if _reaches(every, steps) >= BEYOND_BORDERS * self._word else set()
        places = [(d, d.size // 2 if s.kind in even else 0, s.bytes) for d, s in zip(every, steps, strict=True)]
        middle = self._sampler.value(access.offset - data, self._sampler.at([(d, place) for d, place, _ in places]))
        first = middle - sum(int(place * step) for _, place, step in places)
        return Start(first % self._word, gcd(self._word, self._sampler.divisor(data)))

    def _misaligned(self, lsu: Lsu, access: Access, every: Sequence[Dimension]) -> bool | None:
        """Whether requests start off a multiple of their width; None where that is not known."""
        if "non-aligned" not in lsu.style:
            return False
        width = min(lsu.width_bits // 8, self._word)
        members = [self._extent.facts.accesses[m].offset for m in lsu.members]
        offsets = [o for o in members if o is not None]
        if access.offset is None or not self._sampler.known(access.offset):
            return None
        off = 0
        for n in range(STARTS):
            places = [(d, int((0.21 * n + 0.37 * k) % 1.0 * d.size)) for k, d in enumerate(every)]
            starts = [self._sampler.value(o, self._sampler.at(places)) for o in offsets]
            off += min(starts) % width != 0
        return 2 * off > STARTS


def _reaches(every: Sequence[Dimension], steps: Sequence[Step]) -> float:
    """How far addresses lie apart along all dimensions, in bytes."""
    return sum(abs(step.bytes) * dimension.size for dimension, step in zip(every, steps, strict=True))


def _conditions(extent: Extent, lsu: Lsu) -> tuple[list[Guard], list[list[Guard]]]:
    """The conditions that all members of a unit are under, and those that each of them is under besides.

    Those that choose between copies of a loop's body alone have left its lanes over already.
    """
    facts, copies = extent.facts, extent.copies
    every = [facts.accesses[m] for m in lsu.members]
    opened = [left_open(facts, one, copies, one.guards) for one in every]
    common = [g for g in guards_of(facts, lsu) if g in opened[0]]
    return common, [[g for g in own if g not in common] for own in opened]
