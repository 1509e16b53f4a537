"""What would move a kernel's time, from what limits it: the change with the largest gain first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from burstline_model.estimate.after_change import WORTH_REPORTING, WhatIf
from burstline_model.estimate.again import neighbours_tiles, read_again, spares_nothing
from burstline_model.estimate.causes import causes_of
from burstline_model.estimate.changes import (
    Change,
    CopyOnChip,
    ExchangeIds,
    Interchange,
    Ivdep,
    KeepTogether,
    LessHardware,
    LocalTile,
    LongerGroups,
    MoreCopies,
    MoreLanes,
    MoreUnits,
    NeighboursInOrder,
    NoAlias,
    OneStructure,
    OwnBanks,
    PrivateArray,
    RowTile,
    SlidingWindow,
    UnrollAndJam,
    Widen,
)
from burstline_model.estimate.copies_on_chip import copies_on_chip
from burstline_model.estimate.diagonals import rows_in_step
from burstline_model.estimate.freed_loops import followed_lever, waiting_lever
from burstline_model.estimate.group_trees import combined_first
from burstline_model.estimate.jammed import jams_around, jams_of
from burstline_model.estimate.kernel_estimate import Lever, Limit, LoopEstimate, Term, UnitEstimate
from burstline_model.estimate.more_hardware import (
    built_wider,
    more_copies,
    more_lanes,
    more_units,
    moves_alone,
    shares_words,
    unrolled,
    walks,
    whole_nest,
    whole_triangle,
)
from burstline_model.estimate.stencil_windows import windowed_copies, windows
from burstline_model.estimate.waiting_loops import waits, waits_for_values
from burstline_model.estimate.wider_items import as_long_as_data_come, wider_items, wider_streams
from burstline_model.facts import KernelFacts
from burstline_model.parallelism.alias import HIDDEN
from burstline_model.parallelism.loop_copies import asked_channels, asked_whole, constant_trips, has_barrier
from burstline_model.parallelism.simd_limits import one_is_enough, why_not_simd
from burstline_model.pipeline.barriers import Barriers


def levers_of(
    what_if: WhatIf, units: Sequence[UnitEstimate], loops: Sequence[LoopEstimate], limit: Limit, cause: Term | None
) -> tuple[Lever, ...]:
    """What to do, the most useful first. `units` are those on the external memory."""
    facts = what_if.assembly.facts
    if one_is_enough(facts) and what_if.assembly.extent.work_items != 1:
        return (*(Lever(change=one) for one in what_if.to_fit), Lever(change="one_work_item"))
    waiting = sorted((one for one in loops if one.gain >= WORTH_REPORTING), key=lambda one: -one.gain)
    first = _that_fits(what_if, units)
    freed = [(lever, one) for one in waiting if (lever := waiting_lever(what_if, one)) is not None]
    # What iterations wait for is worth no more than that they do not, where what helps is not known well enough.
    most_s = {lever: one.gain * what_if.total_s for lever, one in freed}
    found = _short_loops(what_if, [lever for lever, _ in freed])
    first += [lever for lever in (followed_lever(what_if, i) for i in range(len(loops))) if lever is not None]
    if limit == "work_items":
        first.append(Lever(change=_for_few_items(facts, cause.loop if cause is not None else None)))
    exchange = [o for unit in units for o in unit.observations if isinstance(o.change, ExchangeIds | LongerGroups)]
    found += [Lever(change=one.change, after_s=one.after_s) for one in exchange[:1]]
    again = [(lever, unit) for unit in units if (lever := read_again(what_if, unit, units, exchange)) is not None]
    # What is not read again saves no more than it takes by itself, and no requests unless it comes in order.
    of_memory = {
        lever for lever, unit in again if limit == "memory" and not spares_nothing(what_if, lever, unit, units)
    }
    saves = {lever: lever in of_memory or isinstance(lever.change, RowTile | Interchange) for lever, _ in again}
    most_s |= {lever: (unit.share or 0.0) * what_if.total_s if saves[lever] else 0.0 for lever, unit in again}
    worth_s = WORTH_REPORTING * what_if.total_s
    again = [
        (lever, unit)
        for lever, unit in again
        if lever.after_s is not None or (_shows(lever, unit) and (limit != "memory" or most_s[lever] >= worth_s))
    ]
    found += [lever for lever, _ in again]
    tiles = [*neighbours_tiles(what_if), *windows(what_if), *copies_on_chip(what_if)] if limit == "memory" else []
    found = [*(one for one in found if one.change not in {tile.change for tile in tiles}), *tiles]
    seen = [places[0] for places in causes_of(facts, units)]
    ordered = {one.change.pointer for one in found if isinstance(one.change, RowTile | Interchange)}
    for unit, one in sorted(seen, key=lambda s: -s[1].gain):
        if isinstance(one.change, NeighboursInOrder) and one.change.pointer in ordered:
            continue  # how they come to be in order is said already
        around = facts.accesses[unit.lsu.members[0]].loops
        found.append(Lever(change=one.change, after_s=one.after_s, seen_in=around[-1] if around else None))
    found += _of_limit(what_if, units, limit, cause, first=not seen)
    found += _copied_apart(what_if, limit, cause) if not first and not found else []
    found += _short_chain(what_if, limit, cause) if not first and not found else []
    found = _with_promise(what_if, found)
    least_s = min((one.after_s for one in found if one.after_s is not None), default=what_if.total_s)
    # What is as fast otherwise needs less of the text changed.
    jams = jams_of(what_if, units)
    little = least_s > SIDE_BY_SIDE * what_if.total_s and limit in {"pipeline", "issue"}
    if little and not jams and (asking := _asking(what_if, cause)) is not None:
        jams = jams_around(what_if, asking)
    found += [one for one in jams if (one.after_s or 0.0) * CLOSE < least_s]
    if not first and not found and limit == "memory":
        found += _next_to_memory(what_if, units) or wider_streams(what_if)
        atomic = cause is not None and cause.unit is not None and what_if.assembly.lsus[cause.unit].op == "atomic"
        found = found or ([] if atomic else [Lever(change=_for_memory(what_if.total_s, units))])
    if not first and not found and limit in {"pipeline", "dependence"} and cause is not None and cause.loop is not None:
        found += rows_in_step(what_if, cause.loop)
    if not first and not found and limit == "pipeline" and _hands_on(what_if, cause):
        found.append(Lever(change="more_chains"))
    if not first and not found and limit == "dependence" and cause is not None and cause.loop is not None:
        chained = waits_for_values(what_if.assembly.facts, what_if.intervals[cause.loop])
        found += [Lever(change="chains_in_turn")] if chained else []
    return tuple(dict.fromkeys((*first, *by_what_remains(what_if.total_s, found, most_s))))


SIDE_BY_SIDE = 0.5
"""Where other changes leave more than this share of the time, it is looked what iterations side by side leave."""


def _that_fits(what_if: WhatIf, units: Sequence[UnitEstimate]) -> list[Lever]:
    """What makes a kernel fit that does not: no printf before less hardware, since each copy of one is a store."""
    facts = what_if.assembly.facts
    prints = any(facts.accesses[unit.lsu.members[0]].hint == HIDDEN for unit in units)
    if not prints or not any(isinstance(one, LessHardware) for one in what_if.to_fit):
        return [Lever(change=one) for one in what_if.to_fit]
    without = [o for unit in units for o in unit.observations if o.change == "remove_printf"]
    return [Lever(change="remove_printf", after_s=without[0].after_s if without else None)]


def _hands_on(what_if: WhatIf, cause: Term | None) -> bool:
    """Whether the loop that limits a single work-item kernel starts an iteration a cycle, which needs the one before.

    What works on channels takes what they bring, but for those that it sends through to itself.
    """
    facts, loop = what_if.assembly.facts, cause.loop if cause is not None else None
    sent, taken = ({c.channel for c in facts.channels if c.op == op} for op in ("write", "read"))
    if loop is None or facts.model == "ndrange" or sent != taken or not facts.loops[loop].carries:
        return False
    interval = what_if.intervals[loop]
    trips = prod(what_if.assembly.extent.trips[i] or 0 for i in (*facts.loops_around(loop), loop))
    starts = float(trips) / what_if.now.f_max_hz
    return (interval.ii or 0) == 1 and cause is not None and cause.time_s <= STARTS * starts


STARTS = 1.5
"""Up to so many times the cycles in which its iterations start, it is they that a loop's time is spent on."""


