"""The line of the data: text, source, facts, load/store units, estimate, findings. One file at a time."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from burstline_model.answer import KernelEstimate
from burstline_model.board import Board, find_board, parse_version
from burstline_model.compiler.infer import infer
from burstline_model.compiler.lsu import Lsu
from burstline_model.compiler.target import Target
from burstline_model.estimate import estimate
from burstline_model.facts import KernelFacts
from burstline_model.launch import Launch
from burstline_model.pipeline.kernel import Schedule
from burstline_model.resources import ResourceUse
from burstline_model.vendor_report.overlay import Place, lay_over
from burstline_model.vendor_report.resources import reported_use
from burstline_server.analysis.kernels import Kernels
from burstline_server.analysis.reuse import Reading, Readings
from burstline_server.builds import Build, Builds, KernelBuild, loop_places, places_of, spoken_of
from burstline_server.config.comments import comment_layers
from burstline_server.config.layers import Layer, Problem, resolve
from burstline_server.config.settings import LaunchSettings, Settings
from burstline_server.included import includers, seen_from, with_includer
from burstline_server.source.read import read_source
from burstline_server.source.source import Source

_log = logging.getLogger(__name__)
_BEFORE_STRATIX_10 = (17, 1, 0)


@dataclass(frozen=True, eq=False)
class Costed:
    """The units and times of a kernel on one device and launch."""

    lsus: tuple[Lsu, ...]
    estimate: KernelEstimate
    build: KernelBuild | None = None
    """What a report of a real build says of it."""


@dataclass(frozen=True)
class KernelAssessment:
    """One kernel: what was read, what will be built, what it will cost."""

    reading: Reading
    costed: Costed
    launch: Launch
    board: Board

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.reading.told.name

    @property
    def facts(self) -> KernelFacts:
        """What was read, with its places now."""
        return self.reading.facts

    @property
    def lsus(self) -> tuple[Lsu, ...]:
        """The load/store units."""
        return self.costed.lsus

    @property
    def estimate(self) -> KernelEstimate:
        """What the kernel costs."""
        return self.costed.estimate

    @property
    def build(self) -> KernelBuild | None:
        """What a report of a real build says of it."""
        return self.costed.build


@dataclass(frozen=True)
class Assessment:
    """One file."""

    path: str
    source: Source
    settings: Settings
    board: Board
    target: Target
    kernels: tuple[KernelAssessment, ...]
    problems: tuple[Problem, ...] = ()
    build: Build | None = None

    def with_kernels(self, kernels: tuple[KernelAssessment, ...]) -> Assessment:
        """The same file with only these kernels."""
        return replace(self, kernels=kernels)

    def with_problems(self, problems: tuple[Problem, ...]) -> Assessment:
        """The same file with these problems."""
        return replace(self, problems=problems)


@dataclass
class Assessor:
    """Runs the line and remembers the facts of texts, so that other boards and sizes cost next to nothing."""

    workspace: Sequence[Path] = ()
    _last: OrderedDict[str, tuple[Source, Kernels]] = field(default_factory=OrderedDict)
    _facts: OrderedDict[object, tuple[Source, tuple[Reading, ...]]] = field(default_factory=OrderedDict)
    _readings: Readings = field(default_factory=Readings)
    _costs: OrderedDict[object, Costed] = field(default_factory=OrderedDict)
    _builds: Builds = field(default_factory=Builds)

    def assess(self, text: str, path: str, layers: Sequence[Layer]) -> Assessment:
        """Assess a file under layers of settings, weakest first; the comments in its text are added to them."""
        settings, _ = resolve(layers)
        source, readings = self._read(text, path, settings)
        if not source.template and (not readings or any(r.lacks_types for r in readings)):
            outer_source, outer = self._through_includers(source, path, settings)
            source, readings = (outer_source, outer) if outer else (source, readings)
        kernels = [r.facts for r in readings] if source.comments else []
        options = [layer for layer in layers if layer.where == "option"]
        weaker = [layer for layer in layers if layer.where != "option"]
        settings, problems = resolve([*weaker, *comment_layers(source, kernels), *options])
        board = find_board(settings.board)
        target = target_of(settings, board)
        build = None if target.paper_rules else self._builds.for_file(Path(path), text, settings.report)
        costing = Costing(source, path, settings, board, target, build, self._costs, max(MAX_COSTS, 2 * len(readings)))
        done = tuple(k for k in map(costing.of, readings) if k is not None)
        return Assessment(path, source, settings, board, target, done, problems, build)

    def _through_includers(self, source: Source, path: str, settings: Settings) -> tuple[Source, tuple[Reading, ...]]:
        """The kernels of neighbouring files that include this one and reach accesses in it."""
        here = Path(path)
        if not here.is_file():
            return source, ()
        own = str(here.resolve())
        found: list[Reading] = []
        for neighbour, text in includers(here.resolve()):
            outer, kernels = self._read(text, str(neighbour), settings)
            for reading in kernels:
                if any(a.span.file == own for a in reading.told.accesses):
                    found.append(Reading(reading.key, seen_from(reading.facts, str(neighbour), own)))
                    source = with_includer(source, outer, str(neighbour))
        return source, tuple(found)

    def _read(self, text: str, path: str, settings: Settings) -> tuple[Source, tuple[Reading, ...]]:
        defines = {**_board_macros(settings, text), **defines_of(settings.defines)}
        key = (text, path, tuple(sorted(defines.items())), settings.include_paths)
        if key in self._facts:
            self._facts.move_to_end(key)
            return self._facts[key]
        include_paths = [Path(p) for p in settings.include_paths]
        before, kernels = self._last.pop(path, (None, None)) or (None, None)
        kernels = kernels or Kernels(self._readings)
        source = read_source(text, path, defines, include_paths, self.workspace, before)
        known = (source, kernels.of(source))
        self._last[path] = (source, kernels)
        if len(self._last) > MAX_FOLLOWED:
            self._last.popitem(last=False)[1][1].forget()
        if source.includes:
            return known  # an included file may change without this text changing
        self._facts[key] = known
        kept = sum(len(s.original) for s, _ in self._facts.values())
        while len(self._facts) > MAX_REMEMBERED or (kept > MAX_REMEMBERED_BYTES and len(self._facts) > 1):
            kept -= len(self._facts.popitem(last=False)[1][0].original)
        return known


MAX_FOLLOWED = 4
"""Most files whose edits are followed; others are read anew when they are edited again."""
MAX_REMEMBERED = 32
MAX_REMEMBERED_BYTES = 2_000_000
MAX_COSTS = 2048


@dataclass
class Costing:
    """Costs the kernels of one file; the same text on the same device and launch is estimated once."""

    source: Source
    path: str
    settings: Settings
    board: Board
    target: Target
    build: Build | None
    known: OrderedDict[object, Costed]
    most: int

    def of(self, reading: Reading) -> KernelAssessment | None:
        """A kernel's assessment; None, and a line in the log, when it cannot be made."""
        used = self.build.used if self.build is not None else None
        spoken = spoken_of(used, reading.told) if used is not None else None
        own = spoken is not None or self.settings.trips or reading.told.name in self.settings.kernels
        try:
            launch, said = self._launch(reading, spoken) if own else self._common
            lines = self.source.lines.line_of(reading.facts.span.start) if spoken is not None else None
            key = (reading.key, self._device, said, lines)  # reports speak of lines
            costed = self.known.get(key)
            if costed is None:
                costed = self.known[key] = self._costed(reading.facts, launch, spoken)
                while len(self.known) > self.most:
                    self.known.popitem(last=False)
            else:
                self.known.move_to_end(key)
            return KernelAssessment(reading, costed, launch, self.board)
        except Exception:  # noqa: BLE001 - one kernel must not cost the others
            _log.exception("kernel %s of %s could not be estimated", reading.told.name, self.path)
            return None

    @cached_property
    def _device(self) -> tuple[str, str, str | None]:
        stamp = self.build.stamp if self.build is not None and self.build.used is not None else None
        return (self.target.model_dump_json(), self.board.model_dump_json(), stamp)

    @cached_property
    def _common(self) -> tuple[Launch, str]:
        """The launch of every kernel that nothing is said of alone."""
        launch = launch_of(self.settings, None, self.source)
        return launch, launch.model_dump_json()

    def _launch(self, reading: Reading, spoken: KernelBuild | None) -> tuple[Launch, str]:
        launch = launch_of(self.settings, reading.facts, self.source, spoken)
        return launch, launch.model_dump_json()

    def _costed(self, facts: KernelFacts, launch: Launch, spoken: KernelBuild | None) -> Costed:
        """Units and times of a kernel, what a report says of it laid over."""
        lsus = infer(facts, self.target)
        if spoken is not None and spoken.report.complete:
            overlay = lay_over(facts, lsus, spoken.units, places_of(facts, self.source, self.path))
            lsus = overlay.lsus
            spoken = replace(spoken, disagreements=overlay.disagreements, agreed=overlay.agreed)
        scheduled = schedules(spoken, loop_places(facts, self.source, self.path)) if spoken is not None else {}
        return Costed(lsus, estimated(facts, lsus, self.board, launch, scheduled, self.target, spoken), spoken)


