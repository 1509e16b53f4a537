"""Means of what may not be known."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction


def weighted(values: Iterable[tuple[Fraction | int | None, Fraction | int]]) -> Fraction | None:
    """The mean of values that count so often; None, without looking at the others, where one is not known."""
    total: Fraction | int = 0
    weights: Fraction | int = 0
    for value, weight in values:
        if value is None:
            return None
        total, weights = total + value * weight, weights + weight
    return Fraction(total) / weights


def mean(values: Iterable[Fraction | int | None]) -> Fraction | None:
    """The plain mean; None where one is not known."""
    return weighted((value, 1) for value in values)


def means(
    both: Iterable[tuple[tuple[Fraction | int, Fraction | int] | None, Fraction | int]],
) -> tuple[Fraction, Fraction] | None:
    """The means of pairs that count so often; None where one is not known."""
    known = []
    for one, weight in both:
        if one is None:
            return None
        known.append((*one, weight))
    first, second = weighted((a, w) for a, _, w in known), weighted((b, w) for _, b, w in known)
    return (first, second) if first is not None and second is not None else None
