"""What an estimate assumes, and what the user has to know of a kernel to read its figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from burstline_model.boards.board import Board
from burstline_model.compiler.lsu_rules.rule import NEWEST_SEEN, is_beyond_rules
from burstline_model.estimate.after_change import WORTH_REPORTING
from burstline_model.estimate.assumption import (
    Argument,
    AssumedTrips,
    Assumption,
    KernelClock,
    LaunchTime,
    MemoryType,
    ModelMode,
    SimdLanes,
    WorkItems,
)
from burstline_model.estimate.kernel_estimate import UnitEstimate
from burstline_model.estimate.overfull import SURELY_FULL, FillingArrays
from burstline_model.estimate.remark_kinds import (
    BeyondConstantCache,
    DataDecide,
    EndedByData,
    FewBanksAtATime,
    NoAtomics,
    OfAnotherBoard,
    Remark,
    TakeTurns,
    TooLarge,
    Unplaced,
    UnseenCompiler,
    UsualGroups,
)
from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.launch import Launch
from burstline_model.lsu import Lsu
from burstline_model.memory.calibrated import turns
from burstline_model.memory.memory_units import UnitTime
from burstline_model.memory.placement import Placement
from burstline_model.parallelism.alias import HIDDEN
from burstline_model.parallelism.extent import Extent
from burstline_model.parallelism.usual_groups import usual_groups
from burstline_model.resources import ResourceUse
from burstline_model.resources.clock_source import Clock
from burstline_model.target import Target
from burstline_model.walk.guards import has_opposite
from burstline_model.walk.walk import Walk

CONSTANT_CACHE_BYTES = 1 << 14
"""The cache that all __constant arguments of a kernel share, unless ``-const-cache-bytes`` says otherwise."""


def too_large(use: ResourceUse, arrays: FillingArrays | None) -> list[Remark]:
    """That the device cannot hold the kernel, by the estimate of its resources; `arrays` are those that fill it."""
    name, share = use.limiting, use.shares[use.limiting]
    if share <= 1 or use.reported:
        return []
    if name != "rams" or arrays is None:
        return [TooLarge(resource=name, share=share, surely=share > SURELY_FULL)]
    surely = share > SURELY_FULL or arrays.surely
    return [TooLarge(resource=name, share=share, surely=surely, arrays=arrays.names, arrays_share=arrays.share)]


def launch_s(facts: KernelFacts, board: Board, launch: Launch) -> float:
    """What a host's timer adds to the kernel's time; nothing in the papers' mode, or where nobody launches it."""
    return 0.0 if facts.model == "autorun" or launch.mode == "faithful" else board.host.launch_us * 1e-6


def assumptions_of(
    facts: KernelFacts, board: Board, launch: Launch, extent: Extent, clock: Clock
) -> tuple[Assumption, ...]:
    """The sizes, arguments, clock and memory that the figures rest on, each with where it comes from."""
    found = list[Assumption]()
    if facts.model == "ndrange":
        items = extent.work_items
        if items is not None:
            every = WorkItems(items=items, shape=launch.global_size or ())
            found.append(Assumption(of=every, provenance=launch.provenance("global_size")))
    found += [
        Assumption(of=Argument(name=name, value=value), provenance=launch.provenance(f"arguments.{name}"))
        for name, value in sorted(launch.arguments.items())
        if launch.given_by.get(f"arguments.{name}") != "default"
    ]
    if launch.assumed_trips is not None and _asks_for_trips(facts, launch, extent):
        trips = AssumedTrips(trips=launch.assumed_trips)
        found.append(Assumption(of=trips, provenance=launch.provenance("assumed_trips")))
    reached = KernelClock(hz=clock.hz, low_hz=clock.low_hz, high_hz=clock.high_hz)
    found.append(Assumption(of=reached, provenance=clock.provenance))
    found.append(Assumption(of=MemoryType(type=board.memory.type), provenance="board"))
    if facts.simd > 1:
        found.append(Assumption(of=SimdLanes(lanes=facts.simd), provenance="code"))
    found.append(Assumption(of=ModelMode(mode=launch.mode), provenance=launch.given_by.get("mode", "default")))
    if seconds := launch_s(facts, board, launch):
        found.append(Assumption(of=LaunchTime(time_s=seconds), provenance="board"))
    return tuple(found)


