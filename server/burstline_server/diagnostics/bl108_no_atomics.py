"""BL108."""

from collections.abc import Iterable

from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.finding import Finding, Rule
from burstline_server.diagnostics.reasons import AtomicRefused, AtomicWidth

BYTES = 4
"""What an atomic unit reads and writes."""


class NoAtomics(Rule):
    """Global atomics do not exist on boards with several memory interfaces, such as HBM2, nor for other types than int.

    The platform gives them no support, so the kernel will not compile there and no time can be given. Elsewhere the
    atomic unit works on integers of 32 bits alone (M21, Observation 4): those of 64 bits are not built.

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
    name = "atomic that the platform does not have"
    settings = "board=s10mx_hbm2"

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """Global atomics where the memory has separate channels, or of more than 32 bits."""
        memory = kernel.board.memory
        for access in kernel.facts.accesses:
            if access.op != "atomic" or access.space != "global":
                continue
            if memory.separate_channels:
                yield self.found(access.span, AtomicRefused(str(access.atomic), memory.type))
            elif access.scalar_bytes != BYTES:
                yield self.found(access.span, AtomicWidth(str(access.atomic), 8 * access.scalar_bytes))
