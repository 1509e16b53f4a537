"""Loops that end by what an iteration loads: the next one begins when that is known."""

from __future__ import annotations

from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.pipeline.dependence import stores_by_place, written_first


def ends_by_loads(facts: KernelFacts, loop: Loop) -> tuple[Access, ...]:
    """The loads that follow each other until it is known whether a loop goes on; none where it does not load that.

    The interval is no shorter than the way to the loop's condition, unless iterations begin on speculation (Intel FPGA
    SDK for OpenCL Pro Edition, Best Practices Guide 22.4, 3.4.4 Loop Speculation). Speculation does not hide loads:
    vendor reports 19.4 and 20.4 on Arria 10 have II 134 where one load ends a loop (Connie120/spMV), and 413 where
    three in a row do (leifu00/FPGA-acceleration-of-epidemic-simulation: 138, 133 and 133 cycles on the way).
    """
    rows = [_in_a_row(facts, load, loop, frozenset()) for load in deciding(facts, loop)]
    return max(rows, key=lambda row: (len(row), row[-1].id), default=())


def deciding(facts: KernelFacts, loop: Loop) -> list[Access]:
    """The loads in each iteration of a loop that decide whether it goes on."""
    placed = stores_by_place(facts.accesses_in(loop)) if loop.ends_by else {}
    loads = (facts.accesses[i] for i in loop.ends_by)
    return [a for a in loads if loop.id in a.loops and not written_first(placed, a)]


def _in_a_row(facts: KernelFacts, load: Access, loop: Loop, after: frozenset[int]) -> tuple[Access, ...]:
    """The loads of an iteration that follow each other up to one: for its address, or to know whether it is made."""
    names = {name for guard in load.guards for name in guard.depends_on}
    names |= load.offset.symbols if load.offset is not None else frozenset()
    symbols = [facts.symbols[name] for name in names if name in facts.symbols]
    symbols += [facts.symbols[name] for one in symbols for name in one.depends_on if name in facts.symbols]
    before = {one.loaded_from for one in symbols if one.loaded_from is not None} - after - {load.id}
    loads = (facts.accesses[i] for i in sorted(before))
    own = [a for a in loads if loop.id in a.loops and a.space == "global"]
    rows = (_in_a_row(facts, a, loop, after | {load.id}) for a in own)
    return (*max(rows, key=len, default=()), load)
