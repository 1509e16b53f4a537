"""Dependences through memory from one iteration of a loop to a later one (FFD: MLCDs), safe or unsafe."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from math import gcd
from typing import Literal

from burstline_model.body_operations import StepCount
from burstline_model.facts import Access, KernelFacts, Loop, Symbol
from burstline_model.parallelism.alias import may_alias
from burstline_model.parallelism.loop_copies import constant_trips, fully_unrolled
from burstline_model.pipeline.bank_rows import in_other_rows
from burstline_model.polynomial import Polynomial
from burstline_model.record import Record

Why = Literal["same place", "pattern", "data-dependent", "other pointer"]


class Dependence(Record):
    """A store that a load of a later iteration may read.

    `distance` is the number of iterations between them, None when it depends on values not known or differs;
    `why` says how it was found, `proven` that it really happens (else it just cannot be excluded). `steps` are the
    operations from the load to the store, None when the stored value does not come from the load.
    """

    loop: int
    store: int
    load: int
    space: Literal["global", "local"]
    distance: int | None
    proven: bool
    why: Why
    steps: tuple[StepCount, ...] | None


def dependences(facts: KernelFacts, loop: Loop) -> tuple[Dependence, ...]:
    """The unsafe dependences that a loop carries: positive or unknown distances, asserted ones left out."""
    if loop is not facts.loops[loop.id]:
        return _dependences(facts, loop)
    known: dict[int, tuple[Dependence, ...]] = facts.kept.setdefault(Dependence, {})
    if loop.id not in known:
        known[loop.id] = _dependences(facts, loop)
    return known[loop.id]


def _dependences(facts: KernelFacts, loop: Loop) -> tuple[Dependence, ...]:
    inside = [a for a in facts.accesses_in(loop) if a.space in {"global", "local"}]
    loads = [a for a in inside if a.op != "store"]
    stores = [a for a in inside if a.op != "load"]
    deepest = max((len(a.loops) for a in inside), default=1)
    nearest = MOST_PAIRS // (len(facts.accesses) * deepest) + 1 if inside else 0
    placed = stores_by_place(stores)
    fed: dict[int, list[Access]] = {}
    for store in stores:
        for number in store.chains:
            fed.setdefault(number, []).append(store)
    found: list[Dependence] = []
    for load in loads:
        if written_first(placed, load):
            continue
        for store in _nearest(stores, load, nearest, fed.get(load.id, [])):
            apart = iterations_apart(loop, store.pointer, load.pointer)
            if store.space != load.space or not may_alias(facts, store, load) or apart == 0:
                continue
            one = between(facts, loop, store, load)
            if one is not None:
                nearest_may_meet = apart is not None and apart > (one.distance or 1)
                found.append(one.model_copy(update={"distance": apart, "proven": False}) if nearest_may_meet else one)
    return tuple(found)


def meetings(
    facts: KernelFacts, loop: Loop, matters: Callable[[Access, Access], bool]
) -> Iterator[tuple[Access, Access]]:  # fmt: skip
    """The first store and load of each private array in memory blocks that reach one place in different iterations.

    Pairs that do not matter are left out. An array that is declared in the loop has a copy for each iteration in
    flight.
    """
    inside = [a for a in facts.private_accesses if loop.id in a.loops and a.pointer in loop.carries]
    placed = stores_by_place(inside)
    for name in dict.fromkeys(a.pointer for a in inside):
        own = [a for a in inside if a.pointer == name]
        stores = [a for a in own if a.op == "store"]
        loads = (a for a in own if a.op == "load" and not written_first(placed, a))
        pairs = (
            (s, a) for a in loads for s in stores if matters(s, a) and not neighbours_apart(loop, s.pointer, a.pointer)
        )
        meeting = (pair for pair in islice(pairs, MOST_PAIRS) if between(facts, loop, *pair) is not None)
        yield from islice(meeting, 1)


MOST_PAIRS = 30_000
"""Most pairs of a store and a load that are compared in a kernel; where there are more, each load's nearest stores."""


