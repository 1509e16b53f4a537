"""What a loop would save if its iterations did not wait for each other."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from burstline_model.body_operations import Recurrence, StepCount
from burstline_model.estimate.after_change import WhatIf
from burstline_model.estimate.kernel_estimate import LoopEstimate
from burstline_model.facts import KernelFacts, Loop
from burstline_model.parallelism.loop_copies import constant_trips
from burstline_model.pipeline.dependence import Dependence, dependences, undecided
from burstline_model.pipeline.interval import Interval
from burstline_model.pipeline.waits import (
    AskedInterval,
    Carried,
    CarriedThroughLoop,
    ChannelInTurn,
    InnerTripsVary,
    ThroughMemory,
)

FREED, FREED_WORK = 4, 16_384
"""How many loops of a kernel are always costed again without waiting, and how many loops may be costed for that in all.

Each takes the time to cost every loop of the kernel.
"""


def waits(one: Interval) -> bool:
    """Whether an iteration begins later than one cycle after the one before."""
    return one.serial or (one.ii or 1) > 1


def waits_for_values(facts: KernelFacts, one: Interval) -> bool:
    """Whether a loop of a single work-item waits for what operations make of the iteration before, and for no memory.

    What works on channels takes what they bring, unless a loop around it begins anew each time; what iterations change
    in an array need not be one chain.
    """
    in_turn, around = one.recurrence, facts.loops[one.loop].parent
    by_values = not in_turn.array if in_turn is not None else isinstance(one.serialised_by, Carried)
    anew = around is not None and in_turn is not None and not _hands_on_any(facts.loops[around], in_turn.names)
    free = facts.model != "ndrange" and (not facts.channels or anew)
    return by_values and (one.ii or 1) > 1 and not one.serial and free


def _hands_on_any(loop: Loop, names: Collection[str]) -> bool:
    return any(not {*names}.isdisjoint(one.names) for one in loop.recurrences)


def all_without_waiting(what_if: WhatIf, loops: Sequence[LoopEstimate]) -> list[LoopEstimate]:
    """The loops, each with what it would save; of many that wait, those that come first."""
    waiting = [one.loop for one in loops if waits(what_if.intervals[one.loop])]
    tried = set(waiting[: max(FREED, FREED_WORK // max(len(loops), 1))])
    return [_without_waiting(what_if, one) if one.loop in tried else one for one in loops]


def _without_waiting(what_if: WhatIf, loop: LoopEstimate) -> LoopEstimate:
    """A loop with what it would save if its iterations did not wait for what holds them up first.

    What helps one sum helps all of the loop, and what takes one value out of memory takes others.
    """
    waiting = what_if.intervals[loop.loop]
    if not what_if.total_s or not waits(waiting):
        return loop
    if not _mendable(waiting):
        return loop
    if _through_arrays(waiting):
        return loop  # what one loop in it makes of an array is what another one begins with
    kind = _in_sums(waiting), _in_memory(waiting)
    asked = waiting.serialised_by == "not_pipelined" or isinstance(waiting.serialised_by, AskedInterval)
    alike = [one for one in waiting.others if (_in_sums(one), _in_memory(one)) == kind and not asked]
    left = [one for one in waiting.others if one not in alike]
    facts = what_if.assembly.facts
    apart = [
        _in_sums(one) or (one.dependence is not None and _ends(facts, one.dependence)) for one in (waiting, *alike)
    ]
    on_chip = [1 if free else one.on_chip for free, one in zip(apart, (waiting, *alike), strict=True)]
    pipelines = waiting.serialised_by == "not_pipelined" or isinstance(waiting.serialised_by, InnerTripsVary)
    still = waiting.pipelined is False and not pipelines
    free = {
        "ii": max([*on_chip, *(one.ii or 1 for one in left)]),
        "serial": still or any(one.serial for one in left),
        "drains_loads": any(one.drains_loads for one in left),
        "dependence": None,
        "scheduled": 0.0,
    }
    intervals = [p.model_copy(update=free) if p.loop == loop.loop else p for p in what_if.intervals]
    after = what_if.after_s(intervals=intervals)
    return loop.model_copy(update={"gain": max(0.0, 1 - after / what_if.total_s), "after_s": after})


def _mendable(waiting: Interval) -> bool:
    """Whether some change lets a loop go on: what operations carry has to be a result like a sum."""
    if isinstance(waiting.serialised_by, ChannelInTurn):
        return False
    if isinstance(waiting.serialised_by, InnerTripsVary) and waiting.serialised_by.by == "several":
        return False
    if waiting.recurrence is not None:
        return in_any_order(waiting.recurrence)
    return not isinstance(waiting.serialised_by, Carried) or _in_sums(waiting)


def _through_arrays(waiting: Interval) -> bool:
    """Whether loops inside one fill an array on the chip and read it, so that its iterations have to take turns."""
    if isinstance(waiting.serialised_by, CarriedThroughLoop):
        return waiting.recurrence is not None and waiting.recurrence.array
    on_chip = waiting.dependence is None or waiting.dependence.space == "local"
    return waiting.serial and on_chip and isinstance(waiting.serialised_by, ThroughMemory)


def _ends(facts: KernelFacts, one: Dependence) -> bool:
    """Whether nothing is left of a dependence that is promised away: of one buffer by ivdep, of two by restrict."""
    return facts.accesses[one.store].pointer != facts.accesses[one.load].pointer or promised(facts, one)


def promised(facts: KernelFacts, one: Dependence) -> bool:
    """Whether a promise that iterations are independent (ivdep) frees a loop of all that its buffer makes it wait for.

    Nothing is left of the dependence then, while a value kept on chip still takes its operations.
    """
    store, load = facts.accesses[one.store], facts.accesses[one.load]
    own = dependences(facts, facts.loops[one.loop])
    alike = [each for each in own if facts.accesses[each.store].pointer == store.pointer]
    return store.pointer == load.pointer and all(undecided(facts, each) for each in alike) and undecided(facts, one)


def _in_memory(waiting: Interval) -> bool:
    return waiting.dependence is not None and not isinstance(waiting.serialised_by, Carried)


def _in_sums(waiting: Interval) -> bool:
    """Whether a loop waits for what several partial results take the place of."""
    if waiting.recurrence is not None:
        return in_any_order(waiting.recurrence)
    return isinstance(waiting.serialised_by, Carried) and adds_up(waiting.serialised_by.steps)


def in_any_order(one: Recurrence) -> bool:
    """Whether several partial results give what one does: a sum, product or largest value that none stores."""
    return not one.observed and adds_up(one.steps)


def chained(facts: KernelFacts, loop: int) -> list[Recurrence]:
    """The integers that copies of a loop's body hand on from one to the next, so that they gain nothing.

    Vendor reports count about a cycle for a choice, a comparison, an addition or a shift by a variable, 0.3 for a bit
    (17.1 to 20.4, Arria 10: Connie120/spMV, leifu00/FPGA-acceleration-of-epidemic-simulation, anujp10/report,
    vkhristenko/test-regression, fingersnail/fccm-ttm-experiments-vlab): a chain of them takes more cycles, or a slower
    clock. Operations of one kind are put together as a tree. Counters are left out: their values are known before.
    """
    recurrences = facts.loops[loop].recurrences
    known = counters(facts, loop, kinds={"carried"}) if recurrences else set()
    return [r for r in recurrences if known.isdisjoint(r.names) and _is_chain(r.steps)]


def counters(facts: KernelFacts, loop: int, kinds: Collection[str] = ("carried", "loaded")) -> set[str]:
    """The variables that count in a loop, also those that data move on."""
    here = (s for s in facts.symbols_of(loop) if s.kind in kinds)
    return {s.name.partition("#")[0] for s in here if s.kind == "carried" or s.advance is not None}


def hands_on(facts: KernelFacts, loop: int) -> bool:
    """Whether each copy of a loop's body waits for the one before: for an integer, or for the next free place.

    Where work-items take turns in a loop, others are there meanwhile.
    """
    if facts.model == "ndrange":
        return False
    places = any(s.advance is not None for s in facts.symbols_of(loop))
    return places or bool(chained(facts, loop))


def starts_anew(facts: KernelFacts, loop: int) -> bool:
    """Whether what a loop's iterations hand on begins anew each time that the loop around reaches it."""
    around = [facts.loops[i] for i in facts.loops_around(loop)]
    if not around or constant_trips(facts.loops[loop]) is None:
        return False
    names = {n for r in facts.loops[loop].recurrences for n in r.names}
    on_the_way = any(loop in s.loops for one in around for r in one.recurrences for s in r.steps)
    return not on_the_way and all(names.isdisjoint(one.carries) for one in around)


def _is_chain(steps: Sequence[StepCount]) -> bool:
    kinds = {s.operation for s in steps}
    tree = kinds in ({"int add"}, {"int mul"}) or (kinds == {"int bitwise"} and sum(s.count for s in steps) == 1)
    return bool(kinds) and all(kind.startswith("int ") for kind in kinds) and not tree


def adds_up(steps: Sequence[StepCount]) -> bool:
    """Whether operations add up, multiply or choose, and do nothing else."""
    # Comparisons choose the largest or smallest. A product of the carried value that a sum takes in is no sum.
    made = {s.operation for s in steps if not s.operation.endswith(_CHOICES)}
    if sum(s.count for s in steps if s.operation.endswith(" bitwise")) > 1:
        return False  # bits of a value that meet each other: a checksum
    return not made or (len(made) == 1 and made.pop().endswith(_REDUCTIONS))


_CHOICES = (" compare", " select")
_REDUCTIONS = (" add", " multiply-add", " mul", " bitwise")
