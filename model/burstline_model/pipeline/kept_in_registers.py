"""Elements of memory that compilers keep in registers from one iteration to the next."""

from __future__ import annotations

from burstline_model.body_operations import Recurrence
from burstline_model.facts import KernelFacts, Loop
from burstline_model.parallelism.alias import may_alias
from burstline_model.pipeline.dependence import Dependence, iterations_apart
from burstline_model.polynomial import Polynomial


def in_register(facts: KernelFacts, one: Dependence, loop: Loop) -> bool:
    """Whether the place stays the same all through the loop and nothing else touches the buffer: it is kept."""
    store, load = facts.accesses[one.store], facts.accesses[one.load]
    if one.why != "same place" or not one.proven or store.volatile or store.guards != load.guards:
        return False
    same = {store.offset, load.offset}
    return all(
        a.offset in same for a in facts.accesses_in(loop) if a.space == store.space and may_alias(facts, store, a)
    )


def forwarded(facts: KernelFacts, one: Dependence, loop: Loop) -> bool:
    """Whether each iteration reads what the one before stored, and the first what was there before the loop.

    Then the value never goes through memory: common compilers hand it on in a register (Boyi's prefix sum, a
    Stratix-V-generation compiler: 1.01 cycles per element through global memory).
    """
    store, load = facts.accesses[one.store], facts.accesses[one.load]
    if one.distance != 1 or not one.proven or store.guards or load.guards or store.volatile or load.volatile:
        return False
    if load.offset is None or store.loops != load.loops or store.loops[-1] != loop.id or load.id > store.id:
        return False
    if any(a.op != "load" and a.id != store.id and may_alias(facts, a, load) for a in facts.accesses_in(loop)):
        return False
    first = load.offset.substitute({loop.counter: Polynomial()})
    before = [
        a
        for a in facts.accesses
        if a.op != "load" and a.id < load.id and loop.id not in a.loops and may_alias(facts, a, load)
    ]
    return (
        bool(before)
        and before[-1].offset == first
        and not before[-1].guards
        and (before[-1].loops == load.loops[: len(load.loops) - 1])
    )


def kept_apart(loop: Loop, one: Recurrence) -> int | None:
    """How many iterations apart the first may be that meet in a private array, by ivdep pragmas (`iterations_apart`).

    It speaks of memory accesses: an array in registers is a variable (vendor reports, 17.1: a data dependence in spite
    of the pragma).
    """
    if not one.array or one.registers or loop.ivdep is None:
        return None
    return iterations_apart(loop, *one.names)
