"""What lies between the loads of an iteration and a store that a later iteration waits for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import floor

from burstline_model.body_operations import StepCount
from burstline_model.facts import Access, KernelFacts
from burstline_model.pipeline.dependence import Dependence
from burstline_model.pipeline.latencies import OperationTable

CLOSING = 0.28
"""Cycles of the operation that ends such a way: reports of 17.1 and 19.4 print an ``Or`` of 0.28 on each."""


def to_the_store(
    facts: KernelFacts,
    one: Dependence,
    steps: tuple[StepCount, ...],
    table: OperationTable,
    latency: Callable[[str], float],
) -> float:
    """Cycles of the operations from a load to the store that a later iteration's load waits for.

    On the way through global memory operations of fixed latency form a cluster, which begins once all that it takes in
    has arrived (Programming Guide 22.4, 5.2.15; FPGA Optimization Guide for oneAPI, Clustering the Datapath). Loads at
    addresses that are known begin together, so the way is as long as the longest from any of them. Two reports of 17.1
    print it (OxfordSKA/FPGA_Gridding: 17 cycles where the sum alone takes four).
    """
    if one.space != "global" or not table.scheduled:
        return sum(latency(s.operation) * s.count for s in steps)

    def cycles(chain: tuple[StepCount, ...]) -> float:
        return sum(table.scheduled.get(s.operation, latency(s.operation)) * s.count for s in chain)

    every = (steps, *_alongside(facts, one)) if one.steps is not None else (steps,)
    return floor(max(map(cycles, every)) + CLOSING)


def _alongside(facts: KernelFacts, one: Dependence) -> Iterator[tuple[StepCount, ...]]:
    """The chains to the store from the loads that begin with the one that waits."""
    store, load = facts.accesses[one.store], facts.accesses[one.load]
    if _by_data(facts, load):
        return
    for number, chain in store.chains.items():
        other = facts.accesses[number]
        waits = any(s.operation.endswith((" load", " store")) or s.loops != load.loops for s in chain)
        if other.space == "global" and other.loops == load.loops and not waits and not _by_data(facts, other):
            yield chain


def _by_data(facts: KernelFacts, access: Access) -> bool:
    """Whether the same iteration loads what an address is made of."""
    if access.offset is None:
        return True
    found, left = set[str](), [*access.offset.symbols]
    while left:
        name = left.pop()
        symbol = facts.symbols.get(name)
        if name in found or symbol is None:
            continue
        found.add(name)
        source = symbol.loaded_from
        if source is not None and facts.accesses[source].loops == access.loops:
            return True
        left += symbol.depends_on
    return False
