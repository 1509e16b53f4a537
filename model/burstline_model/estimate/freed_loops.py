"""What lets the iterations of a loop start without waiting for each other."""

from __future__ import annotations

from math import prod

from burstline_model.estimate.after_change import WhatIf
from burstline_model.estimate.changes import Change, HandOn, Ivdep, LastInRegisters, LoadBefore, OwnArray, PrivateCopy
from burstline_model.estimate.copies_on_chip import MOST_BYTES
from burstline_model.estimate.kernel_estimate import Lever, LoopEstimate
from burstline_model.estimate.waiting_loops import adds_up, promised
from burstline_model.facts import Access, KernelFacts
from burstline_model.parallelism.loop_copies import constant_trips
from burstline_model.pipeline.dependence import Dependence, dependences, side_by_side, stays, undecided
from burstline_model.pipeline.waits import AskedInterval, Carried, EndsByLoad, InnerTripsVary


def waiting_lever(what_if: WhatIf, one: LoopEstimate) -> Lever | None:
    """What lets the iterations of a loop start without waiting; None where they carry too much."""
    interval = what_if.intervals[one.loop]
    plain: Change = "partial_results"
    if isinstance(one.serialised_by, InnerTripsVary):
        plain = "even_inner_loops" if one.serialised_by.by == "counters" else "one_loop"
    if isinstance(one.serialised_by, AskedInterval):
        plain = "remove_pragma_ii"
    if one.serialised_by == "not_pipelined":
        plain = "remove_pragma_disable"
    if one.serialised_by == "one_at_a_time":
        plain = "more_concurrency"
    if isinstance(one.serialised_by, EndsByLoad):
        plain = "known_end"
    if plain == "partial_results" and interval.recurrence is not None and interval.recurrence.looked_up:
        plain = LastInRegisters(pointer=interval.recurrence.names[0])
    through = interval.dependence if not isinstance(interval.serialised_by, Carried) else None
    facts = what_if.assembly.facts
    change = _for(facts, through, one.loop) if through is not None else plain
    if isinstance(change, HandOn) and through is not None and _carried_elements(what_if, through) > LONGEST_REGISTER:
        return None
    if isinstance(change, PrivateCopy) and through is not None and _copied_bytes(what_if, through) > MOST_BYTES:
        return None
    known = through is None or _frees(facts, change, through)
    return Lever(change=change, after_s=one.after_s if known else None, loop=one.loop)


LONGEST_REGISTER = 1 << 16
"""Most elements, a few rows of an image, that a shift register carries from one iteration to the next."""


def _carried_elements(what_if: WhatIf, through: Dependence) -> float:
    """The elements carried from one iteration of a loop to the next: one for each iteration of the loops inside."""
    loops = what_if.assembly.facts.accesses[through.store].loops
    inside = loops[loops.index(through.loop) + 1 :] if through.loop in loops else ()
    return prod(float(what_if.assembly.extent.trips[i] or 1) for i in inside)


def _copied_bytes(what_if: WhatIf, through: Dependence) -> float:
    """The bytes that a copy of what an iteration stores for the next one would need at least."""
    store = what_if.assembly.facts.accesses[through.store]
    return _carried_elements(what_if, through) * store.element_bytes


def _frees(facts: KernelFacts, change: Change, through: Dependence) -> bool:
    """Whether a change leaves the loop without anything in memory to wait for, so that its time is known."""
    if isinstance(change, Ivdep):
        own = dependences(facts, facts.loops[through.loop])
        return all(undecided(facts, one) and facts.accesses[one.store].pointer == change.pointer for one in own)
    if isinstance(change, PrivateCopy) and not change.bins:
        return False  # all of a buffer of no known size would have to be on the chip
    return through.why != "pattern" or isinstance(change, HandOn)


def followed_lever(what_if: WhatIf, loop: int) -> Lever | None:
    """What helps where each address is loaded from where the one before led to."""
    one = what_if.intervals[loop].recurrence
    if one is None or all(s.operation != "global load" for s in one.steps):
        return None
    return Lever(change="copy_what_is_followed")


def _for(facts: KernelFacts, one: Dependence, loop: int) -> Change:
    """What to do about a dependence through memory that a loop waits for."""
    store, load = facts.accesses[one.store], facts.accesses[one.load]
    if store.pointer != load.pointer:
        return "restrict"
    if store.loops != load.loops and loop not in {store.loops[-1], load.loops[-1]} and one.why == "same place":
        if load.id < store.id:  # an iteration loads what the one before has stored
            return PrivateCopy(pointer=store.pointer, bins=False)
        return OwnArray(pointer=store.pointer, loop=facts.loops[loop].variable or "")
    if one.why == "data-dependent" and stays(facts, facts.loops[loop], load):
        return LoadBefore(place=load.place)
    if one.why == "data-dependent" and one.space == "global":
        return _for_any_place(one, store, load)
    if one.why == "data-dependent":
        return LastInRegisters(pointer=store.pointer)
    if one.why == "same place" or (one.proven and one.distance is not None):
        row = side_by_side(facts, facts.loops[loop], store, load)
        many = prod(constant_trips(facts.loops[i]) or 1 for i in row)
        return HandOn(element=f"{store.pointer}[{store.index}]", many=many)
    if promised(facts, one):
        return Ivdep(pointer=store.pointer)
    if one.space == "local":
        return LastInRegisters(pointer=store.pointer)
    return PrivateCopy(pointer=store.pointer, bins=False)


def _for_any_place(one: Dependence, store: Access, load: Access) -> Change:
    """What to do where data choose what is stored and what is loaded, in one buffer of the global memory.

    A copy on the chip counts what is added up there; a store that owes nothing to the load waits without need, unless
    both touch one place.
    """
    if one.steps is None:
        return Ivdep(pointer=store.pointer)
    adds = (store.index, store.loops) == (load.index, load.loops) and adds_up(one.steps)
    return PrivateCopy(pointer=store.pointer, bins=adds)
