"""What keeps an access from moving the same words again: a window, a tile, another order of loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Literal

from burstline_model.estimate.after_change import WORTH_REPORTING, WhatIf, lanes_apart, steps_of
from burstline_model.estimate.changes import (
    Change,
    Interchange,
    KeepTogether,
    LocalTile,
    NeighboursInOrder,
    RowTile,
    SlidingWindow,
)
from burstline_model.estimate.kernel_estimate import Lever, Observation, UnitEstimate
from burstline_model.estimate.own_rows import own_row
from burstline_model.facts import Access, KernelFacts
from burstline_model.parallelism.loop_copies import constant_trips, fully_unrolled
from burstline_model.parallelism.usual_groups import usual_groups
from burstline_model.polynomial import Monomial, Polynomial, TooComplexError


def read_again(
    what_if: WhatIf, unit: UnitEstimate, units: Sequence[UnitEstimate], exchange: Sequence[Observation]
) -> Lever | None:  # fmt: skip
    """What keeps an access from moving the same words again: a window, a tile, another order of loops."""
    facts, access = what_if.assembly.facts, what_if.assembly.facts.accesses[unit.lsu.members[0]]
    share = (unit.time_s or 0.0) / what_if.total_s if what_if.total_s else 0.0
    if access.op == "atomic" or access.offset is None or access.hint or share < WORTH_REPORTING:
        return None
    if own_row(facts, access.pointer) is not None:
        return None  # the buffer is not needed at all
    steps = steps_of(facts, access)
    if access.op == "load" and (slides := sliding(facts, access, steps)) is not None:
        if facts.model == "ndrange":
            return Lever(change=LocalTile(pointer=access.pointer))
        trips = constant_trips(facts.loops[slides])
        if trips is None:
            unfixed = facts.loops[slides].variable or ""
            return Lever(change=SlidingWindow(pointer=access.pointer, unfixed=unfixed))
        alone = sum(facts.loops[i].counter in steps for i in access.loops) <= 2
        return Lever(change=SlidingWindow(pointer=access.pointer, elements=trips if alone else None))
    if (overlapping := _window_in_tile(what_if, unit, units)) is not None:
        return overlapping
    apart = next((one for one in unit.observations if isinstance(one.change, NeighboursInOrder)), None)
    place = next(i for i, one in enumerate(units) if one is unit)
    lanes = access.op == "load" and lanes_apart(what_if, place)
    wide = apart is not None or (unit.lsu.stride or 0) >= 2 or lanes
    shared = prod(what_if.assembly.extent.local_size or (2,)) > 1  # one work-item alone has nobody to share a tile with
    other = _in_order(facts, access, steps) if wide and not exchange and shared else None
    if other is not None:
        if lanes and apart is None and isinstance(other, RowTile):
            return Lever(change=other, after_s=_lanes_joined_s(what_if, place))
        ordered_s = apart.after_s if apart is not None else None
        if ordered_s is None and isinstance(other, RowTile) and not _comes_again(facts, access):
            return None  # its requests are as many in any order
        if not isinstance(other, Interchange) or ordered_s is None:
            return Lever(change=other, after_s=_tiled_s(what_if, access, units) if ordered_s is not None else None)
        after = interchanged_s(what_if, access, other.loop)
        if after > (1 - WORTH_REPORTING) * what_if.total_s:
            return Lever(change=RowTile(pointer=access.pointer, op=other.op), after_s=ordered_s)
        return Lever(change=other, after_s=after)
    return None


def _lanes_joined_s(what_if: WhatIf, place: int) -> float:
    """The time with one unit for all SIMD lanes, which a tile that is filled row by row keeps in order."""
    unit = what_if.units[place]
    one = {"count": 1, "width_bytes": unit.width_bytes * unit.count, "stride": 1.0, "apart": False}
    return what_if.after_s({place: unit.model_copy(update=one)})


def _window_in_tile(what_if: WhatIf, unit: UnitEstimate, units: Sequence[UnitEstimate]) -> Lever | None:
    """A tile of what a loop reads in order, where the next work-item's begins further on in it, and the time with it.

    A group then loads a window's length more than its items lie apart, and not a window for each.
    """
    facts, extent = what_if.assembly.facts, what_if.assembly.extent
    access = facts.accesses[unit.lsu.members[0]]
    place = next(i for i, one in enumerate(units) if one is unit)
    if facts.model != "ndrange" or access.op != "load" or access.offset is None or not access.loops:
        return None
    inner, in_turns = access.loops[-1], unit.walk is not None and unit.walk.in_turns
    trips, step = extent.trips[inner], steps_of(facts, access).get(facts.loops[inner].counter)
    ids = [name for name, one in facts.symbols.items() if one.kind == "global_id" and one.dimension == 0]
    share = access.offset.coefficient(ids[0]) if ids else None
    item = extent.value(share, extent.trips) if share is not None else None
    group = (extent.local_size or usual_groups(facts, extent.items))[0]  # its neighbours in one row
    if in_turns or unit.lsu.cache_bytes or step != access.element_bytes or trips is None or not item or group == 1:
        return None
    window, apart = float(trips) * step, abs(float(item))
    kept = (window + (group - 1) * apart) / (group * window)
    if apart < access.element_bytes or kept >= 1 - WORTH_REPORTING:
        return None
    now = what_if.units[place]
    after = what_if.after_s({place: now.model_copy(update={"bytes": now.bytes * kept})})
    return Lever(change=LocalTile(pointer=access.pointer), after_s=after)


def neighbours_tiles(what_if: WhatIf) -> list[Lever]:
    """A tile for each buffer whose elements several units load for neighbours, with what it leaves of the time.

    One unit loads the work-items' own elements then, another one the border: `HALO` times as many in all.
    """
    facts, found = what_if.assembly.facts, list[Lever]()
    if facts.model != "ndrange" or prod(what_if.assembly.extent.local_size or (2,)) == 1:
        return []
    places = range(len(what_if.units))
    for pointer in dict.fromkeys(map(what_if.pointer, places)):
        own = [place for place in places if what_if.pointer(place) == pointer]
        if not _load_neighbours(what_if, pointer, own):
            continue
        first, *spare = sorted(own, key=lambda place: -what_if.units[place].width_bytes)
        unit = what_if.units[first]
        alone = unit.bytes / unit.count
        left = [alone, (HALO - 1) * alone] if spare else [HALO * alone]
        bytes_of = dict.fromkeys(own, 0.0) | dict(zip([first, *spare], left, strict=False))
        after = what_if.after_s({
            place: what_if.units[place].model_copy(update={"count": 1, "bytes": moved, "misaligned": False})
            for place, moved in bytes_of.items()
        })  # fmt: skip
        if after <= (1 - WORTH_REPORTING) * what_if.total_s:
            found.append(Lever(change=LocalTile(pointer=pointer), after_s=after))
    return found


HALO = 1.5
"""By how much a tile with its border is larger: 16 x 16 elements have 1.3 times as many with 1 around, 1.6 with 2."""


def _load_neighbours(what_if: WhatIf, pointer: str, places: Sequence[int]) -> bool:
    """Whether units load what other work-items of a group load too, a few places away along the group's dimensions."""
    facts, group = what_if.assembly.facts, what_if.assembly.extent.local_size
    own = [a for a in facts.accesses if a.pointer == pointer]
    plain = all(a.op == "load" and not any(guard.loaded for guard in a.guards) for a in own)
    offsets = {_unclamped(facts, a.offset): a.loops for a in own if a.offset is not None}
    if not plain or not offsets or any(a.offset is None for a in own) or any(what_if.loops(place) for place in places):
        return False
    first, total = next(iter(offsets)), 0
    steps = _steps_of_ids(facts, first, group)
    counters = {loop.counter for loop in facts.loops}
    for offset, loops in offsets.items():
        over = [i for i in loops if _is_near(offset.coefficient(facts.loops[i].counter), steps)]
        apart = (offset - first).without(counters)
        total += prod(what_if.copies.get(i, 1) for i in over) if not apart.terms or _is_near(apart, steps) else 0
    return total >= LEAST


