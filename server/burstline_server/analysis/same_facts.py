"""Facts that say the same of a kernel at other places: what follows from them is the same as well."""

from __future__ import annotations

from burstline_model.facts import KernelFacts, Span
from burstline_server.analysis.relocated import relocated


def alike(one: KernelFacts, other: KernelFacts) -> bool:
    """Whether places alone differ."""
    if one.symbols != other.symbols or one.operations != other.operations or _figures(one) != _figures(other):
        return False  # as a rule these differ where anything does, and they have no places
    return _without_places(one) == _without_places(other)


def _figures(facts: KernelFacts) -> tuple[object, ...]:
    """The values of addresses and trips."""
    return [(a.index, a.offset) for a in facts.accesses], [loop.trip for loop in facts.loops]


def _without_places(facts: KernelFacts) -> KernelFacts:
    """The facts with each place as its number among all of them, in order: equal where places alone differ.

    Which place comes first, and which are the same, is all that anything behind the facts asks of places.
    """
    places = set[int]()

    def seen(span: Span) -> Span:
        places.update((span.start, span.end))
        return span

    relocated(facts, seen)
    number = {place: n for n, place in enumerate(sorted(places))}
    return relocated(facts, lambda span: Span(start=number[span.start], end=number[span.end], file=span.file))
