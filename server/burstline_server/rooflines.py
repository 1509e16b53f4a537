"""The roofline of an assessed kernel: how often it fits into the device, and what more copies of it would reach."""

from __future__ import annotations

from burstline_model.compiler.unroll import effective_unroll
from burstline_model.pipeline.operations import operation_table
from burstline_model.pipeline.potentials import rough_resources
from burstline_model.roofline import Roofline, replicas_of, roofline_of
from burstline_server.assess import Assessment, KernelAssessment, taken_by

FILLED = 0.8
"""How much of a device can be used (TYTRA Eq. 6)."""


def roofline_for(assessment: Assessment, kernel: KernelAssessment) -> Roofline | None:
    """The roofline, by a build's resources where a report gives them, else by the rough count; None without sizes."""
    facts, board, launch, target = kernel.facts, assessment.board, kernel.launch, assessment.target
    taken = taken_by(facts, kernel.build)
    if taken is None:
        taken = rough_resources(facts, kernel.lsus, effective_unroll(facts), operation_table(target.family))
    share, scarcest = max((taken.logic, "logic"), (taken.rams, "RAM"), (taken.dsps, "DSP"))
    if not share:
        return None
    replicas = replicas_of(facts, target, board, launch)
    return roofline_of(facts, kernel.estimate, board, launch, FILLED / share, scarcest, replicas=replicas)
