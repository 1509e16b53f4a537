"""BL301."""

from collections.abc import Iterable

from burstline_model.facts import Span
from burstline_server.assessment.assessor import Assessment
from burstline_server.diagnostics.finding import Finding, Rule
from burstline_server.diagnostics.reasons import Misconfigured


class Configuration(Rule):
    """A setting that cannot be taken: its name, its value, or what it names in the program is not known.

    The setting is left out, and the figures are those without it. It may be in a comment, in `burstline.toml`, in the
    editor, or in the build; on the command line the same mistake ends the command. The nearest name is proposed. This
    code cannot be turned off: figures that rest on other settings than the user gave would mislead.

    Before:

        // burstline: global_siz=(65536)
        __kernel void set(__global float *restrict y)
        {
            y[get_global_id(0)] = 1.0f;
        }

    After:

        // burstline: global_size=(65536)
        __kernel void set(__global float *restrict y)
        {
            y[get_global_id(0)] = 1.0f;
        }
    """

    code = "BL301"
    name = "configuration"

    def of_file(self, assessment: Assessment) -> Iterable[Finding]:
        """The mistakes in the settings of a file, at their places where the file holds them."""
        for problem in assessment.problems:
            span = Span(start=problem.place[0], end=problem.place[1]) if problem.place else Span(start=0, end=0)
            yield Finding(self.code, self.name, "warning", span, Misconfigured(problem))
