"""The roofline of an assessed kernel: how often it fits into the device, and what more copies of it would reach."""

from __future__ import annotations

from burstline_model.estimate.roofline import Form, Roofline, replicas_of, roofline_of
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment

FILLED = 0.8
"""How much of a device can be used (TYTRA Eq. 6)."""


def roofline_for(
    assessment: Assessment, kernel: KernelAssessment, form: Form = "B", host_gb_s: float | None = None
) -> Roofline | None:
    """The roofline, by a report's resources where there is one, else by the resource model; None without sizes.

    Raises ValueError for form A without the speed of the link to the host.
    """
    facts, board, launch, target = kernel.facts, assessment.board, kernel.launch, assessment.target
    use = kernel.estimate.resources
    if use is None:
        return None
    share, scarcest = use.shares[use.limiting], use.limiting
    if not share:
        return None
    replicas = replicas_of(facts, target, board, launch)
    return roofline_of(
        facts,
        kernel.estimate,
        board,
        launch,
        FILLED / share,
        scarcest,
        replicas=replicas,
        form=form,
        host_gb_s=host_gb_s,
    )
