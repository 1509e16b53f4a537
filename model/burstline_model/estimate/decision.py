"""What sets a kernel's time: the terms that add up to it, and the largest of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from burstline_model.estimate.assembly import Assembled, Assembly
from burstline_model.estimate.kernel_estimate import Bound, Limit, Term
from burstline_model.lsu import Lsu
from burstline_model.memory.calibrated import issue_s
from burstline_model.memory.memory_units import MemoryTime, MemoryUnit
from burstline_model.parallelism.loop_copies import still_loops
from burstline_model.pipeline.at_run import as_run
from burstline_model.pipeline.barriers import FEW
from burstline_model.pipeline.block import Block, Part
from burstline_model.pipeline.interval import Interval
from burstline_model.walk.loop_entries import entered

LARGE = 0.5
"""A loop is out of balance where it takes twice the cycles of all that runs at the same time."""
ALIKE = 1 - 1e-6
"""Times this near count as one."""


def terms_of(
    assembly: Assembly, done: Assembled, units: Sequence[MemoryUnit], copies: Mapping[int, int],
    intervals: Sequence[Interval],
) -> tuple[Term, ...]:  # fmt: skip
    """What a kernel's time is made of, the largest first; the terms add up to it. Nothing while it is not known.

    `units` are those on the external memory, in the order of the kernel's units there.
    """
    if done.total_s is None or done.memory is None:
        return ()
    external = [i for i, lsu in enumerate(assembly.lsus) if lsu.space == "global"]
    if not done.through_pipeline:
        found = _of_memory(assembly, done, units, external)
    else:
        found = []
        for part in done.pipeline.parts:
            found += _of_part(assembly, done, part, external, copies, intervals)
    found.append(Term(limit="latency", time_s=done.first_s))
    merged: dict[tuple[Limit, int | None, int | None], float] = defaultdict(float)
    for term in found:
        merged[term.limit, term.loop, term.unit] += term.time_s
    every = (Term(limit=k[0], loop=k[1], unit=k[2], time_s=time) for k, time in merged.items() if time > 0)
    return tuple(sorted(every, key=lambda t: -t.time_s))


def _of_memory(assembly: Assembly, done: Assembled, units: Sequence[MemoryUnit], external: Sequence[int]) -> list[Term]:
    """The units of the slowest bank; or the one whose requests the kernel's clock issues last."""
    memory = done.memory
    if memory is None or not units:
        return []
    if is_banked(memory):
        slowest = max(memory.bank_s, key=lambda b: memory.bank_s[b])
        here = [(i, t.time_s) for i, u, t in zip(external, units, memory.units, strict=True) if slowest in u.banks]
        return _shared(memory.t_est_s, "memory", here)
    issues = [issue_s(u, assembly.board.memory_of(u.banks[0]), done.f_max_hz, assembly.options) for u in units]
    last = max(range(len(units)), key=lambda i: (issues[i], units[i].bytes))
    return [Term(limit="issue", time_s=memory.t_est_s, unit=external[last])]


def _of_part(
    assembly: Assembly, done: Assembled, part: Part, external: Sequence[int], copies: Mapping[int, int],
    intervals: Sequence[Interval],
) -> list[Term]:  # fmt: skip
    """The terms of a part of the pipeline's cycles."""
    time, loop = part.cycles / done.f_max_hz, part.loops[-1] if part.loops else None
    if part.kind == "memory" and done.memory is not None:
        facts = assembly.facts
        # The framework's own memory part knows no clock that issues requests.
        banked = is_banked(done.memory) or assembly.extent.launch.memory_part == "wang"
        here = [
            (i, t.time_s)
            for i, t in zip(external, done.memory.units, strict=True)
            if still_loops(facts, facts.accesses[assembly.lsus[i].members[0]].loops, copies) == part.loops
        ]
        return _shared(time, "memory" if banked else "issue", here)
    if part.kind == "few_items":
        return [Term(limit="work_items", time_s=time, loop=_run_by_few(assembly, part.loops))]
    if loop is None and assembly.facts.model != "ndrange" and assembly.first_data_s > 0:
        return [Term(limit="latency", time_s=time)]  # what is in no loop runs once
    if loop is None:
        return [Term(limit="pipeline", time_s=time)]
    own = as_run(intervals[loop], intervals)
    waits = own.serial or (own.ii or 1) > own.interleaved
    return [Term(limit="dependence" if waits else "pipeline", time_s=time, loop=own.loop if waits else loop)]