def _asks_for_trips(facts: KernelFacts, launch: Launch, extent: Extent) -> bool:
    """Whether the trips of a loop are not known where none are assumed."""
    if not extent.assumed:
        return None in extent.trips.values()
    if any(_is_open(facts.loops[i], names) for i, names in extent.assumed.items()):
        return True
    return None in Extent(facts, launch.model_copy(update={"assumed_trips": None}), {}).trips.values()


def _is_open(loop: Loop, names: frozenset[str]) -> bool:
    """Whether nothing bounds a loop whose trips follow from arguments of these `names`, which nobody gave."""
    if loop.most is not None or loop.trip_limits:
        return False
    return loop.trip is None or not loop.trip.symbols.isdisjoint(names)


def remarks_of(
    facts: KernelFacts, board: Board, placement: Placement, costs: Sequence[UnitTime], external: Sequence[Lsu],
    walks: Sequence[Walk | None], units: Sequence[UnitEstimate],
) -> tuple[Remark, ...]:  # fmt: skip
    """Buffers without a channel, units that no figure holds for or that few banks serve, guards that data decide."""
    found = list[Remark]()
    if unplaced := tuple(pointer for pointer in placement.unplaced if pointer != HIDDEN):
        found.append(Unplaced(pointers=unplaced, memory=board.memory.type))
    found += [OfAnotherBoard(pointer=pointer, location=name) for pointer, name in placement.elsewhere]
    for cost, unit in zip(costs, external, strict=True):
        if cost.impossible:
            found.append(NoAtomics(pointer=facts.accesses[unit.members[0]].pointer, memory=board.memory.type))
    found += [one for unit in units if (one := _few_banks(facts, board, unit)) is not None]
    found += _in_turns(facts, units)
    data = [walk.data for walk in walks if walk is not None and walk.data]
    if data:
        loaded = [g for a in facts.accesses for g in a.guards if g.loaded]
        cases = {g.text for g in loaded if g.cases is not None}
        once = {g.text for g in loaded if g.leaves} - cases
        both = {g.text for g in loaded if has_opposite(facts, g)} - cases - once
        read = {g.text for a in facts.accesses for g in a.guards if g.loaded or g.condition is None}
        handed_on = set(data) - read
        found.append(
            DataDecide(
                conditions=tuple(dict.fromkeys(c for c in data if c not in both | cases | once | handed_on)),
                halved=tuple(dict.fromkeys(c for c in data if c in both)),
                cases=tuple(dict.fromkeys(c for c in data if c in cases)),
                once=tuple(dict.fromkeys(c for c in data if c in once)),
                handed_on=tuple(dict.fromkeys(c for c in data if c in handed_on)),
            )
        )
    if any(access.hint == HIDDEN for access in facts.accesses):
        found.append("printf_stalls")
    return tuple(dict.fromkeys(found))


def _in_turns(facts: KernelFacts, units: Sequence[UnitEstimate]) -> list[Remark]:
    """That units which matter fetch each request by itself, as far as work-items come between neighbours."""
    apart = [u for u in units if u.walk is not None and u.walk.in_turns and (u.share or 0.0) >= WORTH_REPORTING]
    times = max((u.walk.alone for u in apart if u.walk is not None and u.walk.fetched_bytes), default=1.0)
    if times <= 1:
        return []
    pointers = dict.fromkeys(facts.accesses[u.lsu.members[0]].pointer for u in apart)
    return [TakeTurns(pointers=tuple(pointers), times=times)]


def _few_banks(facts: KernelFacts, board: Board, unit: UnitEstimate) -> Remark | None:
    """That a unit which matters leaves banks out while its requests follow each other."""
    step = unit.walk.stride_bytes if unit.walk is not None else 0.0
    left = turns(step, len(unit.banks), board.memory_of(unit.banks[0])) if unit.banks else 1.0
    if left <= 1 or (unit.share or 0.0) < WORTH_REPORTING:
        return None
    pointer, banks = facts.accesses[unit.lsu.members[0]].pointer, len(unit.banks)
    return FewBanksAtATime(pointer=pointer, step_bytes=step, banks=banks, at_once=round(banks / left))


