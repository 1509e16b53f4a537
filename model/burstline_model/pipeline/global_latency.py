"""Cycles that the schedule keeps for a request to global memory: all units of a kernel share the way there.

Vendor reports from 17.0 on list a latency for each unit. It follows from the units alone, in Cyclone V, Arria 10 and
Stratix 10 alike: 1 388 of 1 450 loads and 95 of 106 stores that something waits for within a cycle, all loads within a
tenth, in more than 20 public repositories (`python -m bench.latencies`). Other kernels of the file add what is missing
most often: a stage of the tree, two cycles a store. Left out is a board whose memory answers later (Intel PAC D5005).
The vendor's tutorial `kernel_args_restrict` for Arria 10 prints 144 cycles for a load, 42 for a store and an interval
of 187 through both, "plus one to ensure the operation is finished"; its report has four units in two kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from burstline_model.lsu import Lsu
from burstline_model.pipeline.latencies import OperationTable
from burstline_model.record import fixed
from burstline_model.target import Target

BURST_WORDS = 16
"""Memory words in a burst, which the others wait for."""
MOST_WAIT = 128
"""A request is not taken to wait longer than eight bursts."""
BRANCHES = 4
"""Units, or groups of units, that one stage on the way to memory joins."""
NEXT_STORE = 2
"""Cycles by which each further store is later on the ring that stores share."""
PLAIN_NON_ALIGNED = 31
"""Cycles that the schedule keeps less for a non-aligned load without a cache, from 19.3 on."""
PLAIN_NON_ALIGNED_SINCE = (19, 3, 0)
NEXT_TO_LOAD = 1
"""The cycle after which what was loaded can be used, and the one after which a store is finished."""
_PLAIN = "Burst-coalesced non-aligned"


@fixed
class GlobalLatency:
    """Clock cycles of loads and stores, by access; of accesses without a unit of their own those of the slowest."""

    loads: Mapping[int, int]
    stores: Mapping[int, int]

    def load(self, access: int) -> int:
        """Cycles until what an access loads can be used."""
        return NEXT_TO_LOAD + self.loads.get(access, max(self.loads.values(), default=0))

    @property
    def usual_load(self) -> int:
        """The same of the load in the middle, where it is not known which one it is."""
        each = sorted(self.loads.values())
        return NEXT_TO_LOAD + (each[len(each) // 2] if each else 0)

    def turn(self, load: int, store: int) -> int:
        """Cycles from a load to one that sees what was stored in between, besides the operations between them."""
        stored = self.stores.get(store, max(self.stores.values(), default=0))
        return self.load(load) + stored + NEXT_TO_LOAD


def global_latency(lsus: Sequence[Lsu], target: Target, table: OperationTable) -> GlobalLatency:
    """The latencies of a kernel's units, none of which another kernel shares its memory with."""
    own = [u for u in lsus if u.space == "global"]
    every = sum(u.count for u in own)
    stores = sum(u.count for u in own if u.op == "store")
    later = _stages(every) - 1 if every else 0
    found: dict[bool, dict[int, int]] = {False: {}, True: {}}
    for unit in own:
        stored = unit.op == "store"
        cycles = table.global_store + NEXT_STORE * (stores - 1) if stored else table.global_load + later
        cycles += _wait(unit, own, every, 8 * target.word_bytes)
        if unit.style == _PLAIN and not stored and target.aoc_version >= PLAIN_NON_ALIGNED_SINCE:
            cycles -= PLAIN_NON_ALIGNED
        found[stored].update(dict.fromkeys(unit.members, cycles))
        if unit.op == "atomic":
            found[True].update(dict.fromkeys(unit.members, table.global_store))
    return GlobalLatency(found[False], found[True])


def _stages(units: int) -> int:
    """Stages of a tree that joins so many units."""
    stages = 1
    while BRANCHES**stages < units:
        stages += 1
    return stages


def _wait(unit: Lsu, every: Sequence[Lsu], number: int, word_bits: int) -> int:
    """Cycles that a request is taken to wait for those of the kernel's other units.

    While they ask for less than a word of memory in a cycle, the widest wait for a burst of each other one as wide.
    Beyond, all wait for what the memory is behind, each for its share.
    """
    together = sum(u.count * u.width_bits for u in every)
    share = number * unit.width_bits / together
    if together >= word_bits:
        bursts = share * (together / word_bits - 1)
    elif unit.width_bits == max(u.width_bits for u in every):
        bursts = share * (sum(u.count for u in every if u.width_bits == unit.width_bits) - 1)
    else:
        bursts = 0.0
    return min(MOST_WAIT, int(BURST_WORDS * bursts + 1e-9))
