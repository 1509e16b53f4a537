"""How far estimates are from measurements, by set."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, median

from burstline_model.record import Record
from burstline_model.validation.measurement import Group, Measurement

WORST = 5


class RunError(Record):
    """One run: estimated over measured, minus one."""

    id: str
    measured_s: float
    faithful_s: float
    calibrated_s: float

    @property
    def faithful(self) -> float:
        """The faithful mode's error."""
        return self.faithful_s / self.measured_s - 1

    @property
    def calibrated(self) -> float:
        """The calibrated mode's error."""
        return self.calibrated_s / self.measured_s - 1


class SetError(Record):
    """One set, banked or interleaved; errors are absolute. `fitted`: the calibration was made on these runs."""

    name: str
    group: Group
    fitted: bool
    runs: tuple[RunError, ...]

    @property
    def faithful_mean(self) -> float:
        """Mean absolute error of the faithful mode."""
        return mean(abs(r.faithful) for r in self.runs)

    @property
    def calibrated_mean(self) -> float:
        """Mean absolute error of the calibrated mode."""
        return mean(abs(r.calibrated) for r in self.runs)

    @property
    def calibrated_median(self) -> float:
        """Median absolute error of the calibrated mode."""
        return median(abs(r.calibrated) for r in self.runs)

    @property
    def worst(self) -> tuple[RunError, ...]:
        """The runs that the calibrated mode misses most."""
        return tuple(sorted(self.runs, key=lambda r: -abs(r.calibrated))[:WORST])


def errors_of(rows: Sequence[Measurement]) -> list[SetError]:
    """The errors of every set, banked and interleaved apart, in the order of the rows."""
    groups: dict[tuple[str, Group], list[Measurement]] = {}
    for m in rows:
        groups.setdefault((m.set, m.group), []).append(m)
    return [
        SetError(name=name, group=group, fitted=all(m.fit for m in members), runs=tuple(_run(m) for m in members))
        for (name, group), members in groups.items()
    ]


def _run(m: Measurement) -> RunError:
    return RunError(
        id=m.id, measured_s=m.time_s, faithful_s=m.estimated_s("faithful"), calibrated_s=m.estimated_s("calibrated")
    )
