"""How often inference names the load/store units that the vendor's compiler built, with every repository held out.

    python -m bench.scoreboard --only units --truth DIR --mirror DIR

A report is named by its git blob; its own text, version and board are read. Held out: each repository is judged by the
rows of the rules that would be in force if it and its forks had never been seen (`Rulebook.without_repository`), and
with thresholds chosen anew without it (`thresholds.py`).
"""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

from bench.scoreboard.figure import Area, Figure, Miss, Sources, Table, interval
from bench.scoreboard.places import (
    NONE,
    PLAIN,
    ClassScore,
    Inference,
    Judged,
    Place,
    Score,
    by_class,
    calibration,
    confusion,
    judge,
    macro,
    together,
)
from bench.scoreboard.reports import Reader, reading_folder, reports
from bench.scoreboard.rounds import used_reports
from bench.scoreboard.thresholds import fits, judge_held_out
from bench.scoreboard.thresholds import table as thresholds

from burstline_model.compiler.lsu_rules.rulebook import EVERY_ROW, UNREFUTED, Rulebook

NAME = "Load/store units"
TRUTH = "lsu_train.jsonl"
HELD_OUT = "rows of the rules and thresholds that rest on the judged repository and its forks"
WORST = 5
Group = tuple[Score, Sequence[ClassScore]]
"""What is drawn again and again for an interval: the score and the styles of one repository."""
Statistic = Callable[[Sequence[Group]], float]


def measure(sources: Sources) -> Area:
    """The units of every report whose repository is at hand."""
    if sources.truth is None or sources.mirror is None:
        return Area(NAME, skipped="needs rows of vendor reports (--truth) and the repositories they name (--mirror)")
    read = reports(sources.truth / TRUTH, sources.mirror, quick=sources.quick)
    inference = Inference()
    with tempfile.TemporaryDirectory() as rows, reading_folder() as folder:
        reader = Reader(Path(folder))
        every = judge(read, reader, inference, lambda _: UNREFUTED)
        known = judge(read, reader, inference)
        fitted = fits([*read, *used_reports(sources.mirror, Path(rows))], reader, rules_without)
        held = judge_held_out(read, reader, rules_without, fitted)
    if not held.places:
        return Area(NAME, skipped="none of the repositories that the rows name are at hand (--mirror)")
    shown = thresholds(fitted, list(by_repository(held.places)))
    return Area(NAME, _figures(known, held), [*_tables(every, known, held), shown])


@cache
def rules_without(repository: str) -> Rulebook:
    """The rules that a repository is judged by when it is held out."""
    return EVERY_ROW.without_repository(repository)


def _figures(known: Judged, held: Judged) -> list[Figure]:
    groups: list[Group] = [(Score.of(p), by_class(p)) for p in by_repository(held.places).values()]
    whole, styles = Score.of(held.places), sum(1 for one in by_class(held.places) if one.reported)
    plain = whole.plain / whole.reported
    kinds: list[tuple[str, str, Statistic, float]] = [
        ("style", "units with the right style", lambda g: _share(_sum(g), "style"), plain),
        ("style_width", "units with the right style and width", lambda g: _share(_sum(g), "both"), plain),
        ("macro_recall", "recall, mean over styles", lambda g: _macro(g)[0], 1 / styles),
        ("macro_precision", "precision, mean over styles", lambda g: _macro(g)[1], plain / styles),
    ]
    found = []
    for key, what, statistic, baseline in kinds:
        low, high = interval([[group] for group in groups], statistic)
        worst = tuple(misses(held.places, known.places)) if key == "style" else ()
        found.append(Figure(
            f"units.{key}", NAME, what, whole.units, 100 * statistic(groups), "%", "higher", HELD_OUT,
            100 * low, 100 * high, 100 * baseline, f"always {PLAIN}", worst,
        ))  # fmt: skip
    return found


def _macro(groups: Iterable[Group]) -> tuple[float, float]:
    return macro(together(classes for _, classes in groups))


def _sum(groups: Iterable[Group]) -> Score:
    first, *others = (score for score, _ in groups)
    return sum(others, first)


def _share(score: Score, what: str) -> float:
    return float(getattr(score, what)) / score.units


def by_repository(places: Iterable[Place]) -> dict[str, list[Place]]:
    """The places of each repository, by name."""
    return _by(places, _repository)


def _repository(place: Place) -> str:
    return place.report.repository


def _by(places: Iterable[Place], key: Callable[[Place], str]) -> dict[str, list[Place]]:
    found: dict[str, list[Place]] = defaultdict(list)
    for place in places:
        found[key(place)].append(place)
    return dict(sorted(found.items(), key=lambda item: item[0].lower()))


def misses(places: Sequence[Place], in_force: Sequence[Place] = ()) -> Iterable[Miss]:
    """The places with the most wrong units, one of each kernel. `in_force`: the same with every row in force."""
    with_all = {(p.report.build, p.key, str(p.reported)): p.inferred for p in in_force}
    wrong = sorted(places, key=lambda p: (p.reported & p.inferred).total() - p.units)
    seen: set[tuple[str, str]] = set()
    for place in wrong:
        file, kernel, line, op = place.key
        if place.reported == place.inferred or len(seen) == WORST or (place.report.repository, kernel) in seen:
            continue
        seen.add((place.report.repository, kernel))
        report = place.report
        yield Miss(
            f"{report.repository} ({report.family}, aoc {report.version}) {file}:{line} {kernel}, {op}",
            _units(place.reported),
            _units(place.inferred),
            _why(place, with_all.get((report.build, place.key, str(place.reported)), place.inferred)),
        )


