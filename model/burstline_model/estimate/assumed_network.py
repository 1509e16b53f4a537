"""Assumed sizes of kernels that channels join: both ends of a channel move as many items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, prod

from burstline_model.estimate.concurrent import Running
from burstline_model.estimate.fed import Kernels, fed, moved_at_both_ends
from burstline_model.estimate.kernel_estimate import AssumedSizes, AtAssumed, KernelEstimate
from burstline_model.facts import KernelFacts
from burstline_model.launch import Launch

Under = Callable[[int, Launch], KernelEstimate | None]
"""The estimate of a kernel, by its place, under a launch of other sizes."""


def sized_alike(kernels: Sequence[Running], under: Under) -> dict[int, AtAssumed]:
    """The estimates at assumed sizes that follow from what other kernels move at theirs, by the kernel's place.

    An argument of one name has one value, the least that is assumed of it. A loop that channels keep going runs for
    all that others send; work-items that are assumed are as many as move what the other end does.
    """
    if all(one.at_assumed is None for _, _, one in kernels):
        return {}
    named = _named_alike(kernels, under)
    kernels = [
        (facts, launch, own.model_copy(update={"at_assumed": named.get(place, own.at_assumed)}))
        for place, (facts, launch, own) in enumerate(kernels)
    ]
    assumed: list[tuple[KernelFacts, Launch]] = [
        (facts, own.given if (own := estimate.at_assumed) is not None else launch)
        for facts, launch, estimate in kernels
    ]
    return {**named, **_fed(kernels, assumed, under), **_items_alike(kernels, assumed, under)}


def _named_alike(kernels: Sequence[Running], under: Under) -> dict[int, AtAssumed]:
    """Kernels with what is given of arguments of the same names in others, or the least that is assumed there."""
    sized = {place: one.at_assumed for place, (_, _, one) in enumerate(kernels) if one.at_assumed is not None}
    least: dict[str, int] = {}
    for place, at in sized.items():
        for name, value in at.sizes.arguments.items():
            if name not in kernels[place][1].likely_arguments:
                least[name] = min(value, least.get(name, value))
    given: dict[str, set[int]] = {}
    for _, launch, _ in kernels:
        for name, value in launch.arguments.items():
            given.setdefault(name, set()).add(value)
    least |= {name: min(values) for name, values in given.items() if len(values) == 1}
    found = {}
    for place, at in sized.items():
        values = {name: least.get(name, value) for name, value in at.sizes.arguments.items()}
        if values == at.sizes.arguments or at.sizes.global_size is not None:
            continue
        launch = at.launch.model_copy(update={"arguments": {**at.launch.arguments, **values}})
        estimate = under(place, launch)
        if estimate is not None and estimate.time_s is not None:
            trips = {one.loop: ceil(one.trip) for one in estimate.loops if one.trip is not None}
            own = {loop: trips.get(loop, count) for loop, count in at.sizes.trips.items()}
            sizes = at.sizes.model_copy(update={"arguments": values, "trips": own})
            found[place] = AtAssumed(sizes=sizes, launch=launch, estimate=estimate)
    return found


def _fed(kernels: Sequence[Running], assumed: Kernels, under: Under) -> dict[int, AtAssumed]:
    """Kernels without a time whose loops run as long as others send."""
    found = {}
    for place, (trips, said) in fed(assumed).items():
        _, launch, own = kernels[place]
        if own.at_assumed is not None or own.time_s is not None:
            continue
        going = launch.model_copy(update={"trips": {**launch.trips, **trips}})
        estimate = under(place, going)
        if estimate is not None and estimate.time_s is not None:
            sender = next(one.at_assumed for other, _, one in kernels if other.name == said.kernel)
            remarks = (*estimate.remarks, said)
            found[place] = AtAssumed(
                sizes=_as_sent(trips, sender), launch=going, estimate=estimate.model_copy(update={"remarks": remarks})
            )
    return found


def _as_sent(trips: dict[int, int], sender: AtAssumed | None) -> AssumedSizes:
    """The sizes of a kernel that follow from those of the one that sends to it."""
    arguments = sender.sizes.arguments if sender is not None and sender.sizes.global_size is None else {}
    return AssumedSizes(global_size=None, trips=trips, arguments=arguments, alone=() if arguments else (max(trips),))


def _items_alike(kernels: Sequence[Running], assumed: Kernels, under: Under) -> dict[int, AtAssumed]:
    """Kernels of assumed work-items, with as many as the single work-items at the other ends of channels ask for."""
    found = {}
    times = moved_at_both_ends(assumed)
    for place, (facts, said, own) in enumerate(kernels):
        at, ratio = own.at_assumed, times.get(place, Fraction(1))
        if at is None or at.sizes.global_size is None or ratio == 1 or said.likely_size is not None:
            continue
        group = (*(at.launch.local_size or facts.work_group_size or ()), 1)[0]
        first, *rest = at.sizes.global_size
        size = (max(1, ceil(first * ratio / group)) * group, *rest)
        if prod(size) < FEWEST and any(one.op == "write" for one in facts.channels):
            continue
        launch = at.launch.model_copy(update={"global_size": size})
        estimate = under(place, launch)
        if estimate is not None and estimate.time_s is not None:
            sizes = at.sizes.model_copy(update={"global_size": size})
            found[place] = AtAssumed(sizes=sizes, launch=launch, estimate=estimate)
    return found


FEWEST = 64
"""Fewer work-items that send are what a host takes from again and again: that end then runs as often, which no count
says."""
