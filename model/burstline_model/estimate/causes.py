"""Observations that have one cause: one change mends all of them, and one of them is shown."""

from __future__ import annotations

from collections.abc import Iterable

from burstline_model.estimate.kernel_estimate import Observation, UnitEstimate
from burstline_model.facts import KernelFacts

Place = tuple[UnitEstimate, Observation]


def causes_of(facts: KernelFacts, units: Iterable[UnitEstimate]) -> list[list[Place]]:
    """The observations on units by their causes, of each that of the unit which takes longest first."""
    found: dict[tuple[int, str], list[Place]] = {}
    for unit in units:
        for one in unit.observations:
            pointer = facts.accesses[unit.lsu.members[0]].pointer
            found.setdefault((one.number, one.cause or pointer), []).append((unit, one))
    return [sorted(places, key=_worst_first) for places in found.values()]


def _worst_first(place: Place) -> tuple[float, float]:
    unit, observation = place
    return -observation.gain, -(unit.time_s or unit.time_item_s or 0.0)
