"""Which stores may touch what a load reads, and which accesses may depend on a store."""

from __future__ import annotations

from collections.abc import Iterable

from burstline_model.facts import Access, KernelFacts
from burstline_model.polynomial import Polynomial

HIDDEN = "printf"


def may_alias(facts: KernelFacts, a: Access, b: Access) -> bool:
    """Whether two accesses may reach the same buffer, as far as the qualifiers tell."""
    if a.pointer == b.pointer:
        return True
    if a.space != b.space or HIDDEN in {a.pointer, b.pointer}:
        return False
    first, second = facts.argument(a.pointer), facts.argument(b.pointer)
    if first is None or second is None:
        return False
    if first.buffer_location and second.buffer_location and first.buffer_location != second.buffer_location:
        return False
    return not (first.restrict or second.restrict)


def stores_before(facts: KernelFacts, load: Access, *, loops: Iterable[int]) -> tuple[Access, ...]:
    """The stores that may change what `load` reads before it reads: earlier ones, and those of a loop in common."""
    around = set(loops)
    return tuple(
        s
        for s in facts.accesses
        if s.op != "load" and may_alias(facts, load, s) and (s.id < load.id or around & set(s.loops))
    )


def distance(a: Access, b: Access) -> Polynomial | None:
    """How many bytes `b` lies after `a`, None when either address is unknown."""
    if a.offset is None or b.offset is None:
        return None
    return b.offset - a.offset
