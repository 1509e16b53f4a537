"""Recurrences through the elements of private arrays, once the loops that pick them are unrolled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from burstline_model.body_operations import Recurrence, StepCount
from burstline_model.facts import KernelFacts, LocalArray
from burstline_model.parallelism.loop_copies import fully_unrolled


def passes_on(facts: KernelFacts, one: Recurrence, copies: Mapping[int, int]) -> bool:
    """Whether values only move on through registers, as in a transposed filter: no way leads back to where it began.

    The interval of a loop is the longest way around over the iterations that it spans; a way that ends has none.
    """
    return not one.stays and _moves_apart(facts, one, copies)


def one_copy(facts: KernelFacts, one: Recurrence, copies: Mapping[int, int]) -> tuple[StepCount, ...]:
    """The steps of a recurrence, those of one copy alone where each copy has an element of its own.

    In a wave through registers, as that of a systolic array, an element waits for itself and for those before it, but
    none of these for it.
    """
    if not one.stays or not _moves_apart(facts, one, copies):
        return one.steps
    own = one.one_way or ()
    return tuple(replace(s, loops=tuple(i for i in s.loops if i not in own)) for s in one.steps)


def _moves_apart(facts: KernelFacts, one: Recurrence, copies: Mapping[int, int]) -> bool:
    return one.one_way is not None and all(fully_unrolled(facts.loops[i], copies) for i in one.one_way)


def is_of_variables(facts: KernelFacts, one: Recurrence, copies: Mapping[int, int]) -> bool:
    """Whether each element of an array is a variable: every loop that picks one is unrolled."""
    return one.array and any(a.name == one.names[0] and is_fixed(a, facts, copies) for a in facts.arrays)


def is_fixed(array: LocalArray, facts: KernelFacts, copies: Mapping[int, int]) -> bool:
    """Whether unrolling makes every index of a private array a constant."""
    return array.picked_by is not None and all(fully_unrolled(facts.loops[i], copies) for i in array.picked_by)
