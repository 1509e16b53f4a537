"""What a change of one kernel would save of its time: the papers' observations, each with the time after it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from math import gcd, prod

from burstline_model.boards.board import Memory
from burstline_model.estimate.after_change import MOST_LANES, WORTH_REPORTING, WhatIf, lanes_apart, steps_of
from burstline_model.estimate.aligned_starts import aligned_start
from burstline_model.estimate.changes import (
    HandOn,
    KeepTogether,
    LoadBefore,
    LoadsFirst,
    MoreCopies,
    MoreLanes,
    NeighboursInOrder,
    NoAlias,
    NoGather,
    Observed,
    OneStructure,
    OwnBanks,
    PrivateArray,
    Widen,
)
from burstline_model.estimate.counts import adds_to, counted_elsewhere
from burstline_model.estimate.gathering import all_together, gathered
from burstline_model.estimate.item_order import in_other_order
from burstline_model.estimate.keeping_together import for_all, kept_together, same_for_all
from burstline_model.estimate.kernel_estimate import Observation, UnitEstimate
from burstline_model.estimate.more_hardware import whole_factors
from burstline_model.estimate.own_rows import own_row
from burstline_model.estimate.waiting_loops import chained, counters, hands_on, in_any_order, waits
from burstline_model.lsu import Lsu, MayAlias, Why
from burstline_model.memory.memory_units import MemoryUnit
from burstline_model.parallelism.alias import HIDDEN
from burstline_model.parallelism.assumed_counts import shares_in_group
from burstline_model.parallelism.loop_copies import asked_whole
from burstline_model.parallelism.simd_limits import why_not_simd
from burstline_model.parallelism.usual_groups import usual_groups
from burstline_model.pipeline.dependence import stays
from burstline_model.record import fixed

NARROW, SHARED_BANK, STRIDED, WRITE_ACK, ATOMIC, NON_ALIGNED = range(6)
"""M21's observations 1 to 4, its opening example (0), and requests that start off their alignment (5)."""


DIMENSIONS = "dimensions"
"""The cause in place of a pointer, where it is the order of the work-items."""


def observe(estimates: Sequence[UnitEstimate], what_if: WhatIf) -> list[UnitEstimate]:
    """The estimates with what would save time at each of them."""
    found: dict[int, list[Observation]] = defaultdict(list)
    for place, one in (*_by_pointer(estimates, what_if), *_banks_apart(what_if), *_wider(what_if)):
        found[place].append(one)
    return [replace(e, observations=tuple(found[i])) if i in found else e for i, e in enumerate(estimates)]


def _by_pointer(estimates: Sequence[UnitEstimate], what_if: WhatIf) -> list[tuple[int, Observation]]:
    """What it saves to change all units of a pointer that waste time in the same way."""
    together: dict[tuple[int, str], list[tuple[int, _Fault]]] = defaultdict(list)
    waiting = _waiting_for_order(what_if)
    every = {place: _fault(what_if, place, waiting) for place in range(len(estimates))}
    wasting = {place: fault for place, fault in every.items() if fault is not None}
    apart = {place: f.mended for place, f in wasting.items() if isinstance(f.change, NeighboursInOrder)}
    ordered, order, ordered_s = in_other_order(what_if, apart)
    for place, fault in wasting.items():
        if place in ordered and order is not None:
            together[fault.number, DIMENSIONS].append((place, replace(fault, change=order)))
        elif isinstance(fault.change, KeepTogether) and not what_if.reads_data_for(place):
            ways = fault.change.unrolls, fault.change.waits, fault.change.strides
            together[fault.number, f"turns {ways}"].append((place, fault))
        elif fault.change == "fewer_groups":  # each group then adds less often, to whatever it adds
            together[fault.number, "groups"].append((place, fault))
        else:
            cause = fault.change.place if isinstance(fault.change, LoadBefore) else what_if.pointer(place)
            together[fault.number, cause].append((place, fault))
    _joined(what_if, together)
    _gathers_alike(together)
    for key, faults in together.items():
        own = {place: fault.change for place, fault in faults if isinstance(fault.change, KeepTogether)}
        if own:
            kept = for_all(what_if, own)
            together[key] = [(place, replace(fault, change=kept)) for place, fault in faults]
    found = []
    for (number, pointer), faults in together.items():
        if sum(estimates[place].time_s or 0.0 for place, _ in faults) < WORTH_REPORTING * what_if.total_s:
            continue
        mended = {place: fault.mended for place, fault in faults}
        after = ordered_s if pointer == DIMENSIONS else what_if.after_s(mended)
        for place, fault in faults:
            one = what_if.observation(number, fault.change, after, pointer)
            if one is not None:
                found.append((place, one))
    return found


