"""Whether a unit counts something up, and where that had better be done."""

from __future__ import annotations

from typing import Literal

from burstline_model.estimate.after_change import WhatIf
from burstline_model.estimate.waiting_loops import adds_up


def counted_elsewhere(what_if: WhatIf, place: int) -> Literal["accumulate_in_copy", "counters_on_chip"] | None:
    """Where what an atomic unit counts had better be counted; None where nothing adds up (an exchange).

    What it returns is different for each: copies that are added up later cannot say it. A loop around a comparison with
    exchange changes a value as any operation would, until no other work-item came between.
    """
    facts = what_if.assembly.facts
    own = facts.accesses[what_if.lsu(place).members[0]]
    if (own.atomic or "").endswith("xchg"):
        return "counters_on_chip" if own.loops and (own.atomic or "").endswith("cmpxchg") else None
    stored = any(own.id in a.value_from for a in facts.accesses)
    used = stored or any(s.loaded_from == own.id for s in facts.symbols.values())
    return "counters_on_chip" if used else "accumulate_in_copy"


def adds_to(what_if: WhatIf, place: int) -> bool:
    """Whether what is stored comes from what was loaded there, as by ``bins[k] += 1``: a copy of it must be written."""
    facts = what_if.assembly.facts
    own = facts.accesses[what_if.lsu(place).members[0]]
    where = own.pointer, own.index, own.loops
    here = [a for a in facts.accesses if a.op != "atomic" and (a.pointer, a.index, a.loops) == where]
    loads = {a.id for a in here if a.op == "load"}
    ways = (steps for a in here if a.op == "store" for load, steps in a.chains.items() if load in loads)
    return any(adds_up(steps) for steps in ways)
