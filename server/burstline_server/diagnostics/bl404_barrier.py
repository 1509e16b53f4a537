"""BL404."""

from collections.abc import Iterable
from math import prod

from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.finding import Finding, Rule
from burstline_server.diagnostics.reasons import Flushed

LEAST = 0.02
"""Smallest share of the kernel's cycles worth reporting."""


class BarrierFlush(Rule):
    """A barrier in a loop: each time the work-group meets it, the pipeline runs empty and fills again.

    That costs the pipeline's depth per work-group and pass, which shows where groups are small. Larger groups, or one
    barrier for each tile in place of two, make it rarer.

    Before:

        __attribute__((reqd_work_group_size(8, 1, 1)))
        __kernel void rounds(__global float *restrict y)
        {
            __local float tile[8];
            int i = get_local_id(0);
            tile[i] = y[get_global_id(0)];
            for (int r = 0; r < 64; r++) {
                barrier(CLK_LOCAL_MEM_FENCE);
                tile[i] = sqrt(tile[7 - i]);
            }
            y[get_global_id(0)] = tile[i];
        }

    After:

        __attribute__((reqd_work_group_size(8, 1, 1)))
        __kernel void rounds(__global float *restrict y)
        {
            float value = y[get_global_id(0)];
            for (int r = 0; r < 64; r++)
                value = sqrt(value);
            y[get_global_id(0)] = value;
        }
    """

    code = "BL404"
    name = "barrier flushes the pipeline"
    settings = "global_size=65536"

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """Barriers in loops of kernels with several work-items a group: the first of those in one loop."""
        size = kernel.launch.local_size or kernel.facts.work_group_size
        items = prod(kernel.launch.global_size) if kernel.launch.global_size else None
        blocks = kernel.estimate.blocks
        if size is None or items is None or not blocks or prod(size) <= 1:
            return
        trips = {one.loop: one.trip for one in kernel.estimate.loops}
        total = (kernel.estimate.time_s or 0.0) * kernel.estimate.f_max_hz
        requests = items / kernel.facts.simd / kernel.facts.units_at_work
        first = {barrier.loops: barrier for barrier in reversed(kernel.facts.barriers)}
        for barrier in reversed(first.values()):
            block = next((b for b in blocks if barrier.loops and b.loop == barrier.loops[-1]), None)
            if block is None or not total:
                continue
            # Other blocks work at the same time: what a longer one takes is there without the barrier as well.
            asked = requests * prod(trips.get(i) or 0.0 for i in barrier.loops)
            idle = min(block.compute_cycles - max([asked, *(o.cycles for o in blocks if o is not block)]), total)
            if idle >= LEAST * total:
                share = idle / total
                yield self.found(barrier.span, Flushed(block.depth, prod(size), idle, share), share)