def _board_macros(settings: Settings, text: str) -> dict[str, str]:
    """What the vendor's compiler defines to name the board, for a text that may ask."""
    if "AOCL_BOARD_" not in text and "#include" not in text:
        return {}
    board = find_board(settings.board)
    names = (n for n in (board.name, *board.aliases) if n.isidentifier())
    return {f"AOCL_BOARD_{name}": "1" for name in names}


def defines_of(defines: Mapping[str, str | int | bool]) -> dict[str, str]:
    """Macro bodies as text; true is 1, false is 0."""
    return {name: str(int(v)) if isinstance(v, bool) else str(v) for name, v in defines.items()}


def target_of(settings: Settings, board: Board) -> Target:
    """The compiler's target; in faithful mode without a named version, the papers' own classification.

    A compiler from before Stratix 10 named without a family cannot build for it: Stratix V is taken then.
    """
    target = board.target
    version = parse_version(settings.aoc_version) if settings.aoc_version else target.aoc_version
    family = settings.device_family or target.family
    if settings.device_family is None and settings.aoc_version and version < _BEFORE_STRATIX_10:
        family = "Stratix V" if family in {"Stratix 10", "Agilex"} else family
    paper = settings.mode == "faithful" and settings.aoc_version is None
    relaxed = bool({"-fp-relaxed", "-ffp-reassociate", "--fp-relaxed"} & set(settings.aoc_flags))
    own = {"family": family, "aoc_version": version, "paper_rules": paper, "relaxed": relaxed}
    return target.model_copy(update=own)


