"""Kernels that run at the same time: each at its own pace, all of them on one memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal, NamedTuple

from burstline_model.boards.board import Board
from burstline_model.estimate.after_change import WORTH_REPORTING
from burstline_model.estimate.changes import Change, FasterStage, MoreCopies, MoreLanes, MoreUnits, Widen
from burstline_model.estimate.decision import limit_of, share_of
from burstline_model.estimate.kernel_estimate import (
    KernelEstimate,
    Lever,
    LoopEstimate,
    Observation,
    Term,
    UnitEstimate,
)
from burstline_model.estimate.remark_kinds import RunsTogether
from burstline_model.facts import Access, ChannelOperation, KernelFacts
from burstline_model.launch import Launch
from burstline_model.memory.estimate import estimate_memories
from burstline_model.memory.memory_units import options_for
from burstline_model.memory.placement import place
from burstline_model.memory.traffic import least_and_most, memory_unit
from burstline_model.record import fixed

SAME = 1e-6
"""Times that differ by this share of them are the same."""
Running = tuple[KernelFacts, Launch, KernelEstimate]


ATOMICS_OVERLAP = 1
"""Whether an atomic is in its own kernel's time alone: it waits for the memory, which serves others meanwhile.

Read from Boyi's histograms: 16 kernels with as many atomics each, which one after the other take 818 ms, run in 74.
"""


Fetched = Literal["estimated", "least", "most"]
"""What units fetch where data decide."""


def time_together(
    kernels: Sequence[Running], board: Board, per: Literal["launch", "iteration"], fetched: Fetched = "estimated"
) -> float | None:
    """Seconds until the last of them is done, or for one iteration of each; None when one of them is not known.

    The slowest kernel decides, or the memory with the units of all of them (M21 Eq. 1).
    """
    times = [e.time_s if per == "launch" else e.time_item_s for _, _, e in kernels]
    known = [t for t in times if t is not None]
    if not known or len(known) < len(times):
        return None
    return max(*known, _memory_s(kernels, board, per, fetched))


def _memory_s(
    kernels: Sequence[Running], board: Board, per: Literal["launch", "iteration"], fetched: Fetched = "estimated"
) -> float:
    """The memory's time for the units of all kernels whose traffic is known."""
    units, walks = [], []
    for facts, launch, estimate in kernels:
        placement = place(facts, board, launch)
        for unit in estimate.units:
            size = unit.bytes if per == "launch" else float(unit.lsu.useful_bytes)
            alone = ATOMICS_OVERLAP and unit.lsu.op == "atomic"
            if unit.lsu.space == "global" and not alone and size is not None:
                units.append(memory_unit(facts, unit.lsu, placement, size, unit.walk))
                walks.append(unit.walk)
    if fetched != "estimated":
        units = least_and_most(units, walks)[fetched == "most"]
    launch = kernels[0][1]
    f_max_hz = min(e.f_max_hz for _, _, e in kernels)
    done = estimate_memories(units, board, f_max_hz, options_for(launch.mode, board))
    # What a kernel's clock lets it ask for is in its own time: kernels ask at the same time.
    return max(done.bank_s.values(), default=0.0)


def connected(kernels: Sequence[KernelFacts]) -> list[list[int]]:
    """Kernels, by their places, that channels join: they have to run at the same time.

    Those of which one waits for the end of the other are not joined by that.
    """
    return [list(part) for part in _connected(tuple(map(_ends, kernels)))]


class _End(NamedTuple):
    """A channel, or an element of an array of them, at which a kernel works; None in `element` is any.

    `first`: it is read before all that the kernel does; `last`: it is written behind all that it does.
    """

    name: str
    element: tuple[int | None, ...]
    first: bool
    last: bool


_Ends = tuple[_End, ...]


@lru_cache(maxsize=16)
def _connected(kernels: tuple[_Ends, ...]) -> tuple[tuple[int, ...], ...]:
    parts: list[list[int]] = []
    seen: dict[str, list[tuple[int, list[_End]]]] = {}
    for place_, ends in enumerate(kernels):
        met = set[int]()
        by_name: dict[str, list[_End]] = {}
        for one in ends:
            by_name.setdefault(one.name, []).append(one)
        for name, own in by_name.items():
            others = seen.setdefault(name, [])
            met.update(n for n, found in others if n not in met and _joined(own, found))
            others.append((place_, own))
        joined = [part for part in parts if not met.isdisjoint(part)] if met else []
        parts = [part for part in parts if part not in joined] if joined else parts
        if ends:
            parts.append(sorted([place_, *(n for part in joined for n in part)]))
    return tuple(tuple(part) for part in parts if len(part) > 1)


