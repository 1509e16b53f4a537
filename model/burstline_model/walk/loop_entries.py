"""How often loops are reached: the work-items and iterations whose conditions let them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from burstline_model.facts import Span
from burstline_model.parallelism.extent import Extent
from burstline_model.parallelism.loop_copies import fully_unrolled
from burstline_model.record import fixed
from burstline_model.walk.guards import share_of
from burstline_model.walk.issue_order import dimensions_of
from burstline_model.walk.sampler import Sampler


def entered(extent: Extent, *, least: bool = False) -> Mapping[int, float]:
    """The share of visits of what is around a loop that reach it, from 0 to 1; 1 is left out.

    As for accesses, conditions on ids, counters and given arguments are counted, and others hold; `least`: they hold as
    seldom as they may. Where work-items take
    a loop in either arm of a branch, the arms follow each other (LU decomposition in opencl-4all, on two boards): the
    arm that takes longer counts for both, each by its own share and trips.
    """
    facts = extent.facts
    if not any(loop.guards for loop in facts.loops):
        return {}
    key = (facts.simd, *sorted(extent.copies.items()), least)
    if key not in extent.entered:
        extent.entered[key] = _entered(extent, least=least)
    return extent.entered[key]


def _entered(extent: Extent, *, least: bool) -> dict[int, float]:
    facts = extent.facts
    exact = _exact(extent, least=least)
    counted = _arms_in_turn(extent, exact) if facts.model == "ndrange" else exact
    whole: dict[int | None, float] = {None: 1.0}
    found: dict[int, float] = {}
    for loop in facts.loops:
        outer = whole[loop.parent]
        share = min(counted[loop.id], outer)
        whole[loop.id] = share
        if share < outer:
            found[loop.id] = share / outer
    return found


def _exact(extent: Extent, *, least: bool) -> dict[int, float]:
    """The share of work-items and iterations for which all conditions around a loop hold."""
    sampler, shares = Sampler(extent), dict[object, float]()
    found: dict[int, float] = {}
    for loop in extent.facts.loops:
        key = tuple((g.span, g.text, g.condition) for g in loop.guards)
        if key not in shares:  # what loops have in common is looked at once
            around = dimensions_of(extent, extent.facts.loops_around(loop.id))
            share = share_of(sampler, loop.guards, around) if key else None
            shares[key] = (share.low if least else share.point) if share is not None else 1.0
        found[loop.id] = shares[key]
    return found


@fixed
class _Arm:
    """The loops in one arm of a branch, those that unrolling dissolves left out."""

    loops: Sequence[int]
    share: float
    """The share of work-items and iterations that reach it."""
    cycles: float
    """Iterations of its slowest loop for each work-item that reaches the kernel."""


def _arms_in_turn(extent: Extent, exact: Mapping[int, float]) -> Mapping[int, float]:
    """The shares that loops count with where both arms of a branch hold loops.

    The arm with the most iterations has those of the other one too. Where it cannot have them all, as every work-item
    takes it already, the arm with the most iterations for each that takes it has them: that one always can.
    """
    facts, trips = extent.facts, _iterations(extent)
    arms: dict[Span, dict[str, list[int]]] = {}
    for loop in facts.loops:
        if not fully_unrolled(loop, extent.copies):
            for guard in loop.guards:
                arms.setdefault(guard.span, {}).setdefault(guard.text, []).append(loop.id)
    found = dict(exact)
    for branch in arms.values():
        if len(branch) < 2:
            continue
        both = [_Arm(ids, max(exact[i] for i in ids), max(exact[i] * trips[i] for i in ids)) for ids in branch.values()]
        together = sum(arm.cycles for arm in both)
        shares = sum(arm.share for arm in both)
        longest, slowest = max(both, key=lambda a: a.cycles), max(both, key=lambda a: a.cycles / (a.share or 1.0))
        for arm in (longest, slowest):
            for i in arm.loops:
                found[i] = max(found[i], min(exact[i] * together / (arm.cycles or 1.0), shares))
    return found


def _iterations(extent: Extent) -> Mapping[int, float]:
    """Iterations of each loop with those around it, for a work-item that reaches it; 1 for loops nobody counts."""
    found: dict[int | None, float] = {None: 1.0}
    for loop in extent.facts.loops:
        known = extent.trips[loop.id]
        found[loop.id] = found[loop.parent] * max(float(known or 1) / extent.copies.get(loop.id, 1), 1.0)
    return {i: number for i, number in found.items() if i is not None}
