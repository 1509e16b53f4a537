"""The papers' observations, on the units that show them, with the time each one costs the kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from burstline_model.answer import Observation, UnitEstimate
from burstline_model.board import Memory
from burstline_model.memory.estimate import estimate_memory
from burstline_model.memory.faithful import MAX_FREE_UNITS
from burstline_model.memory.units import MemoryUnit, Options

WORTH_TELLING = 0.01
"""Smallest share of the kernel's time that an observation is told for."""


def observe(
    estimates: Sequence[UnitEstimate],
    probes: Sequence[MemoryUnit],
    memory: Memory,
    f_max_hz: float,
    options: Options,
) -> list[UnitEstimate]:
    """The estimates with M21's observations 1 to 4, and 0 for its opening example, attached."""
    sized = [
        p.model_copy(update={"bytes": e.bytes if e.bytes is not None else float(e.lsu.useful_bytes)})
        for p, e in zip(probes, estimates, strict=True)
    ]
    whole = estimate_memory(sized, memory, f_max_hz, options)
    before = whole.t_est_s
    crowd: dict[int, int] = {}
    for unit in sized:
        for bank in unit.banks:
            crowd[bank] = crowd.get(bank, 0) + unit.count

    def gain(index: int, **changes: object) -> float:
        """The share of the kernel's time that goes when unit `index` is changed like this, all others as they are."""
        if not before or whole.units[index].time_s < WORTH_TELLING * before:
            return 0.0
        changed = [u.model_copy(update=changes) if i == index else u for i, u in enumerate(sized)]
        return max(0.0, 1 - estimate_memory(changed, memory, f_max_hz, options).t_est_s / before)

    def widened(unit: MemoryUnit) -> MemoryUnit:
        """The unit with requests of a whole word, if they are narrower."""
        if unit.kind in {"write_ack", "atomic"} or unit.width_bytes >= memory.word_bytes:
            return unit
        more = memory.word_bytes / unit.width_bytes
        return unit.model_copy(update={"width_bytes": memory.word_bytes, "lanes": max(1, round(unit.lanes * more))})

    # Lanes widen all accesses of a kernel together.
    wide_s = estimate_memory([widened(u) for u in sized], memory, f_max_hz, options).t_est_s
    narrow_gain = max(0.0, 1 - wide_s / before) if before else 0.0

    return [
        replace(e, observations=tuple(_of(e, u, i, crowd, memory, gain, narrow_gain)))
        for i, (e, u) in enumerate(zip(estimates, sized, strict=True))
    ]


def _of(
    estimate: UnitEstimate,
    unit: MemoryUnit,
    index: int,
    crowd: dict[int, int],
    memory: Memory,
    gain: Callable[..., float],
    narrow_gain: float,
) -> list[Observation]:
    found = []
    shared = max(crowd[b] for b in unit.banks)
    if unit.kind == "atomic":
        text = "an atomic is the dearest unit there is: one operation per cycle, each a read and a write of DRAM"
        share = estimate.share or 0.0
        return [Observation(number=4, text=text, gain=share)]
    overhead = estimate.t_ovh_s if estimate.t_ovh_s is not None else estimate.t_ovh_item_s
    if shared > MAX_FREE_UNITS and overhead:
        text = (
            f"{shared} units share the bank, so rows are opened anew for every burst; one bank or "
            "pseudo-channel for each access makes that zero"
        )
        own = estimate.time_s if estimate.time_s is not None else estimate.time_item_s
        found.append(Observation(number=1, text=text, gain=(estimate.share or 0.0) * overhead / own if own else 0.0))
    if unit.kind == "write_ack":
        text = "the address depends on data: every request moves a whole burst for one element"
        found.append(Observation(number=3, text=text, gain=gain(index, kind="aligned", width_bytes=memory.word_bytes)))
    elif unit.stride >= 2:
        thrown = "nearly all" if unit.stride == float("inf") else f"{unit.stride - 1:g} of {unit.stride:g} parts"
        text = f"the stride multiplies the transactions: {thrown} of every burst are discarded"
        found.append(Observation(number=2, text=text, gain=gain(index, stride=1.0)))
    narrow = unit.width_bytes < memory.word_bytes and estimate.saturated is False
    if narrow and unit.kind != "write_ack":
        text = (
            f"a request of {unit.width_bytes:g} B per cycle does not saturate the memory: widen it to "
            f"{memory.word_bytes} B by SIMD, unrolling or a vector type"
        )
        found.append(Observation(number=0, text=text, gain=narrow_gain))
    return [o for o in found if o.gain >= WORTH_TELLING]


def within(units: Sequence[UnitEstimate], moving: float, total: float, floor: float) -> list[UnitEstimate]:
    """Gains as shares of a kernel's whole time `total`, of which `moving` is the memory's.

    What the memory gains cannot bring the kernel below `floor`, the time of loops that wait for themselves.
    """

    def gain(one: Observation) -> Observation:
        after = max(moving * (1 - one.gain), floor)
        return replace(one, gain=max(0.0, min(one.gain, 1 - after / total))) if total else one

    return [replace(u, observations=tuple(gain(o) for o in u.observations)) for u in units]
