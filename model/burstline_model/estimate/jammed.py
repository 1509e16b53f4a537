"""What it would save to compute several iterations of an outer loop together (unroll and jam).

The iterations of loops in it then share what they load at places that do not move with the outer loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

from burstline_model.estimate.after_change import WORTH_REPORTING, WhatIf, steps_of
from burstline_model.estimate.changes import UnrollAndJam
from burstline_model.estimate.kernel_estimate import Lever, UnitEstimate
from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.lsu import Lsu
from burstline_model.memory.memory_units import MemoryUnit
from burstline_model.parallelism.loop_copies import constant_trips
from burstline_model.pipeline.dependence import dependences, in_own_rows, loops_inside, stays, undecided

FACTORS = (2, 4, 8, 16)
"""How many iterations are tried together, and all of them where they are no more."""
SEVERAL = 2.0
"""How many times its data a unit moves at least for it to count as moving them again."""


def jams_of(what_if: WhatIf, units: Sequence[UnitEstimate]) -> list[Lever]:
    """For each loop whose iterations load the same again: how many of them together pay most, and the time then.

    Of loops that are in each other the one that leaves the least time.
    """
    facts = what_if.assembly.facts
    if facts.model == "ndrange":
        return []
    again: dict[int, list[int]] = {}
    for place in range(len(units)):
        for loop in _loaded_again_by(what_if, place):
            again.setdefault(loop, []).append(place)
    found = [lever for loop, places in again.items() if (lever := _jammed(what_if, loop, places)) is not None]
    found.sort(key=lambda lever: lever.after_s or 0.0)
    return found[:1]


def jams_around(what_if: WhatIf, loop: int) -> list[Lever]:
    """For a loop that sets the time: how many iterations of one around it pay most together, side by side."""
    facts = what_if.assembly.facts
    if facts.model == "ndrange":
        return []
    found = list[Lever]()
    for outer in facts.loops_around(loop):
        alike = [place for place in range(len(what_if.units)) if _stays(what_if, place, outer)]
        if (lever := _jammed(what_if, outer, alike)) is not None:
            found.append(lever)
    return sorted(found, key=lambda lever: lever.after_s or 0.0)[:1]


def _stays(what_if: WhatIf, place: int, loop: int) -> bool:
    """Whether a unit loads the same in each iteration of a loop around it."""
    facts = what_if.assembly.facts
    access = facts.accesses[what_if.lsu(place).members[0]]
    plain = access.op == "load" and access.offset is not None and not access.hint and not access.volatile
    return plain and loop in what_if.loops(place)[:-1] and stays(facts, facts.loops[loop], access)


def _loaded_again_by(what_if: WhatIf, place: int) -> list[int]:
    """The outer loops of a unit each of whose iterations moves the same data again."""
    facts, unit = what_if.assembly.facts, what_if.units[place]
    access = facts.accesses[what_if.lsu(place).members[0]]
    if access.op != "load" or access.offset is None or access.hint or access.volatile or not unit.bytes:
        return []
    if unit.bytes < SEVERAL * _footprint(what_if, access):
        return []
    rolled = what_if.loops(place)
    return [i for i in rolled[:-1] if stays(facts, facts.loops[i], access)]


def _footprint(what_if: WhatIf, access: Access) -> float:
    """The bytes of the places that an access touches; infinite where that is not known."""
    facts, symbols = what_if.assembly.facts, set[str]()
    for name in access.offset.symbols if access.offset is not None else ():
        symbols |= {name, *(facts.symbols[name].depends_on if name in facts.symbols else ())}
    if any(facts.symbols[n].kind in {"loaded", "carried"} for n in symbols if n in facts.symbols):
        return float("inf")
    trips = [what_if.assembly.extent.trips[i] for i in access.loops if facts.loops[i].counter in symbols]
    return access.element_bytes * prod(float(t) if t is not None else float("inf") for t in trips)


def _jammed(what_if: WhatIf, loop: int, places: Sequence[int]) -> Lever | None:
    """The iterations of a loop that pay most together, where none of them needs another."""
    facts = what_if.assembly.facts
    own, trips = facts.loops[loop], what_if.assembly.extent.trips[loop]
    if trips is None or own.unroll is not None or (apart := independent(facts, own)) is None:
        return None
    best, after = 1, what_if.total_s
    # Iterations that are written into one body run side by side, whatever keeps those of the loop one after the other.
    written = [one.model_copy(update={"serial": False}) if one.loop == loop else one for one in what_if.intervals]
    count = constant_trips(own)
    factors = {*FACTORS, count} if count is not None and 1 < count <= max(FACTORS) else {*FACTORS}
    for factor in sorted(factors):
        if factor > what_if.room or factor > trips:
            break
        copies = {**what_if.copies, loop: what_if.copies.get(loop, 1) * factor}
        units = _sharing(what_if, own, places, factor)
        clock_hz = what_if.clock_with(copies, _built(what_if, own, units, factor))
        tried = what_if.after_s(units, copies, written, f_max_hz=clock_hz)
        if tried < after * (1 - WORTH_REPORTING):
            best, after = factor, tried
    if best == 1:
        return None
    pointers = tuple(dict.fromkeys(what_if.pointer(place) for place in places))
    change = UnrollAndJam(pointers=pointers, variable=own.variable, loop=loop, together=best, apart=apart)
    return Lever(change=change, after_s=after, loop=loop)


def independent(facts: KernelFacts, loop: Loop) -> tuple[str, ...] | None:
    """The pointers of which a promise (ivdep) has to keep iterations of a loop apart that are written into one body.

    None where one needs another, or loops in it do not run alike. Rows are apart in the loop's own text, and no
    compiler sees that any more where several are in one body. The counter of a loop inside, and what else each
    iteration sets anew, is handed to no other one.
    """
    own = {*loop.sets_anew, *(inner.variable for inner in loops_inside(facts, loop))}
    if loop.trip is None or loop.early_exit or not own.issuperset(loop.carries) or loop.recurrences:
        return None
    apart = set[str]()
    for one in dependences(facts, loop):
        store, load = facts.accesses[one.store], facts.accesses[one.load]
        if not in_own_rows(facts, loop, store, load) and (store.pointer != load.pointer or not undecided(facts, one)):
            return None
        apart.add(store.pointer)
    inside = facts.accesses_in(loop)
    if any(a.op == "atomic" or a.volatile or a.hint for a in inside):
        return None
    # What all iterations store to one place is theirs in turn.
    if any(a.op != "load" and (a.space != "global" or stays(facts, loop, a)) for a in inside):
        return None
    asked = any(loop.id in c.loops for c in facts.channels) or any(loop.id in b.loops for b in facts.barriers)
    alike = all(_runs_alike(facts, inner, loop) for inner in loops_inside(facts, loop))
    return tuple(sorted(apart)) if alike and not asked else None


def _runs_alike(facts: KernelFacts, inner: Loop, loop: Loop) -> bool:
    """Whether a loop runs equally often in each iteration of one around it."""
    if inner.trip is None or inner.early_exit:
        return False
    for name in inner.trip.symbols:
        symbol = facts.symbols.get(name)
        if name == loop.counter or symbol is None or loop.counter in symbol.depends_on:
            return False
        if symbol.kind in {"loaded", "carried"}:
            return False
    return True


def _sharing(what_if: WhatIf, loop: Loop, places: Sequence[int], factor: int) -> dict[int, MemoryUnit]:
    """The units in a loop with so many of its iterations together: one for all, or one for each.

    Neighbours along the loop share a request.
    """
    facts = what_if.assembly.facts
    changed = {}
    for place, unit in enumerate(what_if.units):
        access = facts.accesses[what_if.lsu(place).members[0]]
        if loop.id not in access.loops:
            continue
        if place in places:
            changed[place] = unit.model_copy(update={"bytes": unit.bytes / factor})
        elif access.offset is not None and not stays(facts, loop, access):
            if abs(steps_of(facts, access).get(loop.counter, 0)) == access.element_bytes:
                wide = {"width_bytes": unit.width_bytes * factor, "stride": max(unit.stride / factor, 1.0)}
            else:
                wide = {"count": unit.count * factor}
            changed[place] = unit.model_copy(update={**wide, "lanes": unit.lanes * factor})
    return changed


def _built(what_if: WhatIf, loop: Loop, units: Mapping[int, MemoryUnit], factor: int) -> list[Lsu]:
    """All load/store units with so many iterations of a loop together, on the chip as well."""
    facts = what_if.assembly.facts
    places = {lsu: place for place, lsu in enumerate(what_if.external)}
    built = []
    for number, lsu in enumerate(what_if.assembly.lsus):
        access, place = facts.accesses[lsu.members[0]], places.get(number)
        if loop.id not in access.loops or (stays(facts, loop, access) and access.space == "global"):
            built.append(lsu)
        elif place is not None and place in units and units[place].width_bytes > what_if.units[place].width_bytes:
            built.append(replace(lsu, width_bits=lsu.width_bits * factor))
        else:
            built.append(replace(lsu, count=lsu.count * factor))
    return built
