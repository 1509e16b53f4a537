"""Costing the kernels of a file: units, times and launch of each; what an edit leaves alone is not costed again."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from weakref import WeakKeyDictionary

from burstline_model.boards.board import Board
from burstline_model.compiler.infer import infer
from burstline_model.compiler.other_readings import compared
from burstline_model.estimate.concurrent import Joined, connected, running_together, waited_for
from burstline_model.estimate.fed import fed
from burstline_model.estimate.kernel import Built
from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_model.estimate.pipeline import Schedule
from burstline_model.estimate.remark_kinds import Fed, Remark, StartsBehind
from burstline_model.facts import Access, KernelFacts
from burstline_model.launch import Launch, Provenance
from burstline_model.lsu import Lsu
from burstline_model.middle.automatic_unrolling import for_compiler
from burstline_model.resources import ResourceUse
from burstline_model.target import Target
from burstline_model.vendor_report.built_resources import reported_use
from burstline_model.vendor_report.overlay import lay_over
from burstline_server.analysis.reuse import KernelList, KernelSnapshot, PlacedKernel
from burstline_server.assessment.reports import Build, KernelBuild, named_loops, places_of, reported_of
from burstline_server.caches.bounded import BoundedCache
from burstline_server.caches.lazy import LazySequence
from burstline_server.config.layers import Where
from burstline_server.config.settings import LaunchSettings, Settings
from burstline_server.source.source import Source

_log = logging.getLogger(__name__)
MAX_COSTS = 2048
"""Fewest kernels whose costs are kept."""
MAX_BUILT = 64
"""Most kernels with channels that are kept as they are built."""


@dataclass(frozen=True, eq=False)
class KernelCost:
    """The units and times of a kernel on a board and launch."""

    lsus: tuple[Lsu, ...]
    estimate: KernelEstimate
    launch: Launch
    board: Board
    target: Target
    build: KernelBuild | None = None
    """What a report of a real build says of it."""


@dataclass(frozen=True)
class KernelAssessment:
    """One kernel: what was read, what will be built, what it will cost."""

    placed: PlacedKernel
    cost: KernelCost

    @cached_property
    def facts(self) -> KernelFacts:
        """What was read, as the target's compiler builds it."""
        return for_compiler(self.placed.facts, self.cost.target)

    @property
    def lsus(self) -> tuple[Lsu, ...]:
        """The load/store units."""
        return self.cost.lsus

    @property
    def estimate(self) -> KernelEstimate:
        """What the kernel costs."""
        return self.cost.estimate

    @property
    def at_assumed(self) -> KernelAssessment | None:
        """The kernel at assumed sizes, where its time is not known for want of sizes alone."""
        found = self.estimate.at_assumed
        if found is None:
            return None
        return replace(self, cost=replace(self.cost, estimate=found.estimate, launch=found.launch))

    def share_of(self, access: Access) -> float:
        """The share of its time that is spent on an access's unit, 0 where that is not known; at assumed sizes too."""
        units = (self.at_assumed or self).estimate.units
        return max((unit.share or 0.0 for unit in units if access.id in unit.lsu.members), default=0.0)

    @property
    def launch(self) -> Launch:
        """The launch that it is costed for."""
        return self.cost.launch

    @property
    def board(self) -> Board:
        """The board that it is costed for."""
        return self.cost.board

    @property
    def build(self) -> KernelBuild | None:
        """What a report of a real build says of it."""
        return self.cost.build


