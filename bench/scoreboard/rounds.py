"""The rounds of reports that were first read when the rules were frozen, and which of them rules rest on since."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.scoreboard.reports import Report, reports
from bench.scoreboard.repositories import git_dir
from bench.scoreboard.rows import write_rows

REPORTS = Path(__file__).with_name("blind.json")
PUBLISHED = Path(__file__).with_name("published.json")
"""What each round showed before its reports were looked at; `figures`: the worst of the newest rounds of several."""
USED = 13
"""The last round whose reports were looked at, of which most mended the rules."""


def at_hand(mirror: Path) -> list[dict[str, Any]]:
    """The entries of `blind.json` whose repositories are at hand."""
    return [entry for entry in json.loads(REPORTS.read_text("utf-8")) if git_dir(mirror, entry["repo"]).is_dir()]


def used_reports(mirror: Path, rows: Path) -> list[Report]:
    """The reports of the rounds that rules rest on; their rows are written into the folder `rows`."""
    write_rows([entry for entry in at_hand(mirror) if entry["round"] <= USED and "texts" not in entry], mirror, rows)
    return reports(rows / "lsu_train.jsonl", mirror)
