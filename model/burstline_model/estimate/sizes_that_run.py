"""Assumed sizes under which every access runs: conditions on ids and sizes keep some from it under the usual ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from burstline_model.estimate.assumed_sizes import MOST_QUARTERS
from burstline_model.facts import KernelFacts
from burstline_model.lsu import Lsu
from burstline_model.parallelism.extent import Extent
from burstline_model.walk.walk import Walk

SELDOM = 1 / 128
"""A unit that runs for a smaller share of all work-items is one that most of them lie behind the border of."""
FEW = 256
"""So few requests in all are those of one work-item, or of one group, that does something for all."""

WHOLE_ROW = 0.9
"""An access that runs in one row of a launch of several dimensions runs for at least this share of the row."""


class Sized(Protocol):
    """A kernel under a launch: its units on the external memory, and the walk of each where it is known."""

    external: list[Lsu]
    walks: list[Walk | None]


R = TypeVar("R", bound=Sized)


def with_accesses_that_run(extent: Callable[[int], Extent | None], run: Callable[[Extent], R]) -> R | None:
    """The run at usual sizes, or at smaller ones where a unit has nothing to do at them; None where none are assumed.

    Of those the one at which such units have the largest part of all requests. `extent`: the assumed sizes, by how
    often a quarter of the work-items is taken.
    """
    usual = extent(0)
    if usual is None:
        return None
    first = run(usual)
    idle = [n for n, one in enumerate(zip(first.external, first.walks, strict=True)) if _is_idle(usual, *one)]
    best, most = first, _part(first.walks, idle)
    for fewer in range(1, MOST_QUARTERS + 1) if idle else ():
        smaller = extent(fewer)
        if smaller is None:
            break
        other = run(smaller)
        if (part := _part(other.walks, idle)) > most:
            best, most = other, part
    return best


def _part(walks: Sequence[Walk | None], units: Sequence[int]) -> float:
    """The part of all requests that some units have."""
    requests = [walk.requests or 0.0 if walk is not None else 0.0 for walk in walks]
    return sum(requests[n] for n in units) / (sum(requests) or 1.0)


def _is_idle(extent: Extent, unit: Lsu, walk: Walk | None) -> bool:
    """Whether conditions keep a unit from nearly all that it could do."""
    if walk is None or not walk.requests:
        return walk is not None and walk.requests is not None
    every = extent.executions(unit)
    seldom = every is not None and FEW < walk.requests < float(every) * SELDOM
    sides = [size for size in extent.items or () if size > 1]
    if every is not None and len(sides) > 1 and walk.requests >= WHOLE_ROW * float(every) / max(sides):
        return False  # the first row or column of a plane, as with ``y == 0``, whatever its size
    return seldom and any(_asks_for_places(extent.facts, n) for n in unit.members)


def _asks_for_places(facts: KernelFacts, access: int) -> bool:
    """Whether a condition around an access is on a place in the whole launch."""
    conditions = (g.condition for g in facts.accesses[access].guards if g.condition is not None)
    names = frozenset[str]().union(*(c.symbols for c in conditions))
    behind = names.union(*(facts.symbols[n].depends_on for n in names if n in facts.symbols))
    return any(facts.symbols[n].kind in {"global_id", "group_id"} for n in behind if n in facts.symbols)
