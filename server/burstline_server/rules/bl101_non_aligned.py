"""BL101."""

from collections.abc import Iterable

from burstline_server.costing import KernelAssessment
from burstline_server.rules.finding import Finding, Rule


class NonAligned(Rule):
    """A vectorised request whose address is not provably a multiple of its width.

    The unit then joins requests thread by thread, opens more rows, and may need two words for one request.
    Whatever enters the address at run time (an offset argument, a row length, a halo) breaks the proof;
    constants that are multiples of the width keep it.

    Before:

        __attribute__((reqd_work_group_size(256, 1, 1), num_simd_work_items(16)))
        __kernel void shift(__global const float *restrict x, __global float *restrict y)
        {
            int i = get_global_id(0);
            y[i] = x[i + 1];
        }

    After:

        __attribute__((reqd_work_group_size(256, 1, 1), num_simd_work_items(16)))
        __kernel void shift(__global const float *restrict x, __global float *restrict y)
        {
            int i = get_global_id(0);
            y[i] = x[i + 16];
        }
    """

    code = "BL101"
    name = "non-aligned access"

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """Units whose style says so."""
        for unit in kernel.estimate.units:
            if "non-aligned" in unit.lsu.style:
                access = kernel.facts.accesses[unit.lsu.members[0]]
                why = next((r.text for r in unit.reasons if r.rule == "non-aligned"), "its index is not aligned")
                yield self.found(access.span, f"non-aligned access to {access.pointer}: {why}", unit.share)
