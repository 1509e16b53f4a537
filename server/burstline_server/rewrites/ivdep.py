"""Promise the compiler that the iterations of a loop do not meet in memory."""

from collections.abc import Iterable

from burstline_model.facts import KernelFacts
from burstline_model.pipeline.dependence import Dependence, dependences
from burstline_server.assess import Assessment
from burstline_server.costing import KernelAssessment
from burstline_server.rewrites.rewrite import Offer, Refusal, Rewrite, TextEdit, in_front_of, line_end


class Ivdep(Rewrite):
    """``#pragma ivdep`` before a loop that waits for a dependence through memory which was never proved to happen.

    An assertion: results change if an iteration does read what an earlier one stored. Not offered where that is
    certain, nor where data choose the place in one buffer, as in a histogram.
    """

    name = "ivdep"
    codes = ("BL401",)

    def offers(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Offer]:
        """One edit for each loop serialised by what only may happen."""
        facts = kernel.facts
        text = assessment.source.original
        for one in kernel.estimate.loops:
            loop = facts.loops[one.loop]
            if one.store is None or (one.ii or 1) <= 1 or loop.ivdep is not None or loop.span.file is not None:
                continue
            found = dependences(facts, loop)
            place = in_front_of(text, loop.span.start)
            if place is None or not found or any(d.proven or may_well_meet(facts, d) for d in found):
                continue
            start, indent = place
            buffers = ", ".join(sorted({facts.accesses[d.store].pointer for d in found}))
            yield Offer(
                title=f"Assert with ivdep that iterations over {loop.variable or 'this loop'} do not meet in {buffers} "
                "(unsafe: results change if they do)",
                kind="assertion",
                kernel=facts.name,
                edits=(TextEdit(start, start, f"{indent}#pragma ivdep{line_end(text)}"),),
                spans=(loop.span,),
                codes=Ivdep.codes,
            )

    def refusals(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Refusal]:  # noqa: ARG002
        """Loops that certainly depend on themselves."""
        for one in kernel.estimate.loops:
            loop = kernel.facts.loops[one.loop]
            if one.store is None or (one.ii or 1) <= 1:
                continue
            found, title = dependences(kernel.facts, loop), "Assert with ivdep that iterations do not meet"
            if any(d.proven for d in found):
                yield Refusal(title, "they certainly do", (loop.span,))
            elif any(may_well_meet(kernel.facts, d) for d in found):
                yield Refusal(title, "data choose the place, so two of them may well meet", (loop.span,))


def may_well_meet(facts: KernelFacts, one: Dependence) -> bool:
    """Whether data choose the place that is updated in one buffer: two iterations then meet as the data have it."""
    return one.why == "data-dependent" and facts.accesses[one.store].pointer == facts.accesses[one.load].pointer