def _run_by_few(assembly: Assembly, loops: Sequence[int]) -> int | None:
    """The loop that most work-items leave out: more of them would not fill it. None where all run it."""
    shares = entered(assembly.extent)
    return next((i for i in loops if shares.get(i, 1.0) <= FEW), None)


def _shared(time: float, limit: Limit, units: Sequence[tuple[int, float]]) -> list[Term]:
    """A time shared out among units by what each takes."""
    together = sum(t for _, t in units)
    if not together:
        return [Term(limit=limit, time_s=time, unit=units[0][0])] if units else []
    return [Term(limit=limit, time_s=time * t / together, unit=i) for i, t in units]


def is_banked(memory: MemoryTime) -> bool:
    """Whether the slowest bank sets the memory's time; else the requests that the kernel's clock can issue do."""
    return max(memory.bank_s.values(), default=0.0) >= memory.t_est_s * ALIKE


def limit_of(terms: Sequence[Term]) -> Limit:
    """The limit that the largest part of the time is spent on.

    Units share a memory, so that its parts are one. Loops take their own time each: of theirs, the longest says why.
    """
    together: dict[Limit, float] = defaultdict(float)
    for term in terms:
        together["pipeline" if term.limit in OF_A_LOOP else term.limit] += term.time_s
    most = max(together, key=lambda limit: together[limit]) if together else "unknown"
    own = [term for term in terms if term.limit in OF_A_LOOP]
    return max(own, key=lambda term: term.time_s).limit if most == "pipeline" else most


OF_A_LOOP = ("pipeline", "dependence")
"""What one loop's time is spent on."""


def cause_of(terms: Sequence[Term], limit: Limit) -> Term | None:
    """The largest term of the limit."""
    return next((term for term in terms if term.limit == limit), None)


def share_of(terms: Sequence[Term], unit: int) -> float:
    """The share of the kernel's time that is spent on a unit, 0 for one that something slower hides."""
    whole = sum([t.time_s for t in terms])
    return sum([t.time_s for t in terms if t.unit == unit]) / whole if whole else 0.0


def bound_of(
    limit: Limit, cause: Term | None, done: Assembled, lsus: Sequence[Lsu], *, nested: bool, single: bool
) -> Bound:  # fmt: skip
    """The limit in the words of the potentials: memory, the kernel's own pipeline, one of its blocks, work-items.

    `nested`: a loop may be out of balance with the loop around it, as the framework's own stories have it. `single`:
    there is one work-item, of which more are no help.
    """
    if limit in {"unknown", "memory", "latency", "work_items"}:
        few = limit == "work_items" or (limit == "latency" and not single)
        return "memory" if limit == "memory" and lsus else "work_items" if few else "unknown"
    slow = next((b for b in done.pipeline.blocks if cause is not None and b.loops and b.loops[-1] == cause.loop), None)
    return "balance" if slow is not None and out_of_balance(slow, done.pipeline.blocks, nested=nested) else "kernel"


def out_of_balance(slow: Block, blocks: Sequence[Block], *, nested: bool) -> bool:
    """Whether a loop takes twice the cycles of any other loop, or more.

    Loops around it run the same iterations, and do not wait (unless `nested`). Where an inner loop is unrolled already,
    more copies cost what compute units cost.
    """
    around = set() if nested else {slow.loops[:n] for n in range(1, len(slow.loops))}
    others = [b.comp for b in blocks if b is not slow and b.loops and b.loops not in around]
    return not slow.unrolled and bool(others) and 0 < LARGE * slow.comp <= slow.comp - max(others)
