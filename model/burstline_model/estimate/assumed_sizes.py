"""Assumed values for missing sizes, so that a kernel's parts can be compared; times that rest on them say so.

What a host program writes down comes first (`Launch.likely_size`, `likely_arguments`). The rule for the rest: 2^20
work-items (2^15 where each loops over as many as there are), spread evenly over the dimensions that the kernel asks
for, and 1024 for each value that trip counts follow from and that is not given, so that loops over the same data agree.
Less is assumed of steps, windows, borders and tiles, and nothing of where loops begin (`assumed_values`).
Where all that a kernel stores is stored by work-items below such a value, a number, or one that is given, there are as
many of them. Where they share the iterations of a loop out among themselves (from an id on, in steps of as many as
there are), they are 1024, so that 2^20 iterations are shared; what those of a group share out and data end is 1024
iterations in all. Where a kernel goes by local ids alone, all groups do the same, and there is one. A group has no more
work-items than have a place of their own in an array in local memory. Larger values are assumed where a loop that
arguments count would not run twice then, as one in steps of 2048. A loop that still would not takes 1024
iterations, or the most that there may be where it takes what a division by a number leaves. No more are assumed of a
loop whose count grows with the id of a work-item as well, nor than the array has elements that a loop on the value runs
over. Less is assumed where such loops nest: the innermost runs at most 2^30 times in all. More is assumed of a single
work-item where its text alone counts other loops than these: what fills a table first is a small part of a kernel,
whatever the table's size.
Where an access would not run at all under these sizes, since conditions keep it from it, a quarter of the work-items is
assumed, and so on: those of which the most of what such accesses do is left.
A loop that data end, or that nothing counts, is left unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from fractions import Fraction
from math import ceil, prod

from burstline_model.estimate.kernel_estimate import AssumedSizes
from burstline_model.facts import KernelFacts, Loop
from burstline_model.launch import Launch, Provenance
from burstline_model.parallelism.array_places import within_arrays
from burstline_model.parallelism.assumed_counts import (
    groups_alike,
    in_groups,
    most_of,
    shared_out,
    stored_below,
)
from burstline_model.parallelism.assumed_values import most_assumed
from burstline_model.parallelism.extent import Extent
from burstline_model.parallelism.usual_groups import DEFAULT_GROUP, most_in_group, usual_groups

ASSUMED_TRIPS = 1024
"""Iterations that are assumed of a loop, at most."""
SMALL_PART = 16
"""How many times as many iterations as the text alone counts of other loops are assumed, at least."""
MOST_POWER = 20
"""As a power of two, the most iterations that are assumed for that."""
MOST_ITERATIONS = 1 << 30
"""Iterations of an innermost loop over all work-items, at most, as far as they are assumed."""
_SIZES = ((1 << 20,), (1 << 10, 1 << 10), (1 << 7, 1 << 7, 1 << 6))
"""2^20 work-items by the number of dimensions."""
_SQUARED = ((1 << 15,), (1 << 8, 1 << 7), (1 << 5, 1 << 5, 1 << 5))
"""As many that each of them can loop over all of them within the iterations that are assumed at most."""
_SHARED = ((1 << 10,), (1 << 5, 1 << 5), (1 << 4, 1 << 3, 1 << 3))
"""As many that share out the iterations of a loop, each of which then takes as many as are assumed."""
MOST_QUARTERS = 5
"""Most often that a quarter of the work-items is tried: 2^10 are left of 2^20."""
_ONE_GROUP = ((DEFAULT_GROUP,), (1 << 4, 1 << 4), (1 << 3, 1 << 3, 1 << 2))
"""The work-items of one group."""


def assumed_global_size(
    facts: KernelFacts, launch: Launch, each: int = ASSUMED_TRIPS, fewer: int = 0
) -> tuple[int, ...]:
    """The work-items by dimension that are assumed, whole work-groups where their size is known.

    `each`: what is assumed of values that trip counts follow from; `fewer`: how often a quarter is taken of the usual
    number.
    """
    group = launch.local_size or facts.work_group_size or ()
    asked = [s.dimension + 1 for s in facts.symbols.values() if s.kind in _OF_ITEMS]
    spread = [number + 1 for number, size in enumerate(group) if size > 1]
    squared = any(facts.symbols[n].kind == "global_size" for loop in facts.loops for n in _trip_symbols(facts, loop))
    shared = any(_is_shared(facts, loop) for loop in facts.loops)
    if launch.likely_size is not None:
        whole = (*group, 1, 1, 1)
        return tuple(ceil(size / of) * of for size, of in zip(launch.likely_size, whole, strict=False))
    alike = groups_alike(facts)
    if alike and group:
        return tuple(group)
    sizes: tuple[int, ...] = (_ONE_GROUP if alike else _SHARED if shared else _SQUARED if squared else _SIZES)[
        min(max((1, *asked, *spread)), len(_SIZES)) - 1
    ]
    if fewer and not alike:
        sizes = _quartered(sizes, fewer)
    if alike and len(sizes) == 1:
        sizes = (most_in_group(facts),)
    counting = {n for loop in facts.loops for n in _trip_symbols(facts, loop)}
    whole, below = (*group, 1, 1, 1), stored_below(facts, {**dict.fromkeys(counting, each), **launch.arguments})
    sizes = tuple(below.get(dimension, size) for dimension, size in enumerate(sizes))
    return tuple(ceil(size / of) * of for size, of in zip(sizes, whole, strict=False))


def _quartered(sizes: tuple[int, ...], times: int) -> tuple[int, ...]:
    """A quarter of so many work-items, and of those: half of the two longest dimensions, where there are two."""
    for _ in range(times):
        longest = sorted(range(len(sizes)), key=lambda n: -sizes[n])[:2]
        by = 4 if len(sizes) == 1 else 2
        sizes = tuple(max(size // by, 1) if n in longest else size for n, size in enumerate(sizes))
    return sizes


_OF_ITEMS = {"global_id", "local_id", "group_id"}


def _trip_symbols(facts: KernelFacts, loop: Loop) -> set[str]:
    """What a loop's trip count is a multiple of."""
    return {n for n in (loop.trip.symbols if loop.trip is not None else ()) if n in facts.symbols}


