"""What more copies of a loop's body, or more compute units, would save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from burstline_model.compiler.groups import WIDEST_GAP
from burstline_model.estimate.after_change import MOST_COPIES, MOST_LANES, WORTH_REPORTING, WhatIf, steps_of
from burstline_model.estimate.changes import MoreCopies
from burstline_model.estimate.kernel_estimate import Lever
from burstline_model.estimate.waiting_loops import hands_on, starts_anew, waits
from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.parallelism.loop_copies import asked_channels, asked_whole, constant_trips, has_barrier
from burstline_model.parallelism.simd_limits import why_not_simd
from burstline_model.parallelism.triangles import triangles_of


def whole_factors(what_if: WhatIf, loop: int) -> list[int]:
    """By how much more a loop can be unrolled and leave no iterations over: powers of two where the count may vary."""
    facts = what_if.assembly.facts
    if facts.loops[loop].trip is None:
        return []  # nothing counts it: whether another iteration follows is known at the end of one
    if asked_channels(facts, facts.loops[loop]):
        return []  # such a loop stays rolled
    if any(0 < apart < MOST_COPIES for _, apart in facts.loops[loop].safelen):
        return []  # copies of iterations that are so far apart may meet in one iteration of hardware
    if has_barrier(facts, loop):
        return []  # it may stay rolled, too: copies with iterations left over behind them would move the barrier
    count = constant_trips(facts.loops[loop])
    own, trips = what_if.copies.get(loop, 1), what_if.assembly.extent.trips[loop]
    if count is None and facts.loops[loop].by_data:
        return []  # a copy would wait for what the one before finds
    if count is not None and count <= MOST_MOVES and moves_alone(facts, facts.loops[loop]):
        return [count // own] if count > own else []  # then the array is in registers
    if count is not None:
        most = MOST_LANES if facts.channels else MOST_COPIES  # other kernels of a network may wait for more
        return [n for n in range(2, most + 1) if count % (own * n) == 0]
    return [n for n in (2, 4, 8, 16) if trips is None or n <= trips]


def moves_alone(facts: KernelFacts, loop: Loop) -> bool:
    """Whether iterations do nothing but move elements of an array on the chip, as those of a shift register do."""
    inside = any(other.parent == loop.id for other in facts.loops) or facts.accesses_in(loop)
    channels = any(loop.id in one.loops for one in facts.channels)
    works = any(loop.id in one.loops and one.copied_by != () for one in facts.operations)
    if inside or channels or works:
        return False
    own = [a for a in facts.private_accesses if loop.id in a.loops]
    # What data pick elements of stays in memory blocks, which have two ports.
    picked = {one.name for one in facts.arrays if one.picked_by is None}
    stores = [a for a in own if a.op == "store"]
    return bool(stores) and all(a.pointer not in picked and any(_moves_on(b, a) for b in own) for a in stores)


def _moves_on(load: Access, store: Access) -> bool:
    """Whether a store puts an element of an array where it is some places further on."""
    if load.op != "load" or load.pointer != store.pointer or load.offset is None or store.offset is None:
        return False
    return bool((store.offset - load.offset).constant)


MOST_MOVES = 8192
"""The most elements that a shift register may have: longer ones take longer to compile than anyone waits."""

LITTLE_SAVED = 0.6
"""What is left of a time where copies of one loop alone save little, as others take more than that."""


def unrolled(what_if: WhatIf, loop: int) -> tuple[dict[int, int], float]:
    """How many times as many copies of loops pay most, by loop, and the kernel's time with them in seconds.

    They are those of one loop where that is enough, and of all calls of a function that it is in: they have one text.
    Where other loops take as long at the same time, no copies of one pay alone, and they are those of all of them. So
    they are where others take nearly as long, and leave little for copies of one to save.
    """
    own = _of_one_text(what_if, loop)
    found, after = _with_copies(what_if, [own])
    if not found and (others := _as_slow(what_if, own)):
        return _with_copies(what_if, [own, *others])
    if found and after > LITTLE_SAVED * what_if.total_s and (others := _as_slow(what_if, own, LITTLE_SAVED)):
        together, with_all = _with_copies(what_if, [own, *others])
        return (together, with_all) if together and with_all < LITTLE_SAVED * after else (found, after)
    return found, after


def whole_nest(what_if: WhatIf, loop: int, after_s: float) -> tuple[dict[int, int], float]:
    """How many times as many copies a loop and those around it have, unrolled whole, and the time then in seconds.

    A loop that is unrolled leaves its body to the loop around, whose few iterations can be side by side, too. Compilers
    that unroll one of them unasked leave that to the pragmas where there are some, so that each gets its own. Fewer
    than two loops where more of them do not pay, next to the time `after_s`.
    """
    facts, found, least = what_if.assembly.facts, dict[int, int](), after_s
    best = found
    for one in (loop, *reversed(facts.loops_around(loop))):
        own, now = facts.loops[one], what_if.copies.get(one, 1)
        inside = {other.id for other in facts.loops if other.parent == one}
        trips = constant_trips(own) if own.unroll is None and own.kind == "for" and not own.early_exit else None
        times = prod(found.values()) * (trips or 0) // now
        factors = {1} if trips == now else set(whole_factors(what_if, one))
        if not trips or trips // now not in factors or not inside <= found.keys() or times > MOST_COPIES:
            break
        found = {**found, one: trips // now}
        held = len(_of_one_text(what_if, one)) == 1 and not hands_on(facts, one)
        more = _times(what_if, found)
        tried = what_if.built_with(facts.simd, more, 1) if held and what_if.holds(times, copies=more) else None
        if tried is None:
            break
        if tried < least * (1 - WORTH_REPORTING):
            best, least = found, tried
    return best, least


def whole_triangle(what_if: WhatIf, loop: int, after_s: float) -> tuple[dict[int, int], float]:
    """How many times as many copies the loops of a triangle around a loop have, unrolled whole, and the time then.

    The counter of one gives the length of the next, so copies that have no iteration are counted as well: the time in
    seconds is not too short. Nothing where it does not pay, next to the time `after_s`.
    """
    facts = what_if.assembly.facts
    for found in triangles_of(facts):
        now = {i: what_if.copies.get(i, 1) for i in found}
        if loop not in found or any(now[i] not in {1, most} for i, most in found.items()):
            continue
        more = {i: most // now[i] for i, most in found.items()}
        times = prod(many for i, many in more.items() if i in (*facts.loops_around(loop), loop))
        tried = what_if.built_with(facts.simd, found, 1) if times > 1 and what_if.holds(times, copies=found) else None
        # Loops in copies of one loop have lengths of their own: no other number of copies divides all of them.
        worth = after_s * (1 - WORTH_REPORTING) if set(now.values()) == {1} else after_s
        if tried is not None and tried <= worth:
            return more, tried
    return {}, after_s


def _of_one_text(what_if: WhatIf, loop: int) -> tuple[int, ...]:
    """A loop, and the same one in other calls of its function: no pragma is for one of them."""
    facts = what_if.assembly.facts
    text = facts.loops[loop].span, facts.loops[loop].body, facts.loops[loop].variable
    return (loop, *(o.id for o in facts.loops if (o.span, o.body, o.variable) == text and o.id != loop))


def _as_slow(what_if: WhatIf, loops: Sequence[int], part: float = 1 - WORTH_REPORTING) -> list[tuple[int, ...]]:
    """Other loops that take as many cycles as the one that sets the time, or this part, and run at the same time."""
    blocks = what_if.now.pipeline.blocks
    slow = max((b.comp for b in blocks if b.loops and b.loops[-1] in loops), default=0.0)
    around = {b.loops[:n] for b in blocks for n in range(len(b.loops))}
    found: dict[tuple[int, ...], None] = {}
    for block in sorted(blocks, key=lambda b: -b.comp):
        alike = block.comp >= slow * part and block.loops and block.loops not in around
        if alike and block.loops[-1] not in loops and not any(block.loops[-1] in one for one in found):
            found[_of_one_text(what_if, block.loops[-1])] = None
    return list(found)


def _with_copies(what_if: WhatIf, texts: Sequence[tuple[int, ...]]) -> tuple[dict[int, int], float]:
    """The copies of some loops that pay most together, one number for those of one text, and the time with them."""
    nothing = dict[int, int](), what_if.total_s
    facts = what_if.assembly.facts
    chained = {i for one in texts for i in one if hands_on(facts, i)}
    if not all(starts_anew(facts, i) for i in chained):
        return nothing
    # Copies of one text are as many in each call, so that no iterations are left over in any.
    whole = [sorted(set.intersection(*(set(whole_factors(what_if, i)) for i in one))) for one in texts]
    # A chain that all iterations follow ends with the loop: what is left is a way through the loop around.
    for place, (i, *_) in enumerate(texts):
        if i in chained:
            whole[place] = [n for n in whole[place] if n * what_if.copies.get(i, 1) == constant_trips(facts.loops[i])]
    best, after = nothing
    for most in sorted(set().union(*whole)):
        factors = [max((n for n in each if n <= most), default=1) for each in whole]
        copies = {i: n for one, n in zip(texts, factors, strict=True) for i in one}
        if not what_if.holds(most, copies=_times(what_if, copies)):
            break
        more = _times(what_if, copies)
        # Loops that take as long as others widen requests, too, or these would hold them all up.
        tried = what_if.built_with(what_if.assembly.facts.simd, more, 1) if len(texts) > 1 else None
        tried = what_if.after_s(copies={**what_if.copies, **more}) if tried is None else tried
        if tried < after * (1 - WORTH_REPORTING):
            best, after = copies, tried
        elif len(texts) == 1:
            break
    if not best:
        return nothing
    after = what_if.built_with(what_if.assembly.facts.simd, _times(what_if, best), 1) or after
    return (best, after) if after < what_if.total_s * (1 - WORTH_REPORTING) else (nothing[0], after)


def _times(what_if: WhatIf, more: Mapping[int, int]) -> dict[int, int]:
    """The copies of loops in all, where there are so many times as many."""
    return {i: what_if.copies.get(i, 1) * n for i, n in more.items()}


def more_units(what_if: WhatIf) -> tuple[int, float]:
    """How many times the compute units pay most, and the kernel's time with them in seconds; 1 where none pay."""
    best, after = 1, what_if.total_s
    for factor in (2, 4, 8, 16):
        tried = what_if.built_with(what_if.assembly.facts.simd, {}, factor) if factor <= what_if.units_fit else None
        if tried is None or tried >= after * (1 - WORTH_REPORTING):
            break
        best, after = factor, tried
    return best, after


