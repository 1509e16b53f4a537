"""Promise the compiler that the iterations of a loop do not meet in memory."""

from collections.abc import Iterable
from functools import partial

from burstline_model.facts import KernelFacts, Loop
from burstline_model.pipeline.dependence import Dependence, dependences
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide
from burstline_server.interpreter.promises import Promise
from burstline_server.rewrites.index_bounds import places_chosen
from burstline_server.rewrites.legality.order import carried_by
from burstline_server.rewrites.pragma_line import pragma_line
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
)


class Ivdep(Rewrite):
    """``#pragma ivdep`` before a loop that waits for a dependence through memory which was never proved to happen.

    An assertion: no iteration of the loop touches an element that another one stores. It is executed with data that
    keep it; not offered where iterations certainly meet, where all data make them meet, nor where data choose the
    place in one buffer, as in a histogram.
    """

    name = "ivdep"
    codes = ("BL401",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each loop serialised by what only may happen."""
        facts = kernel.facts
        for one in kernel.estimate.loops:
            loop = facts.loops[one.loop]
            found = dependences(facts, loop) if one.store is not None and (one.ii or 1) > 1 else ()
            if found and loop.ivdep is None and loop.span.file is None:
                yield Candidate(
                    Title("ivdep"),
                    (loop.span,),
                    partial(_offer, assessment, kernel, loop, found),
                )


def _offer(assessment: Assessment, kernel: KernelAssessment, loop: Loop, found: tuple[Dependence, ...]) -> Offer:
    facts = kernel.facts
    for one in found:
        store, load = facts.accesses[one.store], facts.accesses[one.load]
        meets = carried_by(facts, loop, store, load)
        if one.proven or (meets is not None and meets.certain):
            raise NotOfferedError("proven_dependence")
        places = places_chosen(facts, loop, store, load)
        if places is not None:
            raise NotOfferedError("few_bins", store.pointer, places)
        if may_well_meet(facts, one):
            raise NotOfferedError("data_choose_place")
    buffers = tuple(sorted({facts.accesses[d.store].pointer for d in found}))
    at = assessment.source.offset_of(loop.span.start)
    if at is None:
        raise NotOfferedError("macro_in_head")
    return Offer(
        title=Title("ivdep_over", (loop.variable, buffers)),
        kind="assertion",
        kernel=facts.name,
        edits=(pragma_line(assessment.source, loop.span, "#pragma ivdep"),),
        spans=(loop.span,),
        codes=Ivdep.codes,
        host_side=HostSide(apart=True, promises=(Promise("iterations_apart", frozenset(buffers), at),)),
    )


def may_well_meet(facts: KernelFacts, one: Dependence) -> bool:
    """Whether data choose the place that is updated in one buffer: two iterations then meet as the data have it."""
    return one.why == "data-dependent" and facts.accesses[one.store].pointer == facts.accesses[one.load].pointer
