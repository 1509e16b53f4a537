"""BL201."""

from collections.abc import Iterable

from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.finding import Finding, Rule
from burstline_server.diagnostics.reasons import UnknownAddress


class UnknownIndex(Rule):
    """An address that the source does not give: the estimate for it is weak, and said to be.

    Pointers that are one of several buffers, are set in several places, or are taken from memory have no
    fixed form. What remains known (element size, loops around it) is still used.

    Before:

        __kernel void choose(__global float *x, __global float *y, int n)
        {
            for (int i = 0; i < n; i++) {
                __global float *p = (i & 1) ? x : y;
                p[i] = 1.0f;
            }
        }

    After:

        __kernel void choose(__global float *x, __global float *y, int n)
        {
            for (int i = 0; i < n; i++) {
                if (i & 1) x[i] = 1.0f;
                else y[i] = 1.0f;
            }
        }
    """

    code = "BL201"
    name = "address not analysable"

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """Global accesses without an offset."""
        for access in kernel.facts.accesses:
            if access.offset is None and access.space == "global" and access.hint is None:
                yield self.found(access.span, UnknownAddress(access.pointer, access.offset_why))
