"""Which kernels the compiler can run with several work-items side by side."""

from __future__ import annotations

from burstline_model.facts import KernelFacts

MAX_LANES = 16
_IDS = {"global_id", "local_id", "group_id"}


def why_not_simd(facts: KernelFacts) -> str:
    """Why work-items cannot run side by side; empty when all do the same steps and nothing keeps them apart."""
    if facts.model != "ndrange":
        return "SIMD needs an NDRange kernel"
    if facts.channels:
        return "a channel serves one work-item at a time"
    if any(a.op == "atomic" or a.hint for a in facts.accesses):
        return "an access that is served one by one keeps work-items apart"
    for loop in facts.loops:
        name = loop.variable or "its counter"
        if loop.trip is None or loop.early_exit:
            return f"the loop over {name} may end sooner for one work-item than for another"
        used = [facts.symbols[s] for s in loop.trip.symbols if s in facts.symbols]
        sources = [facts.symbols[d] for s in used for d in s.depends_on if d in facts.symbols]
        if {s.kind for s in (*used, *sources)} & (_IDS | {"loaded", "carried"}):
            return f"the trips of the loop over {name} may differ between work-items"
    return ""
