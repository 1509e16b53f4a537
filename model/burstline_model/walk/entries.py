"""How often loops are come to: the work-items and iterations whose conditions let them."""

from __future__ import annotations

from collections.abc import Mapping

from burstline_model.extent import Extent
from burstline_model.facts import KernelFacts, Span
from burstline_model.walk.guards import share_of
from burstline_model.walk.order import dimensions_of
from burstline_model.walk.sampler import Sampler


def entered(extent: Extent) -> Mapping[int, float]:
    """The share of visits of what is around a loop that come to it, from 0 to 1; 1 is left out.

    As for accesses, conditions on ids, counters and given arguments are counted, and others hold. Where work-items take
    a loop in either arm of a branch, the arms follow each other: each counts for all (LU decomposition in opencl-4all,
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
    sampler = Sampler(extent)
    whole: dict[int | None, float] = {None: 1.0}
    found: dict[int, float] = {}
    shares: dict[object, float] = {}
    """By conditions: what loops have in common is looked at once."""
    in_arms = _in_either_arm(facts) if facts.model == "ndrange" else set()
    for loop in facts.loops:
        outer = whole[loop.parent]
        guards = [g for g in loop.guards if (g.span, g.text) not in in_arms]
        key = tuple((g.span, g.text, g.condition) for g in guards)
        if guards and key not in shares:
            around = dimensions_of(extent, facts.loops_around(loop.id))
            shares[key] = share_of(sampler, guards, around).point
        share = min(shares.get(key, 1.0), outer)
        whole[loop.id] = share
        if share < outer:
            found[loop.id] = share / outer
    return found


def _in_either_arm(facts: KernelFacts) -> set[tuple[Span, str]]:
    """The conditions with a loop in both of their arms, as each arm has them."""
    found = {(g.span, g.text) for loop in facts.loops for g in loop.guards}
    texts: dict[Span, set[str]] = {}
    for span, text in found:
        texts.setdefault(span, set()).add(text)
    return {(span, text) for span, text in found if len(texts[span]) > 1}
