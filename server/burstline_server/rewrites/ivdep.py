"""Promise the compiler that the iterations of a loop do not meet in memory."""

from collections.abc import Iterable

from burstline_model.pipeline.dependence import dependences
from burstline_server.assess import Assessment
from burstline_server.costing import KernelAssessment
from burstline_server.rewrites.rewrite import Offer, Refusal, Rewrite, TextEdit, in_front_of, line_end


class Ivdep(Rewrite):
    """``#pragma ivdep`` before a loop that waits for a dependence through memory which was never proved to happen.

    An assertion: results change if an iteration does read what an earlier one stored. Not offered where that is
    certain.
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
            if place is None or not found or any(d.proven for d in found):
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
            if one.store is not None and (one.ii or 1) > 1 and any(d.proven for d in dependences(kernel.facts, loop)):
                yield Refusal("Assert with ivdep that iterations do not meet", "they certainly do", (loop.span,))
