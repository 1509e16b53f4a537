"""BL303."""

from collections.abc import Iterable

from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.finding import Finding, Rule
from burstline_server.diagnostics.reasons import OtherUnits


class ReportDiffers(Rule):
    """The report of a real build lists other units at a place than were inferred. The report is used.

    A report counts when it lies where builds put it (a folder named like the kernel file, next to it or under `bin`),
    or where `report` in `burstline.toml` points, and speaks of the text at hand. In the example the report of the
    build lists one 64-bit unit where `x` is read.

    Before:

        __kernel void copy(__global const float *restrict x, __global float *restrict y, int n)
        {
            for (int i = 0; i < n; i++)
                y[i] =
                    x[i];
        }

    After:

        __kernel void copy(__global const float2 *restrict x, __global float *restrict y, int n)
        {
            for (int i = 0; i < n; i++)
                y[i] =
                    x[i].s0 + x[i].s1;
        }
    """

    code = "BL303"
    name = "report differs"
    build = """
        var mavJSON={"nodes":[{"type":"kernel","name":"copy","children":[{"type":"bb","name":"copy.B2","children":[
        {"type":"inst","name":"Load","debug":[[{"filename":"kernel.cl","line":5}]],
         "details":[{"type":"table","Width":"64 bits","Type":"Burst-coalesced"}]},
        {"type":"inst","name":"Store","debug":[[{"filename":"kernel.cl","line":4}]],
         "details":[{"type":"table","Width":"32 bits","Type":"Burst-coalesced"}]}]}]}]};
        """

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """The places of each kernel where its report says otherwise."""
        for one in kernel.build.disagreements if kernel.build is not None else ():
            span = kernel.facts.name_span if one.access is None else kernel.facts.accesses[one.access].span
            line = one.line if one.access is None else None
            yield self.found(span, OtherUnits(one.op, one.reported, one.inferred, line, one.file), 0.0)
