"""Let several work-items run side by side."""

from collections.abc import Iterable
from math import gcd

from burstline_model.estimate.changes import MoreLanes
from burstline_model.estimate.kernel_estimate import UnitEstimate
from burstline_model.estimate.observations import NARROW
from burstline_model.facts import Span
from burstline_model.parallelism.simd_limits import MAX_LANES, why_not_simd
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.host_launches import asks_for_group, attributes_place, launch_text, launched_as
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.reasons import NoLanes, Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    line_end,
)

GROUP = 256
"""Work-items of a group where nobody says how many."""


class Simd(Rewrite):
    """``num_simd_work_items``: the fewest lanes whose request is a whole memory word, or those that divide the group.

    Offered for an NDRange kernel with units that ask for too few bytes a cycle, or that waits for its own pipeline, or
    where more lanes are advised for another reason, with so many; without channels, atomics or loops whose trips differ
    between work-items. The work-group's size becomes fixed by ``reqd_work_group_size``, which the attribute needs
    (Programming Guide 5.2.13): as it is launched, where settings or the host program say that. The compiler refuses
    lanes that do not divide its first dimension. The host must launch it so, as it must already where the kernel has
    that attribute; nothing is asked of a host program whose launches all say that size. Where the kernel asks for its
    group and nobody says how large that is, nothing is offered.
    """

    name = "SIMD"
    codes = ("BL106",)
    moves_nothing = True

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for the kernel."""
        facts = kernel.facts
        narrow = _narrow(kernel, assessment.board.memory.word_bytes * 8)
        advised = [one.change.simd for one in kernel.estimate.levers if isinstance(one.change, MoreLanes)]
        if facts.model == "ndrange" and facts.simd <= 1 and narrow:
            spans = (facts.name_span, *(facts.accesses[u.lsu.members[0]].span for u in narrow))
            widest, most = max(u.lsu.width_bits for u in narrow), 1
            while most < MAX_LANES and widest * most < assessment.board.memory.word_bytes * 8:
                most *= 2
            if advised and not any(o.number == NARROW for u in narrow for o in u.observations):
                most = advised[0] or most
            yield Candidate(Title("simd"), spans, lambda: _offer(assessment, kernel, spans, most))
            return
        if facts.simd <= 1 and advised and advised[0]:
            own = (facts.name_span,)
            yield Candidate(Title("simd"), own, lambda: _offer(assessment, kernel, own, advised[0] or 1))


def _offer(assessment: Assessment, kernel: KernelAssessment, spans: tuple[Span, ...], lanes: int) -> Offer:
    facts, most = kernel.facts, lanes
    if why := why_not_simd(facts):
        raise NotOfferedError(NoLanes(why))
    place = attributes_place(assessment.source.original, facts)
    size = facts.work_group_size
    launched = launched_as(assessment, kernel) if size is None else None
    group = launched.group if launched is not None else None
    found = launched.found if launched is not None and group is not None else ()
    if size is None and group is None and asks_for_group(facts, Effects(assessment.source)):
        raise NotOfferedError("no_group_size")
    items = launched.items if launched is not None else None
    group = group or (gcd(items[0], GROUP) if items else GROUP,)  # each global size is a multiple of the group's
    first = size[0] if size is not None else group[0]
    # The compiler refuses lanes that do not divide the group.
    while first % lanes:
        lanes //= 2
    if lanes == 1:
        raise NotOfferedError("group_not_multiple", first, most)
    attributes, title = [f"num_simd_work_items({lanes})"], Title("simd_lanes", (lanes,))
    if size is None:
        padded = (*group, 1, 1)[:3]
        attributes.insert(0, f"reqd_work_group_size({', '.join(str(n) for n in padded)})")
        title = Title("simd_groups", (lanes, "×".join(str(n) for n in group)), launched=found)
    ids = (s.dimension + 1 for s in facts.symbols.values() if s.kind in {"global_id", "global_size", "global_offset"})
    dimensions = max(len(group), len(items or ()), *ids)
    asked = size is None and not found
    start, indent = place
    lines = "".join(f"{indent}__attribute__(({one})){line_end(assessment.source.original)}" for one in attributes)
    return Offer(
        title=title,
        kind="host" if asked else "proved",
        kernel=facts.name,
        edits=(TextEdit(start, start, lines),),
        spans=spans,
        codes=Simd.codes,
        host=launch_text(facts.name, (*group, 1, 1)[:dimensions]) if asked else "",
    )


def _narrow(kernel: KernelAssessment, word_bits: int) -> list[UnitEstimate]:
    """The units that are worth widening; where the kernel waits for its own pipeline, all that can be widened."""
    units = kernel.estimate.units
    observed = [u for u in units if any(o.number == NARROW for o in u.observations)]
    if observed or kernel.estimate.limit != "pipeline":
        return observed
    return [u for u in units if u.lsu.space == "global" and u.lsu.stride == 1 and u.lsu.width_bits < word_bits]
