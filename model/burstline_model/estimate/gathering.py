"""What spares requests at places that data decide: a copy on the chip, or data in another order."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, inf, isfinite, prod

from burstline_model.estimate.after_change import WhatIf
from burstline_model.estimate.changes import NoGather
from burstline_model.facts import Access, KernelFacts
from burstline_model.parallelism.usual_groups import usual_groups


def gathered(what_if: WhatIf, place: int) -> NoGather:
    """What each request of a unit moves at places that data decide: those that lanes share are one."""
    unit, lsu = what_if.units[place], what_if.lsu(place)
    word = what_if.assembly.board.memory_of(unit.banks[0]).word_bytes
    asked = unit.access_bytes * max(lsu.lanes // lsu.count, 1)
    words = max(ceil(asked / word), round(asked * unit.stride / word)) if isfinite(unit.stride) else ceil(asked / word)
    copied = _most_copied(what_if, place, words * word / asked if asked else 1.0)
    reached = _reached(what_if, what_if.pointer(place))
    if reached is not None and reached > what_if.ram.free_bytes:
        reached = None  # nobody copies all that a wide mask leaves, though less of it may be there
    if reached is not None:
        copied = reached if reached <= copied else 0.0
    return NoGather(
        op=lsu.op,
        moved_bytes=words * word,
        request_bytes=asked,
        pointers=(what_if.pointer(place),),
        copy_bytes=copied,
        whole=reached is not None and copied > 0,
        by_data=any(_by_data(what_if.assembly.facts, member) for member in lsu.members),
    )


def _by_data(facts: KernelFacts, number: int) -> bool:
    """Whether loaded values, or what is not followed, choose the place of an access."""
    offset = facts.accesses[number].offset
    if offset is None:
        return True
    own = [facts.symbols.get(name) for name in offset.symbols]
    behind = [facts.symbols.get(name) for one in own if one is not None for name in one.depends_on]
    return any(
        one is None or one.kind == "loaded" or one.advance or (one.kind == "opaque" and not one.depends_on)
        for one in (*own, *behind)
    )


def all_together(changes: Sequence[NoGather]) -> NoGather:
    """The one change of several pointers at whose places requests move alike."""
    pointers = tuple(dict.fromkeys(name for one in changes for name in one.pointers))
    first, each = changes[0], [one.copy_bytes for one in changes]
    return NoGather(
        op=first.op,
        moved_bytes=first.moved_bytes,
        request_bytes=first.request_bytes,
        pointers=pointers,
        copy_bytes=max(each) if first.whole else min(each),
        whole=first.whole,
        by_data=any(one.by_data for one in changes),
    )


def _most_copied(what_if: WhatIf, place: int, fetched: float) -> float:
    """The largest array, in bytes, of which a copy on the chip moves less than a unit's requests do.

    Each work-group makes a copy of its own, and the device has to hold it. `fetched`: bytes moved for each that is
    asked for. 0: no array of a sensible size, or the array is known to be larger; infinite: nobody counts the requests.
    """
    extent, ram = what_if.assembly.extent, what_if.ram
    if any(extent.trips[i] is None or i in extent.assumed for i in what_if.loops(place)):
        return inf
    asked = what_if.units[place].bytes / (extent.work_items or 1)
    if what_if.assembly.facts.model == "ndrange":
        asked *= prod(extent.local_size or usual_groups(what_if.assembly.facts, extent.items))
    most = min(asked * fetched, ram.free_bytes)
    own = [a for a in what_if.assembly.facts.accesses if a.pointer == what_if.pointer(place)]
    known = max((_reaches(what_if, one) for one in own), default=0.0)
    return most if most >= max(ram.block_bytes, known) else 0.0


def _reached(what_if: WhatIf, pointer: str) -> float | None:
    """The bytes of an array that can be asked for, where the types and masks of all data that choose them bound them.

    None where something else takes part in an address of the array, or nothing bounds it.
    """
    facts, most = what_if.assembly.facts, 0
    for access in (a for a in facts.accesses if a.pointer == pointer):
        if access.offset is None or access.offset.offset < 0:
            return None
        last = access.offset.offset
        for name in access.offset.symbols:
            symbol, step = facts.symbols.get(name), access.offset.coefficient(name)
            bytes_of_one = step.constant if step is not None else None
            if symbol is None or symbol.below is None or bytes_of_one is None or bytes_of_one < 0:
                return None
            last += bytes_of_one * (symbol.below - 1)
        most = max(most, last + access.element_bytes)
    return float(most)


def _reaches(what_if: WhatIf, access: Access) -> float:
    """How many bytes lie between the first and the last place of an access, as far as ids and counters say."""
    facts, extent, found = what_if.assembly.facts, what_if.assembly.extent, 0.0
    for name in access.offset.symbols if access.offset is not None else ():
        symbol, step = facts.symbols.get(name), access.offset.coefficient(name) if access.offset is not None else None
        value = extent.value(step, {}) if step is not None else None
        if symbol is None or value is None:
            continue
        if symbol.kind == "global_id" and extent.items is not None and symbol.dimension is not None:
            found += abs(float(value)) * extent.items[symbol.dimension]
        elif symbol.kind == "loop" and symbol.loop is not None:
            found += abs(float(value)) * float(extent.trips[symbol.loop] or 0)
    return found
