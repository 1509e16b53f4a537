"""SIMD lanes that the compiler does not build: it warns, and runs one work-item at a time."""

from __future__ import annotations

from burstline_model.facts import KernelFacts, Remark
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_model.parallelism.simd_limits import are_built, diverging_loop


def vectorised(facts: KernelFacts) -> KernelFacts:
    """The facts with one lane where that many are not built, or a loop that is left keeps work-items apart."""
    if facts.simd <= 1 or facts.model != "ndrange":
        return facts
    if not are_built(facts.simd):
        remark = Remark(span=facts.name_span, kind="lanes_not_offered", names=(str(facts.simd),))
        return facts.model_copy(update={"simd": 1, "remarks": (*facts.remarks, remark)})
    loop = diverging_loop(facts, effective_unroll(facts))
    if loop is None and facts.work_group_size is None:
        # The guide asks for both (Programming Guide 5.2.13): lanes divide a size that the compiler knows.
        remark = Remark(span=facts.name_span, kind="lanes_without_group", names=(str(facts.simd),))
        return facts.model_copy(update={"remarks": (*facts.remarks, remark)})
    if loop is None:
        return facts
    remark = Remark(span=loop.span, kind="lanes_not_built", names=(str(facts.simd), loop.variable or ""))
    return facts.model_copy(update={"simd": 1, "remarks": (*facts.remarks, remark)})
