"""How much of the memory's bandwidth is used, and what becomes of the rest."""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_server.quantities import bandwidth_text, count_text, in_words, share_text


def bandwidth_used(estimate: KernelEstimate, others: Sequence[KernelEstimate] = ()) -> str:
    """The share of the used banks' peak, that of `others` too; empty where the memory is not the limit."""
    if estimate.limit != "memory" or not estimate.bandwidth_share or not estimate.bandwidth_bytes_s:
        return ""
    peak = estimate.bandwidth_bytes_s / estimate.bandwidth_share
    used = f"{share_text(estimate.bandwidth_share)} of {bandwidth_text(peak)} memory bandwidth used"
    theirs = [one for one in others if (one.bandwidth_share or 0.0) >= _MATTERS and _same_banks(one, estimate)]
    together = estimate.bandwidth_share + sum(one.bandwidth_share or 0.0 for one in theirs)
    if theirs:
        used += f", {share_text(min(1.0, together))} with {in_words([one.kernel for one in theirs])}"
    return used + _lost(estimate, together, others)


def _same_banks(one: KernelEstimate, other: KernelEstimate) -> bool:
    """Whether two kernels move their bytes over the same banks."""
    own, theirs = ({bank for u in each.units for bank in u.banks} for each in (one, other))
    return own == theirs


def _lost(estimate: KernelEstimate, used: float, others: Sequence[KernelEstimate]) -> str:
    """Why so little of the bandwidth is used where the memory is the limit; empty where it is not little."""
    if used < _WAITING:
        return ", because each transaction waits"
    units = [u for u in estimate.units if (u.share or 0.0) >= _MATTERS]
    if used >= _MOST or not units:
        return ""
    largest = max(units, key=lambda u: u.share or 0.0)
    if largest.walk is not None and largest.walk.apart:
        return ", no more because the words lie apart"
    theirs = (u for one in others for u in one.units if (u.share or 0.0) >= _MATTERS)
    sharing = sum(u.lsu.count for u in (*units, *theirs) if set(u.banks) & set(largest.banks))
    return f", no more because {count_text(sharing)} units take turns" if sharing > 1 else ""


_WAITING = 0.1
"""Below this share of the bandwidth a kernel that waits for the memory waits for its latency."""
_MOST = 0.6
"""Below this share of the bandwidth it is said what becomes of the rest."""
_MATTERS = 0.05
"""The share of a kernel's time from which on a unit counts as one that uses the memory."""
