"""Costing the kernels of a file: units, times and launch of each; what an edit leaves alone is not costed again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from operator import is_
from weakref import WeakKeyDictionary

from burstline_model.boards.board import Board
from burstline_model.compiler.infer import infer
from burstline_model.compiler.other_readings import compared
from burstline_model.estimate.concurrent import Joined, Running, connected, running_together, waited_for
from burstline_model.estimate.fed import fed
from burstline_model.estimate.kernel import Built
from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_model.estimate.remark_kinds import Fed, Remark, StartsBehind
from burstline_model.estimate.round_trips import answered
from burstline_model.facts import Access, KernelFacts
from burstline_model.launch import Launch
from burstline_model.lsu import Lsu
from burstline_model.middle.automatic_unrolling import for_compiler
from burstline_model.resources.clock_source import Clock
from burstline_model.target import Target
from burstline_model.vendor_report.overlay import lay_over
from burstline_server.analysis.reuse import KernelList, PlacedKernel
from burstline_server.assessment.from_report import built_resources, schedules
from burstline_server.assessment.kept_costs import FileCosts, JoinedCosts, text_of
from burstline_server.assessment.launches import Origins, launch_of
from burstline_server.assessment.reports import Build, KernelBuild, places_of, reported_of
from burstline_server.caches.bounded import BoundedCache
from burstline_server.caches.lazy import LazySequence
from burstline_server.config.settings import Settings
from burstline_server.source.source import Source

_log = logging.getLogger(__name__)
MAX_COSTS = 2048
"""Fewest kernels whose costs are kept."""
MAX_BUILT = 64
"""Fewest kernels with channels that are kept as they are built."""


@dataclass(frozen=True, eq=False)
class KernelCost:
    """The units and times of a kernel on a board and launch."""

    lsus: tuple[Lsu, ...]
    made: KernelEstimate | Callable[[], KernelEstimate]
    """The estimate, or what makes it: of a kernel that may run at the clock of others, only that one may be asked."""
    launch: Launch
    board: Board
    target: Target
    build: KernelBuild | None = None
    """What a report of a real build says of it."""
    clock: Clock | None = None
    """Its clock, where its estimate is not made yet."""

    @cached_property
    def estimate(self) -> KernelEstimate:
        """What the kernel costs."""
        return self.made() if callable(self.made) else self.made

    @property
    def waits(self) -> bool:
        """Whether its estimate is not made yet."""
        return callable(self.made) and "estimate" not in vars(self)

    @property
    def f_max(self) -> tuple[float, str]:
        """Its clock in Hz, and where that comes from."""
        if self.clock is not None:
            return self.clock.hz, self.clock.provenance
        return self.estimate.f_max_hz, self.estimate.f_max_from


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
        return replace(self, cost=replace(self.cost, made=found.estimate, launch=found.launch))

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


class CostCache:
    """The costs of the kernels that were costed last."""

    def __init__(self) -> None:
        self._kernels = BoundedCache[object, KernelCost]("kernel costs", MAX_COSTS)
        self._files = BoundedCache[str, FileCosts[KernelCost]]("costs of a file", MAX_FILES)
        self._built = BoundedCache[object, Built]("built kernels", MAX_BUILT)
        self._parts = BoundedCache[object, Sequence[Joined]]("kernels at one time", MAX_PARTS)
        self._joint = BoundedCache[str, JoinedCosts[KernelCost]]("costs of joined kernels", MAX_FILES)
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
        self._built.most = max(MAX_BUILT, len(kernels))
        found = self._joined(costing, kernels, self._each(costing, kernels, withheld), withheld)
        made = [self._made(costing, kernels[n], cost) if cost and cost.waits else cost for n, cost in enumerate(found)]
        return KernelAssessments(kernels, made)

    def _each(
        self, costing: CostingContext, kernels: Sequence[PlacedKernel], withheld: Collection[int]
    ) -> list[KernelCost | None]:
        """The cost of each kernel as if it ran alone; of a file that is known, those that an edit changed are new."""
        if costing.apart or not isinstance(kernels, KernelList):
            return [None if n in withheld else self._one(costing, kernel) for n, kernel in enumerate(kernels)]
        shared, path = (costing.device, costing.common[1]), costing.path
        before = self._files.drop(path)
        costs: list[KernelCost | None] = [None] * len(kernels)
        if before is not None and before.shared == shared and len(before.snapshots) == len(kernels):
            pairs = zip(kernels.snapshots, before.snapshots, before.costs, strict=True)
            costs = [cost if now.facts is then.facts else None for now, then, cost in pairs]
        own = costing.settings.kernels
        missing = [number for number, cost in enumerate(costs) if cost is None]
        named = [number for number, one in enumerate(kernels.snapshots) if one.facts.name in own] if own else []
        for number in dict.fromkeys((*missing, *named)):
            if number in withheld:
                continue
            costs[number] = self._one(costing, kernels[number])
        self._files.keep(path, FileCosts(shared, kernels.snapshots, costs))
        return costs

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
        made_of, lost, last = (*facts, *costs), frozenset(withheld), self._joint.find(costing.path)
        same = last is not None and (last.device, last.withheld) == (costing.device, lost)
        if last is not None and same and len(last.made_of) == len(made_of) and all(map(is_, last.made_of, made_of)):
            return list(last.costs)
        joined = self._at_once(costing, kernels, facts, found, withheld)
        self._joint.keep(costing.path, JoinedCosts(costing.device, lost, made_of, joined))
        return list(joined)

    def _at_once(
        self,
        costing: CostingContext,
        kernels: Sequence[PlacedKernel],
        facts: Sequence[KernelFacts],
        costs: Sequence[KernelCost | None],
        withheld: Collection[int],
    ) -> list[KernelCost | None]:
        """The costs of kernels that channels may join."""
        found = list(costs)
        for part in connected(facts):
            known = [c for n in part if n not in withheld and (c := costs[n]) is not None]
            if len(known) < len(part):
                continue
            rounds = fed([(facts[n], c.launch) for n, c in zip(part, known, strict=True)])
            both = enumerate(zip(part, known, strict=True))
            known = [self._going(costing, kernels[n], c, rounds.get(i)) for i, (n, c) in both]
            slowest_hz = min(one.f_max[0] for one in known)
            pairs = zip(part, known, strict=True)
            at_once = [one for n, c in pairs if (one := self._at_one_clock(costing, kernels[n], c, slowest_hz))]
            if len(at_once) < len(part):
                continue
            running = [(facts[n], c.launch, c.estimate) for n, c in zip(part, at_once, strict=True)]
            together = self._running(running, costing, at_once)
            for i, (n, cost, now) in enumerate(zip(part, at_once, together, strict=True)):
                last = self._together.get(cost)
                if last is None or last[0] is not now:
                    last = self._together[cost] = now, replace(cost, made=now.now)
                found[n] = last[1] if i not in rounds else self._with(last[1], rounds[i][1])
            for i, remark in answered([facts[n] for n in part]).items():
                if (own := found[part[i]]) is not None:
                    found[part[i]] = self._with(own, remark)
        for n, own in enumerate(found):
            if own is not None and (behind := waited_for(facts, n)):
                found[n] = self._with(own, StartsBehind(others=tuple(facts[other].name for other in behind)))
        return found

    def _running(
        self, kernels: Sequence[Running], costing: CostingContext, costs: Sequence[KernelCost]
    ) -> Sequence[Joined]:
        """Kernels as they run together; those that have only moved do so as before."""
        key = (costing.device, *(id(estimate) for _, _, estimate in kernels))  # each is in the answer that is kept
        if (known := self._parts.find(key)) is not None:
            return known
        before = [last[0] for c in costs if (last := self._together.get(c)) is not None]
        return self._parts.keep(key, running_together(kernels, costing.board, before))

    def _with(self, own: KernelCost, remark: Remark) -> KernelCost:
        """A kernel's cost, with what other kernels mean for it."""
        last = self._noted.get(own)
        if last is None or last[0] != remark:
            remarks = (*own.estimate.remarks, remark)
            noted = replace(own, made=own.estimate.model_copy(update={"remarks": remarks}))
            last = self._noted[own] = remark, noted
        return last[1]

    def _going(
        self, costing: CostingContext, kernel: PlacedKernel, cost: KernelCost, rounds: tuple[dict[int, int], Fed] | None
    ) -> KernelCost:
        """A kernel's cost, of a loop that channels keep going for as many rounds as the other kernels do."""
        if rounds is None:
            return cost
        launch = cost.launch.model_copy(update={"trips": {**cost.launch.trips, **rounds[0]}})
        key = (kernel.key, costing.device, launch.model_dump_json(), None)
        known = self._known(key, kernel, cost.build)
        if known is None:  # its clock is the same
            going = replace(costing.at_clock(kernel, launch, cost, self._built), clock=cost.clock)
            known = self._kernels.keep(key, going)
        return known

    def _at_one_clock(
        self, costing: CostingContext, kernel: PlacedKernel, cost: KernelCost, slowest_hz: float
    ) -> KernelCost | None:
        """A kernel's cost where one clock runs all kernels of an image: the slowest of what each would reach."""
        f_max_hz, provenance = cost.f_max
        if provenance != "estimate" or f_max_hz <= slowest_hz:
            return self._made(costing, kernel, cost)
        last = self._slowed.get(cost)
        if last is not None and last[0] == slowest_hz:
            return last[1]
        launch = cost.launch.model_copy(update={"f_max_most_mhz": slowest_hz / 1e6})
        key = (kernel.key, costing.device, launch.model_dump_json(), costing.lines_of(kernel, cost.build))
        slowed = self._known(key, kernel, cost.build)
        slowed = slowed or self._made(costing, kernel, costing.at_clock(kernel, launch, cost, self._built))
        if slowed is not None:
            self._slowed[cost] = slowest_hz, self._kernels.keep(key, slowed)
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

    @staticmethod
    def _made(costing: CostingContext, kernel: PlacedKernel, cost: KernelCost) -> KernelCost | None:
        """The same with its estimate made; None, and a line in the log, when it cannot be."""
        try:
            return cost if cost.estimate is not None else None
        except Exception:  # noqa: BLE001 - one kernel must not cost the others
            _log.exception("kernel %s of %s could not be estimated", kernel.snapshot.facts.name, costing.path)
            return None

    def _known(self, key: tuple[object, ...], kernel: PlacedKernel, reported: KernelBuild | None) -> KernelCost | None:
        """The costs of a kernel, where they are known; `key` begins with the kernel's."""
        known = self._kernels.find(key)
        if known is None and kernel.snapshot.like and reported is None:
            # Where the text was laid out anew alone, it costs the same; what is said of its places is said anew.
            same = self._kernels.find((kernel.snapshot.like, *key[1:]))
            if same is not None:
                made = same.made if same.waits else same.estimate
                known = self._kernels.keep(key, replace(same, made=made))
        return known


