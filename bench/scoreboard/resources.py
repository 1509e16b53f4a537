"""How far off the resource model is, against vendor reports and builds after place and route.

    python -m bench.scoreboard.resources --truth DIR --mirror DIR [--fit] [--rows] [--markdown docs/resources.md]

`--truth` is a folder with ``lsu_train.jsonl`` and ``loops_train.jsonl`` (reports by repository, commit and path),
``boyi_train.jsonl`` and ``spector/*.csv`` (resources and clocks of variants); `--mirror` holds git directories as
``OWNER+NAME/repo``. `--fit` prints the fitted blocks of the cost tables, `--rows` the medians of the reports' rows that
the other blocks come from. Errors are those of the kernels alone: the board's shell is taken off whole designs.

Held out: for each group of builds in turn the fitted blocks are fitted without it, and judge it. Shells are measured
per board and stay.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median, quantiles

from bench.marked import MarkedPart
from bench.scoreboard.builds import Build, builds, report_rows
from bench.scoreboard.figure import Area, Figure, Miss, Sources, Table, interval
from bench.scoreboard.fit import (
    FABRIC,
    FITTED,
    FLOOR,
    Clocked,
    Pieces,
    clocked,
    family_of,
    fit,
    fit_clock,
    pieces_of,
    placed_truth,
    predicted_by,
)

from burstline_model.devices.cost_tables import cost_table
from burstline_model.devices.resource_use import RESOURCES, WORDS, Resource

MEASURED = MarkedPart("python -m bench.scoreboard.resources")
SHARED = ("Arria 10", "Stratix V", "Cyclone V")
"""Families that one fabric is fitted for; Stratix 10 has its own."""
CLOSE = 0.25
ROUGH = {"logic_alms": (40.0, 1250.0), "registers": (80.0, 2500.0), "rams": (0.0, 16.0), "dsps": (0.5, 0.0)}
"""The rough count: one figure for each operation, one for each load/store unit."""
Guess = Callable[[Pieces, Resource], float]


@dataclass(frozen=True)
class Score:
    """Errors of one resource over some builds."""

    errors: tuple[float, ...]

    @property
    def cells(self) -> str:
        """Median and share of close ones."""
        if not self.errors:
            return "– | –"
        close = sum(e <= CLOSE for e in self.errors) / len(self.errors)
        return f"{median(self.errors):.0%} | {close:.0%}"


def score(pieces: Sequence[Pieces], resource: Resource, guess: Guess) -> Score:
    """Errors relative to what was built, or to the floor where that is less."""
    found = []
    for p in pieces:
        truth = placed_truth(p.build, resource)
        if truth is not None and truth > 0:
            found.append(abs(guess(p, resource) - truth) / max(truth, FLOOR[resource]))
    return Score(tuple(found))


def shipped(pieces: Pieces, resource: Resource) -> float:
    """The prediction of the cost tables as they are."""
    fabric = cost_table(family_of(pieces.build)).fabric
    at = {"logic_alms": 0, "registers": 1, "rams": 2, "dsps": 3}[resource]
    known = {"logic_alms": fabric.alms_per_alut, "registers": fabric.registers_per_register}.get(resource, 1.0)
    rows = [(*getattr(fabric, name), 0.0, 0.0, 0.0, 0.0)[at] for name in FABRIC]
    return predicted_by([known, *rows], pieces, resource)


def rough(pieces: Pieces, resource: Resource) -> float:
    """A count of operations and units, each at one figure."""
    each_operation, each_unit = ROUGH[resource]
    operations = (pieces.counts["loop_bit"] + pieces.counts["item_bit"]) / 32
    return each_operation * operations + each_unit * pieces.units


def mean_of(pieces: Sequence[Pieces]) -> Guess:
    """Always the mean of the family's builds."""
    means: dict[tuple[str, Resource], float] = {}
    for resource in RESOURCES:
        by_family = defaultdict(list)
        for p in pieces:
            if (truth := placed_truth(p.build, resource)) is not None:
                by_family[p.build.family].append(truth)
        means.update({(family, resource): fmean(values) for family, values in by_family.items()})
    return lambda p, resource: means[p.build.family, resource]


def held_out(pieces: Sequence[Pieces], group: str, resource: Resource) -> Guess:
    """The model fitted without a group's builds, on the families whose fabric is shared with it."""
    own = next(p.build.family for p in pieces if p.build.group == group)
    others = [p for p in pieces if p.build.group != group and like(p.build.family, own)]
    if resource not in FITTED or not any(p.build.fitted for p in others):
        return shipped
    factors = fit(others, resource)
    return lambda p, name: predicted_by(factors, p, name)


