"""Why an edit is offered: what limits the kernel as it is, and what does after the edit."""

from __future__ import annotations

from burstline_server.assessment.assessor import Assessment
from burstline_server.rewrites.catalogue import Fix
from burstline_server.words.verdict import LIMITS, limit_text


def reason_text(assessment: Assessment, fix: Fix) -> str:
    """What an edit that pays takes less of; empty where that is not known."""
    kernel = next((one for one in assessment.kernels if one.facts.name == fix.offer.kernel), None)
    limits = fix.gain.limits if fix.gain is not None else None
    if kernel is None or limits is None or (fix.speedup or 0.0) < fix.offer.worth:
        return ""
    before, after = limits
    then = "by the same, for less time" if after == before else f"by {LIMITS[after]}"
    return (
        f"{limit_text(assessment, kernel.at_assumed or kernel)}. After the edit {then}" if before != "unknown" else ""
    )
