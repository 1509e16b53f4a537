"""Load/store units judged by place: one operation on one line of a kernel, as reported and as inferred.

Loads and stores of global memory count, by (style, width in bits) and number; where rows say that they list them
(``constants``), so do those of ``__constant`` arguments that reports give a style of global memory. Left out on both
sides: printf's stores, places that a truth row lists under ``not_judged``, and atomics, which reports give no style. A
unit that is inferred where the report lists none is wrong in every kernel that the report compiled. A place that is
compiled several times alike counts once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field
from functools import cached_property

from bench.scoreboard.reports import Reader, ReadKernel, Report, Text

from burstline_model.compiler.infer import infer
from burstline_model.compiler.lsu_rules.rulebook import RULEBOOK, Rulebook
from burstline_model.compiler.other_readings import compared
from burstline_model.lsu import Lsu
from burstline_model.vendor_report.records import GLOBAL_STYLES

PLAIN = "Burst-coalesced"
STYLES = frozenset(GLOBAL_STYLES) - {"Atomic-pipelined"}
NONE = "no unit"
Units = Counter[tuple[str, int | None]]
Key = tuple[str, str, int, str]
"""File, kernel, line, operation."""
Rules = Callable[[str], Rulebook]
"""The rules that a repository is judged by."""


@dataclass(frozen=True)
class Place:
    """What a report and what we say of a place. `inferred` holds the confidence of each unit as well."""

    report: Report
    key: Key
    reported: Units
    inferred: Units
    confidences: Counter[tuple[str, int | None, str]]

    @property
    def units(self) -> int:
        """How many units are judged: reported or inferred, whichever are more."""
        return max(self.reported.total(), self.inferred.total())

    @cached_property
    def styles(self) -> tuple[Counter[str], Counter[str]]:
        """Units by style alone, reported and inferred."""
        return by_style(self.reported), by_style(self.inferred)


@dataclass
class Judged:
    """The distinct places of some reports, and what could not be judged."""

    places: list[Place] = field(default_factory=list)
    without_text: int = 0
    unjudged: int = 0


@dataclass
class Inference:
    """Units by kernel and rules, each inferred once."""

    _known: dict[tuple[int, Rulebook], tuple[Lsu, ...]] = field(default_factory=dict)

    def of(self, kernel: ReadKernel, rulebook: Rulebook) -> tuple[Lsu, ...]:
        """The units of a kernel under some rules."""
        key = (id(kernel), rulebook)
        if key not in self._known:
            self._known[key] = compared(kernel.facts, infer(kernel.facts, kernel.target, rulebook))
        return self._known[key]


def by_style(units: Units) -> Counter[str]:
    """Units by style alone."""
    counted: Counter[str] = Counter()
    for (style, _), n in units.items():
        counted[style] += n
    return counted


def judge(reports: Iterable[Report], reader: Reader, inference: Inference, rules: Rules = lambda _: RULEBOOK) -> Judged:
    """Every distinct place of the reports, each repository by its own rules."""
    found, seen = Judged(), set()
    for report in reports:
        if report.texts is None:
            found.without_text += sum(len(row["places"]) for row in report.rows)
            continue
        reported, silent = _reported(report)
        spaces = {"global", "constant"} if report.rows[0].get("constants") else {"global"}
        inferred, confidences = _inferred(report.texts, reader, inference, rules(report.repository), spaces)
        compiled = {str(name) for name in report.rows[0].get("kernels", ())} | {
            place["kernel"] for row in report.rows for place in row["places"]
        }
        for key in sorted({*reported, *(k for k in inferred if k[1] in compiled)}):
            if key in silent:
                found.unjudged += 1
                continue
            mark = (report.build, key, str(sorted(reported[key].items(), key=str)))
            if mark not in seen:
                seen.add(mark)
                found.places.append(Place(report, key, reported[key], inferred[key], confidences[key]))
    return found


def _reported(report: Report) -> tuple[defaultdict[Key, Units], Collection[Key]]:
    """The units that a report lists, and the places that nobody is judged at."""
    units: defaultdict[Key, Units] = defaultdict(Counter)
    silent: set[Key] = set()
    for row in report.rows:
        for place in row["places"]:
            if place["style"] in STYLES:
                key = (row["file"], place["kernel"], place["line"], place["op"])
                units[key][place["style"], place["width_bits"]] += place["count"]
        silent |= {(row["file"], p["kernel"], p["line"], p["op"]) for p in row.get("not_judged", ())}
    return units, silent


def _inferred(
    texts: Sequence[Text], reader: Reader, inference: Inference, rulebook: Rulebook, spaces: Collection[str]
) -> tuple[defaultdict[Key, Units], defaultdict[Key, Counter[tuple[str, int | None, str]]]]:
    units: defaultdict[Key, Units] = defaultdict(Counter)
    confidences: defaultdict[Key, Counter[tuple[str, int | None, str]]] = defaultdict(Counter)
    for text in texts:
        for kernel in reader.kernels(text):
            for lsu in inference.of(kernel, rulebook):
                file, line = kernel.places.get(lsu.members[0], ("", 0))
                if file.endswith(".cl") and lsu.space in spaces and lsu.style in STYLES:
                    key = (file, kernel.facts.name, line, lsu.op)
                    units[key][lsu.style, lsu.width_bits] += lsu.count
                    confidences[key][lsu.style, lsu.width_bits, lsu.confidence] += lsu.count
    return units, confidences


@dataclass(frozen=True)
class Score:
    """How many units of some places are right, of max(reported, inferred); and the answer that is always the same.

    `kinds`: of the `sites` with a reported unit, those whose set of styles is right.
    """

    places: int
    right: int
    units: int
    style: int
    both: int
    reported: int
    plain: int
    sites: int
    kinds: int

    def __add__(self, other: Score) -> Score:
        return Score(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @classmethod
    def of(cls, places: Sequence[Place]) -> Score:
        """The score of some places."""
        styles = [place.styles for place in places]
        sites = [(r, i) for r, i in styles if r]
        return cls(
            places=len(places),
            right=sum(p.reported == p.inferred for p in places),
            units=sum(p.units for p in places),
            style=sum((r & i).total() for r, i in styles),
            both=sum((p.reported & p.inferred).total() for p in places),
            reported=sum(r.total() for r, _ in styles),
            plain=sum(r[PLAIN] for r, _ in styles),
            sites=len(sites),
            kinds=sum(set(r) == set(i) for r, i in sites),
        )


def confusion(places: Iterable[Place]) -> Counter[tuple[str, str]]:
    """(reported, inferred) styles of units, paired at their places; what one side lacks is paired with none."""
    found: Counter[tuple[str, str]] = Counter()
    for place in places:
        reported, inferred = place.styles
        both = reported & inferred
        found.update({(style, style): n for style, n in both.items()})
        left, other = sorted((reported - both).elements()), sorted((inferred - both).elements())
        for i in range(max(len(left), len(other))):
            found[left[i] if i < len(left) else NONE, other[i] if i < len(other) else NONE] += 1
    return found


@dataclass(frozen=True)
class ClassScore:
    """One style: units reported, inferred, and right."""

    style: str
    reported: int
    inferred: int
    right: int

    @property
    def recall(self) -> float:
        """Share of the reported units that are inferred as such."""
        return self.right / self.reported if self.reported else 0.0

    @property
    def precision(self) -> float:
        """Share of the inferred units that are reported as such."""
        return self.right / self.inferred if self.inferred else 0.0


def by_class(places: Sequence[Place]) -> list[ClassScore]:
    """Every style that is reported or inferred, the most frequent first."""
    reported, inferred, right = Counter[str](), Counter[str](), Counter[str]()
    for place in places:
        r, i = place.styles
        reported.update(r)
        inferred.update(i)
        right.update(r & i)
    styles = sorted({*reported, *inferred}, key=lambda s: (-reported[s], s))
    return [ClassScore(s, reported[s], inferred[s], right[s]) for s in styles]


def together(parts: Iterable[Sequence[ClassScore]]) -> list[ClassScore]:
    """The classes of several sets of places as those of all of them."""
    sums: dict[str, tuple[int, int, int]] = {}
    for one in (one for part in parts for one in part):
        reported, inferred, right = sums.get(one.style, (0, 0, 0))
        sums[one.style] = (reported + one.reported, inferred + one.inferred, right + one.right)
    return [ClassScore(style, *counts) for style, counts in sums.items()]


def macro(classes: Iterable[ClassScore]) -> tuple[float, float]:
    """The means of recall and precision over the styles reported."""
    reported = [one for one in classes if one.reported]
    return sum(c.recall for c in reported) / len(reported), sum(c.precision for c in reported) / len(reported)


def calibration(places: Iterable[Place]) -> Iterator[tuple[str, int, float, float]]:
    """Of the units inferred with each confidence: how many, and the shares with the right style, and width as well.

    Where a place has fewer reported units than inferred ones of a style, each of these is right in part.
    """
    counted: defaultdict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0.0])
    for place in places:
        reported, inferred = place.styles
        for (style, width, confidence), n in place.confidences.items():
            row = counted[confidence]
            row[0] += n
            row[1] += n * min(1.0, reported[style] / inferred[style])
            row[2] += n * min(1.0, place.reported[style, width] / place.inferred[style, width])
    for confidence in ("high", "medium", "low"):
        n, style, both = counted[confidence]
        if n:
            yield confidence, int(n), style / n, both / n
