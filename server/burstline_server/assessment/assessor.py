"""The line of the data: text, source, facts, load/store units, estimate, findings. One file at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from burstline_model.boards.board import Board, find_board
from burstline_model.facts import Span
from burstline_model.launch import Provenance
from burstline_model.record import fixed
from burstline_model.target import Target
from burstline_server.analysis.kernels import Kernels, readings_of
from burstline_server.analysis.relaid import InsideEditError
from burstline_server.analysis.reuse import KernelList, PlacedKernel, SnapshotCache
from burstline_server.assessment.board_why import BoardWhy
from burstline_server.assessment.built_for import board_of, by_paper, target_of
from burstline_server.assessment.cost_cache import CostCache
from burstline_server.assessment.costing import CostingContext, KernelAssessment, KernelAssessments
from burstline_server.assessment.includers import Followed, Includers, Neighbours
from burstline_server.assessment.launches import WORDS, Origins
from burstline_server.assessment.reports import OFF, Build, Builds
from burstline_server.caches.bounded import BoundedCache
from burstline_server.config.binding import Bound, exists, unbound
from burstline_server.config.comments import comment_layers
from burstline_server.config.layers import Layer, Problem, resolve
from burstline_server.config.mistakes import Mistake
from burstline_server.config.settings import Settings
from burstline_server.faults.checked import NONE, Checked, inherited
from burstline_server.faults.fault import Fault, Withheld
from burstline_server.faults.file_faults import checked
from burstline_server.host.host_launch import HostLaunch
from burstline_server.source.edit import difference, utf8
from burstline_server.source.read import read_source
from burstline_server.source.source import Source
from burstline_server.source.words import changes_gap

_log = logging.getLogger(__name__)
SecondOpinion = Callable[[Source, Checked], Checked]
"""The faults of a file with those that somebody else adds."""
OtherReading = Callable[[Source, KernelList], KernelList]
LaunchesOf = Callable[[str], Callable[[str], HostLaunch | None] | None]
"""How kernels of a file, by its path, are launched, by their names; None where no host program is known."""
"""The kernels of a file with what another reading of its text knows of them."""


@fixed
class Assessment:
    """One file."""

    path: str
    source: Source
    settings: Settings
    board: Board
    target: Target
    kernels: Sequence[KernelAssessment]
    problems: tuple[Problem, ...] = ()
    build: Build | None = None
    faults: tuple[Fault, ...] = ()
    """What the compiler would refuse."""
    withheld: tuple[Withheld, ...] = ()
    """The kernels that faults touch: they have no figures."""
    board_why: BoardWhy | None = None
    """Why this board is taken where no option, comment or setting names it."""
    build_line: Layer | None = None
    """The compiler's command line that the file is built with."""
    workspace: Sequence[Path] = ()
    """The folders that it may include from."""
    origins: Origins = field(default_factory=dict)
    """Where each setting came from, by the path of its key."""
    own: Assessment | None = None
    """The same by our reading alone, where another one is laid over it."""
    of: Sequence[KernelAssessment] | None = None
    """All kernels of the file, where `kernels` are some of them."""

    @property
    def every_kernel(self) -> Sequence[KernelAssessment]:
        """All kernels of the file, whichever are asked about."""
        return self.of if self.of is not None else self.kernels

    @property
    def alone(self) -> Assessment:
        """The file by our reading alone: an edited text has no other, and is compared with this."""
        return self.own or self

    def given_by(self, *key: str) -> Provenance | None:
        """Who gave a setting; None where nobody did, or the build, which is named with its line."""
        where = self.origins.get(key)
        return WORDS[where] if where is not None and where != "build" else None

    def with_kernels(self, kernels: tuple[KernelAssessment, ...]) -> Assessment:
        """The same file with only these kernels."""
        names = {kernel.facts.name for kernel in kernels} if self.own is not None else ()
        own = self.own.with_only(names) if self.own is not None else None
        return replace(self, kernels=kernels, own=own, of=self.every_kernel)

    def with_only(self, names: Collection[str]) -> Assessment:
        """The same file with only the kernels of these names."""
        kernels = tuple(k for k in self.kernels if k.facts.name in names)
        own = self.own.with_only(names) if self.own is not None else None
        withheld = tuple(w for w in self.withheld if w.name in names)
        return replace(self, kernels=kernels, withheld=withheld, own=own, of=self.every_kernel)

    def kernels_at(self, start: int, end: int) -> Sequence[KernelAssessment]:
        """The kernels that may have text in a range of the user's file, functions that they call included."""
        return self.kernels.touching(start, end) if isinstance(self.kernels, KernelAssessments) else self.kernels

    def near(self, span: Span) -> Assessment:
        """The same file with only the kernels that may have text in a range of it."""
        near = self.kernels_at(span.start, span.end)
        lost = {w.name for w in self.withheld}
        return self.with_kernels(tuple(k for k in near if k.facts.name not in lost) if lost else tuple(near))

    def with_problems(self, problems: tuple[Problem, ...]) -> Assessment:
        """The same file with these problems."""
        own = self.own.with_problems(problems) if self.own is not None else None
        return replace(self, problems=problems, own=own)


