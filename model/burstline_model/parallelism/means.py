"""Means of what may not be known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction


def weighted(values: Iterable[tuple[Fraction | int | None, Fraction | int]]) -> Fraction | None:
    """The mean of values that count so often; None, without looking at the others, where one is not known."""
    totals, weights = dict[int, int](), dict[int, int]()
    for value, weight in values:
        if value is None:
            return None
        if value.__class__ is int and weight.__class__ is int:
            weights[1] = weights.get(1, 0) + int(weight)
            totals[1] = totals.get(1, 0) + int(value * weight)
            continue
        # Those of one denominator are added as integers: fractions look for a common divisor at each step.
        below, each = weight.denominator, weight.numerator
        weights[below] = weights.get(below, 0) + each
        below *= value.denominator
        totals[below] = totals.get(below, 0) + value.numerator * each
    return _sum(totals) / _sum(weights)


def _sum(parts: Mapping[int, int]) -> Fraction:
    """The sum of fractions whose numerators are added by denominator."""
    return sum((Fraction(above, below) for below, above in parts.items()), Fraction(0))


def mean(values: Iterable[Fraction | int | None]) -> Fraction | None:
    """The plain mean; None where one is not known."""
    return weighted((value, 1) for value in values)


def means(
    both: Iterable[tuple[tuple[Fraction | int, Fraction | int] | None, Fraction | int]],
) -> tuple[Fraction, Fraction] | None:
    """The means of pairs that count so often; None where one is not known."""
    firsts, seconds = [], []
    for one, weight in both:
        if one is None:
            return None
        firsts.append((one[0], weight))
        seconds.append((one[1], weight))
    first, second = weighted(firsts), weighted(seconds)
    return (first, second) if first is not None and second is not None else None
