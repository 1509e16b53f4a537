"""How long a launch waits for memory before anything flows: its longest chain of loads, and the store behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from burstline_model.facts import Access, KernelFacts
from burstline_model.polynomial import Polynomial


def round_trips(facts: KernelFacts, trips: Mapping[int, object]) -> int:
    """The accesses of global memory that wait for each other in every launch, counted along the longest chain.

    An access waits for the loads that its address, its conditions, the trips of its loops and what it stores follow
    from. What data may skip, and loops of no `trips`, are left out: the chain is the least that a launch waits. What
    iterations wait for each other is priced by their initiation interval.
    """
    sure = {
        a.id
        for a in facts.accesses
        if a.space == "global" and not any(g.loaded for g in a.guards) and not any(trips.get(i) == 0 for i in a.loops)
    }
    waits = _Waits(facts, frozenset(sure))
    return max((waits.of(facts.accesses[i]) for i in sure), default=0)


class _Waits:
    """The chains to accesses that surely run."""

    def __init__(self, facts: KernelFacts, sure: frozenset[int]) -> None:
        self._facts, self._sure = facts, sure
        self._known: dict[int, int] = {}

    def of(self, access: Access) -> int:
        """The accesses on the longest chain that ends with this one."""
        if access.id not in self._known:
            self._known[access.id] = 0  # what comes back to itself is not followed a second time
            before = (self.of(self._facts.accesses[i]) for i in self._loads_before(access))
            self._known[access.id] = max(before, default=0) + (access.id in self._sure)
        return self._known[access.id]

    def _loads_before(self, access: Access) -> set[int]:
        """The loads that must have their values before an access is asked for."""
        trips = (self._facts.loops[i].trip for i in access.loops)
        numbers = [access.offset, *trips, *(g.condition for g in access.guards)]
        return {*access.value_from, *self._loaded(n for n in numbers if n is not None)}

    def _loaded(self, numbers: Iterable[Polynomial]) -> Iterable[int]:
        """The loads that numbers follow from."""
        symbols = self._facts.symbols
        names = {name for number in numbers for name in number.symbols if name in symbols}
        names |= {behind for name in names for behind in symbols[name].depends_on if behind in symbols}
        for name in names:
            loaded = symbols[name].loaded_from
            if loaded is not None:
                yield loaded
