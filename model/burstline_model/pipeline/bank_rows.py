"""Copies of a loop's body that keep to a part each of an array, whatever place in it data choose."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from burstline_model.facts import Access, KernelFacts
from burstline_model.parallelism.loop_copies import constant_trips
from burstline_model.parallelism.ranges import largest
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


def in_other_rows(facts: KernelFacts, one: Access, other: Access) -> bool:
    """Whether two accesses keep to a row each of an array, by numbers in the text: ``h[0][a]`` and ``h[1][b]``."""
    if one.pointer != other.pointer or one.space != other.space:
        return False
    rows = rows_of(facts, (one, other))
    return rows is not None and rows[0] != rows[1]


def rows_of(facts: KernelFacts, accesses: Sequence[Access]) -> tuple[int, ...] | None:
    """The row that each access to an array keeps to, of the outermost dimension in which numbers alone choose it.

    The compiler gives each row its bank, as `has_own_rows` has it; the other subscripts stay within their dimension.
    """
    sizes = next((array.rows for array in facts.arrays if array.name == accesses[0].pointer), ())
    for around, size in zip((0, *sizes), sizes, strict=False):
        rows = [_row(access, size, around) for access in accesses]
        known = tuple(row for row in rows if row is not None)
        if len(known) == len(rows) and len({*known}) > 1:
            return known
    return None


def _row(access: Access, size: int, around: int) -> int | None:
    """Which row of so many bytes an access keeps to, in what is `around` bytes long (0: all); None: not known."""
    offset = access.offset
    if offset is None:
        return None
    moving = [c for monomial, c in offset.terms if monomial]
    within = all(0 < c < size or (c > 0 and around and c % around == 0) for c in moving)
    return (offset.offset % around if around else offset.offset) // size if within else None
