"""Whole-kernel times of repositories that nobody had looked at when they were first foreseen.

    python -m bench.scoreboard --only blind_times --mirror DIR

``blind_times.jsonl`` names published kernels, how they were built and launched, the time that was measured, and in
``first_ms`` what was foreseen for it before anyone had read its text or its time. Rows whose time is below an
iteration a cycle of their text are left out: text and time do not belong together. Times by the board's profiler are
the kernel's, others those of a host's timer, so that the launch counts. Kernels that channels join are one row. A row
that is known to be of another text says ``why``; it counts all the same.

Rows without a ``round`` are the first. The newest round is the headline, as it was first foreseen. All have been read
since, and the model was mended by the first. Of the second, left out are times of launches that nobody printed, times
that hold the host's own work, and loops that data end. Where the profile next to a time counts work-items, its count is
the launch. A board that is not known has the nearest of the same device: the Nallatech 510T the 385A's, the Agilex 7
that of the N6001. The n-body program's launch was read for one device at first: twelve of its times were below an
iteration a cycle of the text. The host's program shares the bodies among two, and the same code foresaw them again.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from bench.scoreboard.figure import Area, Figure, Sources, Table, interval
from bench.scoreboard.repositories import git_dir, git_files, git_show
from bench.scoreboard.times import HEADER, SUFFIXES, Spread, Timed, by_error, cells, predicted, spread

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.config.layers import Layer

NAME = "Times never looked at"
LATER = f"{NAME}, used as evidence since"
ROWS = Path(__file__).with_name("blind_times.jsonl")
FIRST = "all of it: as foreseen before texts and times were looked at"
SINCE = "nothing: the model has been mended by what they showed"
MOST_SHOWN = 20


def measure(sources: Sources) -> Area:
    """The times as they were first foreseen, and as they are now; a quick run takes all rows as well."""
    facts = [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()]
    mirror = sources.mirror
    if mirror is None or not all(git_dir(mirror, name).is_dir() for name in {row["repo"] for row in facts}):
        return Area(NAME, skipped="needs the repositories that bench/scoreboard/blind_times.jsonl names (--mirror)")
    now = list(_foreseen(facts, mirror))
    first = [replace(row, predicted_ms=fact["first_ms"]) for row, fact in zip(now, facts, strict=True)]
    rounds: dict[int, list[Timed]] = {}
    for row, fact in zip(first, facts, strict=True):
        rounds.setdefault(fact.get("round", 1), []).append(row)
    figures = [
        *_figures("blind_times", NAME, rounds[max(rounds)], FIRST), *_figures("seen_times", LATER, now, SINCE)
    ]  # fmt: skip
    sets = [(name, list(rows)) for name, rows in groupby(zip(first, now, strict=True), lambda pair: pair[0].suite)]
    parts = []
    for name, pairs in sets:
        for when, rows in (("first", [a for a, _ in pairs]), ("now", [b for _, b in pairs])):
            parts.append((name, when, *cells(spread(rows), rows)))
    reasons = {id(row): fact.get("why", "") for row, fact in zip(now, facts, strict=True)}
    worst = tuple(
        (
            row.name,
            f"{row.measured_ms:.3g}",
            f"{row.predicted_ms:.3g}",
            f"{row.predicted_ms / row.measured_ms:.3g}×",
            reasons[id(row)],
        )
        for row in by_error(now)[:MOST_SHOWN]
        if row.predicted_ms
    )
    return Area(NAME, figures, [
        Table("What each round showed before it was looked at", ("round", "foreseen by", *HEADER), _by_round(rounds)),
        Table("Times by collection", ("collection", "foreseen", *HEADER), tuple(parts)),
        Table("Worst now", ("kernel", "measured ms", "predicted ms", "factor", "why"), worst),
    ])  # fmt: skip


def _by_round(rounds: Mapping[int, Sequence[Timed]]) -> tuple[tuple[str, ...], ...]:
    """Each round as it was first foreseen, and by the longer of the simple bounds."""
    ways: tuple[tuple[str, Callable[[Timed], float | None]], ...] = (
        ("Burstline", lambda row: row.predicted_ms),
        ("the simple bounds", lambda row: row.floor_ms),
    )
    return tuple(
        (str(number), by, *cells(spread(rows, time), rows)) for number, rows in rounds.items() for by, time in ways
    )


def _figures(key: str, area: str, rows: Sequence[Timed], held_out: str) -> Iterator[Figure]:
    every, simple = spread(rows), spread(rows, lambda row: row.floor_ms)

    def of(get: Callable[[Spread], float], some: Sequence[Timed]) -> float:
        found = spread(some)
        return get(found) if found else math.nan

    def figure(name: str, what: str, get: Callable[[Spread], float], unit: Any) -> Figure:
        sets = [list(own) for _, own in groupby(rows, lambda row: row.suite)]
        low, high = interval(sets, lambda some: of(get, some))
        return Figure(
            key=f"{key}.{name}", area=area, what=what, rows=len(rows), better="lower", held_out=held_out,
            ours=get(every) if every else None, low=low, high=high, unit=unit,
            baseline=get(simple) if simple else None,
            baseline_name="as for whole-kernel times",
        )  # fmt: skip

    yield figure("median", "median factor between predicted and measured time", lambda s: s.median, "x")
    yield figure("geomean", "geometric mean of that factor", lambda s: s.geomean, "x")
    yield figure("worse_than_3x", "share of the times worse than 3×", lambda s: s.far, "%")


def _foreseen(facts: Sequence[Mapping[str, Any]], mirror: Path) -> Iterator[Timed]:
    """The rows in their order; what is built and launched alike is assessed once."""
    with tempfile.TemporaryDirectory(prefix="blind_times") as name:
        known: dict[str, Assessment] = {}
        for row in facts:
            home = _laid_out(row, mirror, Path(name))
            key = json.dumps([str(home), row["file"], row["settings"], row.get("header")])
            if key not in known:
                known[key] = _assessed(row, home)
            yield _row(row, known[key])


def _laid_out(row: Mapping[str, Any], mirror: Path, folder: Path) -> Path:
    """The folder with a repository's texts at a commit, and the header that the build makes of its options."""
    options = "_".join(text for texts in row.get("header", {}).values() for text in texts)
    home = folder / row["repo"].replace("/", "+") / row["commit"][:12] / "".join(filter(str.isalnum, options))[:80]
    if not home.exists():
        for file in git_files(mirror, row["repo"], row["commit"]):
            if file.endswith(SUFFIXES):
                (home / file).parent.mkdir(parents=True, exist_ok=True)
                (home / file).write_bytes(git_show(mirror, row["repo"], f"{row['commit']}:{file}"))
        for header, texts in row.get("header", {}).items():
            (home / header).write_text("".join(f"#define {text}\n" for text in texts), "utf-8")
    return home


def _assessed(row: Mapping[str, Any], home: Path) -> Assessment:
    includes = [str(home), *(str(home / name) for name in row.get("includes", ()))]
    settings = {**row["settings"], "report": "off", "include_paths": includes}
    path = home / row["file"]
    return Assessor([home]).assess(path.read_bytes(), str(path), [Layer("option", settings)])


def _row(row: Mapping[str, Any], done: Assessment) -> Timed:
    kernels = [k for k in done.kernels if not row["kernel"] or k.facts.name == row["kernel"]]
    name = f"{row['file'].rpartition('/')[2]} {row['kernel']}".rstrip()
    known = Timed(name, row["set"], row["settings"]["board"], row["set"], row["time_ms"])
    if not kernels:
        return known
    found = predicted(known, done, max(kernels, key=lambda k: k.estimate.time_s or 0.0))
    return replace(found, predicted_ms=found.alone_ms) if row.get("by") == "profiler" else found
