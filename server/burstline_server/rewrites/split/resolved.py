"""A kernel whose true dependences over a fixed distance, or at one place, are kept in variables before it is split."""

from __future__ import annotations

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.config.layers import Layer
from burstline_server.rewrites.forward_through_register import ForwardThroughRegister
from burstline_server.rewrites.keep_in_variable import KeepInVariable
from burstline_server.rewrites.shift_register import ShiftRegister

MAX_ROUNDS = 4
"""Most dependences resolved one after the other."""


def resolved(assessment: Assessment, kernel: KernelAssessment) -> tuple[Assessment, KernelAssessment] | None:
    """The file and the kernel with every such dependence resolved; None where there is none."""
    now, one = assessment, kernel
    settings = Layer("file", assessment.settings.model_dump(exclude_defaults=True))
    assessor = Assessor(workspace=assessment.workspace)
    for _ in range(MAX_ROUNDS):
        kinds = (ForwardThroughRegister(), ShiftRegister(), KeepInVariable())
        offer = next((o for kind in kinds for o in kind.offers(now, one) if o.kind == "proved"), None)
        if offer is None:
            break
        text = offer.applied(now.source.original).decode("utf-8", "replace")
        now = assessor.assess(text, assessment.path, [settings])
        found = next((k for k in now.kernels if k.facts.name == kernel.facts.name), None)
        if found is None:
            return None
        one = found
    return (now, one) if now is not assessment else None
