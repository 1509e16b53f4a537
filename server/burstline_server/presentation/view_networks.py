"""Kernels that channels join, as the page draws them: each with its own time, and the slowest of them."""

from __future__ import annotations

from burstline_model.estimate.concurrent import connected
from burstline_model.estimate.remark_kinds import RunsTogether
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.presentation.view_document import NetworkView, StageView
from burstline_server.quantities import cost_text
from burstline_server.source.locate import place_of
from burstline_server.words.remarks import remark_text


def networks_of(assessment: Assessment) -> list[NetworkView]:
    """The networks of a file."""
    return [_network(assessment, places) for places in connected([k.facts for k in assessment.kernels])]


def _network(assessment: Assessment, places: list[int]) -> NetworkView:
    kernels = [assessment.kernels[place] for place in places]
    remark = next((r for k in kernels for r in k.estimate.remarks if isinstance(r, RunsTogether)), None)
    slowest = remark.set_by if remark is not None else None
    stages = [_stage(assessment, kernel, slowest) for kernel in kernels]
    ends = [(place, end) for place, kernel in enumerate(kernels) for end in kernel.facts.channels]
    links = dict.fromkeys(
        (source, target, other.channel if None in one.index else one.channel)
        for source, one in ends if one.op == "write"
        for target, other in ends if other.op == "read" and other.meets(one)
    )  # fmt: skip
    return NetworkView(stages=stages, links=list(links), remark=remark_text(remark) if remark is not None else "")


def _stage(assessment: Assessment, kernel: KernelAssessment, slowest: str | None) -> StageView:
    estimate = kernel.estimate
    own_s = estimate.time_s
    if own_s is not None:
        own_s -= sum(term.time_s for term in estimate.terms if term.limit == "channels")
    per = "item" if kernel.facts.model == "ndrange" else "iteration"
    return StageView(
        kernel=kernel.facts.name,
        line=place_of(assessment.source, kernel.facts.name_span).line + 1,
        time=cost_text(own_s, estimate.time_item_s, per) or "not known",
        time_s=own_s,
        slowest=kernel.facts.name == slowest,
    )
