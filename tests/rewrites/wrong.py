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


def offer_nothing_else() -> None:
    """Make it the only rewrite of this process."""
    catalogue.REWRITES = (LastTurnLeftOut(),)


if __name__ == "__main__":
    from burstline_server.cli.main import main

    offer_nothing_else()
    sys.exit(main(sys.argv[1:]))