def _with_promise(what_if: WhatIf, found: Sequence[Lever]) -> list[Lever]:
    """What was found, and restrict on all pointers with its time, where that pays."""
    after_s = what_if.promised_apart()
    if after_s is None or after_s > (1 - WORTH_REPORTING) * what_if.total_s:
        return [*found]
    known = min([after_s, *(one.after_s for one in found if one.change == "restrict" and one.after_s is not None)])
    if any(one.change == "restrict" for one in found):
        return [one.model_copy(update={"after_s": known}) if one.change == "restrict" else one for one in found]
    return [*found, Lever(change="restrict", after_s=known)]


def _for_few_items(facts: KernelFacts, loop: int | None) -> Change:
    """What to do where too few work-items fill the pipeline; `loop`: that few of them run."""
    if loop is None:
        return "more_work_items"
    own = facts.loops[loop]
    inside = facts.accesses_in(own)
    stored = {a.pointer for a in inside if a.op != "load"}
    read = {a.pointer for a in inside if a.op == "load"}
    local = bool(stored) and all(a.space == "local" for a in inside if a.op != "load")
    counted = all(name in stored or _follows_counters(facts, name) for name in own.carries)
    apart = not own.recurrences and counted and stored.isdisjoint(read)
    return "share_loop" if local and apart else "loop_as_kernel"


