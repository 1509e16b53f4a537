"""What no change may fall below unnoticed: recorded figures, held by continuous integration.

``floors.json`` holds, for the quick sample and for all rows, each figure as it was last recorded. A figure may
be worse by its tolerance; more fails, until a commit records the new one, which shows in that commit's diff.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from bench.scoreboard.figure import Area, Figure

RECORDED = Path(__file__).with_name("floors.json")
TOLERANCE = {"%": 1.0, "x": 0.05, "tau": 0.02}
"""How much worse a figure may be: percentage points, share of a factor, Kendall's tau."""


def record(areas: Sequence[Area], sample: str, path: Path = RECORDED) -> None:
    """Keep the figures of a sample ("quick" or "all"); figures that were not measured stay as they were."""
    kept = _read(path)
    now = {f.key: round(f.ours, 4) for f in _held(areas) if f.ours is not None}
    kept[sample] = dict(sorted((kept.get(sample, {}) | now).items()))
    path.write_text(json.dumps(kept, indent=2, sort_keys=True) + "\n", "utf-8")


def failures(areas: Sequence[Area], sample: str, path: Path = RECORDED) -> list[str]:
    """Figures that are worse than recorded by more than their tolerance, one sentence each."""
    floors = _read(path).get(sample, {})
    found = []
    for figure in _held(areas):
        floor = floors.get(figure.key)
        if floor is None:
            continue
        if figure.ours is None:
            found.append(f"{figure.key}: was {floor:g}, is not measured any more")
        elif _worse_by(figure, figure.ours, floor) > TOLERANCE[figure.unit]:
            found.append(
                f"{figure.key}: was {floor:g}, is {figure.ours:.4g}; record it (--record) if the change means to"
            )
    return found


def _held(areas: Sequence[Area]) -> list[Figure]:
    return [f for area in areas for f in area.figures if f.floor]


def _worse_by(figure: Figure, ours: float, floor: float) -> float:
    difference = floor - ours if figure.better == "higher" else ours - floor
    return difference / floor if figure.unit == "x" and floor else difference


def _read(path: Path) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found