@fixed
class Read:
    """A file's source, its kernels, and what the compiler would refuse."""

    source: Source
    kernels: KernelList
    faults: Checked
    inherited: Checked
    """The same, where what uses a declaration has its faults."""


@dataclass
class Assessor:
    """Runs the line and remembers the facts of texts, so that other boards and sizes cost next to nothing."""

    workspace: Sequence[Path] = ()
    launches: LaunchesOf | None = None
    """What host programs launch a file's kernels with, by its path: assumed where nobody gives sizes."""
    _followed: BoundedCache[str, Followed] = field(
        default_factory=lambda: BoundedCache("followed files", MAX_FOLLOWED, forgotten=lambda one: one.kernels.forget())
    )
    _texts: BoundedCache[object, Read] = field(
        default_factory=lambda: BoundedCache("texts", MAX_TEXT_BYTES, _weight_of_text)
    )
    _snapshots: SnapshotCache = field(default_factory=SnapshotCache)
    _costs: CostCache = field(default_factory=CostCache)
    _builds: Builds = field(default_factory=Builds)
    _neighbours: Neighbours = field(default_factory=Neighbours)
    _seen: BoundedCache[str, bytes] = field(default_factory=lambda: BoundedCache("included texts", MAX_FOLLOWED))
    """The texts with which files were read last by those that include them."""

    def assess(
        self,
        text: str | bytes,
        path: str,
        layers: Sequence[Layer],
        second: SecondOpinion | None = None,
        other: OtherReading | None = None,
        names: Collection[str] = (),
    ) -> Assessment:
        """Assess a file under layers of settings, weakest first; the comments in its text are added to them.

        `second` may add to the faults of the file, and `other` to the facts of its kernels, where settings do not turn
        it off. With `names`, only the kernels called so have costs, and those that channels may join to them.
        """
        text = utf8(text)
        read = self._read(text, path, resolve(layers).settings, lines=_names_lines(layers))
        return self._assessed(text, path, layers, read, second, other, names)

    def tried(self, text: bytes, before: Assessment, layers: Sequence[Layer], names: Collection[str]) -> Assessment:
        """The file with an edited text, of which only the kernels called `names` count; the one before stays the last.

        Where that is not the assessment that was made last, all of the text is assessed.
        """
        settings = resolve(layers).settings
        source, kernels, asks = self._last(before.path)
        if source is not before.source or kernels is None or source.includes:
            return self.assess(text, before.path, layers)
        defines = _macros(settings, asks=_may_ask(text, source if not asks else None))
        folders = [Path(p) for p in settings.include_paths]
        edited = read_source(text, before.path, defines, folders, self.workspace, source)
        faults = checked(edited)
        read = Read(edited, kernels.tried(edited, names), faults, inherited(edited, faults))
        return self._assessed(text, before.path, layers, read)

    def _assessed(
        self,
        text: bytes,
        path: str,
        layers: Sequence[Layer],
        read: Read,
        second: SecondOpinion | None = None,
        other: OtherReading | None = None,
        names: Collection[str] = (),
    ) -> Assessment:
        settings = resolve(layers).settings
        source, found, faults = read.source, read.kernels, read.faults
        readings: Sequence[PlacedKernel] = found
        # A file of directives alone holds no access.
        incomplete = not found or any(k.lacks_types for k in found.snapshots) or _lacks(faults)
        if incomplete and not source.template and source.text.strip():
            seen = self._includers(source, path, settings)
            if seen.files:
                # What this file lacks by itself is known to those that include it: libclang would read it alone.
                second = None
                try:
                    faults, outer_source, outer = seen.through(source, faults)
                except InsideEditError:  # a place is in what was replaced: they are read with the text as it is
                    self._seen.drop(seen.own)
                    faults, outer_source, outer = self._includers(source, path, settings).through(source, faults)
                if outer:
                    source, readings, faults = outer_source, outer, NONE
        options = [layer for layer in layers if layer.where == "option"]
        weaker = [layer for layer in layers if layer.where != "option"]
        ordered = [*weaker, *comment_layers(source, readings), *options]
        settings, problems, origins = resolve(ordered)
        build = None if by_paper(settings) else self._builds.for_file(Path(path), text, settings.report, self.workspace)
        board, board_why, excluded = board_of(settings, ordered, build)
        problems = (
            *problems,
            *excluded,
            *_no_report(ordered, settings, build),
            *_unbound(ordered, source, readings, board),
        )
        target = target_of(settings, board)
        if second is not None and settings.clang == "auto" and faults is not NONE:
            faults = second(source, faults)
        withheld = {}
        if isinstance(readings, KernelList):
            withheld = withheld_of(read.inherited if faults is read.faults else inherited(source, faults), readings)
            if any(one.unread and number not in withheld for number, one in enumerate(readings.snapshots)):
                # What it lacks is declared where it is included.
                kernels = self._last(path)[1]
                readings = found = kernels.of(source) if kernels is not None else readings_of(source, self._snapshots)
        costing = CostingContext(
            source, path, settings, board, target, build, origins, self.launches and self.launches(path)
        )
        done = self._costs.of(costing, readings, {*withheld, *_unnamed(readings, names)})
        own = Assessment(
            path, source, settings, board, target, done.without(withheld), problems, build,
            faults.faults, (*withheld.values(), *_lost(faults, withheld)), board_why,
            next((layer for layer in layers if layer.where == "build"), None), tuple(self.workspace), origins,
        )  # fmt: skip
        # The papers' own classification knows no other reading; a file read through those that include it has none.
        if other is None or settings.engine == "tree" or target.paper_rules or readings is not found:
            return own
        try:
            over = other(source, found)
        except Exception:  # noqa: BLE001 - another reading is worth no more than a line in the log
            _log.exception("%s could not be read in another way", path)
            return own
        if over is found:
            return own
        return replace(own, kernels=self._costs.of(costing, over, withheld).without(withheld), own=own)

    def _includers(self, source: Source, path: str, settings: Settings) -> Includers:
        """The neighbouring files that include this one, with its text as it is edited."""
        here = Path(path)
        if not here.is_file():
            return Includers(path, ())
        place = here.resolve()
        around = list(self._neighbours.including(place, self.workspace))

        def seen(text: bytes) -> list[tuple[str, Followed]]:
            edited = {place: text}
            return [(str(one), self._follow(utf8(own), str(one), settings, edited)) for one, own in around]

        last = self._seen.find(str(place))
        if last is not None and changes_gap(last, source.original, edit := difference(last, source.original)):
            known = Includers(str(place), seen(last), edit)
            if known.stay():
                return known
        self._seen.keep(str(place), source.original)
        return Includers(str(place), seen(source.original))

    def _last(self, path: str) -> tuple[Source | None, Kernels | None, bool]:
        """What is followed of a file: its last source and kernels, and whether its text may ask for macros."""
        last = self._followed.find(path)
        return (last.source, last.kernels, last.asks) if last is not None else (None, None, True)

    def _read(self, text: bytes, path: str, settings: Settings, *, lines: bool) -> Read:
        """A file, the bodies of kernels that do not compile left out, unless settings name `lines` of them."""
        key = (path, self._defines(text, path, settings)[1], settings.include_paths, text, lines)
        known = self._texts.find(key)
        if known is not None:
            return known
        now = self._follow(text, path, settings)
        source, faults = now.source, checked(now.source)
        broken = inherited(source, faults)
        whole = lines or not broken.faults or any(_LINES in comment.text for comment in source.comments)
        read = Read(source, now.kernels.of(source, None if whole else broken.touches_any), faults, broken)
        source.forget_syntax()
        # An included file may change without this text changing.
        return read if source.includes else self._texts.keep(key, read)

    def _follow(
        self, text: bytes, path: str, settings: Settings, edited: Mapping[Path, bytes] | None = None
    ) -> Followed:
        """A file, followed from its last text; `edited` are texts of the files it includes that are not saved yet."""
        asks, defines = self._defines(text, path, settings)
        before, kernels, _ = self._last(path)
        last = self._followed.find(path)
        include_paths = [Path(p) for p in settings.include_paths]
        self._followed.drop(path)
        source = read_source(text, path, dict(defines), include_paths, self.workspace, before, edited)
        if last is not None and source is before:
            return self._followed.keep(path, last)
        return self._followed.keep(path, Followed(source, kernels or Kernels(self._snapshots), asks))

    def _defines(self, text: bytes, path: str, settings: Settings) -> tuple[bool, tuple[tuple[str, str], ...]]:
        """Whether a file's text may ask for the board, and the macros that it is read with."""
        before, _, asks = self._last(path)
        asks = _may_ask(text, before if not asks else None)
        return asks, tuple(sorted(_macros(settings, asks=asks).items()))


