"""Units next to what another reading of the text leaves at their places: how sure they are, and what it sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from burstline_model.facts import KernelFacts
from burstline_model.lsu import Lsu, ReadBy, Reason, StepsBy

RULE = "other-reading"


def compared(facts: KernelFacts, units: Sequence[Lsu]) -> tuple[Lsu, ...]:
    """The units, those that another reading sees in another number or width no longer of high confidence.

    Which unit is right stays ours, and agreement makes none surer: docs/llvm.md has the shares that are right. Without
    another reading the units are as they were.
    """
    if not facts.others:
        return tuple(units)
    more: dict[int, Reason] = {}
    for other in facts.others:
        here = [u for u in units if u.space == "global" and u.op != "atomic" and u.members[0] in other.accesses]
        own = Counter[int]()
        for unit in here:
            own[unit.width_bits] += unit.count
        same = own == Counter(dict(other.requests))
        reason = Reason(rule=RULE, why=ReadBy(by=other.by, same=same, requests=other.requests))
        more |= {u.members[0]: reason for u in here}
    return tuple(_with(facts, unit, more.get(unit.members[0])) for unit in units)


def _with(facts: KernelFacts, unit: Lsu, reason: Reason | None) -> Lsu:
    steps = facts.accesses[unit.members[0]].steps_by
    reasons = unit.reasons
    if steps and unit.space == "global":
        reasons = (*reasons, Reason(rule=RULE, why=StepsBy(by=steps)))
    if reason is None or unit.space != "global" or unit.op == "atomic":
        return unit if reasons is unit.reasons else replace(unit, reasons=reasons)
    unsure = isinstance(reason.why, ReadBy) and not reason.why.same and unit.confidence == "high"
    return replace(unit, reasons=(*reasons, reason), confidence="medium" if unsure else unit.confidence)
