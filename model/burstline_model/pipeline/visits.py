"""How often what a loop hands on goes through memory in an iteration of hardware: copies follow each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.parallelism.alias import exclusive, never_overlap
from burstline_model.pipeline.bank_rows import has_own_rows, in_other_rows
from burstline_model.pipeline.dependence import Dependence, between, is_inside

CarriedBy = Callable[[Loop], Sequence[Dependence]]


def visits(
    facts: KernelFacts, loop: Loop, one: Dependence, copies: Mapping[int, int], carried_by: CarriedBy
) -> float:  # fmt: skip
    """Times through memory from an iteration of `loop`, its copies included, to the next one, around `one`.

    A copy that may load what the copy before it stores waits for it. Within an iteration, updates of a buffer at
    places that follow from data, and on the chip at any that may be the same, wait for each other in the same way.
    """
    store, load = facts.accesses[one.store], facts.accesses[one.load]
    times = copies.get(loop.id, 1) / (one.distance or 1)
    for i in store.loops:
        if i in load.loops and copies.get(i, 1) > 1 and is_inside(facts, facts.loops[i], loop):
            again = [d for d in carried_by(facts.loops[i]) if (d.store, d.load) == (one.store, one.load)]
            if again and not (has_own_rows(facts, i, store) and has_own_rows(facts, i, load)):
                times *= max(1.0, copies[i] / (again[0].distance or 1))
    return times * _updates(facts, loop, one, store, load)


def updates_in_turn(facts: KernelFacts, loop: Loop, array: str, copies: Mapping[int, int]) -> int:
    """How many elements of a private array, chosen by data, copies within an iteration change one after the other."""
    inside = [a for a in facts.private_accesses if a.pointer == array and loop.id in a.loops]
    most = 1
    for store in inside:
        load = next((a for a in inside if a.op == "load" and (a.loops, a.offset) == (store.loops, store.offset)), None)
        if store.op != "store" or load is None:
            continue
        times = 1
        for i in store.loops:
            inner = facts.loops[i]
            if (
                copies.get(i, 1) > 1
                and is_inside(facts, inner, loop)
                and between(facts, inner, store, load) is not None
            ):
                times *= 1 if has_own_rows(facts, i, store) else copies[i]
        most = max(most, times)
    return most


def _updates(facts: KernelFacts, loop: Loop, one: Dependence, store: Access, load: Access) -> int:
    """How many updates of the same buffer one iteration makes in turn, `store` being the last of the first's `load`."""
    on_chip = one.space == "local" and one.distance is None
    if not (one.why == "data-dependent" or on_chip) or store.pointer != load.pointer:
        return 1
    chain: list[tuple[Access, Access]] = []
    for first, last in _pairs(facts, loop, load):
        if not load.id <= first.id <= last.id <= store.id:
            continue
        if not chain or (first.id > chain[-1][1].id and not _apart(facts, chain[-1][1], first)):
            chain.append((first, last))
    return max(1, len(chain))


def _pairs(facts: KernelFacts, loop: Loop, like: Access) -> Sequence[tuple[Access, Access]]:
    """The loads of a buffer in an iteration, each with a store of what follows from it, in the order of the stores."""
    known: dict[object, Sequence[tuple[Access, Access]]] = facts.kept.setdefault(_pairs, {})
    key = loop.id, like.pointer, like.loops
    if key not in known:
        inside = {a.id: a for a in facts.accesses_in(loop) if a.pointer == like.pointer and a.loops == like.loops}
        stores = [a for a in inside.values() if a.op == "store"]
        firsts = ((min((n for n in one.chains if n in inside), default=None), one) for one in stores)
        known[key] = [(inside[n], one) for n, one in firsts if n is not None]
    return known[key]


def _apart(facts: KernelFacts, store: Access, load: Access) -> bool:
    """Whether a load of the same iteration need not wait for a store."""
    return exclusive(store, load) or never_overlap(store, load) or in_other_rows(facts, store, load)
