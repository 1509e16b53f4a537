"""BL302."""

from collections.abc import Iterable

from burstline_model.facts import Span
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.finding import Finding, Rule
from burstline_server.diagnostics.reasons import NotRead, Unread
from burstline_server.source.preprocessed import SourceRemark


class SourceNotRead(Rule):
    """Something could not be read: an include that is not there, a name nobody defines, a bound that was reached.

    What is around it is analysed all the same. Includes are looked for next to the file, in
    `include_paths` (`-I`), in the folders above, in those next to the file where one alone has it, and nowhere outside
    the workspace. A name that the text uses and does not define, as a rule a macro of the build, counts as a constant
    of unknown value: define it with `-D` or under `defines` in `burstline.toml`.

    Before:

        #include "not_there.h"
        __kernel void set(__global float *restrict y)
        {
            y[get_global_id(0)] = 1.0f;
        }

    After:

        __kernel void set(__global float *restrict y)
        {
            y[get_global_id(0)] = 1.0f;
        }
    """

    code = "BL302"
    name = "text not read"

    once = True

    def of_file(self, assessment: Assessment) -> Iterable[Finding]:
        """The remarks of the preprocessor."""
        faults = {f.span for f in assessment.faults}
        for remark in assessment.source.remarks:
            span = Span(start=remark.start, end=remark.end)
            if isinstance(remark, SourceRemark) and span not in faults:
                yield self.found(span, NotRead(remark.kind, remark.names))

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """The remarks of the kernel's reader."""
        for remark in kernel.facts.remarks:
            yield self.found(remark.span, Unread(remark.kind, remark.names))
