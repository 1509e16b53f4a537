"""Which edits of a file are priced: as many as a bound of work allows, those at what limits their kernel first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from burstline_model.facts import Span
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.rewrite import Offer

MOST_WORK = 12_000
"""Work of one run over a file's edits: a minute or so. One unit is 5 ms of a present processor."""
BY_ITSELF = 10
"""Work of any edit: its text is read, and it is executed."""
MANY = 100
"""Accesses of a kernel from which on what is found of pairs of them takes most of the work."""


@dataclass(slots=True)
class Budget:
    """The work that is left for pricing, in several runs where it is more than that of one."""

    left: int = MOST_WORK

    def taken(self, assessment: Assessment, offers: Sequence[Offer]) -> list[Offer]:
        """The offers that one run is enough for, in their order; what is left is less by theirs then.

        Where it is not enough for all, those at what takes most of their kernel's time come first.
        """
        kernels = {kernel.facts.name: kernel for kernel in assessment.kernels}
        work = [work_of(kernels.get(offer.kernel)) for offer in offers]
        most = min(self.left, MOST_WORK)
        if sum(work) <= most:
            self.left -= sum(work)
            return list(offers)
        stakes = [at_stake(kernels.get(offer.kernel), offer) for offer in offers]
        found = set[int]()
        for at in sorted(range(len(offers)), key=lambda at: -stakes[at]):
            if work[at] <= most:
                most -= work[at]
                self.left -= work[at]
                found.add(at)
        return [offer for at, offer in enumerate(offers) if at in found]


def work_of(kernel: KernelAssessment | None) -> int:
    """What pricing an edit of a kernel takes, in units of `MOST_WORK`: less than all of it for any kernel."""
    size = len(kernel.facts.accesses) + len(kernel.facts.loops) if kernel is not None else 0
    return min(BY_ITSELF + size + size * size // MANY, MOST_WORK)


def at_stake(kernel: KernelAssessment | None, offer: Offer) -> float:
    """The share of its kernel's time that is spent where an edit is offered; of all kernels the same where not known.

    What runs at the same time as something longer counts for nothing.
    """
    if kernel is None:
        return 0.0
    estimate = kernel.with_figures.estimate
    total_s = sum(term.time_s for term in estimate.terms)
    spent_s = sum(
        term.time_s for term in estimate.terms if not offer.spans or _touches(kernel, term.loop, term.unit, offer.spans)
    )
    return spent_s / total_s if total_s else 0.0


def _touches(kernel: KernelAssessment, loop: int | None, unit: int | None, spans: Sequence[Span]) -> bool:
    """Whether a loop, or an access of a unit, is at one of some places; or what is in the loop."""
    facts, estimate = kernel.facts, kernel.with_figures.estimate
    places = [facts.loops[loop].span] if loop is not None else []
    if unit is not None and unit < len(estimate.units):
        places += [facts.accesses[i].span for i in estimate.units[unit].lsu.members]
    return any(place in spans for place in places)