LEAST = 3
"""From so many loads of each work-item on, a tile is worth its barrier."""


def _unclamped(facts: KernelFacts, offset: Polynomial) -> Polynomial:
    """A place without the bounds that are put on what ids decide in it, as at the border of an image.

    ``y < 0 ? 0 : y`` is one, and so is ``if (y < 0) y = 0;``: of a choice, the condition is no bound.
    """
    inside = dict[str, Polynomial]()
    for name in offset.symbols:
        symbol = facts.symbols.get(name)
        if symbol is not None and symbol.operation in {"minimum", "maximum", "select"}:
            bounds = symbol.operands[symbol.operation == "select" :]
            moving = [one for one in bounds if any(_is_id(facts, n) for n in _made_of(facts, one))]
            if len(moving) == 1:
                inside[name] = _unclamped(facts, moving[0])
    try:
        return offset.substitute(inside)
    except TooComplexError:
        return offset


def _made_of(facts: KernelFacts, number: Polynomial) -> set[str]:
    known = (facts.symbols[name] for name in number.symbols if name in facts.symbols)
    return {*number.symbols, *(on for symbol in known for on in symbol.depends_on)}


def _is_id(facts: KernelFacts, name: str) -> bool:
    return name in facts.symbols and facts.symbols[name].kind in {"global_id", "local_id"}


