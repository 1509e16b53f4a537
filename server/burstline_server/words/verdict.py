"""What sets a kernel's time, in sentences: the time, the limit and its cause, what to do, what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from burstline_model.estimate.changes import NoGather
from burstline_model.estimate.kernel_estimate import KernelEstimate, Lever, Limit, Term, UnitEstimate
from burstline_model.estimate.remark_kinds import RunsTogether
from burstline_model.record import fixed
from burstline_model.uncounted import counts_nothing
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.quantities import (
    ASSUMED,
    AT_WORST,
    cost_text,
    frequency_text,
    in_words,
    interval_text,
    share_text,
    time_text,
    width_text,
)
from burstline_server.source.locate import place_of, written
from burstline_server.words.bandwidth import bandwidth_used
from burstline_server.words.changes import MOST_NAMED, action_text, advice_text
from burstline_server.words.fitting import with_fit
from burstline_server.words.kernel_times import from_to, is_bound, time_line, waits_for_unknown
from burstline_server.words.largest_terms import is_atomic, largest, of_atomics
from burstline_server.words.loop_terms import refilled_text, term_text
from burstline_server.words.missing import assumed_text, least_text, missing_text
from burstline_server.words.waits import wait_text

LIMITS: dict[Limit, str] = {
    "memory": "the memory",
    "latency": "the latency of the memory",
    "issue": "the requests that the kernel's clock can issue",
    "dependence": "iterations that wait for each other",
    "pipeline": "the kernel's own pipeline",
    "work_items": "too few work-items",
    "channels": "a kernel that runs at the same time",
    "unknown": "not known",
}


def limit_line(assessment: Assessment, kernel: KernelAssessment) -> str:
    """What sets the time, and where; while it is not known, what does at assumed sizes, and what has to be given."""
    guess = kernel.at_assumed
    if guess is not None:
        assumed = f"Assumed: {assumed_text(assessment, kernel)}"
        return f"{assumed}. {limit_text(assessment, guess)}. {missing_text(assessment, kernel)}"
    if counts_nothing(kernel.facts):
        return "Nothing of it is counted"
    if waits_for_unknown(kernel):
        return "It waits at its channels, for kernels without figures"
    if kernel.estimate.time_s is None:
        least = kernel.at_least
        bound = (
            f"{least_text(assessment, kernel)}. {limit_text(assessment, least, of='it')}. " if least is not None else ""
        )
        return f"{bound}{missing_text(assessment, kernel)}"
    return limit_text(assessment, kernel)


def limit_text(assessment: Assessment, kernel: KernelAssessment, of: str = "") -> str:
    """What sets the time. `of`: what parts are shares of, where the time that is shown is not their sum."""
    estimate = kernel.estimate
    cause = largest(estimate)
    if cause is None:
        return "Nothing that takes time was found" if estimate.units else "No access to global memory was found"
    limited = "Of what is counted, limited by" if is_bound(kernel) else "Limited by"
    if of_atomics(estimate):
        return f"{limited} atomic operations: {_cause(assessment, kernel, cause, of)}"
    on_memory = cause.unit is not None or cause.limit != "memory"
    used = bandwidth_used(estimate, on_same_memory(assessment, estimate)) if on_memory else ""
    parts = [f"{limited} {LIMITS[estimate.limit]}: {_cause(assessment, kernel, cause, of)}", used]
    return "; ".join(p for p in parts if p)


def on_same_memory(assessment: Assessment, estimate: KernelEstimate) -> list[KernelEstimate]:
    """The kernels that run at the same time, where the memory that they share sets the time of all."""
    said = (r for r in estimate.remarks if isinstance(r, RunsTogether) and r.set_by is None)
    names = {name for one in said for name in one.others}
    return [(k.at_assumed or k).estimate for k in assessment.kernels if k.facts.name in names]


@fixed
class Decision:
    """A kernel's first line in its parts: its time, what sets it and where, the most useful change and its time.

    Before the time of a kernel that the device hardly holds is said that it does not, or may not, fit.
    A part that is not known is empty.
    """

    time: str
    limit: str
    lever: str


def decision(assessment: Assessment, kernel: KernelAssessment) -> Decision:
    """What is said of a kernel first. At assumed sizes, marked as such, where the kernel's own are missing."""
    shown = kernel.with_figures
    estimate = shown.estimate
    limit = lever = ""
    if estimate.limit != "unknown" and not waits_for_unknown(kernel):
        limit = _bound_text(assessment, shown)
    elif (once := kernel.at_least) is not None and _where(assessment, once):
        # Of what is there even if data end all loops at once.
        limit = _bound_text(assessment, once)
        lever = "".join(action_text(one.change) + _lines_text(shown, one) for one in estimate.levers[:1])
    if estimate.levers and estimate.time_s is not None:
        first = estimate.levers[0]
        least = kernel.estimate.least
        guessed = kernel.at_assumed is not None or (least is not None and least.assumed is not None)
        mark = f"{ASSUMED} " if guessed else ""
        worst = AT_WORST if estimate.at_worst else ""
        after = f" → {mark}{time_text(first.after_s)}{worst}" if first.after_s is not None else ""
        lever = f"{action_text(first.change)}{_lines_text(shown, first)}{after}"
    return Decision(with_fit(kernel.estimate, time_line(kernel)), limit, lever)


