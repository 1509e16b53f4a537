"""The work-items of a group where nobody says how many: those that have a place of their own in local memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from burstline_model.facts import Access, KernelFacts, LocalArray

DEFAULT_GROUP = 256
"""Work-items of a group where nobody says how many: the compiler's own limit without an attribute."""


def usual_group(facts: KernelFacts, items: float) -> int:
    """The work-items of a group where nobody says how many: of so many in all, or nearly, so that groups are whole."""
    most = min(most_in_group(facts), max(int(items), 1))
    return next((n for n in range(most, most // 8, -1) if items % n == 0), most)


def most_in_group(facts: KernelFacts) -> int:
    """The most work-items of a group where nobody says how many, along its first dimension.

    Each reaches its own place in an array in local memory, if it does so without a condition.
    """
    return min(DEFAULT_GROUP, _places(facts, alone=True).get(0, DEFAULT_GROUP))


MOST_IN_GROUP = 1024
"""More work-items are assumed of no group, whatever its arrays have room for."""

_MANY = (1 << 20, 1 << 20, 1 << 20)


def usual_groups(facts: KernelFacts, items: Sequence[float] | None) -> tuple[int, ...]:
    """The work-items of a group by dimension where nobody says how many, of so many in all (None: not known).

    A kernel that asks for its place in one dimension has `usual_group`. In more it has as many as the rows of its local
    arrays have places for, in powers of two, and squares of `DEFAULT_GROUP` where none says so.
    """
    items = items or _MANY
    dimensions = {0, *(s.dimension for s in facts.symbols.values() if s.kind == "local_id")}
    dimensions = {d for d in dimensions if d < len(items) and items[d] > 1}
    if dimensions <= {0}:
        return (usual_group(facts, items[0]), *(1 for _ in items[1:]))
    places = _places(facts)
    shape = {d: 1 << (places[d].bit_length() - 1) for d in dimensions if d in places}
    free = sorted(d for d in dimensions if d not in shape)
    left = max(DEFAULT_GROUP // prod(shape.values()), 1).bit_length() - 1  # as a power of two
    shape |= {d: 1 << (left + len(free) - 1 - n) // len(free) for n, d in enumerate(free)}
    while prod(shape.values()) > MOST_IN_GROUP:
        longest = max(shape, key=lambda d: shape[d])
        shape[longest] //= 2
    for d in shape:
        while items[d] % shape[d]:
            shape[d] //= 2
    return tuple(shape.get(d, 1) for d in range(len(items)))


def _places(facts: KernelFacts, *, alone: bool = False) -> Mapping[int, int]:
    """By dimension the most work-items of a group that have a place of their own in the kernel's local arrays.

    `alone`: as far as accesses say so that follow from the place in one dimension, and from nothing else.
    """
    known: dict[bool, dict[int, int]] = facts.kept.setdefault(usual_groups, {})
    if alone not in known:
        arrays = {one.name: one for one in facts.arrays if one.space == "local"}
        found = dict[int, int]()
        for access in facts.accesses:
            if access.space != "local" or access.pointer not in arrays or access.guards:
                continue
            if not alone or (access.offset is not None and len(access.offset.symbols) == 1):
                for dimension, most in _in_rows(facts, access, arrays[access.pointer]).items():
                    found[dimension] = min(most, found.get(dimension, most))
        known[alone] = found
    return known[alone]


def _in_rows(facts: KernelFacts, access: Access, array: LocalArray) -> dict[int, int]:
    """The places that an access leaves along each dimension: in ``a[y + 1][x]`` what is left of a column, and of a row.

    Other counters, where the text says how far they go, and numbers take up some of them.
    """
    offset = access.offset
    if offset is None or not array.length:
        return {}
    factors = {name: offset.coefficient(name) for name in offset.symbols}
    steps = {name: one.constant for name, one in factors.items() if one is not None and one.constant}
    if len(steps) < len(offset.symbols) or any(step < 0 for step in steps.values()):
        return {}
    ids = {n: facts.symbols[n].dimension for n in steps if n in facts.symbols and facts.symbols[n].kind == "local_id"}
    last = {one.counter: one.trip.constant - 1 for one in facts.loops if one.trip is not None and one.trip.constant}
    found = dict[int, int]()
    for name, dimension in ids.items():
        ends = {array.length * array.element_bytes, *array.rows, *(steps[other] for other in ids)}
        row = min((end for end in ends if end > steps[name]), default=0)
        taken = offset.offset % row if row else 0
        taken += sum(step * last.get(other, 0) for other, step in steps.items() if other not in ids and step < row)
        most = (row - access.element_bytes - taken) // steps[name] + 1
        if row and most > 0:
            found[dimension] = most
    return found
