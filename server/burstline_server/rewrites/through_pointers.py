"""Edits that need elements of an argument, where the kernel moves pointers first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from burstline_model.facts import Span
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.kept_first import lines_changed
from burstline_server.rewrites.plain_subscripts import leads_on, with_subscripts
from burstline_server.rewrites.reasons import Obstacle, Reason
from burstline_server.rewrites.rewrite import Offer, Refusal, Rewrite

_OTHER_FORM = {"not_one_element", "not_all_elements"}


class _Known(dict[frozenset[str], tuple[Assessment, KernelAssessment] | None]):
    """The kernel with plain subscripts of some arguments, by their names."""


def offers_through(rewrites: Iterable[Rewrite], assessment: Assessment, kernel: KernelAssessment) -> Iterator[Offer]:
    """The edits of some kinds for a kernel: those of its text, and those of elements that its pointers lead to."""
    moved, known = leads_on(assessment, kernel), _Known()
    for rewrite in rewrites:
        own = list(rewrite.offers(assessment, kernel))
        yield from own
        refused = [r for r in rewrite.refusals(assessment, kernel) if _is_other_form(r)] if moved else []
        yield from _behind(rewrite, assessment, kernel, own, refused, known)[0] if refused else ()


def refusals_through(
    rewrites: Iterable[Rewrite], assessment: Assessment, kernel: KernelAssessment
) -> Iterator[Refusal]:  # fmt: skip
    """The places where edits suggest themselves, and cannot be made for those elements either."""
    moved, known = leads_on(assessment, kernel), _Known()
    for rewrite in rewrites:
        refused = list(rewrite.refusals(assessment, kernel))
        other = [r for r in refused if moved and _is_other_form(r)]
        if other:
            own = list(rewrite.offers(assessment, kernel))
            offers, reasons = _behind(rewrite, assessment, kernel, own, other, known)
            made = {span for one in offers for span in one.spans}
            refused = [
                replace(one, reason=reasons.get(one.spans, one.reason)) if one in other else one
                for one in refused
                if one not in other or made.isdisjoint(one.spans[-1:])
            ]
        yield from refused


def _behind(
    rewrite: Rewrite, assessment: Assessment, kernel: KernelAssessment, own: Sequence[Offer],
    refused: Sequence[Refusal], known: _Known,
) -> tuple[list[Offer], dict[tuple[Span, ...], Reason]]:  # fmt: skip
    """The edits that are refused for how elements are written, and reasons why they are refused otherwise as well."""
    names = frozenset(a.pointer for one in refused for a in kernel.facts.accesses if a.span in one.spans)
    if names not in known:
        known[names] = with_subscripts(assessment, kernel, names)
    prepared = known[names]
    if prepared is None:
        return [], {}
    now, same = prepared
    before = _before(kernel, same)

    def where(spans: Iterable[Span]) -> tuple[Span, ...]:
        return tuple(dict.fromkeys(before.get(span, span) for span in spans))

    places = {span for one in refused for span in one.spans[-1:]}
    offered = {frozenset(one.spans) for one in own}
    found = []
    for offer in rewrite.offers(now, same):
        spans = where(offer.spans)
        if places.isdisjoint(spans) or frozenset(spans) in offered:
            continue
        edits = (lines_changed(assessment.source.original, offer.applied(now.source.original)),)
        found.append(replace(offer, edits=edits, spans=spans))
    reasons = {where(one.spans): one.reason for one in rewrite.refusals(now, same) if not _is_other_form(one)}
    return found, reasons


def _is_other_form(one: Refusal) -> bool:
    return isinstance(one.reason, Obstacle) and one.reason.kind in _OTHER_FORM


def _before(kernel: KernelAssessment, same: KernelAssessment) -> Mapping[Span, Span]:
    """Where the accesses, loops and arguments of a kernel were before its pointers were written anew."""
    then, now = kernel.facts, same.facts
    found = {b.span: a.span for a, b in zip(then.accesses, now.accesses, strict=True)}
    found |= {b.span: a.span for a, b in zip(then.loops, now.loops, strict=True)}
    return found | {b.span: a.span for a, b in zip(then.arguments, now.arguments, strict=True)}