def like(one: str, other: str) -> bool:
    """Whether two families have one fabric."""
    return one == other or {one, other} <= set(SHARED)


def measure(sources: Sources) -> Area:
    """The median errors of logic, RAM and DSP blocks, each group of builds judged by a fit without it."""
    area = Area("Resources")
    if sources.truth is None or sources.mirror is None:
        area.skipped = "needs published builds (--truth) and the repositories that they come from (--mirror)"
        return area
    if sources.quick:
        area.skipped = "fits take minutes: not in a quick run"
        return area
    pieces = [pieces_of(b) for b in builds(sources.truth, sources.mirror)]
    always = mean_of(pieces)
    for resource in JUDGED:
        by_group = {
            group: _judged([p for p in pieces if p.build.group == group], resource, held_out(pieces, group, resource))
            for group in sorted({p.build.group for p in pieces})
        }
        rows = [row for group in by_group.values() for row in group]
        low, high = interval(list(by_group.values()), _median_error)
        worst = sorted(rows, key=lambda row: -row.error)[:5]
        area.figures.append(
            Figure(
                key=f"resources.{resource}", area=area.name, what=f"{WORDS[resource]}: median error", rows=len(rows),
                ours=_median_error(rows), low=low, high=high, unit="%", better="lower",
                baseline=100 * median(score(pieces, resource, always).errors), baseline_name="always the mean",
                held_out="by repository, or folder of one: fitted without it",
                worst=tuple(Miss(r.name, f"{r.truth:.0f}", f"{r.guess:.0f}") for r in worst),
            )
        )  # fmt: skip
    area.tables.append(_by_group(pieces))
    return area


JUDGED: tuple[Resource, ...] = ("logic_alms", "rams", "dsps")


@dataclass(frozen=True)
class Judged:
    """One resource of one build: built, predicted, and the relative error."""

    name: str
    truth: float
    guess: float
    error: float


def _judged(pieces: Sequence[Pieces], resource: Resource, guess: Guess) -> list[Judged]:
    found = []
    for p in pieces:
        truth = placed_truth(p.build, resource)
        if truth is not None and truth > 0:
            predicted = guess(p, resource)
            error = abs(predicted - truth) / max(truth, FLOOR[resource])
            found.append(Judged(f"{p.build.group}: {p.build.name}", truth, predicted, error))
    return found


def _median_error(rows: Sequence[Judged]) -> float:
    return 100 * median(row.error for row in rows)


def _by_group(pieces: Sequence[Pieces]) -> Table:
    rows = []
    for group in sorted({p.build.group for p in pieces}):
        part = [p for p in pieces if p.build.group == group]
        judged = [_judged(part, r, held_out(pieces, group, r)) for r in JUDGED]
        cells = [f"{_median_error(one):.0f} %" if one else "–" for one in judged]
        rows.append((group, part[0].build.family, str(len(part)), *cells))
    header = ("group", "family", "builds", *(WORDS[r] for r in JUDGED))
    return Table("Resources by group, each fitted without it: median error", header, tuple(rows))


