"""A figure of the scoreboard, and where its evidence comes from: what every area returns."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar

Better = Literal["higher", "lower"]
Row = TypeVar("Row")
RESAMPLES = 1000
"""Bootstrap samples behind an interval."""


@dataclass(frozen=True)
class Sources:
    """Where the evidence lies.

    `truth` holds published measurements and report rows, `mirror` git directories of the public repositories that
    these name, as ``OWNER+NAME/repo``. None: not at hand, so areas that need it are left out. `quick`: a fixed sample
    of the rows, for continuous integration.
    """

    truth: Path | None = None
    mirror: Path | None = None
    quick: bool = False


@dataclass(frozen=True)
class Miss:
    """A row that is far off: its name, what was measured or reported, what we say, and why, as far as known."""

    row: str
    truth: str
    ours: str
    why: str = ""


@dataclass(frozen=True)
class Figure:
    """One headline figure.

    `key` names it in the history and the floors (``units.style``); `area` and `what` in the page. `ours` is None where
    nothing could be judged. `low` and `high` are its 95 % bootstrap interval. `held_out` says what the rules,
    thresholds and fits were chosen without. `unit` is "%" (0 to 100), "x" (a factor) or "tau". `floor` is False for
    figures that are shown only.
    """

    key: str
    area: str
    what: str
    rows: int
    ours: float | None
    unit: Literal["%", "x", "tau"]
    better: Better
    held_out: str
    low: float | None = None
    high: float | None = None
    baseline: float | None = None
    baseline_name: str = ""
    worst: tuple[Miss, ...] = ()
    floor: bool = True


@dataclass(frozen=True)
class Table:
    """A breakdown shown under an area, such as scores by device family."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass
class Area:
    """What one module of the scoreboard measured. `skipped` says what was missing, where nothing could be."""

    name: str
    figures: list[Figure] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    skipped: str = ""


def interval(groups: Sequence[Sequence[Row]], statistic: Callable[[Sequence[Row]], float]) -> tuple[float, float]:
    """The 95 % bootstrap interval of a statistic over rows that come in groups (repositories, suites).

    Groups are drawn with replacement, since rows of one repository are not independent; rows themselves where there
    are fewer than three groups.
    """
    chance = random.Random(1)  # noqa: S311 - repeatable, no secret
    filled = [group for group in groups if group]
    units: Sequence[Sequence[Row]] = filled if len(filled) > 2 else [[row] for group in filled for row in group]
    if not units:
        return (float("nan"), float("nan"))
    drawn = sorted(
        statistic([row for group in chance.choices(units, k=len(units)) for row in group]) for _ in range(RESAMPLES)
    )
    return drawn[round(0.025 * (RESAMPLES - 1))], drawn[round(0.975 * (RESAMPLES - 1))]
