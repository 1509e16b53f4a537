"""What a kernel takes, in words: its time with its range, and what a change makes of it."""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_model.estimate.remark_kinds import ArgumentsChosen, WaitsForAnswer, WithoutOthers
from burstline_model.uncounted import leaves_out
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.quantities import ASSUMED, AT_WORST, cost_text, frequency_text, time_text
from burstline_server.words.missing import least_line


def time_line(kernel: KernelAssessment) -> str:
    """A kernel's time with the range that its clock leaves.

    It is the most where its loops may end before their count, and the least where it waits for answers, or for kernels
    without figures, or where accesses of it are not counted; where both is so, it is neither. Where data decide most of
    it, or the order of work-items, it is the range of that. Where the whole is not known: the one at assumed sizes, and
    a work-item's; an iteration's where nothing is assumed.
    """
    estimate, guess = kernel.estimate, kernel.at_assumed
    bound = is_bound(kernel)
    if waits_for_unknown(kernel):
        return NOT_KNOWN
    if estimate.time_s is not None:
        side = _side(kernel.leaves_early, bound)
        # Of the range that the clock leaves, only one end is a bound then.
        low, high = estimate.time_low_s or estimate.time_s, estimate.time_high_s or estimate.time_s
        if any(isinstance(one, ArgumentsChosen) for one in estimate.remarks):
            low = estimate.time_s  # that of the values that are counted: others may take next to nothing
        if side:
            end = time_text(max(estimate.time_s, high) if side == "at most " else min(estimate.time_s, low))
            own = time_text(estimate.time_s)
            return f"{side}{end}" + (f" ({own} at {frequency_text(estimate.f_max_hz)})" if own != end else "")
        return _undecided(estimate) or f"≈ {time_text(estimate.time_s)}{_range_text(estimate)}"
    parts = list[str]()
    ndrange = kernel.facts.model == "ndrange"
    if estimate.time_item_s is not None and (ndrange or guess is None):
        per = "item" if ndrange else "iteration"
        parts.append(f"≈ {cost_text(None, estimate.time_item_s, per)}")
    if guess is not None and guess.estimate.time_s is not None:
        side = _side(guess.leaves_early, bound)
        time = (_undecided(guess.estimate) if not side else "") or time_text(guess.estimate.time_s)
        parts.append(f"{ASSUMED} {side}{time} at assumed sizes")
    least = estimate.least
    if least is not None and guess is None:
        parts = [*(parts if least.endless is None else ()), least_line(least)]
    return ", ".join(parts) or NOT_KNOWN


NOT_KNOWN = "time not known"


def is_bound(kernel: KernelAssessment) -> bool:
    """Whether a kernel takes its time or longer: not all that it does, or waits for, is counted."""
    waits = any(isinstance(one, WaitsForAnswer | WithoutOthers) for one in kernel.estimate.remarks)
    return waits or leaves_out(kernel.facts)


def waits_for_unknown(kernel: KernelAssessment) -> bool:
    """Whether a kernel does nothing but wait at its channels for kernels without figures."""
    idle = not (kernel.facts.accesses or kernel.facts.loops) and kernel.facts.model != "ndrange"
    return idle and any(isinstance(one, WithoutOthers) for one in kernel.estimate.remarks)


_BY = {"data": "by data", "order": "by the order of work-items"}


def _undecided(estimate: KernelEstimate) -> str:
    """The range, at one clock, of a time that is known at its worst alone: what the clock does is less than that."""
    by, least_s = estimate.at_worst, estimate.time_by_data_s
    if by is None or least_s is None or estimate.time_s is None:
        return ""
    return f"{time_text(least_s[0])} to {time_text(estimate.time_s)} {_BY[by]}"


def _side(most: bool, least: bool) -> str:
    """Which side a time bounds; none where it may be shorter as well as longer."""
    return "" if most == least else "at most " if most else "at least "


def _range_text(estimate: KernelEstimate) -> str:
    """The range of a time in brackets, empty where it is one value at three digits."""
    low, high = (time_text(t) if t is not None else "" for t in (estimate.time_low_s, estimate.time_high_s))
    return f" ({low} to {high})" if low and low != high else ""


def gained_text(kernel: KernelAssessment, after_s: float | None) -> str:
    """What a change makes of a kernel's time, in brackets; empty where that is not known."""
    times = from_to(kernel, after_s)
    return f" (kernel {times})" if times else ""


def from_to(kernel: KernelAssessment, after_s: float | None) -> str:
    """The kernel's time now and after a change; empty where that is not known. At its worst, it is so after as well."""
    shown = (kernel.at_assumed or kernel).estimate
    if shown.time_s is None or after_s is None:
        return ""
    mark = f"{ASSUMED} " if kernel.at_assumed is not None else ""
    return f"{mark}{time_text(shown.time_s)} → {mark}{time_text(after_s)}{AT_WORST if shown.at_worst else ''}"


NOTICED = 0.05
"""From this share of a kernel's time on its launch is shown next to it."""


def overlap_text(rows: Sequence[float], kernel: KernelAssessment) -> str:
    """What the rows of a table add up to, how much of that overlaps, and the time with the launch where it matters.

    Where the kernel's time is a bound, at one end of its clock's range, the clock of the rows is named.
    """
    total, launch_s = kernel.estimate.time_s or 0.0, kernel.estimate.launch_s
    together = sum(rows)
    overlap = max(0.0, together - total)
    shown = time_text(total)
    if (kernel.leaves_early or is_bound(kernel)) and _range_text(kernel.estimate):
        shown += f" at {frequency_text(kernel.estimate.f_max_hz)}"
    if kernel.estimate.at_worst:
        shown += AT_WORST
    if launch_s > NOTICED * total:
        shown += f" ({time_text(total + launch_s)} with its launch)"
    if overlap <= 0.005 * total:
        return shown
    return f"{shown}: the rows add up to {time_text(together)}, of which {time_text(overlap)} overlap"
