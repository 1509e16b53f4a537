"""The vendor's present names for its extensions."""

import re
from collections.abc import Iterable

from burstline_model.facts import Span
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, Offer, Rewrite, TextEdit

SINCE = (17, 0, 0)
_OLD = re.compile(
    rb"//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*.*?\*/|\"(?:\\\\.|[^\"\\\\\n])*\"|"
    rb"(?P<name>\b(?:cl_altera_channels|(?:read|write)_channel(?:_nb)?_altera)\b)",
    re.DOTALL,
)


class VendorNames(Rewrite):
    """``…_altera`` becomes ``…_intel``: the same extensions under the name they have had since 17.0."""

    name = "vendor names"
    moves_nothing = True

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for the whole file, offered at the file's first kernel only."""
        if kernel is not assessment.kernels[0] or assessment.target.aoc_version < SINCE:
            return
        found = [m for m in _OLD.finditer(assessment.source.original) if m.lastgroup == "name"]
        if found:
            offer = Offer(
                title=Title("vendor_names"),
                kind="proved",
                kernel=kernel.facts.name,
                edits=tuple(TextEdit(m.start(), m.end(), m[0].decode().replace("altera", "intel")) for m in found),
                spans=tuple(Span(start=m.start(), end=m.end()) for m in found),
            )
            yield Candidate(offer.title, offer.spans, lambda: offer)
