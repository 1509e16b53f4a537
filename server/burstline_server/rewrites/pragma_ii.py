"""Take out a pragma that asks for a longer initiation interval than a loop needs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from burstline_model.facts import Loop
from burstline_model.pipeline.waits import AskedInterval
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Rewrite, TextEdit
from burstline_server.rewrites.syntax import above_pragmas

_PRAGMA = re.compile(rb"^[ \t]*#[ \t]*pragma[ \t]+ii\b[^\n\\]*\n", re.MULTILINE)


class PragmaIi(Rewrite):
    """``#pragma ii N`` is taken out where the loop could start an iteration earlier without it.

    The compiler keeps to the interval that the pragma asks for, whatever the loop waits for. Offered where the
    loop waits for nothing that takes as long. A longer interval may have been asked for the clock's sake, which no
    estimate here shows. No result changes.

    Before:

        #pragma ii 8
        for (int i = 0; i < n; i++)
            y[i] = 2 * x[i];

    After:

        for (int i = 0; i < n; i++)
            y[i] = 2 * x[i];

    Refused where the pragma is not on a line of its own above the loop.
    """

    name = "pragma ii"
    codes = ("BL401",)
    moves_nothing = True

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each loop that waits for nothing but its pragma."""
        for one in kernel.estimate.loops:
            if isinstance(one.serialised_by, AskedInterval):
                loop = kernel.facts.loops[one.loop]
                title = Title("pragma_ii", (loop.variable or "",))
                yield Candidate(title, (loop.span,), partial(_offer, assessment, kernel, loop, title))


def _offer(assessment: Assessment, kernel: KernelAssessment, loop: Loop, title: Title) -> Offer:
    text = assessment.source.original
    line = text.rfind(b"\n", 0, loop.span.start) + 1
    found = list(_PRAGMA.finditer(text, above_pragmas(assessment.source, line), line)) if loop.span.file is None else []
    if not found:
        raise NotOfferedError("no_line_for_pragma")
    return Offer(
        title=title,
        kind="proved",
        kernel=kernel.facts.name,
        edits=tuple(TextEdit(one.start(), one.end(), "") for one in found),
        spans=(loop.span,),
        codes=PragmaIi.codes,
    )
