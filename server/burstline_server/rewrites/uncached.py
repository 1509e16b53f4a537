"""Give back the RAM of a private cache that nothing is read from twice."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from burstline_model.facts import Access, Argument
from burstline_model.lsu import Lsu
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.index_bounds import each_place_once
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Rewrite, TextEdit


class Uncached(Rewrite):
    """``volatile`` on a pointer whose loads get a private cache although each place is read once.

    Offered where the address moves with every loop and work-item around, and where no loop comes back to a memory word
    that others have left, so that no hit is possible. No result changes, and no time; the cache's RAM is free again.
    """

    name = "uncached"
    moves_nothing = True

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each pointer whose loads all have a cache."""
        facts = kernel.facts
        for argument in facts.arguments:
            units = [u.lsu for u in kernel.estimate.units if facts.accesses[u.lsu.members[0]].pointer == argument.name]
            cached = [u for u in units if "cached" in u.style]
            if cached and len(cached) == len(units) and not argument.volatile:
                yield Candidate(
                    Title("uncached", (argument.name,)),
                    (argument.span, *(facts.accesses[u.members[0]].span for u in cached)),
                    partial(_offer, assessment, kernel, argument, cached),
                )


def _offer(assessment: Assessment, kernel: KernelAssessment, argument: Argument, cached: list[Lsu]) -> Offer:
    facts, text = kernel.facts, assessment.source.original
    # Which work-items of an NDRange meet in a cache is not asked.
    if facts.model == "ndrange" or not all(each_place_once(facts, [facts.accesses[u.members[0]]]) for u in cached):
        raise NotOfferedError("read_again_in_cache")
    if any(_comes_back(assessment, kernel, facts.accesses[u.members[0]]) for u in cached):
        raise NotOfferedError("word_read_again")
    before = re.search(rb"\b(?:__)?global\s+[^,(]{0,400}$", text[: argument.span.end])
    if before is None or argument.span.file is not None:
        raise NotOfferedError("declaration_elsewhere")
    end = before.start() + len(before[0].split()[0])
    kilobits = sum((u.cache_bytes or 0) * 8 * u.count for u in cached) // 1024
    return Offer(
        title=Title("uncached_by", (argument.name, kilobits)),
        kind="proved",
        kernel=facts.name,
        edits=(TextEdit(end, end, " volatile"),),
        spans=(argument.span, *(facts.accesses[u.members[0]].span for u in cached)),
        codes=(),
    )


def _comes_back(assessment: Assessment, kernel: KernelAssessment, access: Access) -> bool:
    """Whether a loop goes on within a memory word after a loop in it has left that word."""
    facts, offset = kernel.facts, access.offset
    word = assessment.board.memory.word_bytes
    steps = [offset.coefficient(facts.loops[i].counter) if offset is not None else None for i in access.loops]
    known = [abs(step.constant) if step is not None and step.constant is not None else word for step in steps]
    return any(step < word <= max(known[place + 1 :], default=0) for place, step in enumerate(known))