MAX_FILES = 4
MAX_PARTS = 16
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
        return (self.target.model_dump_json(), text_of(self.board), stamp)

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
        return (reading.key, self.device, launch_text, self.lines_of(reading, reported)), launch, reported

    def lines_of(self, kernel: PlacedKernel, reported: KernelBuild | None) -> object:
        """What decides on which lines a kernel's text is, where a report speaks of it."""
        return (self.source.lines.line_of(kernel.span.start), kernel.snapshot.gaps) if reported is not None else None

    def at_clock(
        self, kernel: PlacedKernel, launch: Launch, cost: KernelCost, known: BoundedCache[object, Built]
    ) -> KernelCost:
        """The cost of a kernel under a launch that differs in its clock from that of a known cost."""
        if cost.build is not None:
            return self.cost_of(kernel, launch, cost.build, known)
        key = (kernel.key, self.device)
        made = partial(_estimated, known, key, kernel.snapshot.facts, cost.lsus, self.board, self.target, launch)
        return replace(cost, made=made, launch=launch, clock=None)

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
        if not facts.channels or reported is not None:
            return KernelCost(lsus, built.under(launch), launch, self.board, self.target, reported)
        # Others may have it run at their clock.
        key = (kernel.key, self.device)
        clock = known.keep(key, built).clock(launch)
        made = partial(_estimated, known, key, kernel.snapshot.facts, lsus, self.board, self.target, launch)
        return KernelCost(lsus, made, launch, self.board, self.target, None, clock)


def _estimated(
    known: BoundedCache[object, Built], key: object, facts: KernelFacts, lsus: tuple[Lsu, ...], board: Board,
    target: Target, launch: Launch,
) -> KernelEstimate:  # fmt: skip
    """The estimate of a kernel, which may be known as it is built."""
    built = known.find(key) or known.keep(key, Built(for_compiler(facts, target), lsus, board, target))
    return built.under(launch)
