"""The least and the most that data and the clock may make of a kernel's time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from burstline_model.estimate.assembly import Assembled
from burstline_model.estimate.kernel_estimate import AtClocks
from burstline_model.resources.clock_source import Clock


class TimeRange:
    """The range of a kernel's time `total` in seconds; unknown where that is.

    `at` gives the kernel at a clock in Hz, with the most that data may make of it or with the least, which differ if
    `by_data`.
    """

    def __init__(
        self, total: float | None, clock: Clock, at: Callable[[float, bool], Assembled], *, by_data: bool
    ) -> None:
        self._total, self._clock, self._at, self._alike = total, clock, at, not by_data
        self._known: dict[tuple[bool, float], Assembled] = {}

    @property
    def low_s(self) -> float | None:
        """The time at the highest clock, with the least that data may make it do."""
        return self._low(self._clock.high_hz)

    @property
    def high_s(self) -> float | None:
        """The time at the lowest clock, with the most that data may make it do."""
        return self._high(self._clock.low_hz)

    @cached_property
    def by_data_s(self) -> tuple[float, float] | None:
        """The least and the most that data alone make of the time, at its own clock."""
        low, high = self._low(self._clock.hz), self._high(self._clock.hz)
        return (low, high) if low is not None and high is not None else None

    @property
    def by_data_at_clocks_s(self) -> AtClocks | None:
        """The time at either clock where data decide a part of it; None where they do not."""
        if self._total is None or self._alike:
            return None
        clocks = self._clock.high_hz, self._clock.low_hz
        (a, b), (c, d) = ([self._with(hz, most=most) for hz in clocks] for most in (False, True))
        return ((a, b), (c, d)) if a is not None and b is not None and c is not None and d is not None else None

    @property
    def ends(self) -> tuple[Assembled, Assembled]:
        """The kernel at the highest clock with the least that data may make it do, and at the lowest with the most."""
        return self._end(self._clock.high_hz, most=False), self._end(self._clock.low_hz, most=True)

    def _with(self, hz: float, *, most: bool) -> float | None:
        """The time at a clock with the most that data may make it do, or the least."""
        return self._end(hz, most=most).total_s

    def _end(self, hz: float, *, most: bool) -> Assembled:
        key = (most and not self._alike, hz)
        if key not in self._known:
            self._known[key] = self._at(hz, most or self._alike)
        return self._known[key]

    def _low(self, hz: float) -> float | None:
        # What is fetched less of one buffer can leave more units to share a bank in step.
        return self._total and min(self._with(hz, most=False) or self._total, self._total)

    def _high(self, hz: float) -> float | None:
        return self._total and max(self._with(hz, most=True) or self._total, self._total)
