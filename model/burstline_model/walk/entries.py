"""How often loops are come to: the work-items and iterations whose conditions let them."""

from __future__ import annotations

from burstline_model.extent import Extent
from burstline_model.walk.guards import share_of
from burstline_model.walk.order import dimensions_of
from burstline_model.walk.sampler import Sampler


def entered(extent: Extent) -> dict[int, float]:
    """The share of visits of what is around a loop that come to it, from 0 to 1; 1 is left out.

    As for accesses, conditions on ids, counters and given arguments are counted, and others hold.
    """
    facts = extent.facts
    if not any(loop.guards for loop in facts.loops):
        return {}
    sampler = Sampler(extent)
    whole: dict[int | None, float] = {None: 1.0}
    found: dict[int, float] = {}
    for loop in facts.loops:
        outer = whole[loop.parent]
        share = outer
        if loop.guards:
            around = dimensions_of(extent, facts.loops_around(loop.id))
            share = min(share_of(sampler, loop.guards, around).point, outer)
        whole[loop.id] = share
        if share < outer:
            found[loop.id] = share / outer
    return found