def _bound_text(assessment: Assessment, kernel: KernelAssessment) -> str:
    """What limits a kernel, and where."""
    where = _where(assessment, kernel)
    limit = "atomic" if of_atomics(kernel.estimate) else kernel.estimate.limit.replace("_", "-")
    return f"{limit}-bound" + (f": {where}" if where else "")


def headline(assessment: Assessment, kernel: KernelAssessment, edit: str = "") -> str:
    """One line on a kernel: its time, what sets it and where, and the most useful change (or `edit`), with its time."""
    first = decision(assessment, kernel)
    return " · ".join(part for part in (first.time, first.limit, edit or first.lever) if part)


def _where(assessment: Assessment, kernel: KernelAssessment) -> str:
    """The access or the loop that sets a kernel's time, with its line; empty where it is neither."""
    estimate = kernel.estimate
    cause = largest(estimate)
    if cause is None:
        return ""
    if cause.unit is not None:
        access = kernel.facts.accesses[estimate.units[cause.unit].lsu.members[0]]
        text = written(assessment.source, access)
        line = place_of(assessment.source, access.span).line + 1
        return f"{text if len(text) <= LONGEST else text[: LONGEST - 1] + '…'} on line {line}"
    if cause.loop is None:
        return "kernels that run at the same time" if cause.limit == "memory" else ""
    return f"loop on line {place_of(assessment.source, kernel.facts.loops[cause.loop].span).line + 1}"


ALIKE = 0.95
"""Shares of the largest time from which others are said to take as much."""
LONGEST = 32
"""Most characters of an access in a table or a line over a kernel."""