def estimated(
    facts: KernelFacts,
    lsus: tuple[Lsu, ...],
    board: Board,
    launch: Launch,
    scheduled: Mapping[int, Schedule],
    target: Target,
    spoken: KernelBuild | None,
) -> KernelEstimate:
    """The estimate of a kernel, with what a build's report says of its loops and resources."""
    return estimate(facts, lsus, board, launch, scheduled, target, taken_by(facts, spoken))


def taken_by(facts: KernelFacts, spoken: KernelBuild | None) -> ResourceUse | None:
    """What a report says that a kernel takes, None where it says too little."""
    return reported_use(spoken.report, facts.name, facts.compute_units) if spoken is not None else None


def schedules(spoken: KernelBuild, places: Mapping[int, Place]) -> dict[int, Schedule]:
    """How a report says that each loop runs, by the loop's id; loops on one line keep their order."""
    left = list(spoken.loops)
    found: dict[int, Schedule] = {}
    for loop, place in places.items():
        said = next((one for one in left if (one.file, one.line) == place), None)
        if said is None:
            continue
        left.remove(said)
        found[loop] = Schedule(
            ii=said.ii, pipelined=said.pipelined, at_least=said.exactness == "at least",
            serialised_by="; ".join(said.details[:1]) if said.bottleneck or said.exactness == "at least" else None,
        )  # fmt: skip
    return found


def launch_of(
    settings: Settings, facts: KernelFacts | None, source: Source, spoken: KernelBuild | None = None
) -> Launch:
    """The launch of one kernel: its own settings over those for all; the clock of a real build where none is set."""
    own = settings.kernels.get(facts.name, LaunchSettings()) if facts is not None else LaunchSettings()
    by_line = {**settings.trips, **own.trips}
    trips = {
        loop.id: by_line[line]
        for loop in (facts.loops if facts is not None and by_line else ())
        if loop.span.file is None and (line := source.lines.line_of(loop.span.start) + 1) in by_line
    }
    return Launch(
        global_size=own.global_size or settings.global_size,
        local_size=own.local_size or settings.local_size,
        arguments={**settings.arguments, **own.arguments},
        trips=trips,
        assumed_trips=own.assumed_trips or settings.assumed_trips,
        banks={**settings.banks, **own.banks},
        f_max_mhz=settings.f_max_mhz or (spoken.report.f_max_mhz if spoken is not None else None),
        f_max_reported=settings.f_max_mhz is None and spoken is not None and spoken.report.f_max_mhz is not None,
        interleaving=settings.interleaving,
        mode=settings.mode,
        memory_part=settings.memory_part,
    )