def _unnamed(kernels: Sequence[PlacedKernel], names: Collection[str]) -> Iterator[int]:
    """The numbers of the kernels that are not called as one of `names`, and that no channel joins to another one."""
    for number, kernel in enumerate(kernels if names else ()):
        facts = kernel.snapshot.facts
        if facts.name not in names and not facts.channels:
            yield number


def _unbound(
    layers: Sequence[Layer], source: Source, readings: Sequence[PlacedKernel], board: Board
) -> tuple[Problem, ...]:
    """What settings name and the file does not have."""
    given = [layer for layer in layers if layer.keys and layer.where != "editor"]
    if not given or source.template:
        return ()
    facts = [reading.facts for reading in readings]
    bound = Bound(facts, {f.name for f in facts}, source, board)
    return tuple(problem for layer in given for problem in unbound(layer, bound))


def withheld_of(found: Checked, readings: KernelList) -> dict[int, Withheld]:
    """The kernels that faults touch, in their own text or in what they call, by number."""
    withheld: dict[int, Withheld] = {}
    if not found.faults:
        return withheld
    for number in range(len(readings)):
        touching = (f for place in readings.texts(number) for f in found.touching(place))
        faults = tuple(dict.fromkeys((*touching, *found.everywhere)))
        if faults:
            facts = readings[number].facts
            withheld[number] = Withheld(facts.name, facts.span, facts.name_span, faults)
    return withheld


