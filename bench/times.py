"""Measured times, and how they are written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Times:
    """Some measurements of one thing, in seconds."""

    all_s: tuple[float, ...]

    @property
    def p50_s(self) -> float:
        """The median."""
        return median(self.all_s)

    @property
    def p95_s(self) -> float:
        """What 95 of 100 do not exceed."""
        return sorted(self.all_s)[math.ceil(0.95 * len(self.all_s)) - 1]

    @property
    def max_s(self) -> float:
        """The longest."""
        return max(self.all_s)

    @property
    def spread_ms(self) -> dict[str, object]:
        """All of it in milliseconds, for JSON."""
        figures = {"p50": self.p50_s, "p95": self.p95_s, "max": self.max_s}
        every = [round(1e3 * one, 3) for one in self.all_s]
        return {name: round(1e3 * value, 3) for name, value in figures.items()} | {"all": every}


def ms(seconds: float) -> str:
    """Milliseconds, two figures that matter."""
    value = 1e3 * seconds
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def cell(times: Times) -> str:
    """p50 / p95 / max, or the one figure there is."""
    if len(times.all_s) == 1:
        return ms(times.p50_s)
    return " / ".join(map(ms, (times.p50_s, times.p95_s, times.max_s)))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column to the left, figures to the right."""
    lines = [f"| {' | '.join(header)} |", f"|---|{'---:|' * (len(header) - 1)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
