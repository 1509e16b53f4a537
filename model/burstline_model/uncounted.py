"""What of a kernel is not counted, so that its time is a lower bound, or not known at all."""

from __future__ import annotations

from burstline_model.facts import KernelFacts, RemarkKind

LEFT_OUT = frozenset[RemarkKind]({
    "images", "not_defined", "calls_itself", "calls_too_deep", "unknown_origin", "nested_more", "nested_too_deeply",
    "kernel_too_large", "program_error", "at_file_scope",
})  # fmt: skip
"""What leaves accesses of a kernel uncounted."""


def leaves_out(facts: KernelFacts) -> bool:
    """Whether some of what a kernel does is not counted."""
    return any(one.kind in LEFT_OUT for one in facts.remarks)


def counts_nothing(facts: KernelFacts) -> bool:
    """Whether all that takes a kernel's time is among what is not counted."""
    return leaves_out(facts) and not (facts.accesses or facts.loops or facts.channels)