def _is_shared(facts: KernelFacts, loop: Loop) -> bool:
    """Whether a trip count is what remains from an item's or a group's id on, in steps of as many as there are.

    Or the part that each of them gets.
    """
    if (shared := shared_out(facts, loop)) is None:
        return False
    left, step = ({facts.symbols[n].kind for n in o.symbols if n in facts.symbols} for o in shared)
    ids = left & {"global_id", "group_id", "local_id"}
    every = not ids or "global_id" in ids or ids == {"group_id", "local_id"}
    if step == {"num_groups"}:
        return ids <= {"group_id"} and "loaded" not in left
    return every and step in ({"global_size"}, {"local_size", "num_groups"})


def assumed_extent(given: Extent, fewer: int = 0) -> Extent | None:
    """The extent under a launch with assumed sizes where those `given` are not known; None where all are.

    `fewer`: see `assumed_global_size`.
    """
    facts, launch = given.facts, given.launch
    said = {**launch.likely_arguments, **launch.arguments}
    sized = _sized(facts, launch.model_copy(update={"arguments": said}) if launch.likely_arguments else launch, fewer)
    of_items = sized.global_size != launch.global_size
    if fewer and (not of_items or launch.likely_size is not None or launch.assumed_trips):
        return None
    assumed = Extent(facts, sized, {}) if launch.assumed_trips else _with_trips(facts, sized, fewer, of_items=of_items)
    return assumed if assumed.launch != launch else None


def _sized(facts: KernelFacts, launch: Launch, fewer: int) -> Launch:
    """The launch with work-items, assumed ones where none are given, in groups where the kernel works by them."""
    if facts.model != "ndrange":
        return launch
    if launch.global_size is None:
        if launch.likely_group is not None:
            launch = launch.model_copy(update={"local_size": launch.likely_group})
        launch = launch.model_copy(update={"global_size": assumed_global_size(facts, launch, fewer=fewer)})
    given = launch.local_size is not None or facts.work_group_size is not None
    return launch if given or not in_groups(facts) else _grouped(facts, launch)


def _grouped(facts: KernelFacts, launch: Launch) -> Launch:
    """The launch in groups of the usual size."""
    items = launch.global_size or (DEFAULT_GROUP,)
    given_by: dict[str, Provenance] = {**launch.given_by, "local_size": "default"}
    group = items if prod(items) <= DEFAULT_GROUP else usual_groups(facts, items)
    return launch.model_copy(update={"local_size": group, "given_by": given_by})


def _with_trips(facts: KernelFacts, launch: Launch, fewer: int, *, of_items: bool) -> Extent:
    """The extent with what is assumed of each value that trips follow from.

    That is a power of two, the smaller the deeper such loops nest. `of_items`: work-items are assumed as well.
    """
    few, many = 1, ASSUMED_TRIPS.bit_length() - 1  # powers of two: the least, and the largest left

    def at(power: int) -> Extent:
        without = launch.model_copy(update={"global_size": None, "assumed_trips": 1 << power})
        size = assumed_global_size(facts, without, 1 << power, fewer) if of_items else launch.global_size
        return Extent(facts, without.model_copy(update={"global_size": size}), {})

    most, found = at(many), None
    if _iterations(most) <= MOST_ITERATIONS:
        while not of_items and many < MOST_POWER:
            if _iterations(most) >= SMALL_PART * _iterations(most, others=True):
                break
            if _iterations(larger := at(many + 1)) <= _iterations(most):
                break
            most, many = larger, many + 1
        return within_arrays(_run_twice(most, many, at), at)
    many -= 1
    while few < many:
        middle = (few + many + 1) // 2
        if _iterations(tried := at(middle)) <= MOST_ITERATIONS:
            few, found = middle, tried
        else:
            many = middle - 1
    return within_arrays(found or at(few), at)


