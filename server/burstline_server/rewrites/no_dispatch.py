"""A single work-item kernel without the logic that starts work-items."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import prod

from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.host_launches import launched_as, with_attribute
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Rewrite
from burstline_server.rewrites.syntax import kernel_body

WORTH_FREEING = 0.01
"""Least share of what the board leaves free that the attribute is offered for: it saves no time."""


class NoDispatch(Rewrite):
    """``max_global_work_dim(0)`` on a single work-item kernel: no logic that starts work-items and gives them ids.

    Vendor reports list that logic for every kernel but these. Offered where it is a hundredth or more of the logic that
    the board leaves free, for kernels that ask for no id, size or work-group anywhere (Programming Guide 11.3.1.1). The
    host launches the kernel as a task, which a kernel without ids is limited to as it is. No result changes, and no
    time.
    """

    name = "no dispatch"
    moves_nothing = True

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterator[Candidate]:
        """One edit for the kernel."""
        facts, use = kernel.facts, kernel.estimate.resources
        plain = facts.model == "single_work_item" and not facts.without_ids
        if not plain or use is None or use.reported:
            return
        for part in use.parts:
            if part.of == "dispatch" and max(use.shares_of(part.amounts).values()) >= WORTH_FREEING:
                make = partial(_no_dispatch, assessment, kernel, round(part.amounts.logic_alms))
                yield Candidate(Title("no_dispatch", (round(part.amounts.logic_alms),)), (facts.name_span,), make)


def _no_dispatch(assessment: Assessment, kernel: KernelAssessment, alms: int) -> Offer:
    facts, effects = kernel.facts, Effects(assessment.source)
    if facts.work_group_size is not None or facts.simd > 1 or facts.compute_units > 1:
        raise NotOfferedError("attributes_name_groups")
    body = kernel_body(assessment.source, facts.name_span)
    if body is None:
        raise NotOfferedError("no_line_for_attributes")
    asked = (asks for _, name in effects.calls(body) if (asks := effects.asks_for_work_item(name)) is not None)
    question = next(asked, None)
    if question is not None:
        raise NotOfferedError("asks_for_work_item", question)
    launched = launched_as(assessment, kernel)
    items = launched.items if launched is not None else None
    if items is not None and prod(items) > 1:
        raise NotOfferedError("launched_with", "×".join(map(str, items)))
    found = launched.found if launched is not None and items is not None else ()
    title = Title("no_dispatch_found" if found else "no_dispatch", (alms, *found))
    return with_attribute(assessment, kernel, "max_global_work_dim(0)", title, (facts.name_span,), ())
