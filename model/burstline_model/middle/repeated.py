"""Loops that do the same in every iteration are run once.

LLVM moves what no iteration changes in front of a loop, and deletes one that has nothing left in it and whose trips
are counted (clang 14 and 15 at -O2).
"""

from __future__ import annotations

from burstline_model.facts import KernelFacts, Loop, Remark
from burstline_model.polynomial import Polynomial


def run_once(facts: KernelFacts) -> KernelFacts:
    """The facts with one trip of each loop that does the same in all of them; its loads are in front of it by now."""
    kept = {loop for one in (*facts.accesses, *facts.private_accesses) for loop in one.loops}
    kept |= {loop for one in facts.channels for loop in one.loops} | {i for one in facts.barriers for i in one.loops}
    found = [one for one in facts.loops if one.alike and one.id not in kept and _is_counted(one)]
    if not found:
        return facts
    loops, remarks = list(facts.loops), list(facts.remarks)
    for one in found:
        once = {"trip": Polynomial.number(1), "trip_why": None, "trip_limits": (), "carries": (), "sets_anew": ()}
        loops[one.id] = one.model_copy(update=once)
        remarks.append(Remark(span=one.span, kind="loop_repeats", names=(one.variable or "its counter",)))
    return facts.model_copy(update={"loops": tuple(loops), "remarks": tuple(remarks)})


def _is_counted(loop: Loop) -> bool:
    """Whether a loop surely ends, after more than one trip, and is not copied."""
    several = loop.trip is not None and (loop.trip.constant is None or loop.trip.constant > 1)
    return several and not loop.early_exit and not loop.recurrences and loop.kind != "copy"