def _why(place: Place, with_all: Counter[tuple[str, int | None]]) -> str:
    reported, inferred = place.reported.total(), place.inferred.total()
    if with_all == place.reported:
        return "right with the rows that rest on this repository"
    if not inferred:
        return "no unit: the access is not read, or another one's unit is taken to serve it"
    if not reported:
        return "the compiler builds none here: merged, dropped, or reported on another line"
    if inferred > reported:
        return "more units than built: copies or neighbours that the compiler merges"
    if inferred < reported:
        return "fewer units than built: the compiler keeps apart what we merge"
    return "as many units, of another kind"


def _units(units: Counter[tuple[str, int | None]]) -> str:
    words = [f"{n} × {style} {width or '?'}" for (style, width), n in sorted(units.items(), key=str)]
    return ", ".join(words) or NONE


def _tables(every: Judged, known: Judged, held: Judged) -> list[Table]:
    return [
        _totals(every, known, held),
        _classes(by_class(known.places), by_class(held.places)),
        _breakdown("By device family", "family", known, held, lambda p: p.report.family),
        _breakdown("By repository", "repository", known, held, _repository),
        _confusion(held),
        Table(
            "Confidence of the held-out answers",
            ("confidence", "units inferred", "style right", "style and width right"),
            tuple((c, str(n), _pct(style), _pct(both)) for c, n, style, both in calibration(held.places)),
            "Of the units that are inferred with each confidence, how many the report lists at their place.",
        ),
    ]


def _totals(every: Judged, known: Judged, held: Judged) -> Table:
    rows = []
    sets = (("every row, in-sample", every), ("rows in force, in-sample", known), ("held out by repository", held))
    for name, judged in sets:
        score, (recall, precision) = Score.of(judged.places), macro(by_class(judged.places))
        rows.append((
            name, str(score.places), _pct(score.right / score.places), str(score.units), _pct(_share(score, "style")),
            _pct(_share(score, "both")), _pct(score.kinds / score.sites), _pct(recall), _pct(precision),
        ))  # fmt: skip
    note = (
        f"Units: of each place the reported or the inferred, whichever are more. Kinds: reported places whose set of "
        f"styles is right. {held.without_text} reported places without their text, {held.unjudged} of printf, macros "
        f"and calls left out. Rows that one repository alone shows are off by default, so that leaving it out takes "
        f"nothing more away. Of coalescing and unrolling only the numbers are left out: how accesses merge is in force "
        f"throughout."
    )
    header = ("rules", "places", "all right", "units", "style", "style and width", "kinds", "recall, mean over styles",
              "precision, mean over styles")  # fmt: skip
    return Table("In-sample and held out", header, tuple(rows), note)


def _classes(known: Sequence[ClassScore], held: Sequence[ClassScore]) -> Table:
    in_sample = {one.style: one for one in known}
    header = ("style", "reported", "inferred", "right", "recall", "precision", "in-sample recall", "precision")
    rows = []
    for one in held:
        other = in_sample.get(one.style, ClassScore(one.style, one.reported, 0, 0))
        counts = (str(one.reported), str(one.inferred), str(one.right))
        rows.append((one.style, *counts, *(c for s in (one, other) for c in _cells(s))))
    return Table("By style, held out", header, tuple(rows))


def _cells(one: ClassScore) -> tuple[str, str]:
    return (_pct(one.recall) if one.reported else "–", _pct(one.precision) if one.inferred else "–")


def _breakdown(title: str, what: str, known: Judged, held: Judged, key: Callable[[Place], str]) -> Table:
    in_sample = _by(known.places, key)
    rows = []
    for name, places in _by(held.places, key).items():
        score, other = Score.of(places), Score.of(in_sample.get(name, ()))
        rows.append((
            name, str(score.units), _pct(_share(score, "style")), _pct(_share(score, "both")),
            _pct(_share(other, "style")) if other.units else "–",
            _pct(score.plain / score.reported) if score.reported else "–",
            _pct(score.kinds / score.sites) if score.sites else "–",
        ))  # fmt: skip
    header = (what, "units", "style", "style and width", "in-sample style", f"always {PLAIN}", "kinds")
    return Table(title, header, tuple(rows))


def _confusion(held: Judged) -> Table:
    matrix = confusion(held.places)
    sums: Counter[str] = Counter()
    for (reported, _), n in matrix.items():
        sums[reported] += n
    others = {inferred for _, inferred in matrix} - set(sums)
    names = [s for s, _ in sums.most_common() if s != NONE] + sorted(others - {NONE}) + [NONE]
    rows = tuple((name, *(str(matrix[name, other] or "") for other in names)) for name in names)
    return Table("Confusion, held out", ("reported ↓ inferred →", *names), rows, "Units, paired at their places.")


def _pct(share: float) -> str:
    return f"{100 * share:.1f} %"
