"""BL202."""

from collections.abc import Iterable

from burstline_server.costing import KernelAssessment
from burstline_server.rules.finding import Finding, Rule


class UnknownTrips(Rule):
    """A loop around global accesses whose trip count is not known: costs are given per iteration.

    A bound from memory or from an argument without a value cannot be guessed. Give the argument
    (`// burstline: n=4096`, `arguments` in burstline.toml, `--arg n=4096`) or the count itself
    (`// burstline: trip=64` at the end of the loop's line or on the line above it, `trips`, `--trip 12=64`).

    Before:

        __kernel void sum(__global const int *restrict ends, __global float *restrict y)
        {
            for (int i = 0; i < ends[0]; i++)
                y[i] = 1.0f;
        }

    After:

        __kernel void sum(__global const int *restrict ends, __global float *restrict y)
        {
            for (int i = 0; i < 4096; i++)
                y[i] = 1.0f;
        }
    """

    code = "BL202"
    name = "trip count not known"

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """Loops without a number of trips that global accesses stand in."""
        around = {i for a in kernel.facts.accesses if a.space == "global" for i in a.loops}
        for estimated in kernel.estimate.loops:
            loop = kernel.facts.loops[estimated.loop]
            if estimated.trip is None and loop.id in around:
                needed = sorted(
                    s for s in (loop.trip.symbols if loop.trip else ()) if kernel.facts.symbols[s].kind == "argument"
                )
                give = ", ".join(f"{n}=…" for n in needed) if needed else "// burstline: trip=… at the loop"
                why = loop.trip_why or (f"it is {loop.trip}" if loop.trip else "its condition counts nothing")
                message = f"trip count not known ({why}): costs are per iteration; give {give}"
                yield self.found(loop.span, message)
