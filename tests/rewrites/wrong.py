"""A rewrite that is wrong, to see that no surface offers what executing it contradicts."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from burstline_model.facts import Span
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites import catalogue
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, Offer, Rewrite, TextEdit


class LastTurnLeftOut(Rewrite):
    """Ends every loop one iteration early, and says that this is proved."""

    name = "the last turn left out"

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """Every bound that is `< n`."""
        at = assessment.source.original.find(b"< n;")
        if at < 0:
            return
        title, spans = Title("unroll", ("i",)), (Span(start=0, end=len(assessment.source.original)),)
        edits = (TextEdit(at, at + 4, "< n - 1;"),)
        yield Candidate(title, spans, lambda: Offer(title, "proved", kernel.facts.name, edits, spans))


NEIGHBOURS = """__attribute__((reqd_work_group_size(8, 1, 1)))
__kernel void sums(__global const float *restrict x, __global float *restrict y) {
    int g = get_global_id(0), l = get_local_id(0);
    y[g] = x[g] + (l > 0 ? x[g - 1] : 0.0f);
}
"""


class TileWithoutBarrier(Rewrite):
    """Loads neighbours through local memory without a barrier; work-items one after the other do not see that."""

    name = "a tile without its barrier"
    waits = ""

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """The statement with the neighbours."""
        text = assessment.source.original
        at, end = text.find(b"    y[g]"), text.find(b"\n}")
        if at < 0:
            return
        title, spans = Title("row_tiles", ("x",)), (Span(start=0, end=len(text)),)
        tile = f"    __local float t[8]; t[l] = x[g]; {self.waits} y[g] = t[l] + (l > 0 ? t[l - 1] : 0.0f);"
        edits = (TextEdit(at, end, tile),)
        yield Candidate(title, spans, lambda: Offer(title, "proved", kernel.facts.name, edits, spans))


class TileWithBarrier(TileWithoutBarrier):
    """The same as it has to be."""

    waits = "barrier(CLK_LOCAL_MEM_FENCE);"


def offer_nothing_else() -> None:
    """Make it the only rewrite of this process."""
    catalogue.REWRITES = (LastTurnLeftOut(),)


if __name__ == "__main__":
    from burstline_server.cli.main import main

    offer_nothing_else()
    sys.exit(main(sys.argv[1:]))