def _joined(what_if: WhatIf, together: dict[tuple[int, str], list[tuple[int, _Fault]]]) -> None:
    """Gathers from the same places of several pointers become one: of an array of structures."""
    facts = what_if.assembly.facts
    alike: dict[object, list[tuple[int, str]]] = defaultdict(list)
    for (number, pointer), faults in together.items():
        own = [a for a in facts.accesses if a.pointer == pointer]
        loads = number == STRIDED and all(isinstance(f.change, NoGather) and f.change.op == "load" for _, f in faults)
        if loads and all(a.op == "load" and a.index and a.element_bytes == own[0].element_bytes for a in own):
            key = own[0].element_bytes, frozenset((a.index, a.loops, a.guards) for a in own)
            alike[key].append((number, pointer))
    for groups in alike.values():
        pointers = tuple(pointer for _, pointer in groups)
        if len(groups) < 2 or any(len(together[group]) != 1 for group in groups):
            continue
        places = [place for group in groups for place, _ in together.pop(group)]
        change = OneStructure(pointers=pointers)
        for place in places:
            unit, size = what_if.units[place], len(places)
            wide = {"width_bytes": size * unit.width_bytes, "access_bytes": size * unit.access_bytes}
            mended = {"bytes": size * unit.bytes, **wide} if place == places[0] else {"bytes": 0.0}
            fault = _Fault(STRIDED, change, unit.model_copy(update=mended))
            together[STRIDED, "+".join(pointers)] += [(place, fault)]


def _gathers_alike(together: dict[tuple[int, str], list[tuple[int, _Fault]]]) -> None:
    """Gathers of several pointers whose requests move alike become one: what helps one of them helps all."""
    alike: dict[object, dict[tuple[int, str], NoGather]] = defaultdict(dict)
    for key, faults in together.items():
        own = [fault.change for _, fault in faults if isinstance(fault.change, NoGather)]
        if own and len(own) == len(faults):
            one = all_together(own)
            alike[one.op, one.moved_bytes, one.request_bytes, one.copy_bytes > 0, one.whole][key] = one
    for groups in alike.values():
        change = all_together(list(groups.values()))
        faults = [(place, replace(f, change=change)) for key in groups for place, f in together.pop(key)]
        together[STRIDED, "+".join(change.pointers)] = faults


@fixed
class _Fault:
    """What wastes time at a unit, and the unit without it."""

    number: int
    change: Observed
    mended: MemoryUnit


def _waiting_for_order(what_if: WhatIf) -> frozenset[str]:
    """Pointers of which all stores with an acknowledgement together would be faster without it, where they are."""
    own: dict[str, dict[int, MemoryUnit]] = defaultdict(dict)
    for place, unit in enumerate(what_if.units):
        if unit.kind == "write_ack":
            word = what_if.assembly.board.memory_of(unit.banks[0]).word_bytes
            aligned = {"kind": "aligned", "width_bytes": word}
            own[what_if.pointer(place)][place] = unit.model_copy(update=aligned)
    least_s = what_if.total_s * (1 - WORTH_REPORTING)
    return frozenset(pointer for pointer, mended in own.items() if what_if.after_s(mended) < least_s)