def waited_for(kernels: Sequence[KernelFacts], number: int) -> tuple[int, ...]:
    """The kernels whose end one of them waits for at a channel, by their places."""
    first = [one for one in _ends(kernels[number]) if one.first]
    if not first:
        return ()
    others = ((place_, _ends(other)) for place_, other in enumerate(kernels) if place_ != number)
    return tuple(n for n, ends in others if any(_meet(a, b) and _starts_behind(a, b) for a in first for b in ends))


def _ends(facts: KernelFacts) -> _Ends:
    """What a kernel does on channels, that which says the same once."""
    known: list[_Ends] = facts.kept.setdefault(_End, [])
    if not known:
        own: range | None = None
        if facts.model == "single_work_item" and facts.accesses and any(not c.loops for c in facts.channels):
            places = _places(facts)
            own = range(min(places), max(places) + 1)
        known.append(tuple(dict.fromkeys(_end(one, own) for one in facts.channels)))
    return known[0]


def _end(one: ChannelOperation, own: range | None) -> _End:
    """An operation on a channel; `own`: where all is that the kernel does, where that may be all on one side of it."""
    alone = own is not None and not one.loops
    first = alone and own is not None and one.op == "read" and _place(one) < own.start
    last = alone and own is not None and one.op == "write" and _place(one) >= own.stop
    return _End(one.name, one.index, first, last)


def _meet(one: _End, other: _End) -> bool:
    """Whether two may be one channel."""
    return one.name == other.name and all(
        a is None or b is None or a == b for a, b in zip(one.element, other.element, strict=False)
    )


def _joined(own: Sequence[_End], others: Sequence[_End]) -> bool:
    """Whether some of what two kernels do on channels of one name makes them run at the same time."""
    return any(_meet(a, b) and not _starts_behind(a, b) and not _starts_behind(b, a) for a in own for b in others)


def _starts_behind(later: _End, sooner: _End) -> bool:
    """Whether a kernel reads a channel before all that it does, and the other writes there behind all that it does."""
    return later.first and sooner.last


def _places(facts: KernelFacts) -> list[int]:
    """Where a kernel's text does something: its accesses, and its channels in loops."""
    streams = [_place(c) for c in facts.channels if c.loops]
    return [*streams, *map(_place, facts.accesses)]


def _place(one: Access | ChannelOperation) -> int:
    """Where something is in the text of the kernel itself."""
    return (*one.call_chain, one.span)[0].start


@fixed
class Joined:
    """A kernel's estimate by itself (`own`) and as it runs with others, which follows from the `company`."""

    own: KernelEstimate
    company: object
    now: KernelEstimate


def running_together(kernels: Sequence[Running], board: Board, before: Sequence[Joined] = ()) -> tuple[Joined, ...]:
    """The estimates of kernels that channels join: all of them take as long as the slowest, or the memory they share.

    They stay as they are where the time of one that uses the memory is not known, even at assumed sizes. Where some
    have a time at assumed sizes alone, that of all of them together is in its place. What was found `before` of a
    kernel is taken over where its company is the same.
    """
    own = [e for _, _, e in kernels]
    known = {id(one.own): one for one in before}
    alone = tuple(last if (last := known.get(id(e))) is not None and last.now is e else Joined(e, None, e) for e in own)
    if not any(_uses_memory(e) for e in own):
        return alone
    assumed = any(e.time_s is None and (_uses_memory(e) or e.at_assumed is not None) for e in own)
    if assumed:
        kernels = [
            (facts, e.at_assumed.launch, e.at_assumed.estimate) if e.at_assumed is not None else (facts, launch, e)
            for facts, launch, e in kernels
        ]
        unknown = any(e.time_s is None and _uses_memory(e) for _, _, e in kernels)
        if unknown or all(e.at_assumed is None for e in own) or not any(_uses_memory(e) for _, _, e in kernels):
            return alone
    company = _Company.of([e for _, _, e in kernels], _memory_s(kernels, board, "launch"))
    found = []
    slowest = next((e for e in own if e.kernel == company.slowest), None)
    for one, (_, _, running) in zip(own, kernels, strict=True):
        doubted = slowest is not None and not _comparable(one, slowest)
        key = (assumed, company.around(running), doubted)
        last = known.get(id(one))
        if last is None or last.company != key:
            now = running if assumed and one.at_assumed is None else _held_up(running, company, doubted)
            last = Joined(one, key, _with_assumed(one, now) if assumed else now)
        found.append(last)
    return tuple(found)


