"""BL403."""

from collections.abc import Iterable

from burstline_model.estimate.assumption import WorkItems
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.finding import Finding, Rule
from burstline_server.diagnostics.reasons import EmptyPipeline


class FewWorkItems(Rule):
    """A launch with fewer work-items than the pipeline holds (WANG's B_itpp): stages are empty and latency is exposed.

    Work-items share the stages of all blocks and the memory's queue. Launch more of them, or write the kernel as a
    single work-item with a loop, which keeps its pipeline full by itself. Where few work-items run a loop (``if (id ==
    0)``) and the others leave it out, more of them are no help: make the loop a kernel of its own.

    Before:

        // burstline: global_size=16
        __kernel void add(__global const float *restrict x, __global float *restrict y)
        {
            int i = get_global_id(0);
            y[i] += x[i];
        }

    After:

        // burstline: global_size=1048576
        __kernel void add(__global const float *restrict x, __global float *restrict y)
        {
            int i = get_global_id(0);
            y[i] += x[i];
        }
    """

    code = "BL403"
    name = "too few work-items"

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """Kernels whose launch leaves the pipeline empty."""
        estimate = kernel.estimate
        if estimate.bound == "work_items" and estimate.time_s:
            every = (a.of for a in estimate.assumptions)
            given = next((one for one in every if isinstance(one, WorkItems)), None)
            waiting = sum(t.time_s for t in estimate.terms if t.limit in {"work_items", "latency"}) / estimate.time_s
            loop = next((t.loop for t in estimate.terms if t.limit == "work_items" and t.loop is not None), None)
            span = kernel.facts.loops[loop].span if loop is not None else kernel.facts.name_span
            yield self.found(span, EmptyPipeline(given, waiting, in_loop=loop is not None), waiting)