def _fault(what_if: WhatIf, place: int, waiting: Set[str]) -> _Fault | None:
    """The worst about one unit; `waiting`: pointers whose stores are slow for their order alone."""
    unit, lsu = what_if.units[place], what_if.lsu(place)
    word = what_if.assembly.board.memory_of(unit.banks[0]).word_bytes

    def fault(number: int, change: Observed, **changes: object) -> _Fault:
        return _Fault(number, change, unit.model_copy(update=changes))

    if what_if.assembly.facts.accesses[lsu.members[0]].hint == HIDDEN:
        return fault(STRIDED, "remove_printf", bytes=0.0)  # the compiler owns its buffer: nothing else can change
    if unit.kind == "atomic":
        if (groups := _once_a_group(what_if, lsu)) > 1:
            return fault(ATOMIC, "fewer_groups", bytes=unit.bytes / groups)
        elsewhere = counted_elsewhere(what_if, place)
        return fault(ATOMIC, elsewhere, bytes=0.0) if elsewhere is not None else None
    if (row := own_row(what_if.assembly.facts, what_if.pointer(place))) is not None:
        element = what_if.assembly.facts.accesses[lsu.members[0]].element_bytes
        private = PrivateArray(pointer=what_if.pointer(place), elements=row // element)
        return fault(STRIDED, private, bytes=0.0)
    anywhere = unit.apart if unit.apart is not None else unit.stride == float("inf")
    in_order = {"stride": 1.0, "apart": False}
    if unit.in_turns and unit.stride >= 2:
        if (again := _again(what_if, place)) is not None:
            spared, times = again
            return fault(STRIDED, spared, bytes=unit.bytes / times, **in_order)
        return fault(STRIDED, kept_together(what_if, place), **in_order)
    if unit.kind == "write_ack":
        why = next((r.why for r in lsu.reasons if "ack" in r.rule), None)
        aligned = {"kind": "aligned", "width_bytes": word}
        change = _without_waiting(why, what_if.pointer(place))
        if not anywhere and unit.stride < 2:
            return fault(WRITE_ACK, change, **aligned, **in_order) if change is not None else None
        # Stores that lie apart lie apart without the acknowledgement as well.
        if change is not None and what_if.pointer(place) in waiting:
            return fault(WRITE_ACK, change, **aligned)
    if anywhere and what_if.reads_data_for(place):
        if adds_to(what_if, place):
            return fault(STRIDED, "accumulate_in_copy", **in_order)
        return fault(STRIDED, gathered(what_if, place), **in_order)
    if anywhere or unit.stride >= 2:
        pointer, fields = what_if.pointer(place), _are_fields(what_if, place)
        neighbours = NeighboursInOrder(op=lsu.op, pointer=pointer, times=unit.stride, fields=fields)
        return fault(STRIDED, neighbours, **in_order)
    if unit.kind == "non_aligned" and _anew_bytes(what_if, place) >= unit.width_bytes:
        start = aligned_start(what_if, place)
        return fault(NON_ALIGNED, start, kind="aligned", misaligned=False) if start is not None else None
    return None


def _once_a_group(what_if: WhatIf, lsu: Lsu) -> float:
    """How many work-groups add to the same places, each work-item of a group to its own; 1 where they do not."""
    facts, extent = what_if.assembly.facts, what_if.assembly.extent
    access = facts.accesses[lsu.members[0]]
    if facts.model != "ndrange" or extent.work_items is None or access.offset is None:
        return 1.0
    if not all(shares_in_group(facts, facts.loops[i]) for i in access.loops):
        return 1.0
    kinds = {facts.symbols[s].kind for s in access.offset.symbols if s in facts.symbols}
    kinds -= {"loop", "local_size"} if access.loops else set()
    first = [g for g in access.guards if g.condition is not None and not g.loaded]
    asked = {facts.symbols[n].kind for g in first for n in g.depends_on if n in facts.symbols}
    alone = kinds == {"local_id"} or (not kinds and asked == {"local_id"})
    groups = extent.groups or extent.work_items / prod(extent.local_size or usual_groups(facts, extent.items))
    return float(groups) if alone else 1.0


def _again(what_if: WhatIf, place: int) -> tuple[LoadBefore | HandOn, float] | None:
    """What spares a work-item from moving the same place again in the innermost loop around it, and how often it does.

    None where places change, or where nothing is known to be the same.
    """
    facts, inner = what_if.assembly.facts, what_if.assembly.facts.loops[what_if.loops(place)[-1]]
    access, times = facts.accesses[what_if.lsu(place).members[0]], what_if.assembly.extent.trips[inner.id]
    if times is None or times <= 1 or access.volatile or not stays(facts, inner, access):
        return None
    stored = [a for a in facts.accesses_in(inner) if a.op != "load" and a.space == access.space]
    if any(a.pointer == access.pointer and a.offset == access.offset for a in stored):
        return HandOn(element=access.place, same=True), float(times)
    return (LoadBefore(place=access.place, alone=not stored), float(times)) if access.op == "load" else None


def _without_waiting(why: Why | None, pointer: str) -> NoAlias | LoadsFirst | None:
    """What lets a store go on at once: no promise is made of accesses of one pointer where no loop is."""
    if not isinstance(why, MayAlias) or not why.within:
        return NoAlias(why=why)
    return LoadsFirst(pointer=pointer, why=why) if why.op == "load" else None


def _are_fields(what_if: WhatIf, place: int) -> bool:
    """Whether a place is a part of structures that lie side by side: the rows of a matrix are none."""
    facts = what_if.assembly.facts
    access = facts.accesses[what_if.lsu(place).members[0]]
    whole = next((a.element_bytes for a in facts.arguments if a.name == access.pointer and "[" not in a.type), 0)
    return access.element_bytes < whole and any(abs(step) == whole for step in steps_of(facts, access).values())


def _anew_bytes(what_if: WhatIf, place: int) -> float:
    """What a request of a unit asks for that the one before did not.

    A window's neighbours are in the next request again: it asks for no more than a step of anew, and begins anywhere in
    a word whatever the first one does.
    """
    access = what_if.assembly.facts.accesses[what_if.lsu(place).members[0]]
    steps = steps_of(what_if.assembly.facts, access).items()
    return min([what_if.units[place].width_bytes, *(abs(step) * what_if.at_once(n) for n, step in steps if step)])


def _banks_apart(what_if: WhatIf) -> list[tuple[int, Observation]]:
    """What it saves to spread pointers over the banks, where the board has several: one each, or evenly."""
    memory, units = what_if.assembly.board.memory, what_if.units
    if memory.banks < 2 or not units or any(b >= memory.banks for u in units for b in u.banks):
        return []
    traffic: dict[str, float] = defaultdict(float)
    own_places = [place for place in range(len(units)) if what_if.pointer(place) != HIDDEN]
    for place in own_places:
        unit = units[place]
        traffic[what_if.pointer(place)] += unit.bytes * unit.stride
    load = [0.0] * memory.banks
    seat: dict[str, int] = {}
    for pointer in sorted(traffic, key=lambda p: -traffic[p]):
        seat[pointer] = min(range(memory.banks), key=lambda b: load[b])
        load[seat[pointer]] += traffic[pointer]
    if len(seat) < 2:
        return []
    apart = {
        place: units[place].model_copy(update={"banks": (seat[what_if.pointer(place)],), "in_step": False})
        for place in own_places
    }
    heaviest = max(own_places, key=lambda i: units[i].bytes * units[i].stride)
    crowd = sum(u.count for u in units if set(u.banks) & set(units[heaviest].banks))
    shared = (
        tuple(tuple(p for p in traffic if seat[p] == b) for b in range(memory.banks)) if len(seat) > len(load) else ()
    )
    own = OwnBanks(units=crowd, channels=memory.separate_channels, seats=shared)
    one = what_if.observation(SHARED_BANK, own, what_if.after_s(apart), "banks")
    return [(heaviest, one)] if one is not None else []


def _wider(what_if: WhatIf) -> list[tuple[int, Observation]]:
    """What it saves to widen the narrow requests of a kernel (lanes) or of a loop (copies), all of them together."""
    facts, memory = what_if.assembly.facts, what_if.assembly.board.memory
    together: dict[tuple[int, ...], list[int]] = defaultdict(list)
    most = max([u.bytes for u in what_if.units], default=0.0)
    for place in range(len(what_if.units)):
        if _may_widen(what_if, place, memory, most):
            key = () if facts.model == "ndrange" else what_if.loops(place)
            if facts.model == "ndrange" or (key and not waits(what_if.intervals[key[-1]])):
                together[key].append(place)
    found = []
    for key, places in together.items():
        spent_s = _spent_s(what_if, places)
        if MOSTLY * spent_s < WORTH_REPORTING * what_if.total_s or (lanes := _lanes(what_if, key, places)) < 2:
            continue
        wide = {i: of_lanes(what_if, i, lanes) for i in places}
        after, by = (
            _more_copies(what_if, key[-1], lanes, wide) if key else _more_lanes(what_if, lanes, wide)
        )  # fmt: skip
        if after is not None and what_if.total_s - after > MOSTLY * spent_s:
            continue  # lanes help, but not because requests are narrow
        for place in places:
            widen = Widen(width_bytes=_anew_bytes(what_if, place), word_bytes=memory.word_bytes, by=by)
            one = what_if.observation(NARROW, widen, after, f"lanes {key}")
            found += [(place, one)] if one is not None else []
    return found


def of_lanes(what_if: WhatIf, place: int, lanes: int) -> MemoryUnit:
    """A unit whose requests are so many times as wide; of work-items in turns, each then uses more of its word."""
    unit, facts = what_if.units[place], what_if.assembly.facts
    update: dict[str, object] = {"width_bytes": unit.width_bytes * lanes, "lanes": unit.lanes * lanes}
    if unit.in_turns and all(same_for_all(facts, facts.loops[loop]) for loop in what_if.loops(place)):
        update["stride"] = max(1.0, unit.stride / lanes)
    return unit.model_copy(update=update)


def _more_copies(what_if: WhatIf, loop: int, lanes: int, wide: Mapping[int, MemoryUnit]) -> tuple[float, MoreCopies]:
    """The time with `lanes` copies of a loop's body, and what makes them.

    Where copies would wait for each other's value, several partial results take its place; a counter has none.
    """
    facts, now = what_if.assembly.facts, what_if.copies.get(loop, 1)
    factor = now * lanes
    apart, whole = what_if.after_s(wide, {**what_if.copies, loop: factor}), asked_whole(facts.loops[loop])
    counting = counters(facts, loop)
    if hands_on(facts, loop):
        links = chained(facts, loop)
        if links and all(in_any_order(one) and counting.isdisjoint(one.names) for one in links):
            return apart, MoreCopies(copies=lanes, partial=links[0].names[0], now=now, whole=whole)
        return what_if.total_s, MoreCopies(copies=lanes, now=now, whole=whole)
    handed_on = [one for one in facts.loops[loop].recurrences if counting.isdisjoint(one.names)]
    after = what_if.built_with(facts.simd, {loop: factor}, 1)
    if after is None or not handed_on or after < what_if.total_s * (1 - WORTH_REPORTING):
        return after if after is not None else apart, MoreCopies(copies=lanes, now=now, whole=whole)
    if not all(in_any_order(one) for one in handed_on):
        return after, MoreCopies(copies=lanes, now=now, whole=whole)
    return apart, MoreCopies(copies=lanes, partial=handed_on[0].names[0], now=now, whole=whole)


def _more_lanes(what_if: WhatIf, lanes: int, wide: Mapping[int, MemoryUnit]) -> tuple[float, MoreLanes]:
    """The time with `lanes` times as many work-items in a cycle, and what makes them."""
    simd = lanes * what_if.assembly.facts.simd
    if simd > MOST_LANES or why_not_simd(what_if.assembly.facts):
        return what_if.after_s(wide, more_lanes=lanes), MoreLanes(vector=lanes, simd=None)
    named = what_if.assembly.facts.work_group_size is not None
    after = what_if.built_with(simd, {}, 1) or what_if.after_s(wide, more_lanes=lanes)
    return after, MoreLanes(vector=lanes, simd=simd, names_group=named)


def _may_widen(what_if: WhatIf, place: int, memory: Memory, most: float) -> bool:
    """Whether more lanes make the requests of a unit wider: its neighbours lie in order, and it is the user's own.

    `most`: the bytes of the unit that moves most.
    """
    unit, access = what_if.units[place], what_if.assembly.facts.accesses[what_if.lsu(place).members[0]]
    lsu = what_if.lsu(place)
    # Copies of a nest have a unit each, and each unit walks in order though the copies begin far apart.
    own_units = lsu.count > 1 and lsu.count == lsu.lanes and unit.stride == 1 and not unit.apart
    own_units = own_units and not lanes_apart(what_if, place)
    in_order = unit.kind not in {"write_ack", "atomic"} and (lsu.stride == 1 or own_units)
    heavy = unit.bytes > 0 and unit.bytes >= WORTH_REPORTING * most
    return in_order and heavy and access.hint is None and unit.width_bytes < memory.word_bytes


def _spent_s(what_if: WhatIf, places: Sequence[int]) -> float:
    """The time that is spent on these units, or on requests that come one a cycle where they are."""
    own = {what_if.external[i] for i in places}
    loops = {what_if.loops(i)[-1] if what_if.loops(i) else None for i in places}
    return sum(t.time_s for t in what_if.terms if t.unit in own or (t.unit is None and t.loop in loops))


MOSTLY = 2.0
"""What wider requests save is no more than so many times the time that is spent on them."""


def _lanes(what_if: WhatIf, key: tuple[int, ...], places: Sequence[int]) -> int:
    """How many times as wide the requests may become: a whole word, as many work-items or iterations as there are."""
    facts, extent = what_if.assembly.facts, what_if.assembly.extent
    widest = max(what_if.units[i].width_bytes for i in places)
    lanes = min(MOST_LANES, int(what_if.assembly.board.memory.word_bytes // max(widest, 1)))
    if not key and facts.simd >= MOST_LANES:
        return max(1, min(lanes, power_of_two(what_if.room)))  # a vector for each work-item
    if not key:
        lanes = max(1, min(lanes, MOST_LANES // facts.simd))
        while lanes > 1 and not (lanes <= what_if.room or _lanes_fit(what_if, lanes)):
            lanes //= 2
        # The compiler refuses lanes that do not divide a work-group's first dimension.
        group = extent.local_size[0] if extent.local_size is not None else lanes * facts.simd
        return max(1, gcd(lanes, group // gcd(group, facts.simd)))
    trips = extent.trips[key[-1]]
    left = float(trips) / what_if.copies.get(key[-1], 1) if trips is not None else float(lanes)
    most = max(1, min(lanes, int(left), power_of_two(what_if.room)))
    return max((n for n in whole_factors(what_if, key[-1]) if n <= most), default=1)


def _lanes_fit(what_if: WhatIf, lanes: int) -> bool:
    """Whether the device holds a kernel with so many times as many lanes, where it can be built with them."""
    return not why_not_simd(what_if.assembly.facts) and what_if.holds(lanes, lanes=lanes)


def power_of_two(most: int) -> int:
    """The largest power of two that is no more than this; 1 at least."""
    return 1 << max(most, 1).bit_length() - 1
