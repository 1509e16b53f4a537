"""A kernel as it is, and its time after a change to its units, copies or intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from burstline_model.estimate.assembly import Assembled, Assembly
from burstline_model.estimate.changes import Change, Observed
from burstline_model.estimate.construction import RamLeft
from burstline_model.estimate.kernel_estimate import Observation, Term
from burstline_model.facts import Access, KernelFacts
from burstline_model.launch import Launch
from burstline_model.lsu import Lsu
from burstline_model.memory.memory_units import MemoryUnit
from burstline_model.parallelism.loop_copies import still_loops
from burstline_model.pipeline.interval import Interval
from burstline_model.record import fixed

WORTH_REPORTING = 0.05
"""Smallest share of the kernel's time that has to go for a change to be worth an observation."""
MOST_LANES = 16
"""Work-items in a cycle at most (num_simd_work_items)."""
MOST_COPIES = 64
"""The most copies of a loop that are tried."""


@fixed
class WhatIf:
    """A kernel as it is, and its time after a change."""

    assembly: Assembly
    now: Assembled
    external: Sequence[int]
    """The places of the units on the external memory among all."""
    units: Sequence[MemoryUnit]
    """Those units, with what they move."""
    copies: Mapping[int, int]
    intervals: Sequence[Interval]
    terms: Sequence[Term]
    """What the time is made of."""
    room: int
    """How many times the kernel, as it is, fits the device."""
    units_fit: int
    """How many times as many compute units are said to fit, with what place and route needs left free."""
    fits: Callable[[int, Mapping[int, int], int], bool]
    """Whether the device holds the kernel built with these lanes, loops and so many times the compute units."""
    built_with: Callable[[int, Mapping[int, int], int], float | None]
    """The time with this many SIMD lanes, loops (by their ids) unrolled so, and so many times the compute units.

    Its units and its clock are inferred again.

    That is the time of the edited kernel. None where a report says how it was built.
    """
    clock_with: Callable[[Mapping[int, int], Sequence[Lsu]], float]
    """The clock in Hz with so many copies of loops (by their ids) and these of all units.

    The one now where a report says how it was built.
    """
    reordered: Callable[[object, KernelFacts, Launch], float | None]
    """The time of the kernel with its work-items in another order under a launch, its units inferred again.

    The first argument names the order. None where a report says how the kernel was built.
    """
    promised_apart: Callable[[], float | None]
    """The time with restrict on all pointers, its units inferred again; None where that says nothing new."""
    ram: RamLeft
    """The RAM blocks that the kernel, as it is, leaves free."""
    to_fit: tuple[Change, ...] = ()
    """What makes the kernel fit, where it is larger than the device by more than estimates are off as a rule."""

    def after_s(
        self,
        units: Mapping[int, MemoryUnit] | None = None,
        copies: Mapping[int, int] | None = None,
        intervals: Sequence[Interval] | None = None,
        more_lanes: int = 1,
        f_max_hz: float | None = None,
    ) -> float:
        """The kernel's time with other `units` (by their place in `self.units`), copies, intervals, lanes or clock."""
        changed = [units.get(i, u) for i, u in enumerate(self.units)] if units else self.units
        done = self.assembly.at(
            changed, f_max_hz or self.now.f_max_hz, copies or self.copies, intervals or self.intervals, more_lanes
        )
        return done.total_s if done.total_s is not None else self.total_s

    def holds(self, times: int, *, lanes: int = 1, copies: Mapping[int, int] | None = None, units: int = 1) -> bool:
        """Whether the device holds the kernel with `times` as much of a part of it: lanes, loops or compute units."""
        return times <= self.room or self.fits(self.assembly.facts.simd * lanes, copies or {}, units)

    @property
    def total_s(self) -> float:
        """The kernel's time as it is."""
        return self.now.total_s or 0.0

    def observation(self, number: int, change: Observed, after_s: float, cause: str = "") -> Observation | None:
        """An observation, if the change pays."""
        gain = 1 - after_s / self.total_s if self.total_s else 0.0
        if gain < WORTH_REPORTING:
            return None
        return Observation(number=number, change=change, gain=gain, after_s=after_s, cause=cause)

    def lsu(self, place: int) -> Lsu:
        """The unit at a place in `self.units`."""
        return self.assembly.lsus[self.external[place]]

    def pointer(self, place: int) -> str:
        """The pointer that a unit reaches."""
        return self.assembly.facts.accesses[self.lsu(place).members[0]].pointer

    def reads_data_for(self, place: int) -> bool:
        """Whether the address of a unit follows from data, not from ids, counters and arguments alone."""
        facts = self.assembly.facts
        offset = facts.accesses[self.lsu(place).members[0]].offset
        if offset is None:
            return True
        names = {*offset.symbols}
        names |= {one for name in offset.symbols if name in facts.symbols for one in facts.symbols[name].depends_on}
        return any(facts.symbols[n].kind in {"loaded", "carried", "opaque"} for n in names if n in facts.symbols)

    def at_once(self, name: str) -> int:
        """How many values of a loop's counter, or of a work-item's id, the hardware takes in one cycle."""
        symbol = self.assembly.facts.symbols[name]
        if symbol.kind != "loop":
            return self.assembly.facts.simd if symbol.dimension == 0 else 1
        return self.copies.get(symbol.loop, 1) if symbol.loop is not None else 1

    def loops(self, place: int) -> tuple[int, ...]:
        """The loops of the hardware around a unit."""
        facts = self.assembly.facts
        return still_loops(facts, facts.accesses[self.lsu(place).members[0]].loops, self.copies)


def lanes_apart(what_if: WhatIf, place: int) -> bool:
    """Whether each SIMD lane has a unit of its own, since neighbours along dimension 0 do not lie side by side."""
    facts, lsu = what_if.assembly.facts, what_if.lsu(place)
    access = facts.accesses[lsu.members[0]]
    first = [n for n, s in facts.symbols.items() if s.kind in {"global_id", "local_id"} and s.dimension == 0]
    moves = access.offset is not None and not access.offset.symbols.isdisjoint(first)
    steps = steps_of(facts, access)
    return facts.simd > 1 and lsu.count >= facts.simd and moves and access.element_bytes not in map(steps.get, first)


def steps_of(facts: KernelFacts, access: Access) -> dict[str, int]:
    """By how many bytes an access moves with each loop counter and work-item id, where that is a constant."""
    found = {}
    for name in access.offset.symbols if access.offset is not None else ():
        symbol = facts.symbols.get(name)
        if symbol is not None and access.offset is not None and symbol.kind in {"loop", "global_id", "local_id"}:
            share = access.offset.coefficient(name)
            if share is not None and share.constant is not None:
                found[name] = share.constant
    return found
