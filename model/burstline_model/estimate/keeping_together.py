"""What keeps work-items in the same iteration of a loop, so that their requests join."""

from __future__ import annotations

from collections.abc import Mapping

from burstline_model.estimate.after_change import WhatIf
from burstline_model.estimate.changes import KeepTogether
from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.parallelism.loop_copies import constant_trips
from burstline_model.parallelism.simd_limits import diverges
from burstline_model.polynomial import Polynomial


def kept_together(what_if: WhatIf, place: int) -> KeepTogether:
    """What keeps work-items together in the innermost loop around a unit."""
    facts = what_if.assembly.facts
    loop = facts.loops[what_if.loops(place)[-1]]
    counted = same_for_all(facts, loop)
    trips = constant_trips(loop)
    whole = trips is not None and what_if.holds(trips, copies={loop.id: trips})
    together = counted and not diverges(facts, loop)
    return KeepTogether(
        pointers=(what_if.pointer(place),),
        times=what_if.units[place].stride,
        unrolls=counted and whole,
        waits=together,
        strides=_strides(facts, loop, facts.accesses[what_if.lsu(place).members[0]]),
        along=_goes_along(loop, facts.accesses[what_if.lsu(place).members[0]]),
    )


def for_all(what_if: WhatIf, changes: Mapping[int, KeepTogether]) -> KeepTogether:
    """The one change of a loop that does for all units in it (by their places)."""
    used = sum(what_if.units[place].bytes for place in changes)
    fetched = sum(what_if.units[place].bytes * what_if.units[place].stride for place in changes)
    first = next(iter(changes.values()))
    return KeepTogether(
        pointers=tuple(sorted({name for one in changes.values() for name in one.pointers})),
        times=fetched / used if used else first.times,
        unrolls=first.unrolls,
        waits=first.waits,
        strides=all(one.strides for one in changes.values()),
        along=all(one.along for one in changes.values()),
    )


def same_for_all(facts: KernelFacts, loop: Loop) -> bool:
    """Whether all work-items that reach a loop run it equally often."""
    kinds = {facts.symbols[s].kind for s in (loop.trip.symbols if loop.trip is not None else ()) if s in facts.symbols}
    return loop.trip is not None and not loop.early_exit and kinds <= _SAME_FOR_ALL


def _goes_along(loop: Loop, access: Access) -> bool:
    """Whether the next iteration of a work-item asks for the same element or the next one."""
    step = access.offset.coefficient(loop.counter) if access.offset is not None else None
    return step is not None and step.constant is not None and abs(step.constant) <= access.element_bytes


def _strides(facts: KernelFacts, loop: Loop, access: Access) -> bool:
    """Whether each iteration of a loop moves an access on by as many elements as there are work-items.

    More work-items in its place would do what is outside of it more often: there may be nothing of weight.
    """
    if access.offset is None or loop.recurrences or any(s.kind != "loop" for s in facts.symbols_of(loop.id)):
        return False
    elsewhere = any(one.id != loop.id and loop.id not in facts.loops_around(one.id) for one in facts.loops)
    if elsewhere or facts.barriers or any(a.space == "global" and loop.id not in a.loops for a in facts.accesses):
        return False
    step = access.offset.coefficient(loop.counter)
    ids = [(name, s.dimension) for name, s in facts.symbols.items() if s.kind == "global_id"]
    sizes = {s.dimension: name for name, s in facts.symbols.items() if s.kind == "global_size"}
    for name, dimension in ids:
        own, size = access.offset.coefficient(name), sizes.get(dimension, "")
        if own is None or not own.terms or step is None:
            continue
        if step.coefficient(size) == own and all(size in names for names, _ in step.terms):
            return True
    return _strides_by_groups(facts, access.offset, step)


def _strides_by_groups(facts: KernelFacts, offset: Polynomial, step: Polynomial | None) -> bool:
    """The same of ids that are put together from those of groups and those in them."""
    of_kind = {(s.kind, s.dimension): name for name, s in facts.symbols.items()}
    for dimension in range(3):
        group, inside, groups = (of_kind.get((kind, dimension)) for kind in ("group_id", "local_id", "num_groups"))
        if group is None or inside is None or groups is None or step is None:
            continue
        one, each = offset.coefficient(inside), offset.coefficient(group)
        if one is not None and one.terms and each is not None and step == each * Polynomial.symbol(groups):
            return True
    return False


_SAME_FOR_ALL = frozenset({"argument", "global_size", "local_size", "num_groups"})
