"""The variants that no other one beats in everything."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from burstline_model.explore.grid import Array

BLOCK = 512
"""Candidates that are held against the front at once."""


def pareto(times: ArrayLike, *costs: ArrayLike) -> Array:
    """Which variants are on the front: no other is as good in every column and better in one; nan is on no front.

    Equal variants are all on it or none is. O(n log n) with one cost, and with more as long as the front is short.
    """
    columns = np.stack([np.asarray(c, dtype=float) for c in (times, *costs)])
    known = np.flatnonzero(~np.isnan(columns).any(axis=0))
    order = known[np.lexsort(columns[::-1, known])]
    sorted_ = columns[:, order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (sorted_[:, 1:] != sorted_[:, :-1]).any(axis=0)
    rows = sorted_[:, new].T
    front = _staircase(rows) if len(columns) <= 2 else _by_blocks(rows)
    mask = np.zeros(columns.shape[1], dtype=bool)
    mask[order] = front[np.cumsum(new) - 1]
    return mask


def _staircase(rows: Array) -> Array:
    """The front of sorted rows of one or two columns: each step has to be lower than all before."""
    first: Array = np.arange(len(rows)) < 1
    if rows.shape[1] == 1:
        return first
    lowest = np.minimum.accumulate(rows[:, 1])
    return np.concatenate([first[:1], rows[1:, 1] < lowest[:-1]])


def _by_blocks(rows: Array) -> Array:
    """The front of sorted rows: what beats a row comes before it, and the front beats all that is beaten."""
    on_front = np.zeros(len(rows), dtype=bool)
    for start in range(0, len(rows), BLOCK):
        numbers = np.arange(start, min(start + BLOCK, len(rows)))
        numbers = numbers[~_beaten(rows[numbers], rows[on_front])]
        numbers = numbers[~_beaten(rows[numbers], rows[numbers])]
        on_front[numbers] = True
    return on_front


def _beaten(rows: Array, by: Array) -> Array:
    """Which of `rows` another row is no worse than in every column; rows are all different."""
    found = np.zeros(len(rows), dtype=bool)
    for start in range(0, len(by), BLOCK):
        some = by[start : start + BLOCK]
        no_worse = (some[None, :, :] <= rows[:, None, :]).all(axis=2)
        different = (some[None, :, :] != rows[:, None, :]).any(axis=2)
        found |= (no_worse & different).any(axis=1)
    return found