class KernelAssessments(LazySequence[KernelAssessment]):
    """The kernels of a file with their costs; those without, where costing failed, are left out."""

    def __init__(self, kernels: Sequence[PlacedKernel], costs: Sequence[KernelCost | None]) -> None:
        self._kernels, self._costs = kernels, costs
        self._costed = [(number, cost) for number, cost in enumerate(costs) if cost is not None]
        super().__init__(len(self._costed))

    def make(self, number: int) -> KernelAssessment:
        """A kernel with its cost."""
        read, cost = self._costed[number]
        return KernelAssessment(self._kernels[read], cost)

    def without(self, numbers: Collection[int]) -> KernelAssessments:
        """The same without the kernels of these numbers, counted among those that were read."""
        if not numbers:
            return self
        return KernelAssessments(self._kernels, [None if n in numbers else c for n, c in enumerate(self._costs)])

    def touching(self, start: int, end: int) -> list[KernelAssessment]:
        """The kernels with text in a range of the user's file, functions that they call included."""
        if not isinstance(self._kernels, KernelList):
            return list(self)
        touched = set(self._kernels.touching(start, end))
        return [self[place] for place, (number, _) in enumerate(self._costed) if number in touched]


@dataclass(frozen=True)
class FileCosts:
    """What all kernels of a file have in common, the kernels, and their costs."""

    shared: object
    snapshots: tuple[KernelSnapshot, ...]
    costs: list[KernelCost | None]


