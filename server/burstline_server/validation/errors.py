"""How far estimates from text are from measured times, by set."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import mean, median

from burstline_model.record import Record
from burstline_server.assessment.assessor import Assessor
from burstline_server.validation.published import Banks, Run, assess_run

WORST = 5


class RunError(Record):
    """One run: what it took and what both modes estimate, in seconds; None where no time is given."""

    run: Run
    faithful_s: float | None
    calibrated_s: float | None

    @property
    def faithful(self) -> float:
        """The faithful mode's error: estimated over measured, minus one; no time at all counts as 0 s."""
        return self._off(self.faithful_s)

    @property
    def calibrated(self) -> float:
        """The default mode's error."""
        return self._off(self.calibrated_s)

    @property
    def naive(self) -> float:
        """The error of bytes over peak bandwidth."""
        return self._off(self.run.naive_s)

    def _off(self, seconds: float | None) -> float:
        return (seconds or 0.0) / self.run.measured_s - 1


class SetError(Record):
    """One set, banked or interleaved; errors are absolute shares. `fitted`: the board's figures rest on these runs."""

    name: str
    banks: Banks
    fitted: bool
    runs: tuple[RunError, ...]

    @property
    def faithful_mean(self) -> float:
        """Mean absolute error of the faithful mode."""
        return mean(abs(r.faithful) for r in self.runs)

    @property
    def calibrated_mean(self) -> float:
        """Mean absolute error of the default mode."""
        return mean(abs(r.calibrated) for r in self.runs)

    @property
    def calibrated_median(self) -> float:
        """Median absolute error of the default mode."""
        return median(abs(r.calibrated) for r in self.runs)

    @property
    def naive_mean(self) -> float:
        """Mean absolute error of bytes over peak bandwidth."""
        return mean(abs(r.naive) for r in self.runs)

    @property
    def worst(self) -> tuple[RunError, ...]:
        """The runs that the default mode misses most."""
        return tuple(sorted(self.runs, key=lambda r: -abs(r.calibrated))[:WORST])


def estimate_run(run: Run, assessor: Assessor) -> RunError:
    """What both modes make of the run's text."""
    faithful = assess_run(run, assessor, "faithful").estimate.time_s
    return RunError(run=run, faithful_s=faithful, calibrated_s=assess_run(run, assessor, "calibrated").estimate.time_s)


def errors_of(runs: Iterable[RunError]) -> list[SetError]:
    """The errors of every set, banked and interleaved apart, in the order of the runs."""
    groups: dict[tuple[str, Banks], list[RunError]] = {}
    for one in runs:
        groups.setdefault((one.run.set, one.run.banks), []).append(one)
    return [
        SetError(name=name, banks=banks, fitted=all(r.run.fitted for r in members), runs=tuple(members))
        for (name, banks), members in groups.items()
    ]