def _comparable(one: KernelEstimate, slower: KernelEstimate) -> bool:
    """Whether sizes that are assumed decide which of two kernels is slower whatever values they have.

    That is where all that one time follows from is what the other one, of a network, follows from as well.
    """
    assumed = [e.at_assumed.sizes if e.at_assumed is not None else None for e in (one, slower)]
    if assumed[0] is None or assumed[1] is None:
        return assumed[0] is assumed[1]
    if any(sizes.alone for sizes in assumed if sizes is not None):
        return one.kernel == slower.kernel
    alike = (assumed[0].global_size is None) == (assumed[1].global_size is None)
    return alike and assumed[0].arguments.keys() <= assumed[1].arguments.keys()


def _with_assumed(own: KernelEstimate, now: KernelEstimate) -> KernelEstimate:
    """An estimate with another one at assumed sizes."""
    if own.at_assumed is None:
        return own
    update: dict[str, object] = {"at_assumed": own.at_assumed.model_copy(update={"estimate": now})}
    if now.limit == "channels":
        update |= {
            "levers": (),
            "loops": tuple(_saves_nothing(one) for one in own.loops),
            "units": tuple(replace(u, observations=()) if u.lsu.space == "global" else u for u in own.units),
        }
    return own.model_copy(update=update)


@fixed
class _Company:
    """Kernels that run together: the time of all, and the slowest, where not (None) their memory sets it."""

    total_s: float
    slowest: str | None
    names: tuple[str, ...]
    times: tuple[tuple[float, str], ...]
    """The time and name of each whose time is known, the longest first."""
    moving: tuple[str, ...]
    """Those whose units take the shared memory's time."""

    @staticmethod
    def of(estimates: Sequence[KernelEstimate], shared_s: float) -> _Company:
        """The kernels of some estimates, whose units take so long on the memory."""
        times = {e.kernel: e.time_s for e in estimates if e.time_s is not None}
        slowest = max(times, key=lambda name: times[name])
        by_memory = shared_s > times[slowest] * (1 + SAME)
        every = sorted(((e.time_s, e.kernel) for e in estimates if e.time_s is not None), reverse=True)
        names = tuple(e.kernel for e in estimates)
        on_memory = {e.kernel: sum(u.time_s or 0.0 for u in e.units if u.lsu.space == "global") for e in estimates}
        worth_s = HEAVY * max(on_memory.values())
        moving = tuple(name for name, time in on_memory.items() if time >= worth_s) if by_memory else ()
        return _Company(max(shared_s, times[slowest]), None if by_memory else slowest, names, tuple(every), moving)

    def faster_stage(self, doubted: bool) -> FasterStage:
        """What a kernel that waits for the others needs; others as slow as the slowest leave nothing to gain there."""
        worth_s = self.total_s * (1 - WORTH_REPORTING)
        as_slow = tuple(name for time, name in self.times if name != self.slowest and time > worth_s)
        return FasterStage(kernel=self.slowest, sizes_first=doubted, moving=self.moving, as_slow=as_slow)

    def next_s(self, kernel: str) -> float:
        """The longest time of another kernel."""
        return next((time for time, name in self.times if name != kernel), 0.0)

    def around(self, estimate: KernelEstimate) -> tuple[object, ...]:
        """What decides how one of them is held up."""
        return self.total_s, self.slowest, self.names, self.moving, self.next_s(estimate.kernel)


HEAVY = 0.25
"""The share of the time of the kernel that moves most from which on another one moves much as well."""


def _uses_memory(estimate: KernelEstimate) -> bool:
    return any(u.lsu.space == "global" for u in estimate.units)


def _saves_nothing(loop: LoopEstimate) -> LoopEstimate:
    """A loop of a kernel that waits for others: what it saves does not show."""
    return loop.model_copy(update={"gain": 0.0, "after_s": None})


