"""Dimensions that an address takes apart: rows of 8 work-items each, by `x / 8` and `x % 8`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import gcd

from burstline_model.facts import Symbol
from burstline_model.parallelism.made_of import made_of
from burstline_model.parallelism.periods import period_of
from burstline_model.polynomial import Polynomial
from burstline_model.walk.issue_order import Dimension
from burstline_model.walk.memory_words import Leg
from burstline_model.walk.sampler import Sampler
from burstline_model.walk.steps import exact_step, step_along

MANY = 4
"""So many rows, and more, count as whole ones though the last is cut short."""
_APART = {"quotient", "remainder", "and", "or", "xor"}


def digits_of(
    sampler: Sampler, offset: Polynomial | None, element_bytes: int, dimension: Dimension, every: Sequence[Dimension]
) -> list[Leg]:  # fmt: skip
    """The steps along a dimension's digits, the fastest first, where each has the same step everywhere; else none."""
    if offset is None or dimension.size <= 1:
        return []
    own = [s for s in made_of(sampler.facts, [offset]) if not dimension.names.isdisjoint(s.depends_on)]
    if not own or any(s.operation not in _APART for s in own):
        return []
    lengths = sorted({n for s in own if 1 < (n := _period(sampler, s, dimension, every)) < dimension.size})
    if not lengths or any(long % short for short, long in pairwise(lengths)):
        return []
    if dimension.size % lengths[-1] and dimension.size < MANY * lengths[-1]:
        return []  # the last of few is cut short
    digits = _split(dimension, lengths)
    around = [*digits, *(d for d in every if d is not dimension)]
    legs = [Leg(d.size, step_along(sampler, offset, element_bytes, d, around)) for d in digits]
    return legs if all(leg.step.kind in {"same", "steady"} for leg in legs) else []


def _period(sampler: Sampler, symbol: Symbol, dimension: Dimension, every: Sequence[Dimension]) -> int:
    """After how many places an operation comes round, or goes on; 1 where that is not known."""
    moved = next((o for o in symbol.operands if not sampler.moving(o).isdisjoint(dimension.names)), None)
    if moved is None:
        return 1

    def fixed(number: Polynomial) -> int | None:
        known = sampler.known(number) and sampler.moving(number).isdisjoint(n for d in every for n in d.names)
        return sampler.value(number, {}) if known else None

    period = period_of([symbol], fixed, 1)
    step = exact_step(sampler, moved, dimension, every)
    return period // gcd(period, step) if step else period


def _split(dimension: Dimension, lengths: Sequence[int]) -> list[Dimension]:
    """A dimension in pieces of some lengths, each of which the one before divides."""
    ends = [1.0, *map(float, lengths), dimension.size]
    return [
        replace(dimension, size=end / begin, moves=tuple((name, int(by * begin)) for name, by in dimension.moves))
        for begin, end in pairwise(ends)
    ]
