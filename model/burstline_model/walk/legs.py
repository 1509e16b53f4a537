"""The requests along each dimension that conditions let through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from burstline_model.walk.guards import Chosen, Share
from burstline_model.walk.issue_order import Dimension
from burstline_model.walk.memory_words import Leg
from burstline_model.walk.steps import Step

WHOLE = 0.999
"""A condition that holds for more of a row leaves it as it is."""

ONCE = 1.000001
"""Fewer runs than this are one, but for rounding."""


def legs_of(
    every: Sequence[Dimension], steps: Sequence[Step], share: Share, units: int, digits: Sequence[list[Leg]] = ()
) -> list[Leg]:  # fmt: skip
    """The requests along each dimension that the conditions let through.

    Where a condition lets neighbours through and leaves others out, in turns, a dimension becomes two legs: along the
    neighbours, and from one such run to the next. Of copies that one unit serves in one request, one that is let
    through makes the request; of those with `units` of their own, each makes its own. `digits`: the legs of dimensions
    that the address takes apart and no condition thins.
    """
    legs = {id(d): [_leg(d, step)] for d, step in zip(every, steps, strict=True)}
    moves = {id(d): step for d, step in zip(every, steps, strict=True)}
    for part in share.parts:
        own = [d for d in part.dimensions if id(d) in legs]
        if not part.share:
            legs.update({id(d): [Leg(0.0, moves[id(d)])] for d in own})
            continue
        along = min(max(part.along, part.share), 1.0)
        if along < WHOLE:
            _thin(legs, part, along, units)
        rest = [d for d in own if d not in part.first]
        if rest and part.shift and (first := moves.get(id(part.first[0]))) is not None:
            legs[id(rest[0])] = [_shifted(legs[id(rest[0])][0], part.shift * first.bytes / part.first[0].lanes)]
        left = part.share / along
        for one in reversed(rest):
            leg = legs[id(one)][0]
            now = max(leg.size * left, min(leg.size, 1.0))
            left = leg.size * left / now if now else left  # a loop that never runs has no size
            legs[id(one)] = [replace(leg, size=now)]
    thinned = {id(d) for part in share.parts for d in part.dimensions}
    legs.update({id(d): own for d, own in zip(every, digits, strict=False) if own and id(d) not in thinned})
    return [leg for d in every for leg in legs[id(d)]]


def in_one_piece(part: Chosen) -> bool:
    """Whether conditions let all of a row through, or neighbours alone."""
    return part.along > WHOLE or part.run >= WHOLE * part.along * prod(d.size * d.lanes for d in part.first)


def _leg(dimension: Dimension, step: Step) -> Leg:
    """The requests along a dimension; those that stay where they are as one."""
    if step.stay == 1 or dimension.size <= step.stay:
        return Leg(dimension.size, step)
    return Leg(dimension.size / step.stay, replace(step, bytes=step.bytes * step.stay))


def _thin(legs: dict[int, list[Leg]], part: Chosen, along: float, units: int) -> None:
    """Thin the dimensions that a condition picks runs of neighbours from, `along` of all of them."""
    run, period = part.run, part.run / along
    for one in part.first:
        lanes = one.lanes if units == 1 else 1
        if id(one) in legs:
            leg = legs[id(one)][0]
            together = max(run / lanes, 1.0)
            apart = max(period / lanes, together)
            if together < leg.size and apart > together:
                legs[id(one)] = _picked(leg, together, min(apart, leg.size * one.lanes / lanes))
        run, period = run / (one.size * one.lanes), period / (one.size * one.lanes)


def _picked(leg: Leg, together: float, apart: float) -> list[Leg]:
    """A leg of which so many neighbours `together` are left in every `apart`."""
    times = max(leg.size / apart, min(1.0, leg.size))
    times = times if times > ONCE else min(times, 1.0)
    if leg.step.kind in {"same", "anywhere"}:
        return [replace(leg, size=together * times)]
    further = replace(leg.step, bytes=leg.step.bytes * apart)
    return [Leg(together, leg.step), Leg(times, further)] if together > 1 else [Leg(times, further)]


def _shifted(leg: Leg, further: float) -> Leg:
    """A leg along rows of which each is taken further on than the one before."""
    if leg.step.kind not in {"same", "steady"}:
        return leg
    return replace(leg, step=replace(leg.step, kind="steady", bytes=leg.step.bytes + further))
