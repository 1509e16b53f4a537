"""Another order of the work-items, in which neighbours move neighbours: other ids, or longer rows of a group."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from burstline_model.estimate.after_change import WORTH_REPORTING, WhatIf, steps_of
from burstline_model.estimate.changes import ExchangeIds, LongerGroups
from burstline_model.memory.memory_units import MemoryUnit
from burstline_model.parallelism.knobs import exchanged, exchanged_launch, regrouped
from burstline_model.parallelism.usual_groups import usual_groups

_IDS = frozenset({"global_id", "local_id"})
_OF_GROUPS = frozenset({"local_id", "group_id", "local_size", "num_groups"})
AS_GOOD = 1.25
"""How much slower than with all accesses in order an exchanged kernel may be."""


def in_other_order(
    what_if: WhatIf, apart: Mapping[int, MemoryUnit]
) -> tuple[frozenset[int], ExchangeIds | LongerGroups | None, float]:
    """Units that had better be reached in another order of the work-items, that order, and the time in seconds.

    `apart` are those that lie apart, by place, each as it would be in order. No units: none, or where a report says how
    the kernel was built.
    """
    facts = what_if.assembly.facts
    # Channels, lanes and linear ids keep an order.
    if facts.model != "ndrange" or facts.channels or facts.linear_ids or facts.simd > 1 or not apart:
        return frozenset(), None, what_if.total_s
    other, after = _by_exchange(what_if, apart)
    if other:
        kinds = {s.kind for s in facts.symbols.values()}
        in_groups = not kinds.isdisjoint(_OF_GROUPS)
        return frozenset(apart), ExchangeIds(other=other, in_groups=in_groups, asks="global_id" in kinds), after
    return _by_longer_groups(what_if, apart)


def _by_exchange(what_if: WhatIf, apart: Mapping[int, MemoryUnit]) -> tuple[int, float]:
    """The dimension that had better take the place of dimension 0, and the time then; 0: none."""
    facts, launch = what_if.assembly.facts, what_if.assembly.extent.launch
    ids = [[n for n, s in facts.symbols.items() if s.kind in _IDS and s.dimension == d] for d in range(3)]
    if not ids[0]:
        return 0, what_if.total_s
    accesses = [facts.accesses[what_if.lsu(place).members[0]] for place in apart]
    by_one = {name for a in accesses for name, step in steps_of(facts, a).items() if abs(step) == a.element_bytes}
    # What a loop walks in order is better kept in tiles.
    if any(facts.symbols[name].kind == "loop" for name in by_one):
        return 0, what_if.total_s
    in_order = what_if.after_s(apart)
    for other in (1, 2):
        if by_one.isdisjoint(ids[other]) or len(launch.global_size or ()) <= other:
            continue
        after = what_if.reordered(other, exchanged(facts, other), exchanged_launch(launch, other))
        # Where much would still lie apart, tiles do more.
        if after is not None and after <= AS_GOOD * in_order:
            return other, after
    return 0, what_if.total_s


def _by_longer_groups(
    what_if: WhatIf, apart: Mapping[int, MemoryUnit]
) -> tuple[frozenset[int], LongerGroups | None, float]:
    """Units of which the rows of a group are shorter than a word, though work-items walk along them in order."""
    facts, extent = what_if.assembly.facts, what_if.assembly.extent
    items = extent.items
    if items is None:
        return frozenset(), None, what_if.total_s
    now = (*(extent.local_size or usual_groups(facts, items)), 1, 1)[:3]
    size = prod(now)
    row = next((n for n in range(size, now[0], -1) if size % n == 0 and items[0] % n == 0), now[0])
    places = {place: unit for place, unit in apart.items() if _along_rows(what_if, place, now[0])}
    if row <= now[0] or not places:
        return frozenset(), None, what_if.total_s
    longer = (row, size // row, 1)
    shared = bool(facts.barriers) or any(a.space == "local" for a in facts.accesses)
    # What a group keeps in local memory has the group's shape: it becomes another kernel.
    if shared:
        after: float | None = what_if.after_s(places)
    else:
        launch = extent.launch.model_copy(update={"local_size": longer})
        after = what_if.reordered(longer, regrouped(facts, longer), launch)
    if after is None or longer[1] > now[1] * now[2] or after > (1 - WORTH_REPORTING) * what_if.total_s:
        return frozenset(), None, what_if.total_s
    dimensions = 3 if items[2] > 1 else 2
    return frozenset(places), LongerGroups(now=now[:dimensions], size=None if shared else longer[:dimensions]), after


def _along_rows(what_if: WhatIf, place: int, row: int) -> bool:
    """Whether work-items of dimension 0 lie side by side at a unit, and so few of a group that a word holds more."""
    facts, unit = what_if.assembly.facts, what_if.units[place]
    access = facts.accesses[what_if.lsu(place).members[0]]
    word = what_if.assembly.board.memory_of(unit.banks[0]).word_bytes
    moved = {
        step
        for name, step in steps_of(facts, access).items()
        if facts.symbols[name].kind in _IDS and facts.symbols[name].dimension == 0
    }
    return len(moved) == 1 and 0 < max(moved) <= unit.width_bytes and row * max(moved) < word
