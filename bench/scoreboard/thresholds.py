"""The numbers in the rules of coalescing and unrolling, chosen anew without a repository.

Each is tried at a few values on every repository. Held out, a repository is judged with the value that fits the others
best (mean over repositories of the units with the right style and width); the value in force wins ties. Where no other
repository decides, it is judged without the rule behind the threshold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import ModuleType

from bench.scoreboard.figure import Table
from bench.scoreboard.places import Inference, Judged, Rules, Score, judge
from bench.scoreboard.reports import Reader, Report

from burstline_model.compiler import groups, infer
from burstline_model.compiler.lsu_rules.evidence import origin_of
from burstline_model.parallelism import loop_copies

Shares = Mapping[str, float]
"""The share of units with the right style and width by repository."""


@dataclass(frozen=True)
class Threshold:
    """A number of a module, what it is, the values to try, and `unknown`: the value where no repository decides."""

    module: ModuleType
    name: str
    what: str
    values: tuple[object, ...]
    unknown: object

    @property
    def value(self) -> object:
        """The value in force."""
        return getattr(self.module, self.name)

    @contextmanager
    def at(self, value: object) -> Iterator[None]:
        """Another value for a while."""
        before = self.value
        setattr(self.module, self.name, value)
        try:
            yield
        finally:
            setattr(self.module, self.name, before)


NEVER = (0, 0, 0)
THRESHOLDS = (
    Threshold(groups, "WIDEST_GAP", "widest gap between copies, elements", (1, 2, 3, 4, 5, 6, 8), 1),
    Threshold(groups, "WIDEST_HOISTED_BYTES", "span of values fetched first, bytes", (16, 32, 64, 128), 16),
    Threshold(infer, "HOISTED_UNTIL", "first compiler that fetches none first", (NEVER, (17, 0, 0), (18, 0, 0)), NEVER),
    Threshold(loop_copies, "MAX_AUTOMATIC_TRIPS", "trips of a loop unrolled unasked", (1, 4, 8, 12, 16, 32), 1),
    Threshold(loop_copies, "MAX_AUTOMATIC_COPIES", "accesses that unrolling unasked makes", (16, 32, 64, 128), 16),
)


@dataclass(frozen=True)
class Fit:
    """A threshold with the shares at each of its values."""

    threshold: Threshold
    shares: tuple[tuple[object, Shares], ...]

    def best_without(self, repository: str) -> object:
        """The value that fits the other repositories best; `unknown` where to none of them it matters."""
        origin = origin_of(repository)
        others = {
            value: round(sum(share for name, share in shares.items() if origin_of(name) != origin), 9)
            for value, shares in self.shares
        }
        if len(set(others.values())) == 1:
            return self.threshold.unknown
        return max(others, key=lambda value: (others[value], value == self.threshold.value))

    def wanting(self) -> Iterator[str]:
        """The repositories for which another value would be better, or the value in force matters."""
        in_force = next(shares for value, shares in self.shares if value == self.threshold.value)
        for name, own in in_force.items():
            others = [(shares[name], value) for value, shares in self.shares if value != self.threshold.value]
            best, value = max(others, key=lambda one: one[0])
            if best > own + 1e-9:
                yield f"{name} prefers {value}"
            elif min(share for share, _ in others) < own - 1e-9:
                yield name


def fits(reports: Sequence[Report], reader: Reader, rules: Rules) -> tuple[Fit, ...]:
    """Every threshold at every value, on all reports that rules rest on."""
    return tuple(
        Fit(threshold, tuple((value, _shares(threshold, value, reports, reader, rules)) for value in threshold.values))
        for threshold in THRESHOLDS
    )


def _shares(
    threshold: Threshold, value: object, reports: Sequence[Report], reader: Reader, rules: Rules
) -> dict[str, float]:
    with threshold.at(value):
        places = judge(reports, reader, Inference(), rules).places
    by_repository = defaultdict(list)
    for place in places:
        by_repository[place.report.repository].append(place)
    scores = {name: Score.of(own) for name, own in by_repository.items()}
    return {name: score.both / score.units for name, score in scores.items()}


def judge_held_out(reports: Sequence[Report], reader: Reader, rules: Rules, fitted: Sequence[Fit]) -> Judged:
    """Every distinct place, each repository by its own rules and by thresholds chosen without it."""
    chosen: defaultdict[tuple[object, ...], set[str]] = defaultdict(set)
    for repository in {report.repository for report in reports}:
        chosen[tuple(fit.best_without(repository) for fit in fitted)].add(repository)
    whole = Judged()
    for values, repositories in chosen.items():
        with ExitStack() as stack:
            for fit, value in zip(fitted, values, strict=True):
                stack.enter_context(fit.threshold.at(value))
            part = judge(reports, reader, Inference(), rules)
        whole.places += [place for place in part.places if place.report.repository in repositories]
        whole.without_text, whole.unjudged = part.without_text, part.unjudged
    return whole


def table(fitted: Sequence[Fit], repositories: Sequence[str]) -> Table:
    """Which repositories decide each threshold, and what it is without them."""
    rows = []
    for fit in fitted:
        in_force = fit.threshold.value
        otherwise = [f"{one}: {fit.best_without(one)}" for one in repositories if fit.best_without(one) != in_force]
        tried = ", ".join(map(str, fit.threshold.values))
        deciding = "; ".join(fit.wanting()) or "none"
        rows.append((fit.threshold.what, str(in_force), tried, deciding, "; ".join(otherwise) or "the same"))
    header = ("threshold", "in force", "tried", "repositories that decide it", "chosen without a repository")
    return Table("Thresholds of coalescing and unrolling", header, tuple(rows))
