"""What a kernel costs: its units, times and launch, and how those of a file are costed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from burstline_model.boards.board import Board
from burstline_model.compiler.infer import infer
from burstline_model.compiler.other_readings import compared
from burstline_model.estimate.kernel import Built
from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_model.facts import Access, KernelFacts
from burstline_model.launch import Launch
from burstline_model.lsu import Lsu
from burstline_model.middle.automatic_unrolling import for_compiler
from burstline_model.record import fixed
from burstline_model.resources.clock_source import Clock
from burstline_model.target import Target
from burstline_model.vendor_report.overlay import lay_over
from burstline_server.analysis.reuse import KernelList, PlacedKernel
from burstline_server.assessment.from_report import built_resources, schedules
from burstline_server.assessment.kept_costs import text_of
from burstline_server.assessment.launches import Origins, as_launched, launch_of
from burstline_server.assessment.reports import Build, KernelBuild, places_of, reported_of
from burstline_server.caches.bounded import BoundedCache
from burstline_server.caches.lazy import LazySequence
from burstline_server.config.settings import Settings
from burstline_server.host.host_launch import HostLaunch
from burstline_server.source.source import Source


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


@fixed
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

    @property
    def at_least(self) -> KernelAssessment | None:
        """The kernel with one iteration of each loop that data end, where its time is not known for them."""
        found = self.estimate.least
        return replace(self, cost=replace(self.cost, made=found.estimate)) if found is not None else None

    @property
    def in_an_iteration(self) -> KernelAssessment | None:
        """The kernel in many iterations of a loop that works on channels, where no more is known of its time."""
        found = self.estimate.least
        return self.at_least if found is not None and found.endless is not None else None

    @property
    def leaves_early(self) -> bool:
        """Whether a loop that takes time may end before its count is reached: the time is the most that it takes."""
        trips = {one.loop: one.trip for one in self.estimate.loops}
        given = self.launch.trips
        early = [loop.id for loop in self.facts.loops if loop.early_exit or (loop.most and loop.id not in given)]
        return any((trips.get(loop) or 0) > 1 for loop in early)

    @property
    def with_figures(self) -> KernelAssessment:
        """The kernel as what is said of it has figures: at assumed sizes, or in an iteration, where need be."""
        return self.at_assumed or self.in_an_iteration or self

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
    host: Callable[[str], HostLaunch | None] | None = None
    """How the host program around the file launches the kernel of a name; None where none is read."""

    @property
    def apart(self) -> bool:
        """Whether something may be said of any kernel alone, by its lines, by a report or by a host program."""
        return self.by_line or self.host is not None or (self.build is not None and self.build.used is not None)

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
        said = self.host(facts.name) if self.host is not None else None
        if said is not None:
            launch = as_launched(launch, facts, said)
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
