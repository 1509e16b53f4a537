"""BL202."""

from collections.abc import Collection, Iterable

from burstline_model.facts import Loop
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.assessment.missing_sizes import arguments_of, assumed_trips, endless, follows, undefined_of
from burstline_server.diagnostics.finding import Finding, Related, Rule
from burstline_server.diagnostics.reasons import Uncounted


class UnknownTrips(Rule):
    """A loop whose trip count is not known: then the kernel's time is not known either, whatever the loop does.

    Until it is given, a time is shown for assumed sizes and marked `≈?`: 1024 iterations of each such loop (fewer
    where such loops nest; about 10 where the counter doubles or halves, to or from 1024; at most 7 for what a loop that
    takes 8 elements at a time leaves), and 2^20 work-items where nobody gives those (2^15 where each loops over as
    many as there are, one group where work-items differ by local ids alone). It enters no total. A loop that data end
    (`while (x[i] != 0)`) is not guessed, and what is in a loop that runs as long as channels bring data is not asked
    for: its count makes no time known.
    A count read from memory is bounded where the loop runs along a row of fixed length (`near[26 * box + k]`), or an
    array on the chip: then the time is one at most, and nothing is asked for.
    The quick fix *Give … for a known time* writes a comment with these sizes, to be changed.

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
    name = "trip count unknown"

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """Loops that nobody counts, whatever is in them; those whose arguments one of them asks for together."""
        together: dict[tuple[str, ...], list[Loop]] = {}
        for estimated in kernel.estimate.loops:
            loop = kernel.facts.loops[estimated.loop]
            counted = estimated.trip is not None or follows(kernel, loop.id)
            if not counted and not endless(kernel.facts, loop.id) and not _ended_by_data(kernel, loop.id):
                needed = arguments_of(kernel, loop.id)
                place = (f"loop at {loop.span.file}:{loop.span.start}",)  # of a function's loop, once for all its calls
                together.setdefault(_asked_already(together, needed) or needed or place, []).append(loop)
        for needed, loops in together.items():
            first = loops[0]
            given = tuple(n for n in needed if n in kernel.facts.symbols)
            assumed = assumed_trips(kernel, first.id) if kernel.at_assumed else None
            counts = first.trip is not None
            others = tuple(Related(o.span, "same_wait") for o in loops[1:] if o.span != first.span)
            undefined = tuple(name for name in given if name in undefined_of(kernel, first.id))
            yield self.found(first.span, Uncounted(first.trip_why, given, assumed, counts, undefined), related=others)


def _asked_already(together: Collection[tuple[str, ...]], needed: Collection[str]) -> tuple[str, ...] | None:
    """The arguments of a loop before that asks for all that this one needs."""
    return next((asked for asked in together if needed and {*needed} <= {*asked}), None)


def _ended_by_data(kernel: KernelAssessment, loop: int) -> bool:
    """Whether a loop around it runs as long as data come: then no count of its own makes the time known."""
    trips = {one.loop: one.trip for one in kernel.estimate.loops}
    return any(trips.get(i) is None and endless(kernel.facts, i) for i in kernel.facts.loops_around(loop))
