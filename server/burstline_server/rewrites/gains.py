"""What edits gain: a kernel's time, and that of the kernels which replace it, with what each may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from burstline_model.boards.board import Board
from burstline_model.devices.resource_use import RESOURCES, Resource
from burstline_model.estimate.concurrent import Fetched, time_together
from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_model.estimate.overfull import SURELY_FULL
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.reasons import Gain

_PERIODS: tuple[Literal["launch", "iteration"], ...] = ("launch", "iteration")
Range = tuple[float, float] | None


def gain_of(
    before: KernelAssessment, after: Sequence[KernelAssessment], board: Board, joined: Sequence[KernelAssessment] = ()
) -> Gain | None:
    """The times before and after, of a launch where both are known; else of a work-item or an iteration.

    `joined` are the kernels that run at the same time before, where all of them change.
    """
    if joined:
        return _of_joined(joined, after, board)
    for per in _PERIODS:
        then, now = (_time(kernels, board, per) for kernels in ([before], after))
        if then is not None and now:
            if per == "launch":
                ranges = *_ranges(before, after, board), _on_same_data(before, after)
                longest = max(after, key=lambda one: one.estimate.time_s or 0.0)
                limits = before.estimate.limit, longest.estimate.limit
                return Gain(then, now, per, None, *ranges, limits=limits, bound=_bound(before))
            items = before.facts.model == "ndrange"
            if items and before.facts.loops and any(one.facts.model != "ndrange" for one in after):
                return None  # an iteration of the innermost loop is not what a work-item was
            return Gain(then, now, "item" if items else per, None)
    return None


def _bound(before: KernelAssessment) -> Literal["most", "worst"] | None:
    """What a kernel's time is a bound for; None where it is a likely one."""
    return "most" if before.leaves_early else "worst" if before.estimate.at_worst else None


def gain_in_an_iteration(before: KernelAssessment, after: Sequence[KernelAssessment]) -> Gain | None:
    """The times before and after of an iteration of a loop that runs as long as channels bring data; of one kernel."""
    then, (now, *others) = before.estimate.least, (one.estimate.least for one in after)
    if others or then is None or now is None or then.endless is None or now.endless is None or not now.time_s:
        return None
    return Gain(then.time_s, now.time_s, "iteration", None)


def _of_joined(before: Sequence[KernelAssessment], after: Sequence[KernelAssessment], board: Board) -> Gain | None:
    """The times of kernels that channels join, before and after; None where a launch's time is not known.

    Both are spread by the same clocks and channels: the range is that of the later one.
    """
    then, now = _time(before, board, "launch"), _time(after, board, "launch")
    if then is None or now is None:
        return None
    first, last = (max(some, key=lambda one: one.estimate.time_s or 0.0) for some in (before, after))
    limits = first.estimate.limit, last.estimate.limit
    return Gain(then, now, "launch", None, (then, then), _range(after, board), limits=limits)


def _on_same_data(before: KernelAssessment, after: Sequence[KernelAssessment]) -> Range:
    """How many times faster at least, and at most, where data that decide both times are the same before and after.

    None where they decide nothing, or what is fetched of other buffers. Data that make the one time long make the
    other one long: both are taken with the least that is fetched, and both with the most. The one that depends more
    on its clock has the range of its clock, as in `_ranges`.
    """
    then, now = before.estimate, after[0].estimate
    if len(after) > 1 or then.by_data_of != now.by_data_of or not then.time_s or not now.time_s:
        return None
    own, other = _at_data(then), _at_data(now)
    if own is None or other is None:
        return None
    found = [then.time_s / now.time_s]
    for (a, at_a), (b, at_b) in zip(own, other, strict=True):
        found += [one / b for one in at_a] if _width(own) > _width(other) else [a / one for one in at_b]
    return min(found), max(found)


_AtData = list[tuple[float, tuple[float, float]]]
"""Times at a kernel's own clock, and at the highest and the lowest: for the least and for the most that is fetched."""
DECIDES = 1.01
"""From this quotient of a time's ends on, data decide it."""


def _at_data(estimate: KernelEstimate) -> _AtData | None:
    """The times of a kernel that data decide; None where they do not."""
    data, clocks = estimate.time_by_data_s, estimate.by_data_at_clocks_s
    if data is None or clocks is None or not data[0] or data[1] < DECIDES * data[0]:
        return None
    return list(zip(data, clocks, strict=True))


