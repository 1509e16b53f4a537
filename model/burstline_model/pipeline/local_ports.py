"""Cycles in which all that is stored at once in an array on the chip comes through the ports of its memory blocks.

Reads are served by replicas of the blocks, each of which takes every store. Stores at fixed distances go to banks of
their own; at places that only turn out as it runs, they share the ports that a block has and take turns (Best Practices
Guide 22.4, 10.3: several concurrent stores make a memory that is arbitrated in each cycle; two ports a block on a
Stratix 10, elsewhere four by a clock twice as fast).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from burstline_model.facts import Access, KernelFacts
from burstline_model.parallelism.alias import exclusive
from burstline_model.parallelism.lanes import lanes_of
from burstline_model.pipeline.paths import hardware_loops


def cycles_of_stores(facts: KernelFacts, copies: Mapping[int, int], ports: int) -> dict[tuple[int, ...], float]:
    """The cycles at least from one iteration to the next, by the loops of a block, where that is more than one."""
    sites: dict[tuple[tuple[int, ...], str], dict[object, list[tuple[Access, int]]]] = defaultdict(dict)
    for access in facts.accesses:
        if access.space == "local" and access.op == "store":
            place, stores = _stores(facts, access, copies)
            array = hardware_loops(facts, access.loops, copies), access.pointer
            sites[array].setdefault(place, []).append((access, stores))
    found: dict[tuple[int, ...], float] = {}
    for (block, _), places in sites.items():
        cycles = _together(list(places.values())) / ports
        if cycles > 1:
            found[block] = max(found.get(block, 1.0), cycles)
    return found


def _stores(facts: KernelFacts, access: Access, copies: Mapping[int, int]) -> tuple[object, int]:
    """What the text fixes of where an access stores, and how many of its copies have no bank of their own."""
    lanes = lanes_of(facts, access, copies)
    if lanes.offsets is None or lanes.base is None:
        return access.id, lanes.count
    return tuple((m, c) for m, c in lanes.base.terms if m), lanes.row_count


def _together(places: list[list[tuple[Access, int]]]) -> int:
    """The stores of one iteration at most; of those that exclude each other, one is."""
    apart: list[list[tuple[Access, int]]] = []
    for own in places:
        others = next(
            (o for o in apart if all(exclusive(a, b) for a, _ in own for b, _ in o)),
            None,
        )
        if others is None:
            apart.append([*own])
        else:
            others += own
    return sum(max(stores for _, stores in one) for one in apart)
