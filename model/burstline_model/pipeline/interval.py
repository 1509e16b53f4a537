"""The initiation interval of each loop: what keeps an iteration from starting a clock cycle after the one before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import ceil

from burstline_model.body_operations import Recurrence, StepCount
from burstline_model.compiler.infer import infer
from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.lsu import Lsu
from burstline_model.parallelism.loop_copies import fully_unrolled
from burstline_model.pipeline.channels_in_turn import channels_in_turn
from burstline_model.pipeline.clusters import to_the_store
from burstline_model.pipeline.coalesced import merged_loops, nearest_left
from burstline_model.pipeline.dependence import (
    Dependence,
    dependences,
    inner_rolled,
    meetings,
    neighbours_apart,
    outermost,
    side_by_side,
    stays,
    steps_of_elements,
)
from burstline_model.pipeline.elements import is_fixed, is_of_variables, one_copy, passes_on
from burstline_model.pipeline.ends import ends_by_loads, until_known
from burstline_model.pipeline.global_latency import GlobalLatency, global_latency
from burstline_model.pipeline.kept_in_registers import forwarded, in_register, kept_apart
from burstline_model.pipeline.latencies import IN_ONE_CYCLE, LIGHT, LIGHT_SUMS, OperationTable, operation_table
from burstline_model.pipeline.ordering import least_around_others, overtaken, runs_vary
from burstline_model.pipeline.visits import updates_in_turn, visits
from burstline_model.pipeline.waits import (
    AskedInterval,
    Carried,
    CarriedThroughLoop,
    EndsByLoad,
    ThroughMemory,
    Wait,
)
from burstline_model.record import Record, fixed
from burstline_model.target import Target


class Interval(Record):
    """How a loop is pipelined.

    `ii` is None where no loop is left (unrolled), and in NDRange kernels, whose loops interleave work-items instead.
    `serialised_by` names what makes it larger than one, or the iterations run one after the other; `dependence` is the
    pair of accesses behind that, `recurrence` the values in registers. `serial`: an iteration waits for the end of the
    one before; `drains_loads`: of one that reads global memory, too. `scheduled` are the cycles of `ii` that the
    schedule keeps for the way through global memory, `visits` how often an iteration goes it (0: it waits for other
    units alone). `on_chip`: the interval
    that operations alone ask for, once the value of `dependence` no longer goes through that memory. `others` hold the
    loop up, too, though less. `interleaved`: how many runs of the loop, of so many iterations of the one around it,
    share its pipeline in turns. `merged_into`: the loop that a pragma makes one with it, whose interval its iterations
    keep.
    """

    loop: int
    ii: int | None
    pipelined: bool | None
    serialised_by: Wait | None = None
    dependence: Dependence | None = None
    recurrence: Recurrence | None = None
    serial: bool = False
    drains_loads: bool = False
    scheduled: float = 0.0
    visits: float = 1.0
    on_chip: int = 1
    interleaved: int = 1
    merged_into: int | None = None
    others: tuple[Interval, ...] = ()


def intervals(
    facts: KernelFacts,
    target: Target,
    copies: Mapping[int, int],
    carried: Mapping[int, Sequence[Dependence]] | None = None,
    table: OperationTable | None = None,
    lsus: Sequence[Lsu] | None = None,
) -> tuple[Interval, ...]:
    """The initiation interval of every loop, in clock cycles.

    `carried`: the dependences of each loop, `lsus`: the kernel's units, where they are known already. `table`:
    latencies in place of the target's.
    """
    into = merged_loops(facts, copies, target)
    apart = {*into, *into.values()}
    table = table or operation_table(target.family, target.aoc_version)
    pipeline = _Pipeline(facts, target, table, copies, carried, lsus)
    found = [pipeline.interval(loop, merged=loop.id in apart) for loop in facts.loops]
    found = [_in_order(facts, one, target, copies, into) for one in found]
    for inner, outer in into.items():
        # A coalesced nest is one loop: as slow as its slowest, shown at the outermost.
        if (found[inner].ii or 1) > (found[outer].ii or 1):
            found[outer] = found[inner].model_copy(update={"loop": outer})
        found[inner] = Interval(loop=inner, ii=None, pipelined=None, merged_into=outer)
    return tuple(_interleaved(facts, one, found, copies) for one in found)


def _in_order(
    facts: KernelFacts, one: Interval, target: Target, copies: Mapping[int, int], into: Mapping[int, int]
) -> Interval:
    """The same, not pipelined where its iterations could overtake each other in a loop inside."""
    if not one.pipelined:
        return one
    overtaking = overtaken(facts, facts.loops[one.loop], target.aoc_version, copies, into)
    if overtaking is None:
        return one
    reads = _reads_memory(facts, facts.loops[one.loop])
    wait = one.serialised_by if one.serial else overtaking
    dependence = one.dependence if one.serial else None  # no way round is longer than a whole iteration
    return Interval(
        loop=one.loop, ii=None, pipelined=False, serialised_by=wait, dependence=dependence, serial=True,
        drains_loads=reads,
    )  # fmt: skip


def _reads_memory(facts: KernelFacts, loop: Loop) -> bool:
    return any(a.space == "global" and a.op == "load" for a in facts.accesses_in(loop))


def _interleaved(
    facts: KernelFacts, one: Interval, found: Sequence[Interval], copies: Mapping[int, int]
) -> Interval:  # fmt: skip
    """The same, with how many runs of the loop are in its pipeline at a time.

    Where a value comes round after more than a cycle, the compiler fills the cycles between with the same loop for the
    next iterations of the loop around it, up to as many as there are cycles (Intel FPGA SDK for OpenCL Programming
    Guide 22.4, 5.2.9). Vendor reports give that number: 5 at an interval of 5 and 385 at 385 (Connie120/CNN), 2 at 2,
    3 at 3 and 4 at 4 (JoeRock1298/TFM); 1 for loops with channels (Connie120/spMV, IntelLabs/t2sp), whose operations
    keep their order, and for outermost ones. Boyi's products of matrices, of an earlier compiler, take the time of an
    iteration a cycle where sums of four products have intervals above 20; Spector's filters do not, whose window the
    loop around shifts. Nor, it seems, do sums under a condition: two pairs of kernels, whose channels keep them apart,
    take half the time of one such loop (FFD, Table 3, for-if). Runs of other lengths would overtake each other.
    """
    loop = facts.loops[one.loop]
    around = nearest_left(facts, loop, copies)
    in_registers = one.recurrence is not None and one.dependence is None and not one.serial
    chosen = one.recurrence is not None and any(s.operation.endswith("select") for s in one.recurrence.steps)
    with_channel = any(one.loop in operation.loops for operation in facts.channels)
    if (
        around is None
        or not in_registers
        or chosen
        or with_channel
        or not found[around].pipelined
        or found[around].serial
        or runs_vary(facts, loop, facts.loops[around])
    ):
        return one
    # The next iteration of the loop around changes such an array only once this run of the loop has read it.
    handed_on = {*facts.loops[around].carries}
    if any(a.name in handed_on and (a.picked_by is None or one.loop in a.picked_by) for a in facts.arrays):
        return one
    runs = (one.ii or 1) // (found[around].ii or 1)
    trips = facts.loops[around].trip
    if trips is not None and trips.constant is not None:
        runs = min(runs, trips.constant // copies.get(around, 1))
    if loop.max_interleaving:
        runs = min(runs, loop.max_interleaving)
    return one.model_copy(update={"interleaved": runs}) if runs > 1 else one


def with_trips(
    facts: KernelFacts, found: Sequence[Interval], copies: Mapping[int, int], trips: Mapping[int, Fraction | None]
) -> tuple[Interval, ...]:
    """The intervals under a launch: no more runs of a loop interleave than the loop around has iterations."""

    def capped(one: Interval) -> Interval:
        around = nearest_left(facts, facts.loops[one.loop], copies) if one.interleaved > 1 else None
        known = trips.get(around) if around is not None else None
        if around is None or known is None:
            return one
        runs = max(1, int(known / copies.get(around, 1)))
        return one.model_copy(update={"interleaved": runs}) if runs < one.interleaved else one

    return tuple(capped(one) for one in found)


@fixed
class _Pipeline:
    """A kernel's loops on a device family."""

    facts: KernelFacts
    target: Target
    table: OperationTable
    copies: Mapping[int, int]
    carried: Mapping[int, Sequence[Dependence]] | None = None
    lsus: Sequence[Lsu] | None = None

    @cached_property
    def _shared(self) -> GlobalLatency | None:
        """What units take that share the way to global memory; None where the table's figures hold for each."""
        if not self.table.shared:
            return None
        lsus = infer(self.facts, self.target, seconds=False) if self.lsus is None else self.lsus
        return global_latency(lsus, self.target, self.table)

    def interval(self, loop: Loop, *, merged: bool) -> Interval:
        """The interval of one loop; `merged`: it is part of a coalesced nest, where no sum starts over."""
        if fully_unrolled(loop, self.copies):
            return Interval(loop=loop.id, ii=None, pipelined=None)
        if self.facts.model == "ndrange":
            return Interval(loop=loop.id, ii=None, pipelined=False)
        waiting = {inner.id for inner in inner_rolled(self.facts, loop, self.copies)}
        reasons: dict[object, Interval] = {}
        each = self._recurrences(loop, waiting, merged=merged), self._memory(loop, waiting, merged=merged)
        by_shape = self._arrays(loop, waiting) if waiting else (*self._channels(loop), *self._ending(loop))
        for one in (*each[0], *each[1], *by_shape):
            named = self._reason(one)
            if named not in reasons or _weight(one) > _weight(reasons[named]):
                reasons[named] = one
        found, *others = sorted(reasons.values(), key=_weight, reverse=True) or [
            Interval(loop=loop.id, ii=1, pipelined=True)
        ]
        if others:
            found = found.model_copy(update={"others": tuple(others)})
        late = least_around_others(self.target.aoc_version) if waiting else 1
        if not found.serial and (found.ii or 1) < late:
            found = Interval(loop=loop.id, ii=late, pipelined=True, serialised_by="loops_inside")
        if not loop.pipelined:
            left = (found.model_copy(update={"others": ()}), *others) if found.serial or (found.ii or 1) > 1 else ()
            reads = _reads_memory(self.facts, loop)
            return Interval(
                loop=loop.id, ii=None, pipelined=False, serialised_by="not_pipelined", serial=True, drains_loads=reads,
                others=left,
            )  # fmt: skip
        asked = loop.initiation_interval
        if asked is not None and asked > (found.ii or 1):
            left = tuple(o for o in (found.model_copy(update={"others": ()}), *others) if o.serial or (o.ii or 1) > 1)
            wait = AskedInterval(ii=asked)
            return Interval(loop=loop.id, ii=asked, pipelined=True, serialised_by=wait, others=left)
        if loop.max_concurrency == 1 and not found.serial:
            # The pragma gives how many iterations may be in progress at one time (Programming Guide 22.4, 5.2.7).
            left = (found, *found.others) if (found.ii or 1) > 1 else ()
            alone = {"serialised_by": "one_at_a_time", "serial": True, "dependence": None, "recurrence": None}
            reads = _reads_memory(self.facts, loop)
            return found.model_copy(update={**alone, "drains_loads": reads, "others": left})
        return found

    def _reason(self, one: Interval) -> object:
        """What intervals have in common that one change mends: the pointers of a dependence, or the values."""
        if one.dependence is not None:
            ends = (self.facts.accesses[i].pointer for i in (one.dependence.store, one.dependence.load))
            return (*ends, isinstance(one.serialised_by, Carried))
        return one.recurrence.names if one.recurrence is not None else one.serialised_by

    def _recurrences(self, loop: Loop, waiting: set[int], *, merged: bool) -> Iterable[Interval]:
        for one in loop.recurrences:
            apart, stays_in = kept_apart(loop, one), waiting & {i for step in one.steps for i in step.loops}
            if apart == 0 or (stays_in and (apart or 1) > 1) or passes_on(self.facts, one, self.copies):
                continue
            if stays_in:
                inner = CarriedThroughLoop(names=one.names, loop=self.facts.loops[min(stays_in)].variable or "")
                yield Interval(loop=loop.id, ii=1, pipelined=True, serialised_by=inner, recurrence=one, serial=True)
                continue
            turns = one.period if self.copies.get(loop.id, 1) % one.period == 0 else 1
            times = self.copies.get(loop.id, 1) * updates_in_turn(self.facts, loop, one.names[0], self.copies)
            through = self.table.array_update * times if one.looked_up else 0
            variable = not one.array or is_of_variables(self.facts, one, self.copies)
            starts_at_0 = one.from_zero or (self.target.relaxed and not self._is_carried_around(one, loop))
            ii = self._around(
                one_copy(self.facts, one, self.copies), loop, max(one.distance * turns, apart or 1),
                variable=variable, through=through,
                merged=merged or not variable or not starts_at_0,
            )  # fmt: skip
            if ii > 1:
                carried = Carried(names=one.names, steps=one.steps)
                yield Interval(
                    loop=loop.id, ii=ii, pipelined=True, serialised_by=carried, recurrence=one, visits=0.0,
                    scheduled=self._waited(one.steps, loop) / (one.distance * turns),
                )  # fmt: skip

    def _around(
        self, steps: tuple[StepCount, ...], loop: Loop, distance: int, *, merged: bool, variable: bool = False,
        through: int = 0,
    ) -> int:  # fmt: skip
        """Cycles from one iteration to the next of a chain that comes back after `distance` of them.

        `variable`: what it hands on is in a register of its own. `through`: cycles in memory blocks on its way.
        """
        slow = [(s, s.count * self._times(s, loop)) for s in steps if self._latency(s.operation) > 0]
        choices = [self._times(s, loop) for s in steps if s.operation.endswith("select")]
        kinds = {s.operation for s, _ in slow}
        products = any(s.operation.endswith("fused mul") for s in steps)
        sums = kinds <= SUMS["float"] and not products
        adds = sum(times for _, times in slow)
        each = ((self._cycles(s, times, loop), variable and s.operation in LIGHT) for s, times in slow)
        cycles = sum(own / IN_ONE_CYCLE if light else own for own, light in each)
        around, free = self.table.around(steps), self._held_for_nothing(steps, loop) if variable else 0
        if free > IN_ONE_CYCLE:
            cycles += ceil(free / IN_ONE_CYCLE) - (1 if slow or around else 0)
        base = next((base for base, own in SUMS.items() if kinds <= own), None)
        if base is not None and not products and self.target.relaxed and adds > 1 and max(choices, default=1) == 1:
            adds, cycles = 1, self.table.latency(f"{base} add")
        if sums and adds <= 1 and self.table.accumulator and not (choices or merged):
            # A hard floating-point block adds to what it holds every cycle, from 0 on, and not under a condition
            # (Programming Guide 5.12).
            return 1
        # What goes through memory blocks counts its cycles there in place of the loop's own.
        return max(1, ceil((cycles + (through or around)) / distance - 1e-9))

    def _held_for_nothing(self, steps: Sequence[StepCount], loop: Loop) -> int:
        """Additions and comparisons of a chain that a cycle holds besides; sums alone are added up in a tree."""
        if all(s.operation in {"int add", "int select"} for s in steps):
            return 0
        light = (s for s in steps if s.operation in LIGHT_SUMS and not self.table.latency(s.operation))
        return sum(s.count * self._times(s, loop) for s in light)

    def _cycles(self, step: StepCount, times: int, loop: Loop) -> float:
        """Cycles of one step of a chain, all its copies together."""
        copied = self._times(step, loop) > 1 and step.operation == "float multiply-add"
        return self._latency("float copied multiply-add" if copied else step.operation) * times

    def _waited(self, steps: Iterable[StepCount], loop: Loop) -> float:
        """Cycles of a chain that the schedule keeps for other units, whose requests need not come just then."""
        times = sum(s.count * self._times(s, loop) for s in steps if s.operation == "global load")
        return times * (self._latency("global load") - self.table.latency("global load")) if times else 0.0

    def _latency(self, operation: str) -> float:
        """Cycles of an operation of this kernel."""
        if operation == "global load" and self._shared is not None:
            return self._shared.usual_load
        return self.table.latency(operation)

    def _times(self, step: StepCount, loop: Loop) -> int:
        """How often a step is in one iteration of hardware: copies of unrolled bodies follow each other."""
        times = 1
        for i in step.loops:
            if i == loop.id or loop.id in self.facts.loops_around(i):
                times *= self.copies.get(i, 1)
        return times

    def _memory(self, loop: Loop, waiting: set[int], *, merged: bool) -> Iterable[Interval]:
        for one in self._carried_by(loop):
            store, load = self.facts.accesses[one.store], self.facts.accesses[one.load]
            wait: Wait = ThroughMemory(pointer=store.pointer, place=load.place, proven=one.proven)
            through = waiting & {*store.loops, *load.loops}
            if through and neighbours_apart(loop, store.pointer, load.pointer):
                continue
            if through and in_register(self.facts, one, loop):
                wait = Carried(names=(store.place,), steps=one.steps or ())
                yield Interval(loop=loop.id, ii=1, pipelined=True, serialised_by=wait, serial=True)
                continue
            if through:
                yield Interval(loop=loop.id, ii=1, pipelined=True, serialised_by=wait, dependence=one, serial=True)
                continue
            scheduled, often, steps = 0.0, 1.0, self._in_one_copy(one, loop)
            if in_register(self.facts, one, loop) or forwarded(self.facts, one, loop):
                ii = on_chip = self._around(steps, loop, 1, merged=merged or self._goes_on_around(one, loop))
                wait = Carried(names=(store.place,), steps=steps)
            else:
                chain = to_the_store(self.facts, one, steps, self.table, self._latency)
                if one.why == "data-dependent" and stays(self.facts, loop, load):
                    on_chip = 1  # loaded once, before the loop
                elif one.why == "data-dependent" and one.space == "global":
                    on_chip = ceil(self.table.turn("local") + chain)
                else:
                    own = steps_of_elements(steps, loop, store, load, self.facts)
                    on_chip = self._around(own, loop, one.distance or 1, merged=merged)
                memory, often = self._turn(one), visits(self.facts, loop, one, self.copies, self._carried_by)
                ii = max(1, ceil((memory + chain) * often - 1e-9))
                scheduled = memory * often if one.space == "global" else 0.0
            if ii > 1:
                yield Interval(
                    loop=loop.id, ii=ii, pipelined=True, serialised_by=wait, dependence=one, scheduled=scheduled,
                    on_chip=on_chip, visits=often,
                )  # fmt: skip

    def _turn(self, one: Dependence) -> float:
        """Cycles through memory from a load to one that sees what was stored in between."""
        if one.space == "global" and self._shared is not None:
            return self._shared.turn(one.load, one.store)
        return self.table.turn(one.space)

    def _arrays(self, loop: Loop, waiting: set[int]) -> Iterable[Interval]:
        """Private arrays in memory blocks that loops inside fill and read: the next iteration waits until they have.

        Reports, 17.1 to 19.4 ("executed serially … due to memory dependency"): OxfordSKA/FPGA_Gridding, fingersnail/
        fccm-ttm-experiments-vlab, angelicadavila/FPGA_MEMORY_HLS. Where one loop of several does both, it alone waits.
        """
        fixed = {a.name for a in self.facts.arrays if is_fixed(a, self.facts, self.copies)}
        alone = len(outermost(self.facts, loop, waiting)) == 1

        def matters(store: Access, load: Access) -> bool:
            both = [next((i for i in a.loops if i in waiting), 0) for a in (store, load)]
            return store.pointer not in fixed and any(both) and (alone or both[0] != both[1])

        for store, load in meetings(self.facts, loop, matters):
            wait = ThroughMemory(pointer=store.pointer, place=load.place, proven=False)
            yield Interval(loop=loop.id, ii=1, pipelined=True, serialised_by=wait, serial=True)

    def _in_one_copy(self, one: Dependence, loop: Loop) -> tuple[StepCount, ...]:
        """The operations from a load to a store; of a row whose elements meet their own, those of one element."""
        steps, store, load = one.steps or (), self.facts.accesses[one.store], self.facts.accesses[one.load]
        copies = side_by_side(self.facts, loop, store, load) if one.proven else ()
        if not copies or one.why != "pattern":
            return steps
        return tuple(replace(s, loops=tuple(i for i in s.loops if i not in copies)) for s in steps)

    def _channels(self, loop: Loop) -> Iterable[Interval]:
        for wait in channels_in_turn(self.facts, loop, self.copies):
            yield Interval(loop=loop.id, ii=wait.times + 1, pipelined=True, serialised_by=wait)

    def _ending(self, loop: Loop) -> Iterable[Interval]:
        if row := ends_by_loads(self.facts, loop):
            wait = EndsByLoad(place=row[-1].place, times=len(row))
            shared = self._shared
            loads = sum(self.table.global_load if shared is None else shared.load(load.id) for load in row)
            ii = loads + (until_known(loop, len(row)) if shared is not None else 0)
            yield Interval(loop=loop.id, ii=ii, pipelined=True, serialised_by=wait, drains_loads=True)

    def _carried_by(self, loop: Loop) -> Sequence[Dependence]:
        return dependences(self.facts, loop) if self.carried is None else self.carried[loop.id]

    def _goes_on_around(self, one: Dependence, loop: Loop) -> bool:
        """Whether the loop around goes on with the same element: it does not start at 0 then."""
        offset, around = self.facts.accesses[one.store].offset, self._around_it(loop)
        return around is not None and offset is not None and around.counter not in offset.symbols

    def _is_carried_around(self, one: Recurrence, loop: Loop) -> bool:
        """Whether the loop around hands on the same variables."""
        around = self._around_it(loop)
        return around is not None and any({*one.names} & {*other.names} for other in around.recurrences)

    def _around_it(self, loop: Loop) -> Loop | None:
        """The innermost loop around one that is still a loop in hardware."""
        around = nearest_left(self.facts, loop, self.copies)
        return self.facts.loops[around] if around is not None else None


def _weight(one: Interval) -> tuple[bool, int, int]:
    """Which reason for an interval is reported: waiting for a whole iteration, then the longest; the least distance."""
    pair = one.dependence
    return one.serial, one.ii or 0, -(pair.distance or MOST_ROWS) if pair is not None else 0


MOST_ROWS = 1 << 30
"""The distance, in iterations, of two accesses for which none is known: greater than any that is."""
SUMS = {base: {f"{base} add", f"{base} multiply-add"} for base in ("float", "double")}
