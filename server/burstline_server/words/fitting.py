"""Kernels that the device hardly holds, in words: the verdict over their figures, and what to do about it."""

from __future__ import annotations

from math import ceil, inf

from burstline_model.devices.resource_use import WORDS
from burstline_model.estimate.changes import LessHardware, SmallerArrays
from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_model.estimate.remark_kinds import TooLarge
from burstline_server.quantities import factor_text, in_words, share_text


def with_fit(estimate: KernelEstimate, time: str) -> str:
    """A kernel's time behind what is said before it: that the device does not, or may not, hold the kernel."""
    large = next((one for one in estimate.remarks if isinstance(one, TooLarge)), None)
    if large is None:
        return time
    verdict = "does not fit" if large.surely else "may not fit"
    return f"{verdict} the device: {share_text(large.share)} of its {WORDS[large.resource]}; if it did, {time}"


def surely_too_large(estimate: KernelEstimate) -> bool:
    """Whether the device does not hold a kernel, in spite of what the estimate of its resources is off."""
    return any(isinstance(one, TooLarge) and one.surely for one in estimate.remarks)


def to_fit(change: SmallerArrays | LessHardware) -> tuple[str, str]:
    """What makes a kernel fit, in a few words and in a sentence."""
    return _smaller(change) if isinstance(change, SmallerArrays) else _less(change)


def _less(change: LessHardware) -> tuple[str, str]:
    why = f"it {'does' if change.surely else 'may'} not fit the device"
    if change.units:
        action = f"num_compute_units({change.units})" if change.units > 1 else "use one compute unit"
        return action, f"{why}: {action} does"
    ways = [way for way, has in (("unroll less", change.copies), ("use fewer SIMD lanes", change.lanes)) if has]
    how = " or ".join(ways) if ways else "do less of it at once, in loops that are not unrolled, or in several kernels"
    return "use less of the device", f"{why}: {how}"


def _smaller(change: SmallerArrays) -> tuple[str, str]:
    names, one = in_words(change.names), len(change.names) == 1
    takes = f"{'takes' if one else 'take'} {share_text(change.share)} of the RAM that is free"
    it = "it" if one else "them"
    if change.times == inf:
        action = f"keep {names} in global memory"
        return action, f"{action}: {names} {takes}, and the rest of the kernel leaves none"
    times = factor_text(ceil(change.times * 10) / 10)  # rounded down, they would not fit
    how = f"make {it} {times} smaller, or keep {it} in global memory"
    if change.times <= change.copies and not change.surely:
        action = f"read {names} at fewer places in a cycle"
        return action, f"{names} {takes}, for {change.copies} copies that are read at the same time: {action}"
    if change.copies > 1:
        how += f", or read {it} at fewer places in a cycle ({change.copies} copies are kept for that)"
    return f"make {names} {times} smaller", f"{names} {takes}, too much with the rest of the kernel: {how}"
