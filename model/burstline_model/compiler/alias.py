"""Which stores may touch what a load reads, and which accesses may depend on a store."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from burstline_model.facts import Access, Guard, KernelFacts
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


def stored_before(facts: KernelFacts, load: Access, *, loops: Iterable[int]) -> bool:
    """Whether a store may change what `load` reads before it reads: an earlier one, or one of a loop in common."""
    around = set(loops)
    return any(
        s.op != "load" and (s.id < load.id or not around.isdisjoint(s.loops)) and may_alias(facts, load, s)
        for s in facts.accesses
    )


def exclusive(a: Access, b: Access) -> bool:
    """Whether two accesses stand in the two arms of an if, so that one round runs only one of them."""
    if a.call_chain != b.call_chain:
        return False
    apart = next(((g, h) for g, h in zip(a.guards, b.guards, strict=False) if g != h), None)
    return apart is not None and _are_opposite(*apart)


def _are_opposite(one: Guard, other: Guard) -> bool:
    return one.span == other.span and one.text != other.text and not one.early_return and not other.early_return


def distance(a: Access, b: Access) -> Polynomial | None:
    """How many bytes `b` lies after `a`, None when either address is unknown."""
    if a.offset is None or b.offset is None:
        return None
    return b.offset - a.offset


class Writes:
    """The accesses of a kernel in program order, for questions about what lies between two of them."""

    def __init__(self, facts: KernelFacts) -> None:
        self._facts = facts
        external = [a for a in facts.accesses if a.space == "global"]
        self._changing = [a for a in external if a.op != "load"]
        self._reading = [a for a in external if a.op != "store"]
        self._changing_ids = [a.id for a in self._changing]
        self._reading_ids = [a.id for a in self._reading]

    def may_change(self, load: Access) -> bool:
        """Whether any store of the kernel may touch what is loaded."""
        return any(may_alias(self._facts, load, a) for a in self._changing)

    def changed_between(self, first: Access, last: Access) -> bool:
        """Whether a store between the two may touch what the last one reads."""
        start, end = bisect_right(self._changing_ids, first.id), bisect_left(self._changing_ids, last.id)
        return any(may_alias(self._facts, last, a) for a in self._changing[start:end])

    def read_between(self, first: Access, last: Access) -> bool:
        """Whether a load between the two may read what the last one writes."""
        start, end = bisect_right(self._reading_ids, first.id), bisect_left(self._reading_ids, last.id)
        return any(may_alias(self._facts, last, a) for a in self._reading[start:end])
