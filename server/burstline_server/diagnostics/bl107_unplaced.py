"""BL107."""

from collections.abc import Iterable

from burstline_model.memory.placement import place
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.finding import Finding, Rule
from burstline_server.diagnostics.reasons import NoChannel


class Unplaced(Rule):
    """Pointers that name no channel on a memory of separate channels all land in channel 0.

    On HBM2 nothing is interleaved: without a `buffer_location` attribute (or `bank[x]=N` in a
    comment, or `banks` in burstline.toml) every buffer shares one pseudo-channel of thirty-two.

    Before:

        __attribute__((reqd_work_group_size(256, 1, 1), num_simd_work_items(8)))
        __kernel void copy(__global const float *restrict x, __global float *restrict y)
        {
            int i = get_global_id(0);
            y[i] = x[i];
        }

    After:

        __attribute__((reqd_work_group_size(256, 1, 1), num_simd_work_items(8)))
        __kernel void copy(__global __attribute__((buffer_location("HBM0"))) const float *restrict x,
                           __global __attribute__((buffer_location("HBM1"))) float *restrict y)
        {
            int i = get_global_id(0);
            y[i] = x[i];
        }
    """

    code = "BL107"
    name = "pointer without a channel"
    settings = "board=s10mx_hbm2"

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """Arguments that the placement counts in channel 0 for want of a channel."""
        memory = kernel.board.memory
        for pointer in place(kernel.facts, kernel.board, kernel.launch).unplaced:
            argument = kernel.facts.argument(pointer)
            if argument is not None:
                yield self.found(argument.span, NoChannel(pointer, memory.type))
