"""BL401."""

from collections.abc import Iterable

from burstline_model.estimate.observations import WORTH_REPORTING
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.finding import Finding, Related, Rule
from burstline_server.presentation.words.waits import wait_text
from burstline_server.quantities import gain_text


class SerialisedLoop(Rule):
    """A loop that cannot start an iteration every clock cycle, because an iteration needs what the one before gives.

    The initiation interval (II) is the latency of the cycle: through operations on a variable, or from a store to
    a later load of the same buffer. A dependence through memory that cannot be excluded costs as much as a real
    one. `restrict` on pointers that do not alias, a private variable for what the next iteration reads, or a
    shift register for a distance of several iterations remove it; a reduction in several partial sums shortens
    it.

    Before:

        __kernel void running(__global float *y, int n)
        {
            for (int i = 1; i < n; i++)
                y[i] = y[i] + y[i - 1];
        }

    After:

        __kernel void running(__global float *restrict y, int n)
        {
            float before = y[0];
            for (int i = 1; i < n; i++) {
                before = y[i] + before;
                y[i] = before;
            }
        }
    """

    code = "BL401"
    name = "serialised loop"
    settings = "n=1048576"

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """Loops with an initiation interval above one, or whose iterations run one after the other."""
        for one in kernel.estimate.loops:
            slow = one.ii if one.ii is not None and one.ii > 1 else None
            if one.serialised_by is None or not (slow or one.serial):
                continue
            loop = kernel.facts.loops[one.loop]
            pace, scheduled = _pace(slow, one.pace) if slow else ("iterations run in turn", "")
            if one.gain < WORTH_REPORTING:
                continue
            pair = [(one.store, "stored here"), (one.load, "loaded here")]
            related = tuple(Related(kernel.facts.accesses[a].span, text) for a, text in pair if a is not None)
            gain = gain_text(kernel.estimate.time_s, one.after_s)
            yield self.found(
                loop.span, f"{self.name}, {pace}: {wait_text(one.serialised_by)}{scheduled}{gain}", one.gain, related
            )


def _pace(ii: float, pace: float | None) -> tuple[str, str]:
    """The interval that a loop runs at, and in brackets the one it is scheduled for where that is another."""
    if pace is None or pace >= ii:
        return f"II {ii:g}", ""
    return f"II {pace:.0f}", f" (scheduled: {ii:g})"