def _follows_counters(facts: KernelFacts, name: str) -> bool:
    """Whether a variable that iterations hand on is an integer which counters and arguments alone decide."""
    own = [s for s in facts.symbols.values() if s.kind == "carried" and s.name.partition("#")[0] == name]
    behind = (facts.symbols.get(on) for symbol in own for on in symbol.depends_on)
    return bool(own) and all(s is None or s.kind != "loaded" for s in behind)


def _shows(lever: Lever, unit: UnitEstimate) -> bool:
    """Whether a change matters: a window takes requests of several words off the memory, whatever hides them."""
    return bool(unit.share) or isinstance(lever.change, SlidingWindow)


def by_what_remains(total_s: float, found: Sequence[Lever], most_s: Mapping[Lever, float]) -> list[Lever]:
    """Changes in the order of the time after them; the safest first among those that leave about the same.

    `total_s` is the time now in seconds, `most_s` what a change may save at most whose time is not known. One that is
    known to save about as much goes before tiles and other orders of loops, and what leaves less than `UNITS_COST`
    times as long before more compute units: these copy the whole kernel, its load/store units and their way to the
    memory too.
    """
    left_s = {one: total_s - most_s.get(one, 0.0) if one.after_s is None else one.after_s for one in found}
    left_s |= {one: min(total_s, UNITS_COST * left_s[one]) for one in found if isinstance(one.change, MoreUnits)}
    least_s = min((one.after_s for one in found if one.after_s is not None), default=total_s)
    for one in found:
        tile = one.after_s is None and isinstance(one.change, RowTile | LocalTile | Interchange)
        if tile and total_s - least_s >= SURE * (total_s - left_s[one]):
            left_s[one] = max(left_s[one], least_s * CLOSE**2)
    waiting = sorted(found, key=lambda one: left_s[one])
    ordered: list[Lever] = []
    while waiting:
        close = [one for one in waiting if left_s[one] <= left_s[waiting[0]] * CLOSE]
        ordered += sorted(close, key=lambda one: (reach(one.change), _writes_anew(one.change), found.index(one)))
        waiting = waiting[len(close) :]
    return ordered


