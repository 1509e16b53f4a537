"""The scoreboard as a page (``docs/accuracy.md``) and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from math import inf
from typing import Any

from bench.scoreboard.figure import Area, Figure, Table


def markdown(areas: Sequence[Area]) -> str:
    """The measured part of the page: headline figures first, then each area with its tables and worst rows."""
    lines = ["## Headline figures", "", _headlines(areas)]
    for area in areas:
        lines += ["", f"## {area.name}", ""]
        if area.skipped:
            lines += [f"Not measured: {area.skipped}.", ""]
        for figure in area.figures:
            lines += _worst(figure)
        for table in area.tables:
            lines += _table(table)
    return "\n".join(lines).rstrip()


def document(areas: Sequence[Area]) -> dict[str, Any]:
    """All of it as JSON: an object per area with its figures, tables and worst rows."""
    return {"schema": 1, "areas": [asdict(area) for area in areas]}


def short(read: dict[str, Any]) -> str:
    """What a newcomer reads first, from the JSON document: figures of each area, with their baselines.

    They are its first figure and its worst, the one that beats its baseline by least, with all that lose to theirs. How
    often a kernel's time is of no use is always among them. Figures that an area shows under another name are left to
    the page. The first row of an area names it.
    """
    rows, said = [], ""
    for area in read["areas"]:
        every = [Figure(**entry) for entry in area["figures"]]
        figures = [one for one in every if one.floor and one.area == area["name"]]
        leads = sorted((one for one in figures if one.ours is not None and one.baseline is not None), key=_lead)
        lost = [one for one in leads if _lead(one) < 1]
        shown = {*_USELESS, *(one.key for one in (*figures[:1], *leads[:1], *lost))}
        for place, figure in enumerate(one for one in figures if one.key in shown):
            better = "↑" if figure.better == "higher" else "↓"
            name = "(the same)" if figure.baseline_name == said else figure.baseline_name
            said = figure.baseline_name
            baseline = f"{number(figure.baseline, figure)} {name}".strip()
            area_text = "" if place else f"{figure.area}: "
            rows.append((f"{area_text}{figure.what} {better}", value(figure), baseline))
    return _grid(("what (↑ more is better, ↓ less)", "Burstline (95 % interval)", "baseline"), rows)


_USELESS = ("times.worse_than_3x", "blind_times.worse_than_3x")


def _lead(figure: Figure) -> float:
    """By what factor a measured figure is better than its baseline."""
    ours, baseline = figure.ours or 0.0, figure.baseline or 0.0
    better, worse = (ours, baseline) if figure.better == "higher" else (baseline, ours)
    return better / worse if worse else inf


def value(figure: Figure) -> str:
    """A figure with its unit and interval."""
    if figure.ours is None:
        return "–"
    text = number(figure.ours, figure)
    if figure.low is None or figure.high is None or figure.low == figure.high:
        return f"**{text}**"  # of one repository, how far others are off is not known
    return f"**{text}** ({_bare(figure.low, figure)} to {_bare(figure.high, figure)})"


def number(amount: float | None, figure: Figure) -> str:
    """An amount in a figure's unit."""
    if amount is None:
        return "–"
    unit = {"%": " %", "x": "×", "tau": ""}[figure.unit]
    return f"{_bare(amount, figure)}{unit}"


def _bare(amount: float, figure: Figure) -> str:
    return f"{amount:.1f}" if figure.unit == "%" else f"{amount:.2f}"


def _headlines(areas: Iterable[Area]) -> str:
    header = ("area", "what", "rows", "ours (95 %)", "baseline", "held out")
    rows = [
        (f.area, f"{f.what} ({'more' if f.better == 'higher' else 'less'} is better)", str(f.rows), value(f),
         f"{number(f.baseline, f)} {f.baseline_name}".strip(), f.held_out)
        for area in areas
        for f in area.figures
    ]  # fmt: skip
    return _grid(header, rows)


def _worst(figure: Figure) -> list[str]:
    if not figure.worst:
        return []
    rows = [(m.row, m.truth, m.ours, m.why) for m in figure.worst]
    return [f"Worst rows of *{figure.what}*:", "", _grid(("row", "truth", "ours", "why"), rows), ""]


def _table(table: Table) -> list[str]:
    note = [table.note, ""] if table.note else []
    return [f"### {table.title}", "", *note, _grid(table.header, table.rows), ""]


def _grid(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells)
