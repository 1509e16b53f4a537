"""The passes in their order. Each takes facts and gives facts; numbers of accesses, loops and symbols stay."""

from __future__ import annotations

from collections.abc import Callable

from burstline_model.facts import KernelFacts
from burstline_model.middle.decided import decided
from burstline_model.middle.invariant import hoisted
from burstline_model.middle.repeated import run_once
from burstline_model.middle.row_bounds import bounded
from burstline_model.middle.stored_over import stored_over
from burstline_model.middle.unbuilt_lanes import vectorised

PASSES: tuple[Callable[[KernelFacts], KernelFacts], ...] = (
    decided, stored_over, hoisted, run_once, vectorised, bounded,
)  # fmt: skip


def as_built(facts: KernelFacts) -> KernelFacts:
    """The facts of a kernel after every pass."""
    for one in PASSES:
        facts = one(facts)
    return facts