def _steps_of_ids(facts: KernelFacts, offset: Polynomial, group: Sequence[int] | None) -> dict[Monomial, int]:
    """By what a place moves on from one work-item to the next, along each dimension in which groups have several."""
    found = dict[Monomial, int]()
    for name in offset.symbols:
        dimension = facts.symbols[name].dimension if _is_id(facts, name) else -1
        several = group is None or (dimension < len(group) and group[dimension] > 1)
        step = offset.coefficient(name) if dimension >= 0 and several else None
        if step is not None and len(step.terms) == 1:
            found |= dict(step.terms)
    return found


def _is_near(apart: Polynomial | None, steps: Mapping[Monomial, int]) -> bool:
    """Whether a distance is some whole steps from one work-item to the next, and few."""
    return (
        apart is not None
        and bool(apart.terms)
        and all(m in steps and c % steps[m] == 0 and abs(c // steps[m]) <= NEAR for m, c in apart.terms)
    )


NEAR = 16
"""So many places away a work-item's neighbour is in its group, as a rule."""


def spares_nothing(what_if: WhatIf, lever: Lever, unit: UnitEstimate, units: Sequence[UnitEstimate]) -> bool:
    """Whether a window saves no time: one wide request fetches what the one before did not, as the window does."""
    facts, access = what_if.assembly.facts, what_if.assembly.facts.accesses[unit.lsu.members[0]]
    steps = steps_of(facts, access)
    slides = sliding(facts, access, steps)
    window = isinstance(lever.change, SlidingWindow) and slides is not None
    if not window or slides is None or not fully_unrolled(facts.loops[slides], what_if.copies):
        return False
    place = next(i for i, one in enumerate(units) if one is unit)
    memory = what_if.units[place]
    width = min([memory.width_bytes, *(max(abs(s), access.element_bytes) for s in steps.values() if s)])
    anew = {"kind": "aligned", "width_bytes": width, "count": 1, "misaligned": False, "stride": 1.0}
    return what_if.after_s({place: memory.model_copy(update=anew)}) > (1 - WORTH_REPORTING) * what_if.total_s


def _comes_again(facts: KernelFacts, access: Access) -> bool:
    """Whether other iterations or work-items may touch the same place: one of their counters or ids is not in it."""
    names = set(access.offset.symbols if access.offset is not None else ())
    names |= {one for name in names if name in facts.symbols for one in facts.symbols[name].depends_on}
    ids = {name for name, one in facts.symbols.items() if one.kind in {"global_id", "local_id"}}
    return not names.issuperset({*ids, *(facts.loops[i].counter for i in access.loops)})


def _tiled_s(what_if: WhatIf, access: Access, units: Sequence[UnitEstimate]) -> float:
    """The time with a tile in the place of an access: in order, as all others that its barriers keep together."""
    changed = {}
    for place, (unit, one) in enumerate(zip(what_if.units, units, strict=True)):
        kept = any(isinstance(o.change, KeepTogether) and o.change.waits for o in one.observations)
        own = what_if.pointer(place) == access.pointer and any(
            isinstance(o.change, NeighboursInOrder) for o in one.observations
        )
        if own or (kept and what_if.loops(place)[-1:] == access.loops[-1:]):
            changed[place] = unit.model_copy(update={"stride": 1.0, "apart": False, "in_turns": False})
    return what_if.after_s(changed)


def interchanged_s(what_if: WhatIf, access: Access, loop: int) -> float:
    """The time with a loop in the place of the innermost one around an access.

    All units of that nest walk along the other loop then: some may lie apart that lay in order.
    """
    facts, inner = what_if.assembly.facts, access.loops[-1]
    changed = {}
    for place, unit in enumerate(what_if.units):
        one = facts.accesses[what_if.lsu(place).members[0]]
        if one.offset is None or one.loops[-1:] != (inner,) or loop not in one.loops:
            continue
        step = one.offset.coefficient(facts.loops[loop].counter)
        known = what_if.assembly.extent.value(step, {}) if step is not None else None
        if known is not None:
            stride = max(abs(float(known)) / max(one.element_bytes, 1), 1.0)
            changed[place] = unit.model_copy(update={"stride": stride, "apart": False})
    return what_if.after_s(changed)


def sliding(facts: KernelFacts, access: Access, steps: dict[str, int]) -> int | None:
    """The loop whose iterations read again what another loop or work-item moves over: both step by one element."""
    for i in reversed(access.loops):
        own = steps.get(facts.loops[i].counter)
        others = [s for name, s in steps.items() if name != facts.loops[i].counter]
        if own is not None and abs(own) == access.element_bytes and any(abs(s) == abs(own) for s in others):
            return i
    return None


def _in_order(facts: KernelFacts, access: Access, steps: dict[str, int]) -> Change | None:
    """Another order in which the elements of an access lie side by side; None where nothing steps by one element."""
    op: Literal["load", "store"] = "load" if access.op == "load" else "store"
    for name, step in steps.items():
        if abs(step) == access.element_bytes:
            loop = facts.symbols[name].loop
            if facts.model == "ndrange":
                return RowTile(pointer=access.pointer, op=op)
            if loop is not None and access.loops and loop != access.loops[-1]:
                if _needs_order(facts, loop, access.loops[-1]):
                    continue
                outer, inner = (facts.loops[i].variable or "" for i in (loop, access.loops[-1]))
                return Interchange(pointer=access.pointer, outer=outer, inner=inner, loop=loop, op=op)
    return None


def _needs_order(facts: KernelFacts, outer: int, inner: int) -> bool:
    """Whether an iteration of the outer loop needs the one before whole, which no other order of the loops leaves.

    It does where a channel's items are sent or taken in that order, and where variables or arrays on the chip come from
    it, as a line that is moved on; what the inner loop adds up is added up in another order.
    """
    around, within = facts.loops[outer], facts.loops[inner]
    kept = {*around.carries} - {*around.sets_anew} - {*within.carries}
    return bool(kept) or any(outer in channel.loops for channel in facts.channels)
