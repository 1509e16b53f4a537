"""BL402."""

from collections.abc import Iterable

from burstline_server.answers.units import count_text
from burstline_server.costing import KernelAssessment
from burstline_server.rules.finding import Finding, Related, Rule


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
            #pragma unroll 8
            for (int j = 0; j < 128; j++)
                sum += (float)j * (float)i;
            for (int k = 0; k < 20; k++)
                product *= (float)k + (float)i;
            y[i] = sum + product + x[i];
        }
    """

    code = "BL402"
    name = "imbalance between blocks"
    settings = "global_size=1048576"

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """The slowest loop of kernels that it holds up."""
        blocks = [b for b in kernel.estimate.blocks if b.loop is not None]
        if kernel.estimate.bound != "balance" or len(blocks) < 2:
            return
        first, second = blocks[:2]
        slow, fast = (kernel.facts.loops[b.loop] for b in (first, second) if b.loop is not None)
        share = (first.cycles - second.cycles) / first.cycles
        message = (
            f"{self.name}: this loop takes {count_text(first.cycles)} cycles, the next slowest "
            f"{count_text(second.cycles)}; unroll this one"
        )
        yield self.found(slow.span, message, share, (Related(fast.span, "the next slowest loop"),))
