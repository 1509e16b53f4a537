"""What can be turned on an assessed kernel without editing it: lanes, compute units, the unrolling of each loop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from burstline_model.compiler.infer import infer
from burstline_model.estimate.kernel import estimate
from burstline_model.parallelism.knobs import varied
from burstline_server.analysis.reuse import KernelSnapshot, PlacedKernel
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment, KernelCost
from burstline_server.words.exploring import no_kernel_text, no_knob_text

MOST = 1024


@dataclass(frozen=True, slots=True)
class Knob:
    """What can be turned: of a kernel, or the unrolling of the loop on a `line`, counted from 1."""

    kind: Literal["simd", "compute_units", "unroll"]
    line: int | None = None

    @property
    def id(self) -> str:
        """What requests call it."""
        return self.kind if self.line is None else f"{self.kind}:{self.line}"

    @property
    def least(self) -> int:
        """Its smallest value: 0 unrolls fully."""
        return 0 if self.kind == "unroll" else 1


SIMD, COMPUTE_UNITS = Knob("simd"), Knob("compute_units")


class NoSuchKnobError(Exception):
    """A knob that the kernel does not have, or a value that it does not take; the message says which."""


def loops_by_line(assessment: Assessment, kernel: KernelAssessment) -> dict[int, int]:
    """The kernel's loops by their lines, counted from 1; the first of several on a line."""
    found: dict[int, int] = {}
    for loop in kernel.facts.loops:
        if loop.span.file is None:
            found.setdefault(assessment.source.lines.line_of(loop.span.start) + 1, loop.id)
    return found


def knobs_of(assessment: Assessment, kernel: KernelAssessment) -> dict[Knob, int]:
    """The knobs with their values now: an unrolling of 0 is full, of 1 none."""
    facts = kernel.facts
    found = {SIMD: facts.simd, COMPUTE_UNITS: facts.compute_units} if facts.model == "ndrange" else {}
    for line, number in loops_by_line(assessment, kernel).items():
        asked = facts.loops[number].unroll
        if facts.loops[number].kind != "copy":
            found[Knob("unroll", line)] = 1 if asked is None else asked
    return found


def turned(assessment: Assessment, name: str, values: Mapping[str, int]) -> Assessment:
    """The file with one kernel as these knobs (by id) have it; what a build's report says of it no longer counts.

    Raises `NoSuchKnobError`.
    """
    kernel = next((k for k in assessment.kernels if k.facts.name == name), None)
    if kernel is None:
        raise NoSuchKnobError(no_kernel_text(name))
    now_at = knobs_of(assessment, kernel)
    known = {knob.id: knob for knob in now_at}
    for asked, value in values.items():
        if asked not in known or not known[asked].least <= value <= MOST:
            raise NoSuchKnobError(no_knob_text(name, asked, value, ", ".join(known)))
    turns = {known[one]: value for one, value in values.items() if value != now_at[known[one]]}
    if not turns:
        return assessment
    lines = loops_by_line(assessment, kernel)
    facts = varied(
        kernel.facts,
        turns.get(SIMD, kernel.facts.simd),
        turns.get(COMPUTE_UNITS, kernel.facts.compute_units),
        {lines[knob.line]: value for knob, value in turns.items() if knob.line is not None},
    )
    lsus = infer(facts, assessment.target)
    now = estimate(facts, lsus, assessment.board, kernel.launch, target=assessment.target)
    placed = PlacedKernel(KernelSnapshot(kernel.placed.key, facts))
    tried = KernelAssessment(placed, KernelCost(lsus, now, kernel.launch, assessment.board, assessment.target))
    return assessment.with_kernels(tuple(tried if k is kernel else k for k in assessment.kernels))
