"""Units and intervals of repositories that nobody had looked at when the rules were written.

    python -m bench.scoreboard --only blind --mirror DIR

`blind.json` names the repositories and their reports. They were found by the names of report files alone; their units
and loops were read for the first time by this area, after the rules were frozen. Texts and options come out of the
reports. No rule, threshold or latency rests on them, so the rules in force are judged as they are.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from bench.scoreboard import loops, units
from bench.scoreboard.figure import Area, Figure, Sources, Table, interval
from bench.scoreboard.places import PLAIN, Inference, Place, Score, judge
from bench.scoreboard.reports import Reader, reading_folder, reports
from bench.scoreboard.repositories import git_dir
from bench.scoreboard.rows import write_rows

NAME = "Reports never looked at"
HELD_OUT = "all of it: first read when the rules were frozen"
REPORTS = Path(__file__).with_name("blind.json")


def measure(sources: Sources) -> Area:
    """Units and loops of the reports whose repositories are at hand."""
    mirror = sources.mirror
    entries = [e for e in json.loads(REPORTS.read_text("utf-8")) if mirror and git_dir(mirror, e["repo"]).is_dir()]
    if mirror is None or not entries:
        return Area(NAME, skipped="needs the repositories that bench/scoreboard/blind.json names (--mirror)")
    with tempfile.TemporaryDirectory() as rows, reading_folder() as folder:
        write_rows(entries, mirror, Path(rows))
        reader = Reader(Path(folder))
        places = judge(reports(Path(rows) / units.TRUTH, mirror, quick=False), reader, Inference()).places
        judged = loops.judge(reports(Path(rows) / loops.TRUTH, mirror, quick=False), reader).loops
    if not places or not judged:
        return Area(NAME, skipped="none of the reports holds its text")
    kin = {e["repo"]: str(e.get("kin", "")) for e in entries}
    return Area(NAME, [*_units(places, kin), *_loops(judged)], [_by_repository(places, judged, kin)])


def _units(places: Sequence[Place], kin: Mapping[str, str]) -> Iterable[Figure]:
    """Over all of them, and over those whose kernels no known repository shares."""
    strange = [p for p in places if not kin[p.report.repository]]
    for key, what, own in (
        ("", "units", places),
        ("_strange", "kernels in no known repository: units", strange),
    ):
        groups = [Score.of(own_places) for own_places in units.by_repository(own).values()]
        if not groups:
            continue
        for kind, words in (("style", "with the right style"), ("both", "with the right style and width")):
            low, high = interval([[g] for g in groups], partial(_share, kind=kind))
            plain = sum(g.plain for g in groups) / max(sum(g.reported for g in groups), 1)
            yield Figure(
                f"blind.{kind}{key}", NAME, f"{what} {words}", sum(g.units for g in groups), 100 * _share(groups, kind),
                "%", "higher", HELD_OUT, 100 * low, 100 * high, 100 * plain, f"always {PLAIN}",
                tuple(units.misses(own)) if kind == "style" and not key else (),
            )  # fmt: skip


def _share(groups: Sequence[Score], kind: str) -> float:
    return float(sum(getattr(g, kind) for g in groups)) / sum(g.units for g in groups)


def _loops(judged: Sequence[loops.Loop]) -> Iterable[Figure]:
    for figure in loops.figures(judged):
        yield Figure(**{
            **vars(figure), "key": figure.key.replace("loops.", "blind."), "area": NAME, "held_out": HELD_OUT,
        })  # fmt: skip


def _by_repository(places: Sequence[Place], judged: Sequence[loops.Loop], kin: Mapping[str, str]) -> Table:
    own_loops = loops.by_repository(judged)
    own_places = units.by_repository(places)
    rows = []
    for name in sorted({*own_loops, *own_places}, key=str.lower):
        score = Score.of(own_places.get(name, ()))
        count = loops.counts(own_loops.get(name, ()), held=False)
        rows.append((
            name, str(score.reported), str(score.units),
            f"{score.style} of {score.units}", f"{score.both} of {score.units}", f"{score.plain} of {score.reported}",
            f"{count['right']} of {count['loops']}", f"{count['one']} of {count['loops']}",
            f"{count['above_near']} of {count['above']}", kin.get(name, ""),
        ))  # fmt: skip
    header = ("repository", "units reported", "units judged", "style", "style and width", f"always {PLAIN}", "II right",
              "always 1", "II > 1 within 25%", "kernels also in")  # fmt: skip
    return Table("By repository", header, tuple(rows))
