"""Copies of a loop's body that keep to a part each of an array, whatever place in it data choose."""

from __future__ import annotations

from math import gcd

from burstline_model.compiler.ranges import largest
from burstline_model.facts import Access, KernelFacts
from burstline_model.parallelism.loop_copies import constant_trips
from burstline_model.polynomial import Polynomial


def has_own_rows(facts: KernelFacts, loop: int, access: Access) -> bool:
    """Whether each iteration of a loop has a row or a column of its own, as copies of a histogram do.

    ``counts[copy][bin]`` or ``counts[bin][copy]``, with `copy` counted by the loop: what else is in the index stays
    below a row, or moves by whole rows. The compiler gives each its bank (Best Practices Guide 22.4, 8.4.1).
    """
    offset, counter = access.offset, facts.loops[loop].counter
    step = offset.coefficient(counter) if offset is not None else None
    if offset is None or step is None or not step.constant:
        return False
    rest, size = offset.without([counter]), access.element_bytes
    moving = rest - Polynomial.number(rest.offset)
    trips, columns = constant_trips(facts.loops[loop]), gcd(*(coefficient for _, coefficient in moving.terms))
    if trips is not None and abs(step.constant) * (trips - 1) + size <= columns:
        return True
    if any(coefficient < 0 for _, coefficient in moving.terms):
        return False
    most = largest(facts, moving)
    if most is not None:
        return most + size <= abs(step.constant)
    rows = next((array.rows for array in facts.arrays if array.name == access.pointer), ())
    if step.constant not in rows:
        return False
    # Other subscripts stay within their dimension, as C has it: they move by less than this one, or by what it is in.
    around = rows[rows.index(step.constant) - 1] if rows.index(step.constant) else 0
    steps = [coefficient for _, coefficient in moving.terms]
    return all(one < step.constant or (around and one % around == 0) for one in steps)
