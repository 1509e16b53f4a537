"""BL108."""

from collections.abc import Iterable

from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.finding import Finding, Rule
from burstline_server.diagnostics.reasons import AtomicRefused


class NoAtomics(Rule):
    """Global atomics do not exist on boards with several memory interfaces, such as HBM2.

    The platform gives them no support, so the kernel will not compile there and no time can be given.

    Before:

        __kernel void count(__global int *restrict bins)
        {
            atomic_add(&bins[0], 1);
        }

    After:

        __kernel void count(__global int *restrict bins, int n)
        {
            bins[0] = n;
        }
    """

    code = "BL108"
    name = "atomic on a memory without atomics"
    settings = "board=s10mx_hbm2"

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """Global atomics where the memory has separate channels."""
        memory = kernel.board.memory
        if not memory.separate_channels:
            return
        for access in kernel.facts.accesses:
            if access.op == "atomic" and access.space == "global":
                yield self.found(access.span, AtomicRefused(str(access.atomic), memory.type))
