"""The units of a text with their walks."""

from typing import Any

from burstline_model.estimate.kernel_estimate import UnitEstimate
from tests.assessing import assess

MEGA = 1 << 20
SINGLE = "__attribute__((max_global_work_dim(0)))\n"
"""A kernel of one work-item."""


def units(text: str, **settings: Any) -> dict[str, UnitEstimate]:
    """The units of a text's first kernel by their index, with the pointer in front."""
    kernel = assess(text, **settings).kernels[0]
    first = [kernel.facts.accesses[u.lsu.members[0]] for u in kernel.estimate.units]
    return {f"{a.op} {a.pointer}": u for a, u in zip(first, kernel.estimate.units, strict=True) if a.space == "global"}


def fetched(unit: UnitEstimate) -> float:
    """The bytes that the memory fetches for a unit."""
    assert unit.walk is not None
    assert unit.walk.fetched_bytes is not None
    return unit.walk.fetched_bytes
