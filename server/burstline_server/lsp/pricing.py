"""The edits of an open document, priced off the event loop; a user may stop it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import takewhile

from burstline_model.facts import Span
from burstline_server.assessment.assessor import Assessment
from burstline_server.config.layers import Layer
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.interpreter.verdicts import Verdict
from burstline_server.lsp.documents import Document
from burstline_server.lsp.session import Session
from burstline_server.rewrites.catalogue import Fix, executed, offers_of, priced, refusals_of
from burstline_server.rewrites.chain import safe_text
from burstline_server.rewrites.left_out import is_answered, unpaid_or_wrong, unsuggested
from burstline_server.rewrites.rewrite import Offer, Refusal

PRICING_S = 2.0
"""Processor time after which no further edit is tried for one question."""


async def fixes_at(session: Session, document: Document, span: Span) -> list[Fix]:
    """The fixes offered at a place of an assessed document, as far as they can be priced in time.

    None where the user stops the work or types on.
    """
    assessment = document.assessment
    if assessment is None:
        return []
    async with session.trying_edits(document) as (assessor, layers):

        def work() -> list[Fix]:
            until_s = time.thread_time() + PRICING_S
            here = [offer for offer in offers_of(assessment.near(span)) if _touches(offer.spans, span)]
            # An edit is offered with its gain or not at all.
            in_time = takewhile(lambda _: time.thread_time() < until_s, here)
            found = (priced(assessor, assessment, layers, offer) for offer in in_time)
            return [fix for fix in found if fix is not None]

        return await session.in_turn(work)
    return []


async def fixes_under(
    session: Session, document: Document, kernel: str, options: Layer | None
) -> tuple[Assessment | None, list[Fix]]:
    """The fixes of one kernel under what a user tries, with the assessment that they are edits of; none if stopped."""
    if document.assessment is None:
        return None, []
    assessment = await session.assessed_with(document, options) if options is not None else document.assessment
    async with session.trying_edits(document) as (assessor, layers):
        known = layers if options is None else [*layers, options]

        def work() -> list[Fix]:
            until_s = time.thread_time() + PRICING_S
            in_time = takewhile(lambda _: time.thread_time() < until_s, offers_of(assessment))
            found = (priced(assessor, assessment, known, offer) for offer in in_time if offer.kernel == kernel)
            return [fix for fix in found if fix is not None]

        return assessment, await session.in_turn(work)
    return None, []


async def refusals_at(session: Session, document: Document, span: Span) -> list[Refusal]:
    """The fixes that suggest themselves at a place and cannot be offered."""
    if document.assessment is None:
        return []
    refused = await session.in_turn(lambda a: list(refusals_of(a.near(span))), document.assessment)
    return [one for one in refused if _touches(one.spans, span)]


async def left_out_at(session: Session, document: Document, span: Span) -> list[Refusal]:
    """What could be made at a place and does not pay, or is wrong when executed; the kinds that nothing suggests."""
    assessment = document.assessment
    if assessment is None:
        return []
    async with session.trying_edits(document) as (assessor, layers):

        def work() -> list[Refusal]:
            until_s = time.thread_time() + PRICING_S
            near = assessment.near(span)
            here = [offer for offer in offers_of(near) if _touches(offer.spans, span)]
            in_time = takewhile(lambda _: time.thread_time() < until_s, here)
            found = list(unpaid_or_wrong(assessor, assessment, layers, in_time))
            left = [f for f in findings_of(near) if is_answered(f) and _touches((f.span,), span)]
            return [*found, *unsuggested(near, left)]

        return await session.in_turn(work)
    return []


async def executed_at(session: Session, document: Document, offer: Offer) -> Verdict | None:
    """What comes of executing a proved edit of a document; None where it needs more than the text, or work stops."""
    assessment = document.assessment
    if assessment is None:
        return None
    async with session.trying_edits(document) as (assessor, layers):
        return await session.in_turn(executed, assessor, assessment, layers, offer)
    return None


async def with_safe_fixes(session: Session, document: Document) -> str | None:
    """The document's text with every proved fix made; None where there is none, or the user stops the work."""
    if document.assessment is None:
        return None
    before = document.text.decode("utf-8", "replace")
    async with session.trying_edits(document) as (assessor, layers):
        text = await session.in_turn(safe_text, assessor, before, str(document.path), layers)
        return text if text != before else None
    return None


def _touches(spans: Sequence[Span], span: Span) -> bool:
    return any(s.file is None and s.start <= span.end and span.start <= s.end for s in spans)
