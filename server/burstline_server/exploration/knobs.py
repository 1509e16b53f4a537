"""What can be turned on an assessed kernel without editing it: lanes, compute units, the unrolling of each loop."""

from __future__ import annotations

from collections.abc import Mapping

from burstline_model.compiler.infer import infer
from burstline_model.estimate.kernel import estimate
from burstline_model.parallelism.knobs import varied
from burstline_server.analysis.reuse import KernelSnapshot, PlacedKernel
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment, KernelCost

SIMD, COMPUTE_UNITS, UNROLL = "SIMD", "compute units", "unroll line "
MOST = 1024


class NoSuchKnobError(Exception):
    """A knob that the kernel does not have, or a value that it does not take; the message says which."""


def loops_by_line(assessment: Assessment, kernel: KernelAssessment) -> dict[int, int]:
    """The kernel's loops by their lines, counted from 1; the first of several on a line."""
    found: dict[int, int] = {}
    for loop in kernel.facts.loops:
        if loop.span.file is None:
            found.setdefault(assessment.source.lines.line_of(loop.span.start) + 1, loop.id)
    return found


def knobs_of(assessment: Assessment, kernel: KernelAssessment) -> dict[str, int]:
    """The knobs by name, with their values now: 0 unrolls fully, 1 not at all."""
    facts = kernel.facts
    found = {SIMD: facts.simd, COMPUTE_UNITS: facts.compute_units} if facts.model == "ndrange" else {}
    for line, number in loops_by_line(assessment, kernel).items():
        asked = facts.loops[number].unroll
        if facts.loops[number].kind != "copy":
            found[f"{UNROLL}{line}"] = 1 if asked is None else asked
    return found


def turned(assessment: Assessment, name: str, values: Mapping[str, int]) -> Assessment:
    """The file with one kernel as these knobs have it; what a build's report says of it no longer counts.

    Raises `NoSuchKnobError`.
    """
    kernel = next((k for k in assessment.kernels if k.facts.name == name), None)
    if kernel is None:
        raise NoSuchKnobError(f"no kernel is called {name!r}")
    known = knobs_of(assessment, kernel)
    for knob, value in values.items():
        least = 0 if knob.startswith(UNROLL) else 1
        if knob not in known or not least <= value <= MOST:
            raise NoSuchKnobError(f"{knob} {value}: {name} has {', '.join(known) or 'no knobs'}")
    changed = {knob: value for knob, value in values.items() if value != known[knob]}
    if not changed:
        return assessment
    lines = loops_by_line(assessment, kernel)
    facts = varied(
        kernel.facts,
        changed.get(SIMD, kernel.facts.simd),
        changed.get(COMPUTE_UNITS, kernel.facts.compute_units),
        {lines[int(k.removeprefix(UNROLL))]: v for k, v in changed.items() if k.startswith(UNROLL)},
    )
    lsus = infer(facts, assessment.target)
    now = estimate(facts, lsus, assessment.board, kernel.launch, target=assessment.target)
    placed = PlacedKernel(KernelSnapshot(kernel.placed.key, facts))
    tried = KernelAssessment(placed, KernelCost(lsus, now, kernel.launch, assessment.board, assessment.target))
    return assessment.with_kernels(tuple(tried if k is kernel else k for k in assessment.kernels))
