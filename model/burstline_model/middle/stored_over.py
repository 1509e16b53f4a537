"""Loaded values that a loop changes: one that its iterations store to where it is loaded from.

In ``p[count[i]++] = x;`` the place depends on what earlier iterations have counted, though `i` stays.
"""

from __future__ import annotations

from dataclasses import replace

from burstline_model.facts import Access, KernelFacts, Symbol


def stored_over(facts: KernelFacts) -> KernelFacts:
    """The facts with loaded values that vary with each loop that loads them and stores to their place."""
    changing = {name: loops for name, one in facts.symbols.items() if (loops := _changing(facts, one))}
    if not changing:
        return facts
    symbols = {
        name: replace(one, depends_on=tuple(sorted({*one.depends_on, *more})))
        if (more := {counter for n in (name, *one.depends_on) for counter in changing.get(n, ())} - {name}) else one
        for name, one in facts.symbols.items()
    }  # fmt: skip
    return facts.model_copy(update={"symbols": symbols})


def _changing(facts: KernelFacts, symbol: Symbol) -> tuple[str, ...]:
    """The counters of the loops that change a loaded value in its place."""
    if symbol.kind != "loaded" or symbol.loaded_from is None or symbol.loaded_from >= len(facts.accesses):
        return ()
    load = facts.accesses[symbol.loaded_from]
    loops = [facts.loops[number] for number in load.loops]
    return tuple(
        one.counter for one in loops
        if one.counter not in symbol.depends_on and any(_meets(load, a) for a in facts.accesses_in(one))
    )  # fmt: skip


def _meets(load: Access, other: Access) -> bool:
    """Whether a store certainly reaches what a load reads."""
    if other.op == "load" or other.pointer != load.pointer or other.space != load.space:
        return False
    apart = other.offset.ahead_of(load.offset) if load.offset is not None and other.offset is not None else None
    return apart is not None and -other.element_bytes < apart < load.element_bytes