def _width(times: _AtData) -> float:
    """How many times longer a kernel takes at its lowest clock than at its highest, at most."""
    return max(slow / fast for _, (fast, slow) in times)


def _ranges(before: KernelAssessment, after: Sequence[KernelAssessment], board: Board) -> tuple[Range, Range]:
    """The least and the most of the times before and after: of one by its clock and by data, of the other by data.

    Of two builds of one kernel, the quotient of their clocks is spread about as widely as either clock: 87 % of the
    pairs of Spector's builds of mm, 84 % of fir's and 58 % of hist's are no further apart than one build's range is
    wide, and 99, 100 and 92 % than both ends at once. So the one that depends more on its clock has the range.
    """
    then, now = before.estimate, _range(after, board)
    own = (then.time_low_s, then.time_high_s)
    if len(after) == 1 and now is not None and own[0] is not None and own[1] is not None:
        at_clocks, by_data = after[0].estimate.time_by_data_s, then.time_by_data_s
        if at_clocks is not None and by_data is not None and all((*at_clocks, *by_data, *now)):
            wide_before = own[1] / own[0] * by_data[0] / by_data[1]
            wide_after = now[1] / now[0] * at_clocks[0] / at_clocks[1]
            if wide_before > wide_after:
                return (own[0], own[1]), at_clocks
    return then.time_by_data_s, now


def _time(kernels: Sequence[KernelAssessment], board: Board, per: Literal["launch", "iteration"]) -> float | None:
    """How long kernels that replace one take, all at the same time."""
    if len(kernels) > 1:
        return time_together([(k.facts, k.launch, k.estimate) for k in kernels], board, per)
    estimate = kernels[0].estimate
    return estimate.time_s if per == "launch" else estimate.time_item_s


def _range(kernels: Sequence[KernelAssessment], board: Board) -> Range:
    """The least and the most that kernels which replace one take; None where that is not known."""
    ends = []
    fetched: tuple[Fetched, ...] = ("least", "most")
    for end in (0, 1):
        runs = []
        for k in kernels:
            time = (k.estimate.time_low_s, k.estimate.time_high_s)[end]
            runs.append((k.facts, k.launch, k.estimate.model_copy(update={"time_s": time})))
        time = time_together(runs, board, "launch", fetched[end]) if len(runs) > 1 else runs[0][2].time_s
        if time is None:
            return None
        ends.append(time)
    low, high = min(ends), max(ends)
    return low, high * JOINED_SLOWER if len(kernels) > 1 else high


JOINED_SLOWER = 2.1
"""Kernels joined by channels may take that much longer than estimated.

FFD (PAC with Arria 10) prints the time before the split and its gain for three kernels: after it they take 1.3, 2.1 and
4.3 times what is estimated for them."""


def shares_of(kernels: Sequence[KernelAssessment]) -> dict[Resource, float]:
    """What kernels take together of what the board leaves free; empty where that is not known."""
    uses = [use for kernel in kernels if (use := kernel.estimate.resources) is not None]
    return {name: sum(use.shares[name] for use in uses) for name in RESOURCES} if len(uses) == len(kernels) else {}


def extra_use(
    now: Mapping[Resource, float], shares: Mapping[Resource, float]
) -> tuple[tuple[Resource, float] | None, bool]:
    """What an edit takes more of the device, where that is not small, and whether the kernels still fit."""
    if not now or not shares:
        return None, True
    name = max(RESOURCES, key=lambda one: shares[one] - now[one])
    more = shares[name] - now[name]
    reported = (name, more) if more >= WORTH_REPORTING else None
    return reported, all(share <= max(1.0, _kept(now[n])) for n, share in shares.items())


def _kept(now: float) -> float:
    """The share of the device up to which an edit is of use to a kernel that takes one now.

    What surely does not fit has to get smaller: no other edit lets it run.
    """
    return now if now <= SURELY_FULL else now * SMALLER


SMALLER = 0.9
"""The part of its hardware that is left at most by an edit that makes a kernel smaller."""

WORTH_REPORTING = 0.05
"""From this share of the device on, what an edit takes is reported."""
