"""Recurrences through the elements of private arrays, once the loops that pick them are unrolled."""

from __future__ import annotations

from collections.abc import Mapping

from burstline_model.body_operations import Recurrence
from burstline_model.facts import KernelFacts
from burstline_model.parallelism.loop_copies import fully_unrolled


def passes_on(facts: KernelFacts, one: Recurrence, copies: Mapping[int, int]) -> bool:
    """Whether values only move on through registers, as in a transposed filter: no way leads back to where it began.

    The interval of a loop is the longest way around over the iterations that it spans; a way that ends has none.
    """
    return one.one_way is not None and all(fully_unrolled(facts.loops[i], copies) for i in one.one_way)


def is_of_variables(facts: KernelFacts, one: Recurrence, copies: Mapping[int, int]) -> bool:
    """Whether each element of an array is a variable: every loop that picks one is unrolled."""
    picked = (a.picked_by for a in facts.arrays if one.array and a.name == one.names[0])
    return any(p is not None and all(fully_unrolled(facts.loops[i], copies) for i in p) for p in picked)