def _cause(assessment: Assessment, kernel: KernelAssessment, cause: Term, of: str = "") -> str:
    estimate, facts = kernel.estimate, kernel.facts
    if cause.unit is not None:
        unit = estimate.units[cause.unit]
        access = facts.accesses[unit.lsu.members[0]]
        line = place_of(assessment.source, access.span).line + 1
        text = f"{written(assessment.source, access)} (line {line})"
        if cause.limit == "issue":
            return f"{text} asks for {width_text(unit.lsu.width_bits)} a cycle at {frequency_text(estimate.f_max_hz)}"
        # Other units of the memory are not what atomics are limited by.
        same = [t for t in estimate.terms if t.limit == cause.limit and t.unit is not None]
        same = [t for t in same if unit.lsu.op != "atomic" or is_atomic(estimate, t)]
        alike = sum(t.time_s >= ALIKE * cause.time_s for t in same)
        whole = estimate.time_s or 0.0
        part = f"{share_text(cause.time_s / whole)} of {of}" if of and whole else ""
        worst = AT_WORST if estimate.at_worst else ""
        times = part or f"{time_text(cause.time_s)} of {time_text(whole)}{worst}"
        others = f", {alike - 1} more take{'s' * (alike == 2)} as much" if alike > 1 else ""
        return f"{text} takes {times}{others}"
    if cause.limit == "memory":
        return f"this kernel waits {time_text(cause.time_s)} for others that use it at the same time"
    if cause.limit == "channels":
        slowest = next((r.set_by for r in estimate.remarks if isinstance(r, RunsTogether)), None)
        what = slowest if slowest is not None else "the memory that they share"
        return f"this kernel waits {time_text(cause.time_s)} at its channels, for {what}"
    if cause.limit == "latency":
        return f"{time_text(cause.time_s)} until the first data have arrived and left the pipeline"
    if cause.limit == "work_items" and cause.loop is not None:
        loop = place_of(assessment.source, facts.loops[cause.loop].span).line + 1
        return f"most leave out the loop on line {loop}; those that run it wait for each of its iterations"
    if cause.limit == "work_items":
        waits = ", nor what groups wait at barriers" if facts.barriers else ""
        return f"they do not fill the pipeline, so its latency is not hidden{waits}"
    clock = f"a cycle at {frequency_text(estimate.f_max_hz)}"
    units = f" in each of its {facts.units_at_work} compute units" if facts.units_at_work > 1 else ""
    lanes = facts.simd if facts.model == "ndrange" else 1
    if cause.loop is None:
        items = "iteration" if facts.model != "ndrange" else "work-item" if lanes == 1 else "work-items"
        started = f"it starts {'one' if lanes == 1 else lanes} {items}"
        turns = next((block.turns for block in estimate.blocks if block.loop is None), 1.0)
        return f"{started} every {turns:.3g} cycles: {_AT_PORTS}" if turns > 1 else f"{started} {clock}{units}"
    loop = place_of(assessment.source, facts.loops[cause.loop].span).line + 1
    one = estimate.loops[cause.loop]
    if cause.limit == "dependence":
        started = f"starts an iteration {interval_text(one.ii, one.ii_at_run)}" if one.ii else "waits"
        how = "runs its iterations one after the other" if one.serial else started
        wait = wait_text(one.serialised_by) if one.serialised_by is not None else None
        return f"the loop on line {loop} {how}: {wait}"
    of_items = f" of {lanes} work-items" if lanes > 1 else ""
    if one.turns > 1:
        return f"the loop on line {loop} starts one iteration{of_items} every {one.turns:.3g} cycles: {_AT_PORTS}"
    if refilled := refilled_text(kernel, cause):
        return f"the loop on line {loop} {refilled}"
    return f"the loop on line {loop} starts one iteration{of_items} {clock}{units}"


_AT_PORTS = "what it moves at once in memory on the chip takes turns at the ports"


def lever_lines(kernel: KernelAssessment, most: int) -> list[str]:
    """What to do, the most useful first, and what it makes of the kernel's time, at assumed sizes where need be."""
    estimate = (kernel.at_assumed or kernel).estimate
    texts = [f"{advice_text(lever.change)}{_lines_text(kernel, lever)}{_of_text(lever)}" for lever in estimate.levers]
    found = list(zip(texts, (from_to(kernel, lever.after_s) for lever in estimate.levers), strict=True))
    alike = {text for text, times in found if any(text == one and times != other for one, other in found)}
    said = (
        (f"{text}{_line_text(kernel, lever)}" if text in alike else text, times)
        for (text, times), lever in zip(found, estimate.levers, strict=True)
    )
    # What helps two loops alike is one thing to do.
    return [f"{change}: {times}" if times else change for change, times in islice(dict.fromkeys(said), most)]


def _lines_text(kernel: KernelAssessment, lever: Lever) -> str:
    """The lines of the loops that a change is for, where they are several; empty elsewhere."""
    source, loops = kernel.placed.source, [i for i in (lever.loop, *(i for i, _ in lever.others)) if i is not None]
    if source is None:
        return ""
    lines = sorted({place_of(source, kernel.facts.loops[i].span).line + 1 for i in loops})
    return f" (lines {', '.join(map(str, lines[:-1]))} and {lines[-1]})" if len(lines) > 1 else ""


def _of_text(lever: Lever) -> str:
    """The buffers that are gathered from, or scattered to: no sentence about them says which they are."""
    if not isinstance(lever.change, NoGather):
        return ""
    names = lever.change.pointers
    return f" ({in_words(names)})" if len(names) <= MOST_NAMED else f" ({len(names)} buffers)"


