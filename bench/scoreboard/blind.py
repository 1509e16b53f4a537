"""Units and intervals of repositories that nobody had looked at when the rules were written.

    python -m bench.scoreboard --only blind --mirror DIR

`blind.json` names the repositories and their reports, each with the round that it belongs to. The reports of a round
were found by their names alone; their units and loops were read for the first time by this area, after the rules were
frozen. Texts and options come out of the reports. No rule, threshold or latency rests on the rounds after `USED`, so
the rules in force are judged as they are. The newest of them is the headline. Older rounds have been read since, and
rules rest on them: they are shown apart. Where every round has been read, the headline is what the newest ones showed
before that, the worst of each, from `published.json`, which keeps these figures of all rounds. A round of one
repository that earlier rounds know as well is no headline, nor is one of few units of a single repository: they are in
the table of all rounds. Rounds 8 to 10, 12 and 13 have no loops: their units are judged by kernel (`by_kernel.py`).
"""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from bench.scoreboard import by_kernel, loops, units
from bench.scoreboard.figure import Area, Figure, Sources, Table, interval
from bench.scoreboard.places import PLAIN, Inference, Place, Score, judge
from bench.scoreboard.reports import Reader, reading_folder, reports
from bench.scoreboard.rounds import PUBLISHED, USED, at_hand
from bench.scoreboard.rows import write_rows

NAME = "Reports never looked at"
FEWEST_PLACES = 10
"""Of a family and compiler, for a row of its own."""


def measure(sources: Sources) -> Area:
    """Units and loops of the reports whose repositories are at hand, round by round, the newest first."""
    mirror = sources.mirror
    entries = at_hand(mirror) if mirror is not None else []
    if mirror is None or not entries:
        return Area(NAME, skipped="needs the repositories that bench/scoreboard/blind.json names (--mirror)")
    rounds = sorted({int(e["round"]) for e in entries}, reverse=True)
    parts, every = [], list[Place]()
    for number in rounds:
        own = [e for e in entries if e["round"] == number]
        places, judged = _judged(own, mirror)
        every += places
        parts.append(_round(number, own, places, judged))
    figures, tables = [f for part in parts for f in part.figures], [t for part in parts for t in part.tables]
    tables.insert(0, _by_compiler(every))
    if not figures:
        return Area(NAME, skipped="none of the reports holds its text")
    published = json.loads(PUBLISHED.read_text("utf-8"))
    if rounds[0] <= USED:
        figures = [*_published(published["figures"]), *figures]
    return Area(NAME, figures, [_before(published["rounds"]), _sure(published["sure"]), *tables])


def _published(figures: Sequence[Mapping[str, Any]]) -> Iterable[Figure]:
    """What the newest round of several repositories showed before its reports were looked at."""
    for one in figures:
        yield Figure(**one, area=NAME, held_out="all of it: as published before the reports were looked at")


def _before(rounds: Sequence[Mapping[str, Any]]) -> Table:
    header = ("round", "units judged", "style", f"always {PLAIN}", "loops with an II", "II right", "always 1",
              "loops with II > 1", "within 25%")  # fmt: skip
    keys = ("units", "style", "plain", "loops", "ii", "one", "above", "above_near")
    counts = {"units", "loops", "above"}
    rows = tuple(
        (str(r["round"]), *(str(r[k]) if k in counts else "–" if r[k] is None else f"{r[k]} %" for k in keys))
        for r in rounds
    )
    note = f"Figures as first published. Rounds 1 to {USED} have been looked at since, and rules rest on them. "
    note += "Round 7 is of one repository of which other reports were known. Rounds 8 to 10 are of two, four and one "
    note += (
        "of which none were; their reports (14.1 to 16.0) name no caches, most no lines: units are judged by kernel, "
    )
    note += (
        "loops are not. Of round 9 six units are those of two vector additions, which earlier reports show as well. "
    )
    note += "Round 11, of one repository whose git directory is not to be had, was judged by hand. Round 12 is of five "
    note += "repositories by two authors (Cyclone V, 14.0 and 15.1), by the Verilog that the compiler made, with its "
    note += (
        "caches; the time of one of the kernels was known, no unit. Round 13 is of builds by 14.1 to 16.0 that lie in "
    )
    note += (
        "six known repositories and their histories, most of them kernels of one (Stratix V, 15.0). Caches and stores "
    )
    note += "with acknowledgement of Cyclone V from 18.0 on were not read before: "
    note += "of rounds 1, 2, 3 and 5 up to 1, 2, 11 and 29 units that count as right here were not. "
    note += "The figures above are the worst of rounds 6, 8, 9 and 12."
    return Table("What each round showed before it was looked at", header, rows, note)


