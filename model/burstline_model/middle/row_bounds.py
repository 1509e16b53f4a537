"""Bounds of loops that data end, from the rows they index and from what counters reach.

A list of neighbours is kept as a row of fixed length for each item: ``near[26 * box + k]``. Where the count of such a
loop is read from memory, or was counted before, its counter cannot leave the row: that bounds its trips, and the time
is one at most. So does a condition around the loop: where ``i + 8 > end`` holds, one from `i` to `end` runs 7 times.
So does the end of an array on the chip that it runs along, and what an earlier loop can have counted: a
loop from the number of elements kept of eight to the eighth runs eight times.
"""

from __future__ import annotations

from burstline_model.facts import Access, Guard, KernelFacts, LocalArray, Loop, Symbol
from burstline_model.polynomial import Polynomial

_IDS = {"global_id", "local_id", "group_id", "loop"}


def bounded(facts: KernelFacts) -> KernelFacts:
    """The facts with the most trips of loops whose counts are read from memory, where they run along rows."""
    found = {loop.id: most for loop in facts.loops if (most := _most(facts, loop)) is not None}
    if not found:
        return facts
    loops = tuple(
        loop.model_copy(update={"most": found[loop.id][0], "most_from": found[loop.id][1]})
        if loop.id in found else loop
        for loop in facts.loops
    )  # fmt: skip
    return facts.model_copy(update={"loops": loops})


def _most(facts: KernelFacts, loop: Loop) -> tuple[int, str] | None:
    """The most trips of a loop, and the buffer whose rows say so; None where nothing does."""
    names = loop.trip.symbols if loop.trip is not None else frozenset[str]()
    if not any((s := facts.symbols.get(name)) is not None and _of_data(facts, s) for name in names):
        return None
    along = (a for a in (*facts.accesses, *facts.private_accesses, *facts.register_accesses) if loop.id in a.loops)
    rows = [(n, a.pointer) for a in along if (n := _row(facts, loop, a)) is not None]
    ends = [_counted(facts, loop.trip), *_left_by(facts, loop)] if loop.trip is not None else []
    return min([*rows, *((max(end, 0), "") for end in ends if end is not None)], default=None)


def _left_by(facts: KernelFacts, loop: Loop) -> list[int]:
    """The most trips that each condition around a loop leaves of what it compares, a number apart."""
    least = [one for g in loop.guards if g.condition is not None for one in _at_least(facts, g.condition)]
    ends = ((loop.trip + difference).constant for difference, _ in least if loop.trip is not None)
    return [end - low for end, (_, low) in zip(ends, least, strict=True) if end is not None]


def _at_least(facts: KernelFacts, condition: Polynomial) -> list[tuple[Polynomial, int]]:
    """Differences that are so much at least where a condition holds."""
    name = next(iter(condition.symbols), "")
    symbol, holds = facts.symbols.get(name), condition == Polynomial.symbol(name)
    if symbol is None or not (holds or condition == Polynomial.number(1) - Polynomial.symbol(name)):
        return []
    if symbol.operation == "and" and holds:
        return [one for operand in symbol.operands for one in _at_least(facts, operand)]
    if symbol.operation != "less":
        return []
    left, right = symbol.operands
    return [(right - left, 1)] if holds else [(left - right, 0)]


def _of_data(facts: KernelFacts, symbol: Symbol) -> bool:
    """Whether data decide a value: it was read from memory, or counted while they did; not what arguments give."""
    if symbol.kind != "opaque":
        return symbol.kind in {"loaded", "carried"}
    given = any((s := facts.symbols.get(name)) is not None and s.kind == "argument" for name in symbol.depends_on)
    return symbol.operation is None and not given


def _counted(facts: KernelFacts, trip: Polynomial) -> int | None:
    """The most that a trip count reaches with what loops before can have counted; None where they do not say."""
    total = 0
    for monomial, factor in trip.terms:
        symbol = facts.symbols.get(monomial[0]) if len(monomial) == 1 else None
        end = (symbol.most if factor > 0 else symbol.least) if symbol is not None else None
        if monomial and end is None:
            return None
        total += factor * (end if end is not None else 1)
    return total


def _row(facts: KernelFacts, loop: Loop, access: Access) -> int | None:
    """Trips after which an access has left its row, or its array on the chip; None where not every trip moves on."""
    if access.offset is None or access.loops[-1] != loop.id:
        return None
    if any(_is_in(g, loop) and not _is_of_one_trip(facts, g, loop) for g in access.guards):
        return None
    array = next((one for one in facts.arrays if one.name == access.pointer and one.space == access.space), None)
    if array is not None and (left := _declared_row(array, loop, access)) is not None:
        return left
    step, length = 0, array.element_bytes * (array.length or 0) if array is not None else 0
    for monomial, factor in access.offset.terms:
        symbol = facts.symbols.get(monomial[0]) if len(monomial) == 1 else None
        if not monomial:
            continue
        if symbol is None or symbol.kind not in _IDS:
            return None
        if monomial[0] == loop.counter:
            step = factor
        else:
            length = min(length or factor, factor)
    start = access.offset.offset
    if not 0 < step < length or length % step or abs(start) >= length:
        return None
    return (length - start - access.element_bytes) // step + 1


def _declared_row(array: LocalArray, loop: Loop, access: Access) -> int | None:
    """The same by the rows that an array is declared with, whatever chooses the row; None where none is as long."""
    by = access.offset.coefficient(loop.counter) if access.offset is not None else None
    step = by.constant if by is not None else None
    row = min((one for one in array.rows if step and one > step > 0), default=None)
    if not step or row is None or access.offset is None:
        return None
    return (row - access.offset.offset % row - access.element_bytes) // step + 1


def _is_in(guard: Guard, loop: Loop) -> bool:
    return guard.span.file == loop.span.file and loop.body.start <= guard.span.start < loop.body.end


def _is_of_one_trip(facts: KernelFacts, guard: Guard, loop: Loop) -> bool:
    """Whether a condition leaves out one trip: the counter is not some number."""
    if guard.condition is None or len(guard.condition.symbols) != 1:
        return False
    name = next(iter(guard.condition.symbols))
    symbol = facts.symbols[name]
    left_out = guard.condition == Polynomial.number(1) - Polynomial.symbol(name) and symbol.operation == "equal"
    return left_out and loop.counter in symbol.depends_on
