"""The measured part of docs/performance.md."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

from bench.edits import Edited
from bench.instructions import RECORDED
from bench.instructions import SIZES as SIZES_COUNTED
from bench.performance.goals import GOALS, Goal, times_faster
from bench.performance.results import COMMANDS, SIZES, Point, Results
from bench.servers.known import CLANGD, OURS
from bench.servers.tables import side_by_side
from bench.times import cell, ms, table

ROOMS_SHOWN = 8
_BUSY = (
    "More ran than there are cores: what was measured waited for its turn, most of all where p95 and max are given; "
    "*on a processor* does not hold such waiting."
)


def markdown(results: Results) -> str:
    """Every table and every sentence with a figure."""
    parts = [
        _made(), "## Goals", *_goals(results), "## Side by side", side_by_side(results.files), _ratios(results),
        "At an editor that asks for diagnostics, and at one that they are sent to:", side_by_side(results.pushed),
        "Memory, and files too long for most people:", side_by_side(results.held), "## Starting", _starts(results),
        "## By our own clock", _own(results), "## Curves", "![What an edit costs](pictures/performance.svg)",
        _curve("kernels", results.kernels), _curve("nested headers", results.headers),
        "## Where the time goes", *_profiles(results),
        "## Counted instead of timed", *_counted(),
    ]  # fmt: skip
    return "\n\n".join(parts)


def _made() -> str:
    try:
        peer = f"clangd {version('clangd')}"
    except PackageNotFoundError:
        peer = "no clangd"
    with open("/proc/cpuinfo", encoding="utf-8") as file:  # noqa: PTH123
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "")
    load, cores = os.getloadavg()[2], os.cpu_count() or 1
    made = (
        f"Made on {datetime.now(UTC):%Y-%m-%d}: {cores} cores ({model or platform.machine()}), load "
        f"{load:.1f} over the last quarter of an hour, Python {platform.python_version()}, {peer}."
    )
    return f"{made} {_BUSY}" if load > cores else made


def _goals(results: Results) -> list[str]:
    rows, reasons = [], dict[str, str]()
    for goal in GOALS:
        value, met = goal.value(results), goal.met(results)
        figure = "not measured" if value is None else f"{_short(value)} {goal.unit}"
        sign = "≥" if goal.least else "≤"
        rows.append([goal.words, f"{sign} {goal.bound:g} {goal.unit}", figure, _verdict(goal, value, met)])
        if met is False:
            reasons[goal.reason] = f"{reasons.get(goal.reason, '')}; {goal.words}".removeprefix("; ")
    pushed = [f"**{words}**: {reason}" for reason, words in reasons.items()]
    return [
        table(["goal", "required", "measured", ""], rows),
        *(["What is missed, and why:", *pushed] if pushed else []),
    ]


def _short(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def _verdict(goal: Goal, value: float | None, met: bool | None) -> str:
    if value is None or met is None:
        return "–"
    distance = goal.bound / value if goal.least else value / goal.bound
    return "met" if met else f"missed by a factor of {_short(distance)}"


def _ratios(results: Results) -> str:
    header = ["lines", "clangd's diagnostics / our both, p50", "p95", "clangd's both / our both, p50", "p95"]
    header += ["clangd's / our time on a processor, p50"]
    rows = []
    for lines in SIZES:
        ours, clangd = results.at(OURS.name, lines), results.at(CLANGD, lines)
        if ours is not None and clangd is not None:
            cells = []
            for what in ("diagnostics", "both"):
                cells.append(clangd.times[what].p50_s / ours.times["both"].p50_s)
                cells.append(times_faster(lines, what)(results) or 0.0)
            cells.append(clangd.times["processor"].p50_s / ours.times["processor"].p50_s)
            rows.append([str(lines), *(f"{value:.2f} ×" for value in cells)])
    return table(header, rows)


def _starts(results: Results) -> str:
    rows = [[name, "until it ended" if name in COMMANDS else "until initialize was answered", cell(times)]
            for name, times in results.starts.items()]  # fmt: skip
    written_before = "Our modules' bytecode is written before, as pip does when it installs them."
    return f"{table(['process', 'from its spawning', 'p50 / p95 / max, ms'], rows)}\n\n{written_before}"


def _own_row(first: str, one: Edited) -> list[str]:
    edit_s = one.edits.p50_s
    shares = [f"{edit_s / other_s:.1f}" for other_s in (one.parse_s, one.reparse_s)]
    return [
        first, ms(one.first_s), cell(one.edits), cell(one.lists), ms(one.whole_s), f"{edit_s / one.whole_s:.2f}",
        ms(one.parse_s), ms(one.reparse_s), *shares,
    ]  # fmt: skip


def _own(results: Results) -> str:
    header = [
        "lines", "first", "edit", "its list of findings", "whole", "edit/whole", "parse", "reparse", "edit/parse",
        "edit/reparse",
    ]  # fmt: skip
    return table(header, [_own_row(str(lines), one) for lines, one in results.own.items()])


def _curve(of: str, points: Sequence[Point]) -> str:
    servers = [m.server for m in points[0].measured]
    header = [of, "lines", "our own clock", "tree-sitter, whole file"]
    header += [f"{server}: {what}" for server in servers for what in ("edit → diagnostics", "edit → both")]
    rows = []
    for p in points:
        cells = [cell(m.times[what]) for m in p.measured for what in ("diagnostics", "both")]
        rows.append([str(p.at), str(p.own.lines), cell(p.own.edits), ms(p.own.parse_s), *cells])
    return table(header, rows)


def _profiles(results: Results) -> list[str]:
    largest = max(results.profiles)
    rooms = list(results.profiles[largest].by_room)[:ROOMS_SHOWN]
    shares = [p.by_room for p in results.profiles.values()]
    rows = [[f"`{r}`" if "/" in r else r, *(f"{by_room.get(r, 0):.0%}" for by_room in shares)] for r in rooms]
    rest = [f"{1 - sum(by_room.get(r, 0) for r in rooms):.0%}" for by_room in shares]
    header = ["share of an edit's time in", *(f"{lines} lines" for lines in results.profiles)]
    collecting = ", ".join(f"{p.collecting:.0%} at {lines} lines" for lines, p in results.profiles.items())
    floor = ", ".join(
        f"{one.edits.p50_s / one.parse_s:.1f} times a whole parse and {one.edits.p50_s / one.reparse_s:.0f} times an "
        f"incremental one at {lines} lines" for lines, one in results.own.items()
    )  # fmt: skip
    return [
        table(header, [*rows, ["everything else", *rest]]),
        f"Garbage collection, which strikes in any of them, takes {collecting}.",
        f"The floor is tree-sitter: no answer comes before the edited text is parsed. An edit costs {floor}.",
    ]


def _counted() -> list[str]:
    recorded = json.loads(RECORDED.read_text("utf-8"))
    counted = {what: recorded[what].values() for what in ("bytecodes", "instructions") if recorded.get(what)}
    rows = [[what, *(f"{count:,}" for count in counts)] for what, counts in counted.items()]
    return [
        table(["an edit", *(f"{lines} lines" for lines in SIZES_COUNTED)], rows),
        f"As `python -m bench.instructions --record` wrote them down, with Python {recorded['python']['bytecodes']}; "
        "`--check` holds a change against them.",
    ]