def more_lanes(what_if: WhatIf) -> tuple[int, float]:
    """How many times as many SIMD lanes pay most, and the kernel's time with them in seconds; 1 where none pay."""
    facts, group = what_if.assembly.facts, what_if.assembly.extent.local_size
    best, after = 1, what_if.total_s
    for factor in (2, 4, 8, 16) if why_not_simd(facts) is None else ():
        simd = facts.simd * factor
        divides = group is None or group[0] % simd == 0
        held = simd <= MOST_LANES and divides and what_if.holds(factor, lanes=factor)
        tried = what_if.built_with(simd, {}, 1) if held else None
        if tried is None or tried >= after * (1 - WORTH_REPORTING):
            break
        best, after = factor, tried
    return best, after


def built_wider(what_if: WhatIf, loop: int) -> tuple[int, float]:
    """The copies of a loop's body that pay most with the units that they are built with, and the time with them.

    Neighbouring iterations share a request where they lie in order, which `unrolled` knows nothing of.
    """
    own = what_if.copies.get(loop, 1)
    best, after = 1, what_if.total_s
    for factor in () if hands_on(what_if.assembly.facts, loop) else whole_factors(what_if, loop):
        copies = {loop: own * factor}
        held = what_if.holds(factor, copies=copies)
        tried = what_if.built_with(what_if.assembly.facts.simd, copies, 1) if held else None
        if tried is None or tried >= after * (1 - WORTH_REPORTING):
            break
        best, after = factor, tried
    return best, after