class CostCache:
    """The costs of the kernels that were costed last."""

    def __init__(self) -> None:
        self._kernels = BoundedCache[object, KernelCost]("kernel costs", MAX_COSTS)
        self._files = BoundedCache[str, FileCosts]("costs of a file", MAX_FILES)
        self._built = BoundedCache[object, Built]("built kernels", MAX_BUILT)
        self._slowed = WeakKeyDictionary[KernelCost, tuple[float, KernelCost]]()
        """The costs at the clock of others that were asked for last, by those at the kernels' own clocks."""
        self._together = WeakKeyDictionary[KernelCost, tuple[Joined, KernelCost]]()
        """The costs with others at the same time that were asked for last, by those without."""
        self._noted = WeakKeyDictionary[KernelCost, tuple[Remark, KernelCost]]()
        """The costs with what follows from other kernels, by those without."""

    def of(
        self, costing: CostingContext, kernels: Sequence[PlacedKernel], withheld: Collection[int] = ()
    ) -> KernelAssessments:
        """The kernels of a file; the same text on the same device and launch is costed once.

        `withheld`: the numbers of kernels that do not compile; no other kernel's figure rests on theirs.
        """
        self._kernels.most = max(MAX_COSTS, 2 * len(kernels))
        if costing.apart or not isinstance(kernels, KernelList):
            costs = [None if n in withheld else self._one(costing, kernel) for n, kernel in enumerate(kernels)]
            return KernelAssessments(kernels, self._joined(costing, kernels, costs, withheld))
        shared, path = (costing.device, costing.common[1]), costing.path
        before = self._files.drop(path)
        costs = [None] * len(kernels)
        if before is not None and before.shared == shared and len(before.snapshots) == len(kernels):
            pairs = zip(kernels.snapshots, before.snapshots, before.costs, strict=True)
            costs = [cost if now is then else None for now, then, cost in pairs]
        own = costing.settings.kernels
        missing = [number for number, cost in enumerate(costs) if cost is None]
        named = [number for number, one in enumerate(kernels.snapshots) if one.facts.name in own] if own else []
        for number in dict.fromkeys((*missing, *named)):
            if number in withheld:
                continue
            costs[number] = self._one(costing, kernels[number])
        self._files.keep(path, FileCosts(shared, kernels.snapshots, costs))
        return KernelAssessments(kernels, self._joined(costing, kernels, costs, withheld))

    def _joined(
        self,
        costing: CostingContext,
        kernels: Sequence[PlacedKernel],
        costs: Sequence[KernelCost | None],
        withheld: Collection[int],
    ) -> list[KernelCost | None]:
        """The costs, kernels that channels join running at the same time."""
        found = list(costs)
        snapshots = kernels.snapshots if isinstance(kernels, KernelList) else [k.snapshot for k in kernels]
        if sum(1 for one in snapshots if one.facts.channels) < FEWEST_JOINED:
            return found
        facts = [one.facts for one in snapshots]
        for part in connected(facts):
            known = [c for n in part if n not in withheld and (c := costs[n]) is not None]
            if len(known) < len(part):
                continue
            rounds = fed([(facts[n], c.launch) for n, c in zip(part, known, strict=True)])
            both = enumerate(zip(part, known, strict=True))
            known = [self._going(costing, kernels[n], c, rounds.get(i)) for i, (n, c) in both]
            slowest_hz = min(one.estimate.f_max_hz for one in known)
            at_once = [self._at_one_clock(costing, kernels, n, c, slowest_hz) for n, c in zip(part, known, strict=True)]
            before = [last for c in at_once if (last := self._together.get(c)) is not None]
            running = [(facts[n], c.launch, c.estimate) for n, c in zip(part, at_once, strict=True)]
            together = running_together(running, costing.board, [joined for joined, _ in before])
            for i, (n, cost, now) in enumerate(zip(part, at_once, together, strict=True)):
                last = self._together.get(cost)
                if last is None or last[0] is not now:
                    last = self._together[cost] = now, replace(cost, estimate=now.now)
                found[n] = last[1] if i not in rounds else self._with(last[1], rounds[i][1])
        for n, own in enumerate(found):
            if own is not None and (behind := waited_for(facts, n)):
                found[n] = self._with(own, StartsBehind(others=tuple(facts[other].name for other in behind)))
        return found

    def _with(self, own: KernelCost, remark: Remark) -> KernelCost:
        """A kernel's cost, with what other kernels mean for it."""
        last = self._noted.get(own)
        if last is None or last[0] != remark:
            remarks = (*own.estimate.remarks, remark)
            noted = replace(own, estimate=own.estimate.model_copy(update={"remarks": remarks}))
            last = self._noted[own] = remark, noted
        return last[1]

    def _going(
        self, costing: CostingContext, kernel: PlacedKernel, cost: KernelCost, rounds: tuple[int, Fed] | None
    ) -> KernelCost:
        """A kernel's cost, of a loop that channels keep going for as many rounds as the other kernels do."""
        if rounds is None:
            return cost
        loop, said = rounds
        launch = cost.launch.model_copy(update={"trips": {**cost.launch.trips, loop: said.rounds}})
        key = (kernel.key, costing.device, launch.model_dump_json(), None)
        known = self._known(key, kernel, cost.build)
        return known or self._kernels.keep(key, costing.at_clock(kernel, launch, cost, self._built))

    def _at_one_clock(
        self, costing: CostingContext, kernels: Sequence[PlacedKernel], number: int, cost: KernelCost, slowest_hz: float
    ) -> KernelCost:
        """A kernel's cost where one clock runs all kernels of an image: the slowest of what each would reach."""
        if cost.estimate.f_max_from != "estimate" or cost.estimate.f_max_hz <= slowest_hz:
            return cost
        last = self._slowed.get(cost)
        if last is not None and last[0] == slowest_hz:
            return last[1]
        kernel, launch = kernels[number], cost.launch.model_copy(update={"f_max_most_mhz": slowest_hz / 1e6})
        line = costing.source.lines.line_of(kernel.facts.span.start) if cost.build is not None else None
        key = (kernel.key, costing.device, launch.model_dump_json(), line)
        slowed = self._known(key, kernel, cost.build)
        slowed = slowed or self._kernels.keep(key, costing.at_clock(kernel, launch, cost, self._built))
        self._slowed[cost] = slowest_hz, slowed
        return slowed

    def _one(self, costing: CostingContext, kernel: PlacedKernel) -> KernelCost | None:
        """A kernel's costs; None, and a line in the log, when they cannot be computed."""
        try:
            key, launch, reported = costing.key_of(kernel)
            known = self._known(key, kernel, reported)
            return known or self._kernels.keep(key, costing.cost_of(kernel, launch, reported, self._built))
        except Exception:  # noqa: BLE001 - one kernel must not cost the others
            _log.exception("kernel %s of %s could not be estimated", kernel.snapshot.facts.name, costing.path)
            return None

    def _known(self, key: tuple[object, ...], kernel: PlacedKernel, reported: KernelBuild | None) -> KernelCost | None:
        """The costs of a kernel, where they are known; `key` begins with the kernel's."""
        known = self._kernels.find(key)
        if known is None and kernel.snapshot.like and reported is None:
            # Where the text was laid out anew alone, it costs the same; what is said of its places is said anew.
            same = self._kernels.find((kernel.snapshot.like, *key[1:]))
            known = self._kernels.keep(key, replace(same)) if same is not None else None
        return known


