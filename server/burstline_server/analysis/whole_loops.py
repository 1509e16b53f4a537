"""Loops that a pragma unrolls whole: how often they run where the counters of such loops around them say so."""

from __future__ import annotations

from tree_sitter import Node

from burstline_model.facts import Loop, Unknown
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.trips import Changing, Trip, trips_of
from burstline_server.analysis.types import INT
from burstline_server.analysis.values import Value


def is_unrolled_whole(asked: int | None, trips: Polynomial | None) -> bool:
    """Whether a pragma asks for as many copies of a loop's body (0: all) as it has trips."""
    count = trips.constant if trips is not None else None
    return asked is not None and bool(count) and (asked == 0 or asked >= (count or 0))


def asked_first(
    reader: Reader, condition: Node | None, loop: Loop, changing: dict[str, Changing]
) -> tuple[Trip, Polynomial | None]:
    """How often a loop runs whose condition comes first, and its most trips where copies of it have numbers of theirs.

    In those the body is under the condition that its own copy reaches this trip.
    """
    if condition is None:
        return Trip(None, Unknown(kind="no_condition")), None
    trip = trips_of(reader, condition, loop.counter, changing)
    number = trip.count.constant if trip.count is not None else None
    most = _most_of_copies(reader, loop, trip.count) if trip.count is not None and number is None else None
    if most is not None and trip.count is not None:
        within = reader.symbols.operation("less", (Polynomial.symbol(loop.counter), trip.count))
        reader.guards.append(reader.guard(condition, Value(INT, within)))
        number = most
    if number:
        reader.symbols.bound(loop.counter, number)
    return trip, Polynomial.number(most) if most is not None else None


def _most_of_copies(reader: Reader, loop: Loop, trips: Polynomial) -> int | None:
    """The most trips of a loop whose number the counters of loops around it give, all of them unrolled whole, as it is.

    Each copy has a number of its own then, and is unrolled like any other.
    """
    most = trips.offset
    for name in trips.symbols:
        known, step = reader.symbols.trips(name), trips.coefficient(name)
        around = reader.loops[known[0]] if known is not None else None
        if known is None or around is None or step is None or step.constant is None:
            return None
        if around.id == loop.id or not is_unrolled_whole(around.unroll, Polynomial.number(known[1])):
            return None
        most += max(step.constant * (known[1] - 1), 0)
    return most if most > 0 and is_unrolled_whole(loop.unroll, Polynomial.number(most)) else None
