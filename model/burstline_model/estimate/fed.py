"""Loops that nobody counts and that work on channels: how often they run, by what other kernels send or take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from burstline_model.estimate.remark_kinds import Fed
from burstline_model.facts import ChannelOperation, KernelFacts, Loop
from burstline_model.launch import Launch
from burstline_model.parallelism.extent import Extent

Kernels = Sequence[tuple[KernelFacts, Launch]]


def fed(kernels: Kernels) -> dict[int, tuple[int, Fed]]:
    """The only loop that nobody counts of kernels, with how often it runs in all, by the kernel's place.

    Each item that is sent through a channel is taken out once: a loop around operations that no condition keeps from
    running goes round until they have moved as many as the other end. Nothing where channels disagree.
    """
    loops = {place: loop for place, one in enumerate(kernels) if (loop := _uncounted(*one)) is not None}
    found: dict[int, set[Fed]] = {}
    for _ in range(len(kernels)):  # what one kernel sends may only be known a pass later
        counted = {place: _first(said).rounds for place, said in found.items() if _agree(said)}
        moved = [
            _moved(facts, launch, {loops[place].id: counted[place]} if place in counted else {})
            for place, (facts, launch) in enumerate(kernels)
        ]
        # What one end says is kept for where another, that is known later, says something else.
        every = {place: found.get(place, set()) | _said(kernels, place, loop, moved) for place, loop in loops.items()}
        if every == found:
            break
        found = every
    return {place: (loops[place].id, _first(said)) for place, said in found.items() if _agree(said)}


def _agree(said: set[Fed]) -> bool:
    return len({one.rounds for one in said}) == 1


def _first(said: set[Fed]) -> Fed:
    return min(said, key=lambda one: (one.channel, one.kernel))


def _said(kernels: Kernels, place: int, loop: Loop, moved: Sequence[Mapping[tuple[str, str], int | None]]) -> set[Fed]:
    """What each channel of a kernel says of how often its loop runs."""
    facts, launch = kernels[place]
    inside = facts.model_copy(update={"channels": tuple(_all_inside(facts, loop))})
    return {
        Fed(kernel=kernels[other][0].name, channel=name, rounds=items // own)
        for (name, op), own in _moved(inside, launch, {loop.id: 1}).items()
        if own
        for other in range(len(kernels))
        if other != place and (items := moved[other].get((name, _OTHER_END[op]))) and items >= own
    }


_OTHER_END: Mapping[str, str] = {"read": "write", "write": "read"}


def _uncounted(facts: KernelFacts, launch: Launch) -> Loop | None:
    """The loop whose trips are not known; None where that is none, several, or one that may end early."""
    if not facts.channels:
        return None
    trips = Extent(facts, launch.model_copy(update={"assumed_trips": None}), {}).trips
    unknown = [loop for loop in facts.loops if trips[loop.id] is None]
    if len(unknown) != 1 or unknown[0].early_exit:
        return None
    # A kernel that starts again as soon as it ends counts its loop anew each time.
    return None if facts.model == "autorun" and unknown[0].trip is not None else unknown[0]


def _all_inside(facts: KernelFacts, loop: Loop) -> Iterator[ChannelOperation]:
    """The operations on channels that a kernel works on in a loop alone."""
    outside = {_end(one) for one in facts.channels if loop.id not in one.loops}
    return (one for one in facts.channels if _end(one) not in outside)


def _end(one: ChannelOperation) -> tuple[str, str]:
    """The channel, that of an array by its number, and which end of it an operation is at."""
    return one.name + "".join(f"[{index}]" for index in one.index), one.op


def _moved(facts: KernelFacts, launch: Launch, rounds: Mapping[int, int]) -> dict[tuple[str, str], int | None]:
    """The items that a kernel sends through each channel, or takes; None where that is not known."""
    given = launch.model_copy(update={"trips": {**launch.trips, **rounds}, "assumed_trips": None})
    extent = Extent(facts, given, {})
    counts: dict[tuple[str, str], int | None] = {}
    anywhere = {(one.name, one.op) for one in facts.channels if None in one.index}
    for one in facts.channels:
        # What is chosen as it runs may be any channel of an array.
        key, items = _end(one), None if (one.name, one.op) in anywhere else _items(facts, extent, one)
        before = counts.get(key, 0)
        counts[key] = None if items is None or before is None else before + items
    return counts


def _items(facts: KernelFacts, extent: Extent, one: ChannelOperation) -> int | None:
    trips = [extent.trips[i] for i in one.loops]
    ends = any(facts.loops[i].early_exit for i in one.loops)
    several = facts.compute_units > 1 or facts.simd > 1
    if one.guards or ends or several or extent.work_items is None or None in trips:
        return None
    items = prod(trip for trip in trips if trip is not None) * extent.work_items
    return int(items) if items == int(items) else None
