"""Give back the RAM of a private cache that nothing is read from twice."""

from __future__ import annotations

import re
from collections.abc import Iterable

from burstline_server.assess import Assessment
from burstline_server.costing import KernelAssessment
from burstline_server.rewrites.rewrite import Offer, Rewrite, TextEdit


class Uncached(Rewrite):
    """``volatile`` on a pointer whose loads get a private cache although each place is read once.

    Offered where the address moves with every loop and work-item around, so that no hit is possible. No result changes,
    and no time; the cache's RAM is free again.
    """

    name = "uncached"

    def offers(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Offer]:
        """One edit for each pointer."""
        facts, text = kernel.facts, assessment.source.original
        for argument in facts.arguments:
            units = [u.lsu for u in kernel.estimate.units if facts.accesses[u.lsu.members[0]].pointer == argument.name]
            cached = [u for u in units if u.cache_bytes]
            if not cached or len(cached) < len(units) or argument.volatile or argument.span.file is not None:
                continue
            if not all(_moves(kernel, u.members[0]) for u in cached):
                continue
            written = text[: argument.span.end]
            before = re.search(rb"\b(?:__)?global\s+[^,(]{0,400}$", written)
            if before is None:
                continue
            end = before.start() + len(before[0].split()[0])
            kilobits = sum((u.cache_bytes or 0) * 8 * u.count for u in cached) // 1024
            yield Offer(
                title=f"Declare {argument.name} volatile: no private cache, {kilobits} kbit of RAM free "
                "(each place is read once)",
                kind="proved",
                kernel=facts.name,
                edits=(TextEdit(end, end, " volatile"),),
                spans=(argument.span, *(facts.accesses[u.members[0]].span for u in cached)),
                codes=(),
            )


def _moves(kernel: KernelAssessment, number: int) -> bool:
    """Whether an address is another one in every iteration and work-item, so that nothing is read twice."""
    facts = kernel.facts
    access = facts.accesses[number]
    if access.offset is None or any(
        facts.symbols[s].kind in {"loaded", "carried"} for s in access.offset.symbols if s in facts.symbols
    ):
        return False
    counters = {facts.loops[i].counter for i in access.loops}
    if facts.model == "ndrange":
        return False  # which work-items meet is not asked
    steps = {name: access.offset.coefficient(name) for name in counters}
    if any(step is None or step.constant is None or not step.constant for step in steps.values()):
        return False
    # Each counter must step over all that those inside it cover.
    order = sorted(((abs(s.constant or 0), name) for name, s in steps.items() if s is not None), key=lambda p: p[0])
    covered = access.element_bytes
    for step, name in order:
        loop = next(facts.loops[i] for i in access.loops if facts.loops[i].counter == name)
        trips = loop.trip.constant if loop.trip is not None else None
        if step < covered:
            return False
        if trips is None:
            return (step, name) == order[-1]
        covered = step * (trips - 1) + covered
    return True