def tables(pieces: Sequence[Pieces], points: Sequence[Clocked]) -> str:
    """The measured part of the page."""
    groups = sorted({p.build.group for p in pieces})
    lines = [
        f"{len(pieces)} kernels and designs, {sum(p.build.fitted is not None for p in pieces)} of them placed.",
        "",
        "| resource | builds | median error | within 25 % | held out | within 25 % | always the mean | within 25 % "
        "| rough count | within 25 % |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    by_group: dict[tuple[str, Resource], Score] = {}
    always = mean_of(pieces)
    for resource in RESOURCES:
        own = score(pieces, resource, shipped)
        for group in groups:
            part = [p for p in pieces if p.build.group == group]
            by_group[group, resource] = score(part, resource, held_out(pieces, group, resource))
        out = Score(tuple(e for group in groups for e in by_group[group, resource].errors))
        cells = [s.cells for s in (own, out, score(pieces, resource, always), score(pieces, resource, rough))]
        lines.append(f"| {WORDS[resource]} | {len(own.errors)} | {' | '.join(cells)} |")
    lines += ["", "Held out, by group:", "", "| group | family | builds | logic | registers | RAM | DSP |"]
    lines.append("|---|---|---:|---:|---:|---:|---:|")
    for group in groups:
        part = [p for p in pieces if p.build.group == group]
        cells = [by_group[group, resource].cells.split(" |")[0] for resource in RESOURCES]
        lines.append(f"| {group} | {part[0].build.family} | {len(part)} | {' | '.join(cells)} |")
    families = sorted({p.build.family for p in pieces})
    lines += ["", "Median error, held out, by family:", ""]
    lines += ["| family | logic | registers | RAM | DSP |", "|---|---:|---:|---:|---:|"]
    for family in families:
        own_groups = [g for g in groups if any(p.build.group == g and p.build.family == family for p in pieces)]
        scores = [Score(tuple(e for g in own_groups for e in by_group[g, r].errors)) for r in RESOURCES]
        lines.append(f"| {family} | {' | '.join(s.cells.split(' |')[0] for s in scores)} |")
    return "\n".join([*lines, "", *clock_table(points)])


def clock_table(points: Sequence[Clocked]) -> list[str]:
    """f_max by family: the line, its error held out, and how often a build lies in the interval."""
    lines = [
        "| family | builds | typical f_max, empty to full | median error | held out | always the median | in range |"
    ]
    lines.append("|---|---:|---:|---:|---:|---:|---:|")
    for family in sorted({p.family for p in points}):
        own = [p for p in points if p.family == family]
        clock = cost_table(next(f for f in ("Stratix V", "Arria 10", "Stratix 10") if f == family)).clock
        line = (clock.empty_mhz, clock.fall_mhz)
        outside: list[float] = []
        usual: list[float] = []
        for group in {p.group for p in own}:
            others = [p for p in own if p.group != group]
            here = [p for p in own if p.group == group]
            other = fit_clock(others, clock.by)
            middle = median(p.f_max_mhz for p in others)
            outside += [abs(on(other, p, clock.by) / p.f_max_mhz - 1) for p in here]
            usual += [abs(middle / p.f_max_mhz - 1) for p in here]
        errors = [abs(on(line, p, clock.by) / p.f_max_mhz - 1) for p in own]
        inside = fmean(clock.low <= p.f_max_mhz / on(line, p, clock.by) <= clock.high for p in own)
        lines.append(
            f"| {family} | {len(own)} | {line[0]:.0f} − {line[1]:.0f} · share, in MHz | {median(errors):.1%} "
            f"| {median(outside):.1%} | {median(usual):.1%} | {inside:.0%} |"
        )
    return lines


def on(line: tuple[float, float], point: Clocked, by: Sequence[str]) -> float:
    """The clock that a line gives for a build."""
    return line[0] - line[1] * max(point.shares[name] for name in by)


def fitted_blocks(pieces: Sequence[Pieces], points: Sequence[Clocked]) -> str:
    """The fitted blocks of the cost tables."""
    lines: list[str] = []
    for title, families in (("common", SHARED), ("stratix_10", ("Stratix 10",))):
        own = [p for p in pieces if p.build.family in families]
        columns = {resource: fit(own, resource) for resource in FITTED}
        lines += [f"# {title}.toml", "[fabric]"]
        lines.append(f"alms_per_alut = {columns['logic_alms'][0]:.3g}")
        lines.append(f"registers_per_register = {columns['registers'][0]:.3g}")
        for i, name in enumerate(FABRIC, start=1):
            if name != "channel_bit":
                lines.append(f"{name} = [{', '.join(f'{columns[r][i]:.3g}' for r in FITTED)}]")
    for family in sorted({p.family for p in points}):
        own_points = [p for p in points if p.family == family]
        for by in (("logic_alms",), ("logic_alms", "rams")):
            line = fit_clock(own_points, by)
            ratios = quantiles([p.f_max_mhz / on(line, p, by) for p in own_points], n=10)
            floor = quantiles([p.f_max_mhz for p in own_points], n=20)[0]
            lines.append(
                f"# {family} by {by}: empty_mhz = {line[0]:.0f}, fall_mhz = {line[1]:.0f}, floor_mhz = {floor:.0f}, "
                f"low = {ratios[0]:.2f}, high = {ratios[-1]:.2f}"
            )
    return "\n".join(lines)


def main() -> None:
    """Print or write the measured part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--markdown", type=MEASURED.page, metavar="FILE", help="write the page's measured part")
    parser.add_argument("--fit", action="store_true", help="print the fitted blocks")
    parser.add_argument("--rows", action="store_true", help="print the medians of the reports' rows")
    arguments = parser.parse_args()
    if arguments.rows:
        print("\n".join(report_rows(arguments.truth, arguments.mirror)))
        return
    read: list[Build] = list(builds(arguments.truth, arguments.mirror))
    pieces = [pieces_of(b) for b in read]
    points = clocked(read, arguments.truth)
    if arguments.fit:
        print(fitted_blocks(pieces, points))
        return
    text = tables(pieces, points)
    if arguments.markdown is None:
        print(text)
        return
    MEASURED.write(arguments.markdown, text)


if __name__ == "__main__":
    main()
