"""Why no edit is offered for a finding: for each kind that answers it, what is in the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.config.layers import Layer
from burstline_server.diagnostics.finding import Finding
from burstline_server.interpreter.verdicts import Different
from burstline_server.rewrites.catalogue import REWRITES, priced, tried
from burstline_server.rewrites.pricing_budget import Budget
from burstline_server.rewrites.reasons import NoGain, Obstacle, Title
from burstline_server.rewrites.rewrite import Offer, Refusal

OPTIONS = {"host": "--host", "assertion": "--unsafe"}


def unpaid(
    assessor: Assessor, assessment: Assessment, layers: Sequence[Layer], offers: Iterable[Offer]
) -> Iterator[Refusal]:
    """The edits that can be made and do not pay."""
    found = unpaid_or_wrong(assessor, assessment, layers, offers)
    return (one for one in found if not isinstance(one.reason, Different))


def unpaid_or_wrong(
    assessor: Assessor, assessment: Assessment, layers: Sequence[Layer], offers: Iterable[Offer]
) -> Iterator[Refusal]:
    """The edits that can be made and do not pay, and those that would and that executing them contradicts."""
    for offer in offers:
        paying = tried(assessor, assessment, layers, offer)
        fix = paying or tried(assessor, assessment, layers, offer, every=True)
        if fix is not None and isinstance(fix.execution, Different):
            yield Refusal(offer.title, fix.execution, offer.spans, offer.kernel, offer.codes)
        elif fix is not None and paying is None:
            yield _refusal(offer, NoGain(fix.gain))


def not_asked_for(
    assessor: Assessor, assessment: Assessment, layers: Sequence[Layer], offers: Iterable[Offer]
) -> Iterator[Refusal]:
    """The edits that pay and need what a user has not said that they may: a change of the host, or an assertion."""
    for offer in offers:
        if offer.kind in OPTIONS and priced(assessor, assessment, layers, offer) is not None:
            yield _refusal(offer, Obstacle("not_asked_for", (OPTIONS[offer.kind],)))


def unpriced(assessment: Assessment, offers: Sequence[Offer]) -> Iterator[Refusal]:
    """The edits among these that are more than one run prices."""
    priced_ones = {offer.id for offer in Budget().taken(assessment, offers)}
    return (_refusal(one, Obstacle("not_priced")) for one in offers if one.id not in priced_ones)


def unsuggested(assessment: Assessment, findings: Iterable[Finding]) -> Iterator[Refusal]:
    """For each finding, the kinds of edits that would answer it and that nothing at its place suggests."""
    places = {
        rewrite.name: {span for kernel in assessment.kernels for one in rewrite.candidates(assessment, kernel)
                       for span in one.spans}
        for rewrite in REWRITES
    }  # fmt: skip
    for finding in findings:
        kinds = [r.name for r in REWRITES if finding.code in r.codes and finding.span not in places[r.name]]
        any_kind = any(finding.code in rewrite.codes for rewrite in REWRITES)
        if kinds or not any_kind:
            title = Title("others", (tuple(kinds),)) if kinds else Title("any_edit")
            why = Obstacle("nothing_suggests") if kinds else Obstacle("no_kind", (finding.code,))
            yield Refusal(title, why, (finding.span,), codes=(finding.code,))


def is_answered(finding: Finding) -> bool:
    """Whether an edit may answer a finding: those of units, loops and work-items."""
    return finding.code.startswith(("BL1", "BL4"))


def _refusal(offer: Offer, reason: NoGain | Obstacle) -> Refusal:
    return Refusal(offer.title, reason, offer.spans, offer.kernel, offer.codes)
