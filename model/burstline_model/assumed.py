"""What stands for sizes that nobody gives, so that a kernel's parts can be compared; times that rest on it say so.

Rule: 2^20 work-items, spread evenly over the dimensions that the kernel asks for, and 1024 iterations of each loop
whose count follows from what is not given. A loop that data end, or that nothing counts, is left unknown.
"""

from __future__ import annotations

from math import ceil

from burstline_model.answer import AssumedSizes
from burstline_model.extent import Extent
from burstline_model.facts import KernelFacts
from burstline_model.launch import Launch

ASSUMED_TRIPS = 1024
_SIZES = ((1 << 20,), (1 << 10, 1 << 10), (1 << 7, 1 << 7, 1 << 6))
"""2^20 work-items by the number of dimensions."""


def assumed_global_size(facts: KernelFacts, launch: Launch) -> tuple[int, ...]:
    """The work-items by dimension that are assumed, whole work-groups where their size is known."""
    group = launch.local_size or facts.work_group_size or ()
    asked = [s.dimension + 1 for s in facts.symbols.values() if s.kind in _OF_ITEMS]
    spread = [number + 1 for number, size in enumerate(group) if size > 1]
    sizes = _SIZES[min(max((1, *asked, *spread)), len(_SIZES)) - 1]
    whole = (*group, 1, 1, 1)
    return tuple(ceil(size / of) * of for size, of in zip(sizes, whole, strict=False))


_OF_ITEMS = {"global_id", "local_id", "group_id"}


def assumed_launch(facts: KernelFacts, launch: Launch) -> Launch | None:
    """The launch with assumed sizes where its own are not known; None where all are given."""
    size = launch.global_size
    if size is None and facts.model == "ndrange":
        size = assumed_global_size(facts, launch)
    assumed = launch.model_copy(
        update={"global_size": size, "assumed_trips": launch.assumed_trips or ASSUMED_TRIPS}
    )  # fmt: skip
    return assumed if assumed != launch else None


def assumed_sizes(facts: KernelFacts, launch: Launch) -> AssumedSizes | None:
    """What `assumed_launch` adds to a launch; None where it makes no sense: a loop that data end."""
    trips = Extent(facts, launch, {}).trips
    unknown = [loop for loop, count in trips.items() if count is None]
    if any(facts.loops[loop].trip is None for loop in unknown):
        return None
    size = None
    if launch.global_size is None and facts.model == "ndrange":
        size = assumed_global_size(facts, launch)
    # Counts that follow from the work-items alone are not assumed a second time.
    sized = launch.model_copy(update={"global_size": size}) if size is not None else launch
    counts = Extent(facts, sized, {}).trips
    return AssumedSizes(global_size=size, trips={loop: ASSUMED_TRIPS for loop in unknown if counts[loop] is None})
