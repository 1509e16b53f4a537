"""BL402."""

from collections.abc import Iterable

from burstline_model.estimate.changes import MoreCopies
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.finding import Finding, Rule
from burstline_server.diagnostics.reasons import HoldsUp, gain_of


class Imbalance(Rule):
    """One loop of the kernel takes most of its cycles while the others wait for it (WANG's B_balance).

    All blocks of a kernel work at the same time, on different work-items or iterations, so the slowest sets the pace.
    Unrolling it costs resources only where they pay.

    Before:

        __kernel void two(__global const float *restrict x, __global float *restrict y)
        {
            int i = get_global_id(0);
            float sum = 0.0f, product = 1.0f;
            for (int j = 0; j < 128; j++)
                sum += (float)j * (float)i;
            for (int k = 0; k < 20; k++)
                product *= (float)k + (float)i;
            y[i] = sum + product + x[i];
        }

    After:

        __kernel void two(__global const float *restrict x, __global float *restrict y)
        {
            int i = get_global_id(0);
            float sum = 0.0f, product = 1.0f;
            #pragma unroll
            for (int j = 0; j < 128; j++)
                sum += (float)j * (float)i;
            #pragma unroll
            for (int k = 0; k < 20; k++)
                product *= (float)k + (float)i;
            y[i] = sum + product + x[i];
        }
    """

    code = "BL402"
    name = "imbalance between blocks"
    settings = "global_size=1048576"

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """The loop that holds up a kernel, where copies of its body would make the kernel faster."""
        estimate = kernel.estimate
        for lever in estimate.levers:
            if lever.loop is None or lever.copies < 2:
                continue
            share = 1 - lever.after_s / estimate.time_s if lever.after_s is not None and estimate.time_s else None
            nest = isinstance(lever.change, MoreCopies) and lever.change.nest
            loops = (lever.loop, *(() if nest else (i for i, _ in lever.others)))  # of a nest the innermost is slow
            # A loop of a function that is called several times is one place.
            spans = dict.fromkeys(kernel.facts.loops[i].span for i in loops)
            by_memory = (kernel.at_assumed or kernel).estimate.limit == "memory"
            # Of one work-item, copies are for what its memory leaves over.
            asks = by_memory and kernel.facts.model == "ndrange"
            reason = HoldsUp(lever.change, gain_of(estimate, lever.after_s), len(spans) - 1, asks=asks)
            for span in spans:
                yield self.found(span, reason, share)
