"""The interval that a loop keeps as it runs."""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.pipeline.interval import Interval


def as_run(one: Interval, every: Sequence[Interval]) -> Interval:
    """The interval that a loop's iterations keep: that of the loop which it is merged into."""
    return one if one.merged_into is None else every[one.merged_into]


def ii_at_run(one: Interval, round_trip: float) -> float:
    """Cycles from one iteration to the next as a loop runs, those of other runs that it interleaves among them.

    Where a dependence goes through global memory, the memory answers after `round_trip` cycles, and not after those
    that the schedule keeps for it. The kernels of the feed-forward paper (Zarch and Becchi, Table 2) take 83, 104 and
    189 cycles an iteration at intervals of 285, 283 and 416.
    """
    interval = max(1.0, (one.ii or 1) / one.interleaved)
    if not one.scheduled or one.serial:
        return interval
    return max(1.0, min(interval, interval - one.scheduled + round_trip * one.visits))