def _line_text(kernel: KernelAssessment, lever: Lever) -> str:
    """The line of the one loop that a change is for, where two are changed alike; empty where it is for none."""
    source, loop = kernel.placed.source, lever.loop if lever.loop is not None else lever.seen_in
    if source is None or loop is None:
        return ""
    return f" (line {place_of(source, kernel.facts.loops[loop].span).line + 1})"


UNSEEN = 5e-4
"""A share of a kernel's time that three digits do not show."""


def other_terms(assessment: Assessment, kernel: KernelAssessment) -> list[tuple[str, str, float]]:
    """What takes time other than the accesses: where, what it is, and its seconds."""
    found = []
    for term in kernel.estimate.terms:
        if term.limit == "latency" and term.time_s < UNSEEN * (kernel.estimate.time_s or 0.0):
            continue
        if term.unit is None:
            loop = kernel.facts.loops[term.loop] if term.loop is not None else None
            line = str(place_of(assessment.source, loop.span).line + 1) if loop is not None else ""
            found.append((line, term_text(kernel, term), term.time_s))
        elif term.limit == "issue":
            # Requests wait for the kernel's clock: what that adds to the time that the memory takes for them.
            unit = kernel.estimate.units[term.unit]
            access = kernel.facts.accesses[unit.lsu.members[0]]
            clock = f"{access.pointer}: one request a cycle at {frequency_text(kernel.estimate.f_max_hz)}"
            more = term.time_s - (unit.time_s or 0.0)
            if more > 0:
                found.append((str(place_of(assessment.source, access.span).line + 1), clock, more))
    return found


def own_share(estimate: KernelEstimate, unit: UnitEstimate) -> float:
    """A unit's share of the kernel's time, without what its requests wait for the clock, which has a separate row."""
    share = unit.share or 0.0
    return min(share, unit.time_s / estimate.time_s) if unit.time_s is not None and estimate.time_s else share


def row_share_text(estimate: KernelEstimate, unit: UnitEstimate) -> str:
    """A unit's share in a table: in words where it takes time, and all of it while something else does."""
    return visible_share_text(own_share(estimate, unit), unit.time_s or 0.0, estimate.time_s or 0.0)


def visible_share_text(share: float, time_s: float, whole_s: float) -> str:
    """A share in a table, in words where what takes visible time overlaps nearly all of it."""
    return OVERLAPS if share < _VISIBLE and time_s >= _LONG * whole_s else share_text(share)


_VISIBLE = 0.005
"""Shares below this are written as 0 %."""
_LONG = 0.02
"""From this share of the kernel's time on, what overlaps is called so."""


def spent_text(estimate: KernelEstimate, unit: UnitEstimate) -> str:
    """What of the kernel's time is spent on a unit, waiting for the clock included; empty where that is not known."""
    if unit.time_s is None or unit.share is None or not estimate.time_s:
        return ""
    if unit.share == 0:
        return f"{time_text(unit.time_s)}, hidden behind longer work"
    return f"{time_text(unit.share * estimate.time_s)} · {share_text(unit.share)} of the kernel"


def taken_text(kernel: KernelAssessment, units: Sequence[UnitEstimate]) -> str:
    """What of the kernel's time is spent on some of its units, marked where it rests on assumed sizes."""
    shown = kernel.at_assumed or kernel
    spent = [spent_text(shown.estimate, unit) for unit in units]
    if spent and all(spent):
        text = " + ".join(spent)
        return f"{ASSUMED} {text}, at assumed sizes" if shown is not kernel else text
    costs = [cost_text(unit.time_s, unit.time_item_s, unit.per) for unit in units]
    return " + ".join(cost for cost in costs if cost) or "time not known"


def limited_here(kernel: KernelAssessment, unit: UnitEstimate) -> str:
    """What limits the kernel at a unit, where the unit is its bottleneck; empty elsewhere."""
    estimate = kernel.estimate
    cause = largest(estimate)
    if cause is None or cause.unit is None or estimate.units[cause.unit] is not unit:
        return ""
    limit = "atomic operations" if of_atomics(estimate) else LIMITS[estimate.limit]
    return f"the kernel is limited here, by {limit}"


OVERLAPS = "overlaps"
"""In place of a share: the kernel does this while something else takes its time."""