SURE = 0.8
"""The share of the most that a change may save from which on one that is known to save it is preferred."""
UNITS_COST = 2.0
"""So many times as long may another change leave, and goes before more compute units."""
CLOSE = 1.05
"""Times up to so many times as long as another count as about the same."""


def _writes_anew(change: Change) -> bool:
    """Whether a change needs another text, where a pragma is enough for others."""
    return isinstance(change, RowTile | LocalTile | CopyOnChip) or (
        isinstance(change, NeighboursInOrder) and not change.fields
    )


def reach(change: Change) -> int:
    """How much a change takes: the kernel's text alone (0), a promise or a guess about it (1), or the host too (2)."""
    if isinstance(change, ExchangeIds | LongerGroups | OwnBanks | OneStructure) or (
        isinstance(change, KeepTogether) and change.strides
    ):
        return 2
    if isinstance(change, UnrollAndJam):
        return int(bool(change.apart))
    if isinstance(change, KeepTogether):
        return int(not change.unrolls)  # a barrier costs, too, and in which order work-items ask is a guess
    return int(isinstance(change, Ivdep | NoAlias | PrivateArray) or change in {"restrict", "partial_results"})


def _for_memory(total_s: float, units: Sequence[UnitEstimate]) -> Change:
    """What to do about a memory that takes the time, where nothing is known to be wrong with a unit."""
    if not _words_are_full(units):
        return "fuller_words"
    alone = sum(unit.t_ideal_s or 0.0 for unit in units)
    narrow = len(units) > 1 and max(unit.lsu.width_bits for unit in units) < WIDE
    return "fewer_units" if narrow and alone < MOSTLY * total_s else "less_data"


WIDE = 512
"""Bits of a request that asks for a whole word of the widest memories."""


def _words_are_full(units: Sequence[UnitEstimate]) -> bool:
    """Whether most of what all units move is used."""
    moved = sum((u.bandwidth_bytes_s or 0.0) * (u.time_s or 0.0) for u in units)
    used = sum((u.useful_bytes_s or 0.0) * (u.time_s or 0.0) for u in units)
    return used >= MOSTLY * moved


MOSTLY = 0.75
"""The share of the bytes of words from which on they count as used."""


def _next_to_memory(what_if: WhatIf, units: Sequence[UnitEstimate]) -> list[Lever]:
    """Copies of the loop that takes most of what a single work-item kernel does not spend on its memory."""
    parts = [p for p in what_if.now.pipeline.parts if p.kind != "memory" and p.loops]
    if what_if.assembly.facts.model == "ndrange" or not what_if.now.through_pipeline or not parts:
        return []
    slow = max(parts, key=lambda part: part.cycles)
    time_s = slow.cycles / what_if.now.f_max_hz
    if time_s < WORTH_REPORTING * what_if.total_s:
        return []
    return _of_limit(
        what_if, units, "pipeline", Term(limit="pipeline", loop=slow.loops[-1], time_s=time_s), first=False
    )