def more_copies(what_if: WhatIf, loop: int, copies: int, after_s: float) -> Lever:
    """So many times as many copies of a loop's body, which widen requests."""
    facts = what_if.assembly.facts
    vectors = facts.model == "ndrange" and copies in VECTORS and _loads_vectors(what_if, loop)
    change = MoreCopies(
        copies=copies, now=what_if.copies.get(loop, 1), whole=asked_whole(facts.loops[loop]), vectors=vectors
    )
    return Lever(change=change, after_s=after_s, loop=loop, copies=copies)


VECTORS = frozenset({2, 3, 4, 8, 16})
"""How many elements a vector may have."""


def shares_words(what_if: WhatIf, loop: int) -> bool:
    """Whether copies of a loop's body share requests: for places that lie apart, but not far; for a work-item's own."""
    if waits(what_if.intervals[loop]):
        return False
    own = [place for place in range(len(what_if.units)) if what_if.loops(place)[-1:] == (loop,)]
    if what_if.assembly.facts.model == "ndrange":
        return any(walks(what_if, place, loop) for place in own)
    strides = (what_if.lsu(place).stride for place in own)
    return any(stride is not None and 1 < stride <= WIDEST_GAP for stride in strides)


def walks(what_if: WhatIf, place: int, loop: int) -> bool:
    """Whether a unit goes from one element to the next along the loop that it is in."""
    facts = what_if.assembly.facts
    access = facts.accesses[what_if.lsu(place).members[0]]
    in_order = steps_of(facts, access).get(facts.loops[loop].counter) == access.element_bytes
    return in_order and access.loops[-1:] == (loop,)


def _loads_vectors(what_if: WhatIf, loop: int) -> bool:
    """Whether all loads in a loop are of scalars, one after the other: one request of each may load a vector."""
    types = {a.name: a.type.rstrip("* ") for a in what_if.assembly.facts.arguments}
    here = (place for place in range(len(what_if.units)) if what_if.loops(place)[-1:] == (loop,))
    loads = [place for place in here if what_if.lsu(place).op == "load"]
    scalars = (not types.get(what_if.pointer(place), "")[-1:].isdigit() for place in loads)
    in_order = all(walks(what_if, place, loop) for place in loads)
    return bool(loads) and in_order and all(scalars) and what_if.copies.get(loop, 1) == 1