@fixed
class _Together:
    """What a change of one kernel leaves of the time of all that run together.

    `own_s` is its time alone and `total_s` that of all; `next_s` is the longest of the others. Where the memory sets
    the time, the others' accesses still have to be served: no more is saved than the kernel saves alone.
    """

    own_s: float
    total_s: float
    next_s: float
    by_memory: bool
    moving: tuple[str, ...]

    def after_s(self, alone_s: float, change: Change | None = None) -> float:
        """The time of all after a change that leaves one kernel `alone_s`."""
        # Copies and lanes ask faster for the same data: what that saves on a memory that all wait for is not known.
        moves_less = not isinstance(change, Widen | MoreCopies | MoreLanes | MoreUnits | None)
        saved_s = max(0.0, self.own_s - alone_s) if moves_less else 0.0
        by_memory = self.total_s - saved_s if self.by_memory else 0.0
        return max(alone_s, self.next_s, by_memory)

    def gain(self, after_s: float) -> float:
        """The share of the time that is saved."""
        return 1 - after_s / self.total_s if self.total_s else 0.0

    def observed(self, unit: UnitEstimate) -> tuple[Observation, ...]:
        """The observations on a unit that still pay."""
        found = []
        for one in unit.observations:
            after_s = self.after_s(one.after_s, one.change) if one.after_s is not None else None
            gain = self.gain(after_s) if after_s is not None else one.gain
            if gain >= WORTH_REPORTING:
                found.append(replace(one, after_s=after_s, gain=gain))
        return tuple(found)

    def levers(self, every: Sequence[Lever]) -> tuple[Lever, ...]:
        """Changes with the times that they leave, those last of which nothing is left to save."""
        changed = [(self._lever(one), one) for one in every]
        if self.by_memory:
            # More work in each cycle asks faster for the same data.
            return tuple(new for new, _ in changed if new.after_s is not None) or (
                Lever(change=FasterStage(kernel=None, moving=self.moving)),
            )
        return tuple(
            new for new, _ in sorted(changed, key=lambda both: both[0].after_s is None and both[1].after_s is not None)
        )

    def _lever(self, one: Lever) -> Lever:
        """A change with the time that it leaves; the time is not said where nothing is left to save."""
        after_s = self.after_s(one.after_s, one.change) if one.after_s is not None else None
        worth = after_s is not None and self.gain(after_s) >= WORTH_REPORTING
        return one.model_copy(update={"after_s": after_s if worth else None})

    def loop(self, one: LoopEstimate) -> LoopEstimate:
        """A loop with what it saves if it does not wait."""
        if one.after_s is None:
            return one
        after_s = self.after_s(one.after_s)
        return one.model_copy(update={"after_s": after_s, "gain": max(0.0, self.gain(after_s))})


def _held_up(own: KernelEstimate, company: _Company, doubted: bool) -> KernelEstimate:
    """An estimate with the time of the kernels that run together, as the slowest or their memory sets it.

    `doubted`: which one is the slowest hangs on what is assumed.
    """
    if own.time_s is None:
        return own
    total, slowest = company.total_s, company.slowest
    others = tuple(name for name in company.names if name != own.kernel)
    note = RunsTogether(others=others, time_s=total, set_by=slowest)
    by_memory = slowest is None
    scale = total / own.time_s if own.time_s else 1.0
    by_data = own.time_by_data_s
    places = [i for i, u in enumerate(own.units) if u.time_s is not None]
    if by_memory and places:
        own_s = {i: own.units[i].time_s or 0.0 for i in places}
        shared = max(0.0, total - sum(own_s.values()))
        terms = tuple(Term(limit="memory", time_s=t, unit=i) for i, t in sorted(own_s.items(), key=lambda o: -o[1]))
        terms = (*terms, Term(limit="memory", time_s=shared))
    else:
        # What a kernel does itself overlaps with what it waits for: being faster at it would save nothing.
        waits_s = total - own.time_s
        rest = (Term(limit="channels", time_s=waits_s),) if waits_s > SAME * total else ()
        terms = (*own.terms, *rest) if waits_s < WORTH_REPORTING * total else (Term(limit="channels", time_s=total),)
    limit = limit_of(terms)
    held = limit == "channels"
    together = _Together(own.time_s, total, company.next_s(own.kernel), by_memory, company.moving)
    units = tuple(
        replace(u, share=share_of(terms, i), observations=() if held else together.observed(u))
        if u.lsu.space == "global" else u
        for i, u in enumerate(own.units)
    )  # fmt: skip
    update = {
        "time_s": total,
        "time_low_s": own.time_low_s * scale if own.time_low_s is not None else None,
        "time_high_s": own.time_high_s * scale if own.time_high_s is not None else None,
        "time_by_data_s": (by_data[0] * scale, by_data[1] * scale) if by_data is not None else None,
        "by_data_at_clocks_s": None,
        "time_item_s": own.time_item_s * scale if own.time_item_s is not None else None,
        "limit": limit,
        "terms": terms,
        "levers": (Lever(change=company.faster_stage(doubted)),) if held else together.levers(own.levers),
        "loops": tuple(_saves_nothing(one) if held else together.loop(one) for one in own.loops),
        "units": units,
        "bandwidth_bytes_s": own.bandwidth_bytes_s / scale if own.bandwidth_bytes_s is not None else None,
        "bandwidth_share": own.bandwidth_share / scale if own.bandwidth_share is not None else None,
        "bound": "memory" if limit == "memory" else "kernel" if held else own.bound,
        "moving_s": total if by_memory and places else own.moving_s,
        "remarks": (*own.remarks, note),
    }
    return own.model_copy(update=update)
