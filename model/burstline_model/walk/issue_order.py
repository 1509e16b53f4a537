"""The order in which an access's requests are issued: dimensions, the fastest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import Literal

from burstline_model.parallelism.extent import Extent
from burstline_model.parallelism.loop_copies import fully_unrolled
from burstline_model.parallelism.usual_groups import usual_groups
from burstline_model.record import fixed

IN_FLIGHT = 256
"""Work-items that are in a loop at the same time: they take turns in each of its iterations (a few hundred stages)."""
GROUPS_BETWEEN_BARRIERS = 2
"""Groups that are on their way from one barrier to the next."""
TYPICAL_TRIPS = 1024.0
TYPICAL_ITEMS = 4096.0
"""The size assumed for one that is not known, where only ratios matter."""


@fixed
class Dimension:
    """One loop, or the work-items along one dimension of their groups or of the groups.

    `size` steps are made along it, each of which adds `moves` to the symbols named there; `lanes` of them are issued
    at once, so that a symbol's value moves on by a lane's share between copies. `number` is the loop's id, or the
    work-item dimension; `known` says whether the size is.
    """

    kind: Literal["loop", "local", "group"]
    number: int
    size: float
    moves: tuple[tuple[str, int], ...]
    lanes: int = 1
    known: bool = True

    @cached_property
    def names(self) -> frozenset[str]:
        """The symbols that move along it."""
        return frozenset(name for name, _ in self.moves)


def dimensions_of(extent: Extent, around: Sequence[int]) -> tuple[Dimension, ...]:
    """The dimensions that an access in some loops is issued along, those of one step left out.

    Iterations of the innermost rolled loop follow each other in a single work-item. In an NDRange kernel work-items do,
    in the shape of their group; in a loop those in flight take turns, iteration after iteration.
    """
    loops = [d for i in reversed(around) if (d := _loop(extent, i)) is not None]
    items = _items(extent) if extent.facts.model == "ndrange" else []
    if loops:
        first, rest = _in_flight(items)
        found = [*first, *loops, *rest]
    else:
        found = items
    return tuple(d for d in found if d.size != 1)


def take_turns(extent: Extent, loop: int) -> bool:
    """Whether requests of work-items in different iterations of a loop take turns, if it is an access's innermost.

    Work-items go round in a loop as long as there is room, and the next ones enter between them: neighbours no longer
    follow each other, and their requests do not join. A barrier in the loop keeps them in the same iteration, and fewer
    work-items than fill the loop stay together. Measurements of independent authors show a word for each request. The
    columns of opencl-4all's stencil take 12 cycles a row (Stratix V and Arria 10, 16.1). Wang et al. gain 362 times
    over a plain matrix product on Stratix V, of which words in order explain half, and their k-means takes 137 and 64 s
    for columns that are read in 17 and 9 s where requests join. Compute units of Boyi's histogram
    end at 21 GB/s of whole words, of which they use a sixteenth (Arria 10, 16.1). Groups of 256 work-items of
    Needleman-Wunsch load and store their rows at a word an element (iwocl2019, Arria 10, 16.0).
    """
    facts = extent.facts
    if facts.model != "ndrange" or any(loop in barrier.loops for barrier in facts.barriers):
        return False
    sizes = [d.size for d in _items(extent) if d.kind == "local" or not facts.barriers]
    return prod(sizes) * (GROUPS_BETWEEN_BARRIERS if facts.barriers else 1) > IN_FLIGHT


def unrolled_of(extent: Extent, around: Sequence[int]) -> tuple[Dimension, ...]:
    """The loops around an access that are copied whole: one request is made along each, by all copies at once."""
    every = (extent.facts.loops[i] for i in around if fully_unrolled(extent.facts.loops[i], extent.copies))
    return tuple(
        Dimension("loop", one.id, 1.0, ((one.counter, copies),), copies)
        for one in every
        if (copies := extent.copies.get(one.id, 1)) > 1
    )


def _loop(extent: Extent, number: int) -> Dimension | None:
    loop, copies = extent.facts.loops[number], extent.copies.get(number, 1)
    if fully_unrolled(loop, extent.copies):
        return None
    trips = extent.trips[number]
    size = TYPICAL_TRIPS if trips is None else float(trips) / copies
    return Dimension("loop", number, size, ((loop.counter, copies),), copies, trips is not None)


def groups_of(extent: Extent) -> float:
    """All work-groups; 0: not known. Of a kernel with barriers they are of the usual size where nobody gives one."""
    items, local = extent.items, extent.local_size
    if local is not None or items is None or not extent.facts.barriers or extent.facts.model != "ndrange":
        return float(extent.groups or 0)
    return prod(items) / prod(usual_groups(extent.facts, items))


def _items(extent: Extent) -> list[Dimension]:
    """Work-items in the order of their groups' own shape, then group after group."""
    facts = extent.facts
    used = {(s.kind, s.dimension): n for n, s in facts.symbols.items() if s.kind in _IDS}
    local = extent.local_size
    items = extent.items or tuple(
        TYPICAL_ITEMS if d == 0 or any(dimension == d for _, dimension in used) else 1.0 for d in range(3)
    )
    shape = [float(n) for n in (*(local or usual_groups(facts, items)), 1, 1)[:3]]
    inner, outer = [], []
    for d in range(3):
        lanes = facts.simd if d == 0 else 1
        own = [(used[k, d], lanes) for k in ("global_id", "local_id") if (k, d) in used]
        inner.append(Dimension("local", d, max(shape[d] / lanes, 1.0), tuple(own), lanes))
        step = int(shape[d])
        groups = [(used[k, d], step if k == "global_id" else 1) for k in ("global_id", "group_id") if (k, d) in used]
        outer.append(
            Dimension("group", d, max(items[d] / shape[d], 1.0), tuple(groups), 1, extent.items is not None)
        )  # fmt: skip
    return [d for d in (*inner, *outer) if d.size != 1]


_IDS = {"global_id", "local_id", "group_id"}


def _in_flight(items: list[Dimension]) -> tuple[list[Dimension], list[Dimension]]:
    """The items that share a loop's iterations, and the others."""
    first: list[Dimension] = []
    room = float(IN_FLIGHT)
    for place, one in enumerate(items):
        if one.size <= room:
            first.append(one)
            room /= one.size
            continue
        fitting = max(int(room), 1)
        if fitting > 1:
            first.append(replace(one, size=float(fitting)))
            rest = replace(one, size=one.size / fitting, lanes=1, moves=tuple((n, by * fitting) for n, by in one.moves))
            return first, [rest, *items[place + 1 :]]
        return first, items[place:]
    return first, []
