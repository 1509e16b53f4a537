"""How often loops are come to: the work-items and iterations whose conditions let them."""

from __future__ import annotations

from collections.abc import Mapping

from burstline_model.facts import KernelFacts, Span
from burstline_model.parallelism.extent import Extent
from burstline_model.walk.guards import share_of
from burstline_model.walk.issue_order import dimensions_of
from burstline_model.walk.sampler import Sampler


def entered(extent: Extent) -> Mapping[int, float]:
    """The share of visits of what is around a loop that come to it, from 0 to 1; 1 is left out.

    As for accesses, conditions on ids, counters and given arguments are counted, and others hold. Where work-items take
    a loop in either arm of a branch, the arms follow each other: each counts for both (LU decomposition in opencl-4all,
    on two boards).
    """
    facts = extent.facts
    if not any(loop.guards for loop in facts.loops):
        return {}
    key = (facts.simd, *sorted(extent.copies.items()))
    if key not in extent.entered:
        extent.entered[key] = _entered(extent)
    return extent.entered[key]


def _entered(extent: Extent) -> dict[int, float]:
    facts = extent.facts
    exact = _exact(extent)
    scale = _arms_in_turn(facts, exact) if facts.model == "ndrange" else {}
    whole: dict[int | None, float] = {None: 1.0}
    found: dict[int, float] = {}
    for loop in facts.loops:
        outer = whole[loop.parent]
        share = min(exact[loop.id] * scale.get(loop.id, 1.0), outer)
        whole[loop.id] = share
        if share < outer:
            found[loop.id] = share / outer
    return found


def _exact(extent: Extent) -> dict[int, float]:
    """The share of work-items and iterations for which all conditions around a loop hold."""
    sampler, shares = Sampler(extent), dict[object, float]()
    found: dict[int, float] = {}
    for loop in extent.facts.loops:
        key = tuple((g.span, g.text, g.condition) for g in loop.guards)
        if key not in shares:  # what loops have in common is looked at once
            around = dimensions_of(extent, extent.facts.loops_around(loop.id))
            shares[key] = share_of(sampler, loop.guards, around).point if key else 1.0
        found[loop.id] = shares[key]
    return found


def _arms_in_turn(facts: KernelFacts, exact: Mapping[int, float]) -> dict[int, float]:
    """How many times as often loops count that are in an arm of a branch with loops in its other arm too."""
    arms: dict[Span, dict[str, float]] = {}
    for loop in facts.loops:
        for guard in loop.guards:
            own = arms.setdefault(guard.span, {})
            own[guard.text] = max(own.get(guard.text, 0.0), exact[loop.id])
    return {
        loop.id: max((sum(arms[g.span].values()) / (arms[g.span][g.text] or 1.0) for g in loop.guards), default=1.0)
        for loop in facts.loops
    }
