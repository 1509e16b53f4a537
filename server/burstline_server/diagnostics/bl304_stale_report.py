"""BL304."""

from collections.abc import Iterable

from burstline_model.facts import Span
from burstline_server.assessment.assessor import Assessment
from burstline_server.diagnostics.finding import Finding, Rule
from burstline_server.diagnostics.reasons import ReportNotUsed


class StaleReport(Rule):
    """A report of a real build lies next to the file but speaks of another text: it is not used.

    Reports embed the text they were compiled from, so an edit of the kernel makes them stale at once and undoing it
    makes them good again; a report without the text is stale when it is older than the file. Run the vendor's
    compiler again (`aoc -rtl -report`), or set `report = "off"` to ignore reports.

    Before:

        __kernel void set(__global float *restrict y)
        {
            y[2 * get_global_id(0)] = 1.0f;
        }

    After:

        __kernel void set(__global float *restrict y)
        {
            y[get_global_id(0)] = 1.0f;
        }
    """

    code = "BL304"
    name = "stale report"
    build = (
        r"""var mavJSON={"nodes":[{"type":"kernel","name":"set","children":[]}]};"""
        r"""var fileJSON=[{"path":"kernel.cl","content":"__kernel void set(__global float *restrict y)\n{\n"""
        r"""    y[get_global_id(0)] = 1.0f;\n}\n"}];"""
    )

    def of_file(self, assessment: Assessment) -> Iterable[Finding]:
        """Why the file's report is not used."""
        build = assessment.build
        if build is not None and build.stale:
            yield self.found(Span(start=0, end=0), ReportNotUsed(str(build.report.path), build.stale), 0.0)
