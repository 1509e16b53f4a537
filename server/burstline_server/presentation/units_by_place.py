"""The units of one place in the text together: a helper that is called several times has its own in each call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from burstline_model.estimate.kernel_estimate import UnitEstimate
from burstline_server.assessment.costing import KernelAssessment


def units_by_place(kernel: KernelAssessment) -> list[UnitEstimate]:
    """The units on the external memory, those of one place and of one kind as one: bytes, times and shares are sums."""
    alike: dict[object, list[UnitEstimate]] = {}
    for unit in kernel.estimate.units:
        lsu = unit.lsu
        if lsu.space == "global":
            span = kernel.facts.accesses[lsu.members[0]].span
            key = (span, lsu.op, lsu.style, lsu.width_bits, lsu.stride, len(lsu.members), unit.per, unit.saturated)
            alike.setdefault(key, []).append(unit)
    return [_joined(units) for units in alike.values()]


def _joined(units: Sequence[UnitEstimate]) -> UnitEstimate:
    first, *others = units
    if not others:
        return first
    time_s = _sum(u.time_s for u in units)
    moved = _sum((u.bandwidth_bytes_s or 0.0) * (u.time_s or 0.0) for u in units)
    return replace(
        first,
        lsu=replace(first.lsu, count=sum(u.lsu.count for u in units)),
        bytes=_sum(u.bytes for u in units),
        t_ideal_s=_sum(u.t_ideal_s for u in units),
        t_ovh_s=_sum(u.t_ovh_s for u in units),
        time_s=time_s,
        time_low_s=_sum(u.time_low_s for u in units),
        time_high_s=_sum(u.time_high_s for u in units),
        t_ideal_item_s=_sum(u.t_ideal_item_s for u in units),
        t_ovh_item_s=_sum(u.t_ovh_item_s for u in units),
        time_item_s=_sum(u.time_item_s for u in units),
        share=_sum(u.share for u in units),
        bandwidth_bytes_s=moved / time_s if moved and time_s else first.bandwidth_bytes_s,
    )


def _sum(values: Iterable[float | None]) -> float | None:
    """The sum; None where one is not known."""
    known = list(values)
    return None if None in known else sum(v for v in known if v is not None)