def _sure(rounds: Sequence[Mapping[str, Any]]) -> Table:
    """How often units of each confidence were right at first sight, as it was stated then and as it is stated now."""
    kinds = [(when, level) for when in ("stated", "now") for level in ("high", "medium", "low")]
    counts = [{kind: r[kind[0]].get(kind[1], [0, 0]) for kind in kinds} for r in rounds]
    every = {kind: [sum(column) for column in zip(*(c[kind] for c in counts), strict=True)] for kind in kinds}
    rows = tuple(
        (name, *("–" if not c[kind][0] else f"{c[kind][1]} of {c[kind][0]}" for kind in kinds))
        for name, c in zip((*(str(r["round"]) for r in rounds), "all"), (*counts, every), strict=True)
    )
    note = "Units with the right style when a round was first read. `now`: the same answers with the confidence that "
    note += "today's rules of confidence give them; these rules were drawn on these rounds. Answers to rounds 1 to 3 "
    note += "were not kept."
    header = ("round", "high", "medium", "low", "high, now", "medium, now", "low, now")
    return Table("Confidence of the answers at first sight", header, rows, note)


def _judged(entries: Sequence[Mapping[str, Any]], mirror: Path) -> tuple[list[Place], list[loops.Loop]]:
    """The places of units and the loops of one round's reports."""
    with tempfile.TemporaryDirectory() as rows, reading_folder() as folder:
        write_rows((e for e in entries if "texts" not in e), mirror, Path(rows))
        reader = Reader(Path(folder))
        whole = by_kernel.places((e for e in entries if "texts" in e), mirror, reader)
        places = judge(reports(Path(rows) / units.TRUTH, mirror, quick=False), reader, Inference()).places
        places += whole
        return places, loops.judge(reports(Path(rows) / loops.TRUTH, mirror, quick=False), reader).loops


def _round(
    number: int, entries: Sequence[Mapping[str, Any]], places: Sequence[Place], judged: Sequence[loops.Loop]
) -> Area:
    """One round. The figures of a round that rules rest on have keys and an area of their own."""
    used = number <= USED
    area = f"Reports of round {number}, used as evidence since" if used else NAME
    key, held_out = (
        (f"round{number}", "nothing: rules rest on them since") if used
        else ("blind", "all of it: first read when the rules were frozen")
    )  # fmt: skip
    if not places:
        return Area(area)
    kin = {e["repo"]: str(e.get("kin", "")) for e in entries}
    found = [
        replace(figure, key=f"{key}.{figure.key}", area=area, held_out=held_out)
        for figure in (*_units(places, kin), *_loops(judged))
    ]
    return Area(area, found, [_by_repository(f"By repository, round {number}", places, judged, kin)])


def _by_compiler(places: Sequence[Place]) -> Table:
    """All rounds by device family and compiler, as they are answered today, where there are enough places."""
    groups: defaultdict[tuple[str, str], list[Place]] = defaultdict(list)
    for place in places:
        row = place.report.rows[0]
        groups[row["family"], f"{row['aoc'].partition('.')[0]}.x"].append(place)
    rows = []
    for (family, compiler), own in sorted(groups.items()):
        score = Score.of(own)
        if len(own) >= FEWEST_PLACES:
            style, plain = score.style / score.units, score.plain / max(score.reported, 1)
            counts = (str(len(own)), str(score.units), f"{100 * style:.1f} %", f"{100 * plain:.1f} %")
            rows.append((family, compiler, *counts, "" if style >= plain else "worse"))
    note = (
        f"All rounds together, families and compilers with {FEWEST_PLACES} places or more. Rules rest on all of these "
    )
    note += f"reports. The baseline answers {PLAIN} for each reported unit: it knows how many there are."
    header = ("family", "compiler", "places", "units", "style", f"always {PLAIN}", "")
    return Table("All rounds by family and compiler, as they are answered now", header, tuple(rows), note)


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
                f"{kind}{key}", NAME, f"{what} {words}", sum(g.units for g in groups), 100 * _share(groups, kind),
                "%", "higher", "", 100 * low, 100 * high, 100 * plain, f"always {PLAIN}",
                tuple(units.misses(own)) if kind == "style" and not key else (),
            )  # fmt: skip


def _share(groups: Sequence[Score], kind: str) -> float:
    return float(sum(getattr(g, kind) for g in groups)) / sum(g.units for g in groups)


def _loops(judged: Sequence[loops.Loop]) -> Iterable[Figure]:
    for figure in loops.figures(judged):
        yield replace(figure, key=figure.key.removeprefix("loops."))


def _by_repository(title: str, places: Sequence[Place], judged: Sequence[loops.Loop], kin: Mapping[str, str]) -> Table:
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
    return Table(title, header, tuple(rows))