def _of_limit(
    what_if: WhatIf, units: Sequence[UnitEstimate], limit: Limit, cause: Term | None, *, first: bool
) -> list[Lever]:  # fmt: skip
    """More of what limits a kernel: copies of a loop, compute units; `first`: no unit has advice of its own."""
    facts = what_if.assembly.facts
    if limit == "pipeline" and cause is not None and cause.loop is not None:
        if asked_channels(facts, facts.loops[cause.loop]):
            return _wider_items(what_if, cause.loop)
        if cause.loop in _widened(facts, units):
            return []  # copies of its body are asked for already, as many as fill a request
        barrier = has_barrier(facts, cause.loop)
        copied = [] if barrier else _copied(what_if, cause.loop)
        apart = facts.model == "ndrange" and not facts.channels and why_not_simd(facts) is not None
        fewer = combined_first(what_if, units, cause) if barrier else []
        found = [*copied, *fewer, *(_in_units(what_if) if barrier or apart else ())]
        return found or (_side_by_side(what_if) if first else [])
    if limit == "issue" and (narrow := _asking(what_if, cause)) is not None:
        if facts.model != "ndrange":
            # Copies would come to the channel in turn: it takes one item a cycle.
            return _copied(what_if, narrow) or _wider_items(what_if, narrow)
        copies, after = built_wider(what_if, narrow)
        if copies > 1:
            return [more_copies(what_if, narrow, copies, after)]
    if limit == "memory" and (along := _walking(what_if, cause)) is not None:
        copies, after = built_wider(what_if, along)
        return [more_copies(what_if, along, copies, after)] if copies > 1 else []
    if (limit == "pipeline" or (limit == "issue" and first)) and facts.channels and facts.model == "ndrange":
        each = tuple(c for c in facts.channels if not c.loops and not c.guards)
        # Work-items reach a channel one by one: no lanes are built.
        return wider_items(what_if, each) if each else [Lever(change="more_per_item")]
    found = _side_by_side(what_if) if first and limit in {"pipeline", "issue"} else []
    return found or ([Lever(change="more_work")] if limit == "pipeline" and first and what_if.room > 1 else [])


def _wider_items(what_if: WhatIf, loop: int) -> list[Lever]:
    """Vectors in place of the items that a loop asks of channels, where it asks any in each cycle."""
    facts = what_if.assembly.facts
    asked = asked_channels(facts, facts.loops[loop])
    return wider_items(what_if, asked) if asked and not as_long_as_data_come(what_if, loop) else []


def _side_by_side(what_if: WhatIf) -> list[Lever]:
    """More work-items in each cycle, as lanes or in more compute units: what leaves less."""
    facts = what_if.assembly.facts
    if facts.model != "ndrange" or facts.channels:
        return []
    lanes, after = more_lanes(what_if)
    change = MoreLanes(vector=lanes, simd=facts.simd * lanes, names_group=facts.work_group_size is not None)
    wider = [Lever(change=change, after_s=after)] if lanes > 1 else []
    return by_what_remains(what_if.total_s, [*wider, *_in_units(what_if)], {})[:1]


def _in_units(what_if: WhatIf) -> list[Lever]:
    """More compute units, where they pay."""
    times, after = more_units(what_if)
    units = MoreUnits(units=what_if.assembly.facts.compute_units * times)
    return [Lever(change=units, after_s=after)] if times > 1 else []


def _short_loops(what_if: WhatIf, found: Sequence[Lever]) -> list[Lever]:
    """What to do about loops that wait, those unrolled whole that have no more iterations than partial results."""
    left: list[Lever] = []
    for lever in found:
        loop = what_if.assembly.facts.loops[lever.loop] if lever.loop is not None else None
        waits = what_if.intervals[loop.id].ii if loop is not None and lever.change == "partial_results" else None
        trips = constant_trips(loop) if loop is not None else None
        if loop is None or waits is None or trips is None or not 1 < trips <= waits:
            left.append(lever)
            continue
        whole = _copied(what_if, loop.id)
        left += whole or [lever]
    return left


def _copied(what_if: WhatIf, loop: int) -> list[Lever]:
    """Copies of a loop's body, where need be with a window for what they would load several times."""
    found, after = unrolled(what_if, loop)
    if not found or list(found) == [loop]:
        nest, then = whole_nest(what_if, loop, after if found else what_if.total_s)
        found, after = (nest, then) if len(nest) > 1 else (found, after)
        nest, then = whole_triangle(what_if, loop, after if found else what_if.total_s)
        found, after = (nest, then) if nest else (found, after)
    if found:
        return [_of_all(what_if, loop, found, after)]
    if shares_words(what_if, loop):
        copies, after = built_wider(what_if, loop)
        if copies > 1:
            return [more_copies(what_if, loop, copies, after)]
    if what_if.assembly.facts.model == "ndrange":
        return []
    return windowed_copies(what_if, loop)