MAX_FILES = 4
FEWEST_JOINED = 2
"""Kernels that channels can join."""


@dataclass
class CostingContext:
    """How the kernels of one file are costed."""

    source: Source
    path: str
    settings: Settings
    board: Board
    target: Target
    build: Build | None
    origins: Origins = field(default_factory=dict)
    """Where each setting came from, by the path of its key."""

    @property
    def apart(self) -> bool:
        """Whether something may be said of any kernel alone, by its lines or by a report."""
        return self.by_line or (self.build is not None and self.build.used is not None)

    @property
    def by_line(self) -> bool:
        """Whether settings name lines."""
        return bool(self.settings.trips or self.settings.taken)

    @cached_property
    def device(self) -> tuple[str, str, str | None]:
        """Equal for the same device, and the same report of a build."""
        stamp = self.build.stamp if self.build is not None and self.build.used is not None else None
        return (self.target.model_dump_json(), self.board.model_dump_json(), stamp)

    @cached_property
    def common(self) -> tuple[Launch, str]:
        """The launch of every kernel that nothing is said of alone."""
        launch = launch_of(self.settings, None, self.source, origins=self.origins)
        return launch, launch.model_dump_json()

    def key_of(self, reading: PlacedKernel) -> tuple[tuple[object, ...], Launch, KernelBuild | None]:
        """What a kernel's costs follow from, its launch, and what a report says of it."""
        used = self.build.used if self.build is not None else None
        reported = reported_of(used, reading.snapshot.facts) if used is not None else None
        launch, launch_text = self.common
        facts = reading.snapshot.facts
        own = facts.name in self.settings.kernels or (facts.work_group_size and self.settings.local_size)
        if reported is not None or self.by_line or own:
            launch = launch_of(self.settings, reading, self.source, reported, self.origins)
            launch_text = launch.model_dump_json()
        # Reports name lines.
        line = self.source.lines.line_of(reading.facts.span.start) if reported is not None else None
        return (reading.key, self.device, launch_text, line), launch, reported

    def at_clock(
        self, kernel: PlacedKernel, launch: Launch, cost: KernelCost, known: BoundedCache[object, Built]
    ) -> KernelCost:
        """The cost of a kernel under a launch that differs in its clock from that of a known cost."""
        built = known.find((kernel.key, self.device)) if cost.build is None else None
        if built is None:
            return self.cost_of(kernel, launch, cost.build, known)
        return replace(cost, estimate=built.under(launch), launch=launch)

    def cost_of(
        self, kernel: PlacedKernel, launch: Launch, reported: KernelBuild | None, known: BoundedCache[object, Built]
    ) -> KernelCost:
        """Units and times of a kernel, what a report says of it laid over."""
        facts = for_compiler(kernel.facts, self.target)
        lsus = compared(facts, infer(facts, self.target))
        if reported is not None and reported.report.complete:
            places = places_of(facts, self.source, self.path, self.target)
            overlay = lay_over(facts, lsus, reported.units, places)
            lsus = overlay.lsus
            reported = replace(reported, disagreements=overlay.disagreements, agreed=overlay.agreed)
        scheduled = schedules(reported, facts, self.source, self.path) if reported is not None else {}
        built = Built(facts, lsus, self.board, self.target, scheduled, built_resources(facts, reported))
        if facts.channels and reported is None:  # others may have it run at their clock
            known.keep((kernel.key, self.device), built)
        return KernelCost(lsus, built.under(launch), launch, self.board, self.target, reported)


def built_resources(facts: KernelFacts, reported: KernelBuild | None) -> ResourceUse | None:
    """What a report says that a kernel takes, None where it says too little."""
    return reported_use(reported.report, facts.name, facts.compute_units) if reported is not None else None


