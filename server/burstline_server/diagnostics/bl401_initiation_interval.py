"""BL401."""

from collections.abc import Iterable

from burstline_model.estimate.after_change import WORTH_REPORTING
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.finding import Finding, Related, Rule
from burstline_server.diagnostics.reasons import Part, WaitingLoop, gain_of


class InitiationInterval(Rule):
    """A loop that cannot start an iteration every clock cycle, because an iteration needs what the one before gives.

    The message has the initiation interval (II), or says that the loop is serialised: each iteration waits for the end
    of the one before. The II is the latency of the cycle: through operations on a variable, or from a store to
    a later load of the same buffer. A dependence through memory that cannot be excluded costs as much as a real
    one. `restrict` on pointers that do not alias, a private variable for what the next iteration reads, or a
    shift register for a distance of several iterations remove it; a reduction in several partial sums shortens
    it. A loop whose inner loops have another trip count in each iteration is not pipelined at all: bounds that stay the
    same, or one loop in place of the nest, let it be.

    Before:

        __kernel void running(__global int *y, int n)
        {
            for (int i = 1; i < n; i++)
                y[i] = y[i] + y[i - 1];
        }

    After:

        __kernel void running(__global int *restrict y, int n)
        {
            int before = y[0];
            for (int i = 1; i < n; i++) {
                before = y[i] + before;
                y[i] = before;
            }
        }
    """

    code = "BL401"
    name = "initiation interval above 1"
    settings = "n=1048576"

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """Loops with an initiation interval above one, or whose iterations run one after the other."""
        for one in kernel.estimate.loops:
            slow = one.ii if one.ii is not None and one.ii > 1 else None
            if one.serialised_by is None or not (slow or one.serial):
                continue
            loop = kernel.facts.loops[one.loop]
            if one.gain < WORTH_REPORTING:
                continue
            pair: list[tuple[int | None, Part]] = [(one.store, "stored"), (one.load, "loaded")]
            related = tuple(Related(kernel.facts.accesses[a].span, part) for a, part in pair if a is not None)
            # No time is promised that no known change leads to.
            own = [lever.after_s for lever in kernel.estimate.levers if (lever.loop, lever.copies) == (one.loop, 1)]
            gain = gain_of(kernel.estimate, one.after_s if own and own[0] is not None else None)
            reason = WaitingLoop(slow, one.ii_at_run, one.serialised_by, gain)
            yield self.found(loop.span, reason, one.gain, related)
