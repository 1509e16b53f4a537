"""Loops that end by what an iteration loads: the next one begins when that is known."""

from __future__ import annotations

from collections.abc import Collection

from burstline_model.facts import Access, KernelFacts, Loop, Symbol
from burstline_model.pipeline.dependence import stores_by_place, written_first

COMPARED = 2
"""Cycles in which what a load brings is compared, and joined with the conditions before it."""
CHOSEN = 3
"""Cycles from the last condition to the next iteration's counter."""


def until_known(loop: Loop, loads: int) -> int:
    """Cycles besides those of so many loads in a row until it is known whether a loop goes on.

    0 where the loop hands on what it makes of a load as well, which takes as long.

    Reports of Arria 10 print 134 where the load takes 129 (Connie120/spMV, 19.4), 413 where three take 404 together
    (leifu00/FPGA-acceleration-of-epidemic-simulation); on the way are a comparison of one cycle and an ``And`` of 0.28
    for each load, and a choice of one cycle.
    """
    handed_on = any(step.operation == "global load" for one in loop.recurrences for step in one.steps)
    return 0 if handed_on else COMPARED * loads + CHOSEN


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
    made_of = [facts.symbols[name] for name in _of_this_iteration(facts, names, loop) if name in facts.symbols]
    before = {one.loaded_from for one in made_of if one.loaded_from is not None} - after - {load.id}
    loads = (facts.accesses[i] for i in sorted(before))
    own = [a for a in loads if loop.id in a.loops and a.space == "global"]
    rows = (_in_a_row(facts, a, loop, after | {load.id}) for a in own)
    return (*max(rows, key=len, default=()), load)


def _of_this_iteration(facts: KernelFacts, names: Collection[str], loop: Loop) -> frozenset[str]:
    """These symbols and those that they are made of, but for what only the iteration before has made them of."""
    found, left = set[str](), [*names]
    while left:
        name = left.pop()
        symbol = facts.symbols.get(name)
        if name in found or (symbol is not None and _handed_on(symbol, loop)):
            continue
        found.add(name)
        if symbol is not None and symbol.operands:
            left += [one for operand in symbol.operands for one in operand.symbols]
        elif symbol is not None:
            within = [facts.symbols[one] for one in symbol.depends_on if one in facts.symbols]
            before = {one for other in within if _handed_on(other, loop) for one in other.depends_on}
            left += [one for one in symbol.depends_on if one not in before]
    return frozenset(found)


def _handed_on(symbol: Symbol, loop: Loop) -> bool:
    return symbol.loop == loop.id and symbol.kind != "loop"