def _run_twice(extent: Extent, power: int, at: Callable[[int], Extent]) -> Extent:
    """The extent with larger values where loops that arguments count, in steps of many, would not run twice.

    As they are where no value up to 2^`MOST_POWER` lets all of them run, or others then run too often.
    """
    found = extent
    while _left_alone(found) and power < MOST_POWER:
        power += 1
        found = at(power)
        if _iterations(found) > MOST_ITERATIONS:
            return extent
    if found is extent or _left_alone(found):
        return extent
    larger = (at(more) for more in range(min(power + MORE_ITERATIONS, MOST_POWER), power, -1))
    return next((one for one in larger if _iterations(one) <= MOST_ITERATIONS), found)


MORE_ITERATIONS = 6
"""By how much more such a loop is to run, as a power of two, so that filling its pipeline is a small part."""


def _left_alone(extent: Extent) -> bool:
    """Whether the trips of a loop are assumed though they follow from arguments alone, which have values."""
    facts = extent.facts
    for number, names in extent.assumed.items():
        loop = facts.loops[number]
        own = _trip_symbols(facts, loop) if not names and most_of(facts, loop) is None else set[str]()
        behind = own.union(*(facts.symbols[n].depends_on for n in own))
        plain = [s for n in behind if (s := facts.symbols.get(n)) is not None and s.operation is None]
        if plain and all(s.kind == "argument" for s in plain):
            return True
    return False


def _iterations(extent: Extent, *, others: bool = False) -> Fraction:
    """Iterations of the loop with assumed trips around or in it that runs most often, over all work-items.

    `others`: of the loop that runs most often of all those with none in them or around them.
    """
    facts = extent.facts
    near = {i for loop in extent.assumed for i in (loop, *facts.loops_around(loop))}
    items = Fraction(extent.work_items or 1)
    every, most = dict[int, Fraction](), Fraction(0)
    for loop in facts.loops:  # outer ones come first
        outer = every[loop.parent] if loop.parent is not None else items
        trips = extent.trips[loop.id]
        rolled = max(trips, Fraction(1)) if trips is not None and loop.unroll != 0 else Fraction(1)
        every[loop.id] = outer * rolled / (loop.unroll or 1)
        inside = any(i in extent.assumed for i in (loop.id, *facts.loops_around(loop.id)))
        if (loop.id not in near and not inside) if others else inside:
            most = max(most, every[loop.id])
    return most


def assumed_sizes(given: Extent, assumed: Extent) -> AssumedSizes | None:
    """What `assumed_extent` adds to a given launch; None where it makes no sense: a loop that data end.

    Counts that follow from the work-items alone are not assumed a second time, nor those that then follow from another
    loop's counter.
    """
    unknown = [loop for loop, count in given.trips.items() if count is None]
    if any(given.facts.loops[loop].trip is None for loop in unknown):
        return None
    size = assumed.launch.global_size if given.launch.global_size is None else None
    trips = {i: ceil(n) for i, n in assumed.trips.items() if n is not None and i in assumed.assumed}
    names = sorted(frozenset[str]().union(*(assumed.assumed[i] for i in trips)))
    alone = tuple(i for i in trips if not assumed.assumed[i])
    each = assumed.launch.assumed_trips or ASSUMED_TRIPS
    most = most_assumed(given.facts)
    said = {name: n for name, n in given.launch.likely_arguments.items() if name not in given.launch.arguments}
    by_host = [i for i in unknown if assumed.trips[i] is not None and _counts_by(given.facts, i, said)]
    trips |= {i: ceil(assumed.trips[i] or 0) for i in by_host if i not in trips}
    return AssumedSizes(
        global_size=size,
        trips=trips,
        arguments={**{n: min(each, most.get(n, each)) for n in names}, **said},
        alone=alone,
    )


def _counts_by(facts: KernelFacts, loop: int, names: Container[str]) -> bool:
    """Whether a loop's trip count follows from some of these arguments."""
    waiting, seen = list(_trip_symbols(facts, facts.loops[loop])), set[str]()
    while waiting:
        symbol = facts.symbols.get(name := waiting.pop())
        if symbol is None or name in seen:
            continue
        if symbol.kind == "argument" and symbol.name in names:
            return True
        seen.add(name)
        waiting += [n for operand in symbol.operands for n in operand.symbols]
    return False
