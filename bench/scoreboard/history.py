"""The headline figures over time: a line per figure and commit in ``docs/accuracy_history.csv``, and their plot."""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.scoreboard.figure import Area

COLUMNS = ("date", "commit", "subject", "key", "value", "low", "high", "rows", "unit", "better")


def append(path: Path, areas: Sequence[Area]) -> None:
    """Add the figures under the commit that is checked out; figures that this commit has already are replaced."""
    commit, subject, seconds = _head()
    day = datetime.fromtimestamp(int(seconds), UTC).date().isoformat()
    figures = [f for area in areas for f in area.figures if f.ours is not None]
    made = {f.key for f in figures}
    kept = [row for row in rows(path) if row["commit"] != commit or row["key"] not in made]
    new = [
        dict(zip(COLUMNS, (day, commit, subject, f.key, f"{f.ours:.4g}", _short(f.low), _short(f.high), str(f.rows),
                           f.unit, f.better), strict=True))
        for f in figures
    ]  # fmt: skip
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows([*kept, *new])


def plot(history: Path, picture: Path) -> None:
    """Draw each figure over the commits at which it was measured, in the order of the file."""
    import matplotlib as mpl  # noqa: PLC0415 - an extra that only this needs

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "accuracy"
    from matplotlib import pyplot as plt  # noqa: PLC0415

    read = rows(history)
    commits = list(dict.fromkeys(row["commit"] for row in read))
    by_key: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in read:
        by_key[row["key"]].append(row)
    columns = 4
    picture.parent.mkdir(exist_ok=True)
    lines = -(-len(by_key) // columns)
    _, axes = plt.subplots(lines, columns, figsize=(3.2 * columns, 1.9 * lines), squeeze=False)
    for axis in axes.flat[len(by_key) :]:
        axis.set_visible(False)
    for axis, (key, points) in zip(axes.flat, sorted(by_key.items()), strict=False):
        at = [commits.index(point["commit"]) for point in points]
        axis.plot(at, [float(point["value"]) for point in points], marker="o", markersize=3)
        low = [float(point["low"] or point["value"]) for point in points]
        high = [float(point["high"] or point["value"]) for point in points]
        axis.fill_between(at, low, high, alpha=0.2)
        axis.set_title(f"{key} ({points[0]['unit']}, {points[0]['better']} is better)", fontsize=7)
        axis.set_xlim(-0.5, len(commits) - 0.5)
        axis.set_xticks(range(len(commits)), [name[:7] for name in commits], fontsize=5, rotation=45)
        axis.tick_params(axis="y", labelsize=6)
    plt.tight_layout()
    plt.savefig(picture, metadata={"Date": None})


def rows(path: Path) -> list[dict[str, str]]:
    """The lines of the history, oldest first, by column."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _short(amount: float | None) -> str:
    return "" if amount is None else f"{amount:.4g}"


def _head() -> tuple[str, str, str]:
    """Short name, subject and time (seconds since 1970) of the commit that is checked out."""
    command = [shutil.which("git") or "git", "show", "--no-patch", "--format=%h%x00%s%x00%ct", "HEAD"]
    done = subprocess.run(command, capture_output=True, check=True, text=True, cwd=Path(__file__).parent)
    commit, subject, seconds = done.stdout.strip().split("\0")
    return commit, subject, seconds
