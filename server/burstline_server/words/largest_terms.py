"""Which part of a kernel's time is named as what sets it."""

from __future__ import annotations

from burstline_model.estimate.kernel_estimate import KernelEstimate, Term


def largest(estimate: KernelEstimate) -> Term | None:
    """What takes the most of the limit's time; other kernels only where all units of this one take less, nearly.

    Atomics are a limit of their own: one of them where together they take more than all other units of the memory.
    """
    every = sorted((t for t in estimate.terms if t.limit == estimate.limit), key=lambda t: -t.time_s)
    atomics = [t for t in every if is_atomic(estimate, t)]
    if sum(t.time_s for t in atomics) > MOST * sum(t.time_s for t in every):
        return atomics[0]
    own = next((t for t in every if t.unit is not None or t.limit != "memory"), None)
    own_s = sum(t.time_s for t in every if t.unit is not None or t is own)
    return own if own is not None and own_s >= NEARLY * every[0].time_s else next(iter(every), None)


def of_atomics(estimate: KernelEstimate) -> bool:
    """Whether the limit is the memory for the sake of atomics: what they move is next to nothing."""
    cause = largest(estimate)
    return cause is not None and is_atomic(estimate, cause)


def is_atomic(estimate: KernelEstimate, term: Term) -> bool:
    """Whether it is the time of an atomic."""
    return term.unit is not None and estimate.units[term.unit].lsu.op == "atomic"


MOST = 0.5
"""A share of a time that is more than all the rest."""
NEARLY = 0.25
"""From this share of the largest part on, what a kernel does itself is named."""
