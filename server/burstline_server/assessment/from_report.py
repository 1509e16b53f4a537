"""What a report of a real build says of how a kernel is built: its resources, and how its loops run."""

from __future__ import annotations

from burstline_model.estimate.pipeline import Schedule
from burstline_model.facts import KernelFacts
from burstline_model.resources import ResourceUse
from burstline_model.vendor_report.built_resources import reported_use
from burstline_server.assessment.reports import KernelBuild, named_loops
from burstline_server.source.source import Source


def built_resources(facts: KernelFacts, reported: KernelBuild | None) -> ResourceUse | None:
    """What a report says that a kernel takes, None where it says too little."""
    return reported_use(reported.report, facts.name, facts.compute_units) if reported is not None else None


def schedules(reported: KernelBuild, facts: KernelFacts, source: Source, path: str) -> dict[int, Schedule]:
    """How a report says that each loop runs, by the loop's id; loops on one line keep their order."""
    found: dict[int, Schedule] = {}
    for said, loops in named_loops(reported.loops, facts, source, path):
        loop = next((i for i in loops if i not in found), None)
        if loop is not None:
            found[loop] = Schedule(
                ii=said.ii, pipelined=said.pipelined, at_least=said.exactness == "at least",
                serialised_by="; ".join(said.details[:1]) if said.bottleneck or said.exactness == "at least" else None,
            )  # fmt: skip
    return found
