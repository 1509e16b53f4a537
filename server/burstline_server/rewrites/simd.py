"""Let several work-items run side by side."""

import re
from collections.abc import Iterable

from burstline_model.answer import UnitEstimate
from burstline_model.compiler.simd import MAX_LANES, why_not_simd
from burstline_model.observations import NARROW
from burstline_server.assess import Assessment
from burstline_server.costing import KernelAssessment
from burstline_server.rewrites.rewrite import Offer, Rewrite, TextEdit, in_front_of, line_end

GROUP = 256
"""Work-items of a group where nobody says how many."""
_KERNEL = re.compile(rb"\b(?:__kernel|kernel)\b")


class Simd(Rewrite):
    """``num_simd_work_items`` with the smallest number of lanes whose request is a whole memory word.

    Offered for an NDRange kernel with units that ask for too few bytes a cycle, or that waits for its own pipeline,
    without channels, atomics or loops whose trips differ between work-items. The work-group's size becomes fixed, and
    its first dimension a multiple of the lanes: the host must launch it so.
    """

    name = "simd"
    codes = ("BL106",)

    def offers(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Offer]:
        """One edit for the kernel."""
        facts = kernel.facts
        narrow = _narrow(kernel, assessment.board.memory.word_bytes * 8)
        if facts.model != "ndrange" or facts.simd > 1 or not narrow or why_not_simd(facts):
            return
        widest, lanes = max(u.lsu.width_bits for u in narrow), 1
        while lanes < MAX_LANES and widest * lanes < assessment.board.memory.word_bytes * 8:
            lanes *= 2
        size = facts.work_group_size
        given = kernel.launch.local_size
        if lanes < 2 or (size is not None and size[0] % lanes) or facts.name_span.file is not None:
            return
        text = assessment.source.original
        words = list(_KERNEL.finditer(text, 0, facts.name_span.start))
        if not words or set(text[words[-1].end() : facts.name_span.start]) & set(b";{}"):
            return
        place = in_front_of(text, words[-1].start())
        if place is None:
            return
        start, indent = place
        wanted = [f"num_simd_work_items({lanes})"]
        needs = "the host's work-group size must be a multiple of it"
        if size is None:
            group = given or (GROUP,)
            padded = (*group, 1, 1)[:3]
            if padded[0] % lanes:
                return
            wanted.insert(0, f"reqd_work_group_size({', '.join(str(n) for n in padded)})")
            needs = f"the host must launch work-groups of {'×'.join(str(n) for n in group)}"
        lines = "".join(f"{indent}__attribute__(({w})){line_end(text)}" for w in wanted)
        yield Offer(
            title=f"Run {lanes} work-items side by side (SIMD {lanes}; needs a host change: {needs})",
            kind="host",
            kernel=facts.name,
            edits=(TextEdit(start, start, lines),),
            spans=(facts.name_span, *(facts.accesses[u.lsu.members[0]].span for u in narrow)),
            codes=Simd.codes,
        )


def _narrow(kernel: KernelAssessment, word_bits: int) -> list[UnitEstimate]:
    """The units that are worth widening; where the kernel waits for its own pipeline, all that can be widened."""
    units = kernel.estimate.units
    observed = [u for u in units if any(o.number == NARROW for o in u.observations)]
    if observed or kernel.estimate.limit != "pipeline":
        return observed
    return [u for u in units if u.lsu.space == "global" and u.lsu.stride == 1 and u.lsu.width_bits < word_bits]
