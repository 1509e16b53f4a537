"""Copies on the chip of what a single work-item reads again in each iteration of a loop: the vector of a product."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, prod

from burstline_model.estimate.after_change import WORTH_REPORTING, WhatIf
from burstline_model.estimate.changes import CopyOnChip
from burstline_model.estimate.kernel_estimate import Lever
from burstline_model.facts import Access
from burstline_model.parallelism.alias import may_alias

AGAIN = 2.0
"""So many times more than all of its elements have to be moved for a copy to be worth its loop."""

MOST_BYTES = 1 << 18
"""The largest array that is copied whole: of more, tiles are kept, which leave the clock and the RAM blocks alone."""


def copies_on_chip(what_if: WhatIf) -> list[Lever]:
    """A copy of each buffer that loops run over again and again, where it pays and the device has room for it."""
    facts, found = what_if.assembly.facts, list[Lever]()
    if facts.model != "single_work_item" or what_if.now.total_s is None:
        return []
    for pointer in dict.fromkeys(map(what_if.pointer, range(len(what_if.units)))):
        lever = _of_buffer(what_if, pointer) if facts.argument(pointer) is not None else None
        if lever is not None:
            found.append(lever)
    return found


def _of_buffer(what_if: WhatIf, pointer: str) -> Lever | None:
    """The copy of a buffer before the outermost loop whose iterations all read the same of it."""
    places = [i for i in range(len(what_if.units)) if what_if.pointer(i) == pointer]
    slowest = max(places, key=lambda i: what_if.units[i].bytes)
    first = what_if.assembly.facts.accesses[what_if.lsu(slowest).members[0]]
    around = next((i for i in first.loops if _stays(what_if, first, i)), None)
    if first.op != "load" or around is None:
        return None
    own = [i for i in places if _is_alike(what_if, i, around)]
    size = _reach(what_if, first, around)
    trips, outer = what_if.assembly.extent.trips, first.loops[: first.loops.index(around)]
    rounds = prod(float(trips[i] or 0) for i in outer)
    moved = sum(what_if.units[i].bytes for i in own)
    if size is None or slowest not in own or not rounds or moved < AGAIN * size * rounds:
        return None
    if size > min(what_if.ram.free_bytes, MOST_BYTES):
        return None
    kept = {i: what_if.units[i].model_copy(update={"bytes": 0.0}) for i in own}
    kept[slowest] = what_if.units[slowest].model_copy(update={"bytes": size * rounds, "count": 1, "misaligned": False})
    copied_s = rounds * ceil(size / what_if.units[slowest].width_bytes) / what_if.now.f_max_hz
    after_s = what_if.after_s(kept) + copied_s
    if after_s > (1 - WORTH_REPORTING) * what_if.total_s:
        return None
    variable = what_if.assembly.facts.loops[around].variable or ""
    return Lever(change=CopyOnChip(pointer=pointer, loop=variable, bytes=size), after_s=after_s)


def _stays(what_if: WhatIf, access: Access, loop: int) -> bool:
    """Whether all iterations of a loop read the same of a buffer, several of them, and nothing in it stores there."""
    facts, trips = what_if.assembly.facts, what_if.assembly.extent.trips[loop]
    inside = facts.accesses_in(facts.loops[loop])
    if (
        trips is None
        or trips < AGAIN
        or access.volatile
        or any(a.op != "load" and may_alias(facts, a, access) for a in inside)
    ):
        return False
    return access.offset is not None and facts.loops[loop].counter not in access.offset.symbols


def _is_alike(what_if: WhatIf, place: int, loop: int) -> bool:
    """Whether a unit reads in the loop, at places that its counter does not move."""
    facts = what_if.assembly.facts
    accesses: Sequence[Access] = [facts.accesses[i] for i in what_if.lsu(place).members]
    return all(
        a.op == "load"
        and loop in a.loops
        and a.offset is not None
        and facts.loops[loop].counter not in a.offset.symbols
        for a in accesses
    )


def _reach(what_if: WhatIf, access: Access, loop: int) -> int | None:
    """The bytes from the first to the last element that the loops inside one reach; None where data choose them."""
    facts, extent = what_if.assembly.facts, what_if.assembly.extent
    inside = {facts.loops[i].counter: i for i in access.loops[access.loops.index(loop) + 1 :]}
    outer = {facts.loops[i].counter for i in facts.loops_around(loop)}
    bytes_ = access.element_bytes
    for name in access.offset.symbols if access.offset is not None else ():
        symbol = facts.symbols.get(name)
        if symbol is None or name in outer or (symbol.kind == "argument" and symbol.operation is None):
            continue
        share = access.offset.coefficient(name) if name in inside and access.offset is not None else None
        each = extent.value(share, {}) if share is not None else None
        trips = extent.trips[inside[name]] if name in inside else None
        if each is None or trips is None:
            return None
        bytes_ += int(abs(each) * max(ceil(trips) - 1, 0))
    return bytes_