def _of_all(what_if: WhatIf, loop: int, found: Mapping[int, int], after_s: float) -> Lever:
    """Copies of a loop's body, and of those of other loops, with the time after them in seconds."""
    loops = what_if.assembly.facts.loops
    texts = {(loops[i].span, loops[i].variable) for i in found}
    now = what_if.copies.get(loop, 1)
    whole = any(asked_whole(loops[i]) for i in found)
    most, least = max(found.values()), min(found.values())
    around = not found.keys().isdisjoint(what_if.assembly.facts.loops_around(loop))
    shifts = all(moves_alone(what_if.assembly.facts, loops[i]) for i in found)
    many = MoreCopies(copies=most, least=least, loops=len(texts), now=now, whole=whole, nest=around, shifts=shifts)
    others = tuple((i, n) for i, n in found.items() if i != loop)
    return Lever(change=many, after_s=after_s, loop=loop, copies=found[loop], others=others)


def _short_chain(what_if: WhatIf, limit: Limit, cause: Term | None) -> list[Lever]:
    """Copies of all iterations of a few loops that hand a value on: a loop around them starts them one after the other.

    The operations stay one after the other, in one pipeline.
    """
    loop = cause.loop if limit == "dependence" and cause is not None else None
    if loop is None or what_if.assembly.facts.model == "ndrange":
        return []
    every = what_if.assembly.facts.loops
    while len(inside := [one.id for one in every if one.parent == loop]) == 1:
        loop = inside[0]
    found, after = whole_nest(what_if, loop, what_if.total_s)
    return [_of_all(what_if, loop, found, after)] if found else []


def _copied_apart(what_if: WhatIf, limit: Limit, cause: Term | None) -> list[Lever]:
    """Copies of the loop that limits a single work-item kernel, each of which asks for words of its own."""
    facts, loop = what_if.assembly.facts, cause.loop if limit == "pipeline" and cause is not None else None
    if loop is None or facts.model == "ndrange" or loop in Barriers(facts).loops or waits(what_if.intervals[loop]):
        return []
    copies, after = built_wider(what_if, loop)
    return [more_copies(what_if, loop, copies, after)] if copies > 1 else []


def _asking(what_if: WhatIf, cause: Term | None) -> int | None:
    """The loop that a unit asks in each cycle for less than a word in, if copies may be made."""
    facts = what_if.assembly.facts
    if cause is None:
        return None
    place = next((p for p, n in enumerate(what_if.external) if n == cause.unit), None)
    loops = what_if.loops(place) if place is not None else ()
    own = loops[-1] if loops else cause.loop
    return own if own is not None and own not in Barriers(facts).loops else None


def _walking(what_if: WhatIf, cause: Term | None) -> int | None:
    """The loop along which each work-item reads neighbours that the work-items read a word each for."""
    facts, loop = what_if.assembly.facts, _asking(what_if, cause)
    if loop is None or cause is None or facts.model != "ndrange":
        return None
    place = what_if.external.index(cause.unit) if cause.unit is not None else None
    if place is None or what_if.lsu(place).op != "load":
        return None
    return loop if walks(what_if, place, loop) else None


def _widened(facts: KernelFacts, units: Sequence[UnitEstimate]) -> set[int]:
    """The loops of which copies are asked for to widen requests, by their id."""
    found = set[int]()
    for unit in units:
        loops = facts.accesses[unit.lsu.members[0]].loops
        changes = (one.change for one in unit.observations)
        if loops and any(isinstance(one, Widen) and isinstance(one.by, MoreCopies) for one in changes):
            found.add(loops[-1])
    return found