def _nearest(stores: Sequence[Access], load: Access, most: int, fed: Sequence[Access]) -> Sequence[Access]:
    """The stores nearest to a load in the text, and those that it feeds."""
    if most >= len(stores):
        return stores
    at = bisect_left(stores, load.id, key=lambda a: a.id)
    first = max(0, min(at - most // 2, len(stores) - most))
    near = stores[first : first + most]
    return [*near, *(s for s in fed if not near[0].id <= s.id <= near[-1].id)]


Carried = Literal["DLCD", "safe MLCD", "unsafe MLCD"]


def classes(facts: KernelFacts, loop: Loop) -> tuple[Carried, ...]:
    """What a loop carries, in the words of the feed-forward paper: private values (DLCD), memory (MLCD).

    An MLCD is safe when the load is proven to come no later than the store it could depend on, unsafe when a later
    iteration may read what was stored. Dependences that a pragma denies are safe.
    """
    found: list[Carried] = []
    if loop.recurrences:
        found.append("DLCD")
    inside = [a for a in facts.accesses_in(loop) if a.space == "global"]
    pairs = (may_alias(facts, s, o) for s in inside if s.op == "store" for o in inside if o.op == "load")
    if any(d.space == "global" for d in dependences(facts, loop)):
        found.append("unsafe MLCD")
    elif any(islice(pairs, MOST_PAIRS)):
        found.append("safe MLCD")
    return tuple(found)


def asserted(loop: Loop, store: Access, load: Access) -> bool:
    """Whether an ivdep pragma says that iterations do not meet, however far they are apart."""
    return iterations_apart(loop, store.pointer, load.pointer) == 0


def iterations_apart(loop: Loop, *pointers: str) -> int | None:
    """How many iterations apart the first may be that meets another one in these arrays, by ivdep pragmas.

    0: none does; ``safelen(32)``: 32 (Best Practices Guide 22.4, 6.1.5). None where no pragma speaks of them.
    """
    if loop.ivdep is None or not (not loop.ivdep or {*pointers} & {*loop.ivdep}):
        return None
    lengths = [length for name, length in loop.safelen if not name or name in pointers]
    return 0 if not lengths or 0 in lengths else max(lengths)


def neighbours_apart(loop: Loop, *pointers: str) -> bool:
    """Whether ivdep pragmas say that no iteration meets the one right before it in these arrays."""
    return iterations_apart(loop, *pointers) not in {None, 1}


def between(facts: KernelFacts, loop: Loop, store: Access, load: Access) -> Dependence | None:
    """The dependence of a load on a store in another iteration of a loop; None where they never meet."""

    def found(distance: int | None, why: Why, *, proven: bool = False) -> Dependence:
        return Dependence(
            loop=loop.id, store=store.id, load=load.id, space="global" if store.space == "global" else "local",
            distance=distance, proven=proven, why=why, steps=store.chains.get(load.id),
        )  # fmt: skip

    if store.op == "atomic":
        return None  # it waits for itself; the unit's own cost covers it
    if store.pointer != load.pointer:
        return found(None, "other pointer")
    if in_other_rows(facts, store, load):
        return None
    if store.offset is None or load.offset is None or _varies(facts, loop, store) or _varies(facts, loop, load):
        return found(None, "data-dependent")
    step, other = store.offset.coefficient(loop.counter), load.offset.coefficient(loop.counter)
    if step is None or other is None or step != other:
        return found(None, "pattern")
    rows = _rows_between(step, store.offset - load.offset)
    if rows and store.loops == load.loops:
        return found(rows, "pattern", proven=True)
    ahead = _difference(facts, loop, store.offset.without([loop.counter]), load.offset.without([loop.counter]))
    if ahead is None:
        return found(None, "pattern")
    low, high, multiple = ahead
    size = max(store.element_bytes, load.element_bytes, 1)
    if not step.terms:
        return None if low >= size or high <= -size else found(1, "same place", proven=low == high == 0)
    stride = step.constant
    if stride is None:
        return found(None, "pattern")
    if stride < 0:
        stride, low, high = -stride, -high, -low
    if high < stride - (size - 1) or (gcd(stride, multiple) >= size and (low % gcd(stride, multiple)) >= size):
        return None  # what is stored lies behind, or between, what later iterations read
    if low == high:
        return found(max(low // stride, 1), "pattern", proven=True) if low % stride < size else None
    # Rows whose elements are copies side by side: each meets its own, so many rows on, and no other.
    nearest, farthest = max(-((size - 1 - low) // stride), 1), (high + size - 1) // stride
    apart = (store.offset - load.offset).constant if side_by_side(facts, loop, store, load) else None
    if nearest == farthest and apart is not None and abs(apart) == stride * nearest:
        return found(nearest, "pattern", proven=True)
    return found(None, "pattern")


def side_by_side(facts: KernelFacts, loop: Loop, store: Access, load: Access) -> tuple[int, ...]:
    """The loops within one, unrolled whole by a pragma, each iteration of which has its own element of a row.

    Empty where there are none, or where an address moves with other loops in it.
    """
    if store.loops != load.loops or store.offset is None:
        return ()
    inside = store.loops[store.loops.index(loop.id) + 1 :]
    moving = [i for i in inside if facts.loops[i].counter in store.offset.symbols]
    return tuple(moving) if all(_is_whole(facts.loops[i]) for i in moving) else ()


def steps_of_elements(
    steps: tuple[StepCount, ...], loop: Loop, store: Access, load: Access, facts: KernelFacts
) -> tuple[StepCount, ...]:
    """The operations on the way from an element to itself, where copies of loops inside have one of their own each."""
    if store.loops != load.loops or store.offset is None or store.offset != load.offset:
        return steps
    inside = store.loops[store.loops.index(loop.id) + 1 :]
    moving = {i for i in inside if facts.loops[i].counter in store.offset.symbols}
    return tuple(replace(s, loops=tuple(i for i in s.loops if i not in moving)) for s in steps) if moving else steps


def _is_whole(loop: Loop) -> bool:
    trips = constant_trips(loop)
    return trips is not None and loop.unroll is not None and (loop.unroll == 0 or loop.unroll >= trips)


def _rows_between(step: Polynomial, apart: Polynomial) -> int:
    """How many iterations of a symbolic step lie between two addresses, all else the same; 0 when not a whole number.

    ``d[i * n + j]`` and ``d[(i - 1) * n + j]`` are one row apart, whatever n is.
    """
    if step.constant is not None or not apart.terms:
        return 0
    rows = apart.terms[0][1] // step.terms[0][1]
    return rows if rows > 0 and step.scaled(rows) == apart else 0


def stores_by_place(stores: Iterable[Access]) -> dict[tuple[str, Polynomial | None], list[Access]]:
    """The stores of each place."""
    placed: dict[tuple[str, Polynomial | None], list[Access]] = {}
    for store in stores:
        if store.op == "store":
            placed.setdefault((store.pointer, store.offset), []).append(store)
    return placed


def written_first(placed: Mapping[tuple[str, Polynomial | None], Sequence[Access]], load: Access) -> bool:
    """Whether each iteration of the loop that all these are in writes the place before it reads it."""
    guards = {g.text for g in load.guards}
    return load.offset is not None and any(
        a.id < load.id and a.loops == load.loops[: len(a.loops)] and {g.text for g in a.guards} <= guards
        for a in placed.get((load.pointer, load.offset), ())
    )


def stays(facts: KernelFacts, loop: Loop, access: Access) -> bool:
    """Whether an address is the same in each iteration of a loop."""
    known = access.offset is not None and loop.counter not in access.offset.symbols
    return known and not _varies(facts, loop, access)


def _varies(facts: KernelFacts, loop: Loop, access: Access) -> bool:
    """Whether an address changes with the loop in a way that its polynomial does not show."""
    offset = access.offset
    for name in offset.symbols if offset is not None else ():
        symbol = facts.symbols.get(name)
        if symbol is None or name == loop.counter:
            continue
        if loads_the_same(facts, symbol, loop) or _is_made_before(facts, symbol, loop):
            continue
        if symbol.kind in {"loaded", "carried"} and (symbol.loop is None or symbol.loop == loop.id):
            return True
        if loop.counter in symbol.depends_on:
            return True
    return False


def _is_made_before(facts: KernelFacts, symbol: Symbol, loop: Loop) -> bool:
    """Whether a value is loaded outside a loop, so that all its iterations have the same one."""
    load = facts.accesses[symbol.loaded_from] if symbol.loaded_from is not None else None
    made = load.loops if load is not None else symbol.made_in
    return symbol.kind == "loaded" and made is not None and loop.id not in made


def loads_the_same(facts: KernelFacts, symbol: Symbol, loop: Loop) -> bool:
    """Whether each iteration of a loop loads the same value, where loops in it have the same counters.

    Nothing in the kernel may store to the buffer, and nothing that moves with the loop may choose the place.
    """
    if symbol.kind != "loaded" or symbol.loaded_from is None or loop.counter in symbol.depends_on:
        return False
    load = facts.accesses[symbol.loaded_from]
    chosen = [s for name in symbol.depends_on if (s := facts.symbols.get(name)) is not None]
    return (
        not load.volatile
        and all(s.kind in _STEADY or loads_the_same(facts, s, loop) for s in chosen)
        and not any(a.op != "load" and may_alias(facts, a, load) for a in facts.accesses)
    )


_STEADY = {"loop", "argument", "global_id", "local_id", "group_id", "global_size", "local_size", "num_groups"}
"""Symbols that only a loop of their own changes."""


def _difference(facts: KernelFacts, loop: Loop, store: Polynomial, load: Polynomial) -> tuple[int, int, int] | None:
    """Lowest and highest of store - load over inner iterations, which are not the same ones, and what divides it."""
    inner = {other.counter: other for other in loops_inside(facts, loop)}
    low = high = 0
    multiple = 0
    rest = Polynomial()
    for polynomial, sign in ((store, 1), (load, -1)):
        moving = [name for name in polynomial.symbols if name in inner]
        for name in moving:
            share = polynomial.coefficient(name)
            trip = inner[name].trip
            trips = trip.constant if trip is not None else None
            if share is None or share.constant is None or trips is None:
                return None
            reach = sign * share.constant * (trips - 1)
            low, high = low + min(reach, 0), high + max(reach, 0)
            multiple = gcd(multiple, share.constant)
        fixed = polynomial.without(moving)
        rest = rest + fixed if sign > 0 else rest - fixed
    constant = rest.constant
    if constant is None:
        return None
    return low + constant, high + constant, multiple


def undecided(facts: KernelFacts, one: Dependence) -> bool:
    """Whether arguments or trip counts that are not known decide if a dependence through one buffer happens.

    False where it is proven, where data choose the places, and where each iteration touches what others do.
    """
    if one.proven or one.why != "pattern":
        return False
    loop, store, load = facts.loops[one.loop], facts.accesses[one.store], facts.accesses[one.load]
    if store.offset is None or load.offset is None:
        return False
    step, other = store.offset.coefficient(loop.counter), load.offset.coefficient(loop.counter)
    if step is None or other is None or step.constant is None or other.constant is None:
        return True
    moving = [loop.counter, *(inner.counter for inner in loops_inside(facts, loop))]
    fixed = store.offset.without(moving) - load.offset.without(moving)
    if fixed.constant is None or step != other:
        return fixed.constant is None and not any(facts.symbols[n].kind == "loaded" for n in fixed.symbols)
    ahead = _difference(facts, loop, store.offset.without([loop.counter]), load.offset.without([loop.counter]))
    # Inner loops of unknown trips may end before the place where the next iteration begins.
    return ahead is None and abs(step.constant) > max(store.element_bytes, load.element_bytes)


def in_own_rows(facts: KernelFacts, loop: Loop, one: Access, other: Access) -> bool:
    """Whether two accesses to a buffer keep to rows of their own iteration: loops in it run along no more than a row.

    ``y[i * n + j]`` with `j` below `n`, whatever `n` is.
    """
    if one.pointer != other.pointer or one.offset is None or other.offset is None:
        return False
    inner = {o.counter: o.trip for o in loops_inside(facts, loop)}
    symbols = one.offset.symbols | other.offset.symbols
    if any((s := facts.symbols.get(name)) is None or s.kind not in _STEADY for name in symbols):
        return False
    step = one.offset.coefficient(loop.counter)
    if step is None or step != other.offset.coefficient(loop.counter):
        return False
    moving = [*inner, loop.counter]
    apart = (one.offset.without(moving) - other.offset.without(moving)).constant
    if apart is None:
        return False
    left = step - Polynomial.number(abs(apart) + max(one.element_bytes, other.element_bytes, 1))
    for counter in inner.keys() & symbols:
        share, trip = one.offset.coefficient(counter), inner[counter]
        if share is None or share != other.offset.coefficient(counter) or (share.constant or 0) <= 0 or trip is None:
            return False
        left = left - (trip - Polynomial.number(1)).scaled(share.constant or 0)
    return left.constant is not None and left.constant >= 0


def is_inside(facts: KernelFacts, inner: Loop, outer: Loop) -> bool:
    """Whether one loop is in another."""
    parent = inner.parent
    while parent is not None:
        if parent == outer.id:
            return True
        parent = facts.loops[parent].parent
    return False


def loops_inside(facts: KernelFacts, loop: Loop) -> Iterator[Loop]:
    """The loops in another one; loops are numbered as they begin."""
    for other in facts.loops[loop.id + 1 :]:
        if other.parent is None or other.parent < loop.id:
            return
        yield other


def inner_rolled(facts: KernelFacts, loop: Loop, copies: Mapping[int, int]) -> list[Loop]:
    """The loops inside one that are still loops in hardware."""
    return [other for other in loops_inside(facts, loop) if not fully_unrolled(other, copies) and other.kind != "copy"]


def outermost(facts: KernelFacts, loop: Loop, rolled: Collection[int]) -> set[int]:
    """Of the loops in another one that are still loops, those that are in no other of them."""
    return {i for i in rolled if not any(around in rolled for around in facts.loops_around(i) if around != loop.id)}
