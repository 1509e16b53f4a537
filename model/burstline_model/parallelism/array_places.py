"""Sizes that are assumed, held against the arrays on chip whose elements loops then reach."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from burstline_model.facts import Access, KernelFacts, Loop, Symbol
from burstline_model.parallelism.assumed_values import most_assumed
from burstline_model.parallelism.extent import Extent
from burstline_model.polynomial import Polynomial


def within_arrays(extent: Extent, at: Callable[[int], Extent]) -> Extent:
    """The extent, or that of smaller assumed values where loops would leave an array on chip.

    `at`: the extent at a power of two. As it is where no smaller values keep to the arrays, or where some that are
    assumed have no part in what an array has to hold: these would be smaller as well.
    """
    power = (extent.launch.assumed_trips or 1).bit_length() - 1
    too_far = _beyond(extent)
    if not too_far or not too_far.issuperset(frozenset[str]().union(*extent.assumed.values())):
        return extent
    return next((one for less in range(power - 1, 0, -1) if not _beyond(one := at(less))), extent)


def _beyond(extent: Extent) -> frozenset[str]:
    """What decides how far the accesses go that leave arrays on chip, where counters of loops place them; none: none.

    Of accesses under no condition.
    """
    facts, each = extent.facts, extent.launch.assumed_trips or 0
    on_chip = (one for one in facts.arrays if one.space != "global" and one.length)
    bytes_of = {one.name: one.length * one.element_bytes for one in on_chip if one.length}
    names = frozenset[str]().union(*extent.assumed.values())
    most = most_assumed(facts)
    given: dict[str, int | Fraction] = {name: min(each, most.get(name, each)) for name in names}
    found = frozenset[str]()
    for access in (*facts.accesses, *facts.private_accesses):
        length = bytes_of.get(access.pointer)
        last = _last(extent, access, given) if length is not None and not access.guards else None
        if last is not None and length is not None and last + access.element_bytes > length:
            found |= _behind(facts, access)
    return found


def _behind(facts: KernelFacts, access: Access) -> frozenset[str]:
    """All that the place of an access follows from: its own symbols, and those of how far its counters go."""
    trips = (loop.trip for loop in _placing(facts, access))
    return frozenset(s.name for s in _made_of(facts, (access.offset, *trips)))


def _placing(facts: KernelFacts, access: Access) -> list[Loop]:
    """The loops around an access whose counters are in its place."""
    own = access.offset.symbols if access.offset is not None else frozenset[str]()
    behind = own.union(*(facts.symbols[n].depends_on for n in own if n in facts.symbols))
    return [loop for i in access.loops if (loop := facts.loops[i]).counter in behind]


def _made_of(facts: KernelFacts, numbers: Iterable[Polynomial | None]) -> list[Symbol]:
    """All symbols that numbers follow from."""
    own = [facts.symbols[n] for one in numbers if one is not None for n in one.symbols if n in facts.symbols]
    return [*own, *(facts.symbols[n] for s in own for n in s.depends_on if n in facts.symbols)]


def _last(extent: Extent, access: Access, given: Mapping[str, int | Fraction]) -> Fraction | None:
    """Where an access is in the last iteration of all loops around it, in bytes; None where more decides that.

    As where one of these loops runs as long as the counter of another says.
    """
    facts, offset = extent.facts, access.offset
    placing = _placing(facts, access)
    if offset is None or not placing or any(times < 0 for _, times in offset.terms):
        return None
    counts = _made_of(facts, (loop.trip for loop in placing))
    plain = all(s.kind == "argument" for s in counts if s.operation is None)
    known = {s.kind for s in _made_of(facts, (offset,)) if s.operation is None} <= {"loop", "argument"}
    trips = {loop.counter: extent.trips[loop.id] for loop in placing}
    at = {name: count - 1 for name, count in trips.items() if count is not None and count >= 1}
    whole = plain and known and len(at) == len(trips) and all(loop.trip is not None for loop in placing)
    return extent.value(offset, extent.trips, {**given, **at}) if whole else None