def _lost(found: Checked, withheld: Mapping[int, Withheld]) -> list[Withheld]:
    """The kernels that could not even be read."""
    names = {w.name for w in withheld.values()}
    return [w for w in found.lost if w.name not in names]


MAX_FOLLOWED = 8
"""Most files whose edits are followed, with those that include them; others are read anew."""
MAX_TEXT_BYTES = 2_000_000
LEAST_BYTES = MAX_TEXT_BYTES // 32
"""What a text counts for at least: what is known of a short one takes room as well."""


def _weight_of_text(known: Read) -> int:
    """What a text counts for, in bytes."""
    return max(len(known.source.original), LEAST_BYTES)


_LINES = "trip"
"""What settings of loops are called, which name their lines."""


def _names_lines(layers: Sequence[Layer]) -> bool:
    """Whether a setting is of the loop on a line, which has to be there."""
    return any(key.startswith(_LINES) for layer in layers for key in _keys(layer.keys))


def _keys(settings: Mapping[str, Any]) -> Iterator[str]:
    """All keys of settings, those of kernels among them."""
    for key, value in settings.items():
        yield str(key)
        if isinstance(value, Mapping):
            yield from _keys(value)


_ASKS = (b"AOCL_BOARD_", b"#include", b"#import")


def _lacks(found: Checked) -> bool:
    """Whether a file uses names that nothing in it declares."""
    return any(fault.kind == "undeclared" for fault in found.faults)


def _may_ask(text: bytes, before: Source | None) -> bool:
    """Whether a text may ask for the board, itself or by what it includes; a text `before` it did not."""
    if before is None:
        return any(word in text for word in _ASKS)
    edit = difference(before.original, text)
    reach = max(map(len, _ASKS))
    return any(word in text[max(0, edit.start - reach) : edit.new_end + reach] for word in _ASKS)


def _macros(settings: Settings, *, asks: bool) -> dict[str, str]:
    """What a text is read with; the board's macros for one that `asks`."""
    return {**(_board_macros(settings) if asks else {}), **defines_of(settings.defines)}


def _board_macros(settings: Settings) -> dict[str, str]:
    """What the vendor's compiler defines to name the board."""
    board = find_board(settings.board)
    names = (n for n in (board.name, *board.aliases) if n.isidentifier())
    return {f"AOCL_BOARD_{name}": "1" for name in names}


def defines_of(defines: Mapping[str, str | int | bool]) -> dict[str, str]:
    """Macro bodies as text; true is 1, false is 0."""
    return {name: str(int(v)) if isinstance(v, bool) else str(v) for name, v in defines.items()}


def _no_report(layers: Sequence[Layer], settings: Settings, build: Build | None) -> list[Problem]:
    """A report that a setting of this file names, where there is something else, or one that cannot be read."""
    named = settings.report
    layer = next((one for one in reversed(layers) if one.keys.get("report") == named), None)
    if not named or named == OFF or build is not None or layer is None or layer.where == "editor":
        return []
    if by_paper(settings) or not exists(named):
        return []  # it is not looked for, or the setting is refused as a name of nothing
    mistake = Mistake("unreadable_report", (named,))
    return [Problem(mistake, layer.path, layer.line_of(("report",)), layer.where, layer.place)]