def schedules(reported: KernelBuild, facts: KernelFacts, source: Source, path: str) -> dict[int, Schedule]:
    """How a report says that each loop runs, by the loop's id; loops on one line keep their order."""
    found: dict[int, Schedule] = {}
    for said, loops in named_loops(reported.loops, facts, source, path):
        loop = next((i for i in loops if i not in found), None)
        if loop is not None:
            found[loop] = Schedule(
                ii=said.ii, pipelined=said.pipelined, at_least=said.exactness == "at least",
                serialised_by="; ".join(said.details[:1]) if said.bottleneck or said.exactness == "at least" else None,
            )  # fmt: skip
    return found


Origins = Mapping[tuple[str, ...], Where]
WORDS: dict[Where, Provenance] = {
    "option": "option", "comment": "comment", "editor": "editor", "build": "build", "file": "burstline.toml",
}  # fmt: skip


def launch_of(
    settings: Settings, reading: PlacedKernel | None, source: Source, reported: KernelBuild | None = None,
    origins: Origins = MappingProxyType({}),
) -> Launch:  # fmt: skip
    """The launch of one kernel: its own settings over those for all; the clock of a real build where none is set."""
    name = reading.snapshot.facts.name if reading is not None else ""
    own = settings.kernels.get(name, LaunchSettings())
    required = reading.snapshot.facts.work_group_size if reading is not None else None
    group = own.local_size or settings.local_size
    if group and required and (*group, 1, 1)[:3] != required:
        # No launch has other groups than those that the text requires; sizes for all are for the other kernels.
        group = required
    by_line = {**settings.trips, **own.trips}
    placed = {**settings.banks, **own.banks}
    trips = {
        loop.id: by_line[line]
        for loop in (reading.facts.loops if reading is not None and by_line else ())
        if loop.span.file is None and (line := source.lines.line_of(loop.span.start) + 1) in by_line
    }
    return Launch(
        global_size=own.global_size or settings.global_size,
        local_size=group,
        arguments={**settings.arguments, **own.arguments},
        trips=trips,
        taken=_taken_by_text({**settings.taken, **own.taken}, reading, source),
        assumed_trips=own.assumed_trips or settings.assumed_trips,
        banks={name: bank for name, bank in placed.items() if isinstance(bank, int)},
        memories={name: memory for name, memory in placed.items() if isinstance(memory, str)},
        f_max_mhz=settings.f_max_mhz or (reported.report.f_max_mhz if reported is not None else None),
        f_max_reported=settings.f_max_mhz is None and reported is not None and reported.report.f_max_mhz is not None,
        interleaving=settings.interleaving,
        mode=settings.mode,
        memory_part=settings.memory_part,
        given_by=_given_by(name, origins),
    )


_GIVEN = ("global_size", "assumed_trips", "f_max_mhz", "mode")


def _given_by(kernel: str, origins: Origins) -> dict[str, Provenance]:
    """Who gave the sizes, clock and mode of a kernel's launch, and its arguments (as ``arguments.NAME``)."""
    found: dict[str, Provenance] = {}
    for path, where in origins.items():
        own = path[2:] if path[:2] == ("kernels", kernel) else path
        name = ".".join(own)
        # A kernel's own settings are over those for all, whatever order they came in.
        if (name in _GIVEN or own[:1] == ("arguments",)) and (own != path or name not in found):
            found[name] = WORDS[where]
    return dict(sorted(found.items()))  # costs are keyed by the launch, whatever order settings came in


def _taken_by_text(by_line: Mapping[int, float], reading: PlacedKernel | None, source: Source) -> dict[str, float]:
    """The share of each condition that is set for its line, by its text."""
    accesses = reading.facts.accesses if reading is not None and by_line else ()
    return {
        guard.text: 1 - by_line[line] if guard.text.startswith("!(") else by_line[line]
        for access in accesses
        for guard in access.guards
        if guard.span.file is None and (line := source.lines.line_of(guard.span.start) + 1) in by_line
    }
