"""Build the pipeline of an NDRange kernel several times."""

from collections.abc import Iterable
from functools import partial

from burstline_model.estimate.changes import MoreUnits
from burstline_model.parallelism.simd_limits import one_is_enough, why_not_simd
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.host_launches import attributes_place
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Rewrite, TextEdit, line_end

NUMBERS = (4, 2)


class ComputeUnits(Rewrite):
    """``num_compute_units`` for an NDRange kernel that waits for its own pipeline: its work-groups share out several.

    Offered with 4 and with 2 where neither the memory nor the launch sets the time, the kernel has one unit, and its
    work-items cannot run side by side, which would take less, or can only where the host program fixes the size of
    work-groups, which units do without; with as many as are advised where more units are. Each unit takes all the
    hardware again, and asks the memory on its own: it is to do half of what the first one does at least, and what is
    too large for the device is left out. Work-groups run in any order as it is, so no result changes. Refused with
    channels: a channel ends at one unit.
    """

    name = "compute units"
    codes = ("BL402", "BL106")
    moves_nothing = True

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """Two edits for a kernel that its pipeline limits."""
        facts, estimate = kernel.facts, (kernel.at_assumed or kernel).estimate
        no_lanes = facts.work_group_size is None or why_not_simd(facts) is not None
        waits = estimate.limit in {"pipeline", "dependence", "issue"} and no_lanes
        advised = [one.change.units for one in estimate.levers if isinstance(one.change, MoreUnits)]
        single = facts.model == "ndrange" and facts.compute_units == 1 and facts.simd == 1
        if single and (waits or advised) and not one_is_enough(facts):
            numbers = dict.fromkeys((*advised, *NUMBERS))
            fit = estimate.resources.copies_that_fit() if estimate.resources is not None else max(numbers)
            for number in (n for n in numbers if n <= fit):
                yield Candidate(
                    Title("compute_units", (number,)),
                    (facts.name_span, *(loop.span for loop in facts.loops)),
                    partial(_offer, assessment, kernel, number),
                )


def _offer(assessment: Assessment, kernel: KernelAssessment, number: int) -> Offer:
    facts = kernel.facts
    if facts.channels:
        raise NotOfferedError("has_channel")
    start, indent = attributes_place(assessment.source.original, facts)
    line = f"{indent}__attribute__((num_compute_units({number}))){line_end(assessment.source.original)}"
    return Offer(
        title=Title("compute_units", (number,)),
        kind="proved",
        kernel=facts.name,
        edits=(TextEdit(start, start, line),),
        spans=(facts.name_span, *(loop.span for loop in facts.loops)),
        codes=ComputeUnits.codes,
        worth=(1 + number) / 2,
    )
