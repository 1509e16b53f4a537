"""The parts of a kernel's time that are no unit's, in sentences: loops, and what is waited for."""

from __future__ import annotations

from math import ceil

from burstline_model.estimate.kernel_estimate import Term
from burstline_model.middle.automatic_unrolling import PRO_FAMILIES, ROLLED_SINCE
from burstline_model.parallelism.loop_copies import constant_trips
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.quantities import count_text, in_words
from burstline_server.source.locate import place_of


def term_text(kernel: KernelAssessment, term: Term) -> str:
    """What a part of a kernel's time that is no unit's is spent on."""
    if term.limit == "latency":
        return "waiting for the first data"
    if term.limit == "work_items":
        return "waiting: too few work-items" + (" in this loop" if term.loop is not None else "")
    if term.limit == "channels":
        return "waiting at channels"
    if term.limit == "memory":
        return "waiting for kernels on the same memory"
    if term.loop is None:
        return "pipeline"
    one = kernel.estimate.loops[term.loop]
    together = max(one.unroll, 1)
    begun = one.trip if one.trip is None or together == 1 else float(ceil(one.trip / together))
    trips = "loop" if begun is None else _trips_text(begun)
    if together > 1:
        trips += f" after unrolling by {together}"
    entries = _entries(kernel, term.loop)
    if begun is not None and entries is not None and entries > 1:
        trips += f", {count_text(begun * entries)} in all"
    if one.serial:
        interval = ", one after the other"
    elif one.ii and one.interleaved > 1:
        interval = f", II {one.ii:g}, {one.interleaved} runs of it interleave"
    elif one.ii and one.ii_at_run is not None and one.ii_at_run < one.ii:
        interval = f", II {one.ii_at_run:.0f} at run time (scheduled: {one.ii:g})"
    else:
        interval = f", II {one.ii:g}" if one.ii else ""
        interval += f", {one.turns:.3g} cycles each at the ports of memory on the chip" if one.turns > 1 else ""
        interval += ", its pipeline filled anew each time" if refilled_text(kernel, term) else ""
    starts = (begun or 0.0) * (entries or 1.0) * (one.ii_at_run or one.ii or 1.0)
    hidden = kernel.facts.model != "ndrange" and term.time_s * kernel.estimate.f_max_hz < HIDDEN * starts
    return f"loop: {trips}{interval}" + (": what longer work does not hide" if hidden else "")


HIDDEN = 0.5
"""Up to this share of the cycles that a loop's iterations take to start, most of what it does is behind other work."""


def _trips_text(trips: float) -> str:
    """Iterations, on average where that is no whole number and a digit behind the point shows it."""
    if trips < _FEW and abs(trips - round(trips)) >= 0.05:
        return f"{trips:.1f} iterations on average"
    return f"{count_text(trips)} iteration{'' if trips == 1 else 's'}"


_FEW = 1000
"""From so many iterations on, a part of one is not shown."""


def _entries(kernel: KernelAssessment, loop: int) -> float | None:
    """How often a loop is begun, by the loops around it; None where one of them is not counted, and for work-items.

    Copies of an unrolled loop around it run at the same time, where that loop's iterations overlap.
    """
    if kernel.facts.model == "ndrange":
        return None
    entries, overlapping = 1.0, False
    for i in kernel.facts.loops_around(loop):
        around = kernel.estimate.loops[i]
        if around.trip is None:
            return None
        copies = max(around.unroll, 1)
        if copies > 1 and around.trip <= copies:
            # Its copies run one after the other where the loop around it waits for the last of them.
            entries *= 1.0 if overlapping else around.trip
            continue
        entries *= around.trip if around.serial else ceil(around.trip / copies)
        overlapping = not around.serial
    return entries


REFILLED = 2.0
"""From so many times the cycles on that a loop's iterations take to start, what it takes is its pipeline's depth."""


def refilled_text(kernel: KernelAssessment, term: Term) -> str:
    """How a loop of few iterations spends its time, which is begun anew after its pipeline has run empty; else nothing.

    Every iteration starts in a cycle, but the few of them take less than one needs to come through.
    """
    if term.loop is None or term.limit != "pipeline":
        return ""
    one, entries = kernel.estimate.loops[term.loop], _entries(kernel, term.loop)
    cycles = term.time_s * kernel.estimate.f_max_hz
    if one.trip is None or entries is None or entries <= 1 or one.turns > 1:
        return ""
    starts = ceil(one.trip / max(one.unroll, 1)) * (one.ii_at_run or one.ii or 1.0)
    if cycles < REFILLED * starts * entries:
        return ""
    each = f"{cycles / entries:.0f} cycles for {_trips_text(one.trip)}"
    return f"is begun {count_text(entries)} times and runs empty each time: {each}{_waiting(kernel, term.loop)}"


def _waiting(kernel: KernelAssessment, loop: int) -> str:
    """The loop around a loop whose iterations wait for its end."""
    around = (i for i in reversed(kernel.facts.loops_around(loop)) if kernel.estimate.loops[i].serial)
    place = next(around, None)
    source = kernel.placed.source
    if place is None or source is None:
        return ""
    line = place_of(source, kernel.facts.loops[place].span).line + 1
    return f", as iterations of the loop on line {line} wait for each other"


def unasked_text(kernel: KernelAssessment) -> str:
    """Which loops around accesses count as unrolled although no pragma asks for it, in a sentence; else nothing.

    Other versions of the compiler keep them, which takes as many times the cycles.
    """
    source, facts, target = kernel.placed.source, kernel.facts, kernel.cost.target
    if source is None or target.paper_rules or kernel.build is not None:
        return ""
    unrolled = (
        loop
        for loop in facts.loops
        if loop.unroll is None
        and (constant_trips(loop) or 0) >= _SEVERAL
        and kernel.estimate.loops[loop.id].unroll == constant_trips(loop)
        and any(one.space == "global" for one in facts.accesses_in(loop))
    )
    lines = dict.fromkeys(str(at.line + 1) for one in unrolled if (at := place_of(source, one.span)).file is None)
    if not lines:
        return ""
    several = len(lines) > 1
    loops = f"the {'loops on lines' if several else 'loop on line'} {in_words(list(lines))}"
    version = ".".join(map(str, target.aoc_version[:2]))
    later = f" ({ROLLED_SINCE[0]}.{ROLLED_SINCE[1]} and later do not)" if target.family in PRO_FAMILIES else ""
    as_built = f"count{'' if several else 's'} as unrolled, as aoc {version} builds {'them' if several else 'it'}"
    return f"{loops} {as_built} without a pragma{later}: #pragma unroll or #pragma unroll 1 settles it"


_SEVERAL = 3
"""Copies that change a time: a loop of two trips is unrolled in most versions."""