def of_usual_groups(facts: KernelFacts, extent: Extent) -> list[Remark]:
    """That what barriers, conditions on a place in a group and addresses by groups cost assumes a size of groups."""
    given = extent.local_size is not None and extent.launch.provenance("local_size") != "default"
    if facts.model != "ndrange" or given or extent.launch.likely_group is not None:
        return []
    guards = [*(g for a in facts.accesses for g in a.guards), *(g for loop in facts.loops for g in loop.guards)]
    in_guards = {n for g in guards if g.condition is not None for n in g.condition.symbols}
    kinds = _kinds_of(facts, in_guards) & {"local_id"}
    for access in facts.accesses:
        own = _kinds_of(facts, access.offset.symbols) if access.space == "global" and access.offset else frozenset()
        # Groups times their size and a place in one are all work-items, whatever the size.
        kinds |= own & {"group_id", "local_id", "num_groups"} if "local_size" not in own else frozenset()
    return [UsualGroups(items=usual_groups(facts, extent.items))] if kinds or facts.barriers else []


def _kinds_of(facts: KernelFacts, names: Iterable[str]) -> frozenset[str]:
    """The kinds of some symbols and of all that they vary with."""
    own = [s for n in names if (s := facts.symbols.get(n)) is not None]
    varied = (facts.symbols.get(m) for s in own for m in s.depends_on)
    return frozenset(s.kind for s in (*own, *varied) if s is not None)


def beyond_constant_cache(facts: KernelFacts, extent: Extent) -> list[Remark]:
    """__constant arguments of which more is read than the cache of all of them holds: each miss stalls the kernel."""
    read: dict[str, float] = {}
    for access in facts.accesses:
        if access.space == "constant" and facts.argument(access.pointer) is not None:
            read[access.pointer] = max(read.get(access.pointer, 0.0), _reach_bytes(access, facts, extent))
    if sum(read.values()) <= CONSTANT_CACHE_BYTES:
        return []
    name = max(read, key=lambda n: read[n])
    alone = read[name] > CONSTANT_CACHE_BYTES
    return [
        BeyondConstantCache(
            pointer=name, bytes=read[name] if alone else sum(read.values()), others=0 if alone else len(read) - 1
        )
    ]


def _reach_bytes(access: Access, facts: KernelFacts, extent: Extent) -> float:
    """From the first to the last byte that an access reads, as far as they follow from sizes and constant steps."""
    reach = float(access.element_bytes)
    for names, step in access.offset.terms if access.offset is not None else ():
        symbol = facts.symbols.get(names[0]) if len(names) == 1 else None
        count: float | None = None
        if symbol is not None and symbol.kind == "loop" and symbol.loop is not None:
            trips = extent.trips.get(symbol.loop)
            count = float(trips) if trips is not None else None
        elif symbol is not None and symbol.kind == "global_id" and extent.items is not None:
            count = extent.items[symbol.dimension]
        reach += abs(step) * max((count or 1.0) - 1, 0.0)
    return reach


def ended_by_data(facts: KernelFacts, launch: Launch) -> list[Remark]:
    """What is counted of loops that data end, where only a bound is known."""
    found = [
        EndedByData(loop=loop.variable or "", trips=loop.most, row_of=loop.most_from)
        for loop in facts.loops
        if loop.most is not None and loop.id not in launch.trips
    ]
    return [*dict.fromkeys(found)]  # a loop of a function is said once for all its calls


def of_build(target: Target, *, hidden: bool) -> list[Remark]:
    """That the launch hides the kernel, or that the rules are those of an older compiler."""
    found: list[Remark] = ["hidden_by_launch"] if hidden else []
    if is_beyond_rules(target):
        found.append(UnseenCompiler(newest=NEWEST_SEEN[:2], used=target.aoc_version[:2]))
    return found
