"""Memory times from kernel text, in the default mode, against published measurements.

    python -m bench.scoreboard.memory [--quick]

Every row is an OpenCL kernel of `examples/benchmarks` or `examples/paper`, assessed under the launch, the clock and the
banks that were published. Nothing is fed by hand. Rows that a board's figures were fitted on are listed, and left out
of the headline figures.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import mean, median

from bench.scoreboard.figure import Area, Figure, Miss, Sources, Table, interval
from bench.scoreboard.memory_refit import left_out

from burstline_model.validation.paper import TABLE_4, TABLE_IV
from burstline_server.assessment.assessor import Assessor
from burstline_server.validation.errors import RunError, estimate_run
from burstline_server.validation.papers import ApplicationRow, application_row
from burstline_server.validation.suites import published_runs

NAME = "Memory times"
WORST = 5
EVERY = 5
"""A quick measurement takes one run in so many."""
NOT_FITTED = "no board figure was fitted on these rows"
REFITTED = (
    "each row with figures fitted anew without the rows of its lane width; strides with the shipped figures, which do "
    "not rest on them (that HBM2 splits non-aligned strided stores was read off two of these rows)"
)
Group = tuple[str, ...]


def measure(sources: Sources) -> Area:
    """The figures and tables of this area; the published figures are part of the repository."""
    published = published_runs()
    assessor = Assessor()
    every = [estimate_run(run, assessor) for run in published[:: EVERY if sources.quick else 1]]
    without = {one.run.id: one for one in left_out(published, [e for e in every if e.run.fitted], assessor)}
    area = Area(NAME)
    for key, what, chosen in _HEADLINES:
        rows = [one for one in every if not one.run.fitted and chosen(one)]
        area.figures.append(_figure(key, what, rows, NOT_FITTED))
    micro = [without.get(one.run.id, one) for one in every if not one.run.is_stream]
    area.figures.append(_figure("memory.micro", "microbenchmarks of the M21 authors", micro, REFITTED))
    applications = _applications(assessor)
    area.figures.append(_application_figure(applications))
    area.tables += [_by_set(every, without), _by_kind(every, without), _by_application(applications)]
    return area


_HEADLINES: tuple[tuple[str, str, Callable[[RunError], bool]], ...] = (
    ("memory.banked.aligned", "streams on banks by hand, blocks that start aligned",
     lambda one: one.run.is_stream and one.run.banks == "banked" and one.run.aligned),
    ("memory.banked.off_alignment", "streams on banks by hand, blocks that start off alignment",
     lambda one: one.run.is_stream and one.run.banks == "banked" and not one.run.aligned),
    ("memory.interleaved", "streams on interleaved banks",
     lambda one: one.run.is_stream and one.run.banks == "interleaved"),
)  # fmt: skip


def _percent(errors: Iterable[float]) -> float:
    """Mean absolute error in percent."""
    return 100 * mean(abs(e) for e in errors)


def _figure(key: str, what: str, rows: Sequence[RunError], held_out: str) -> Figure:
    groups: dict[Group, list[float]] = {}
    for one in rows:
        groups.setdefault((one.run.set, one.run.banks), []).append(one.calibrated)
    low, high = interval(list(groups.values()), _percent)
    worst = sorted(rows, key=lambda one: -abs(one.calibrated))[:WORST]
    return Figure(
        key=key, area=NAME, what=f"mean absolute error from text: {what}", rows=len(rows),
        ours=_percent(one.calibrated for one in rows), unit="%", better="lower",
        held_out=held_out, low=low, high=high, baseline=_percent(one.faithful for one in rows),
        baseline_name="the published equations from the same text", worst=tuple(_miss(one) for one in worst),
    )  # fmt: skip


def _miss(one: RunError) -> Miss:
    """A run that is far off; why is read off the estimate against what the run must move."""
    ours = f"{one.calibrated_s * 1e3:.4g} ms" if one.calibrated_s is not None else "no time"
    return Miss(row=one.run.id, truth=f"{one.run.measured_s * 1e3:.4g} ms", ours=ours, why=_why(one))


def _why(one: RunError) -> str:
    run = one.run
    if one.calibrated_s is None:
        return "a size or trip count is not read from the text"
    if one.calibrated_s < 0.999 * run.naive_s:
        return "less is charged than the kernel must move"
    if not run.aligned:
        return f"starts off alignment: priced {'too high' if one.calibrated > 0 else 'as if it did not'}"
    if run.kind in _REASONS:
        return _REASONS[run.kind]
    return "narrow units share a bank" if run.defines.get("VEC", 16) != 16 else "several units share a bank"


_REASONS = {
    "atomic": "how often the atomic is made",
    "shuffled": "requests of data-dependent addresses join at run time",
    "stride": "units of a strided access: one wide one, or one for each lane",
    "stride_offset": "units of a strided access that starts off alignment",
    "triples": "the coalescer's bursts break down where narrow units share a bank",
    "R1W0": "a store behind a condition is charged in each iteration",
}


Refitted = Mapping[str, RunError]
"""By their ids, runs estimated with figures that were fitted without them."""


def _by_set(every: Sequence[RunError], without: Refitted) -> Table:
    groups: dict[Group, list[RunError]] = {}
    for one in every:
        start = "" if one.run.aligned else ", off alignment"
        groups.setdefault((one.run.set, one.run.banks + start), []).append(one)
    return Table(
        "By set", ("set", "banks", *_COLUMNS), tuple((*key, *_cells(rows, without)) for key, rows in groups.items()),
        "bytes / peak: what the busiest bank must deliver over its peak bandwidth. Faithful: the published equations, "
        "from the same text. Fitted: the board's figures rest on these rows; refit: figures fitted without the rows of "
        "the same lane width, which the headline figure of the microbenchmarks takes.",
    )  # fmt: skip


def _by_kind(every: Sequence[RunError], without: Refitted) -> Table:
    groups: dict[Group, list[RunError]] = {}
    for one in every:
        if not one.run.is_stream:
            groups.setdefault((one.run.sheet, str(one.run.defines["LANES"])), []).append(one)
    rows = tuple((*key, *_cells(members, without)) for key, members in groups.items())
    return Table("Microbenchmarks by kind and lanes", ("kind", "lanes", *_COLUMNS), rows)


_COLUMNS = ("runs", "fitted", "bytes / peak", "faithful", "ours", "ours, median", "ours, refit")


def _cells(rows: Sequence[RunError], without: Refitted) -> tuple[str, ...]:
    anew = [without[r.run.id].calibrated for r in rows if r.run.id in without]
    return (
        str(len(rows)), "yes" if anew else "no", _cell(_percent(r.naive for r in rows)),
        _cell(_percent(r.faithful for r in rows)), _cell(_percent(r.calibrated for r in rows)),
        _cell(100 * median(abs(r.calibrated) for r in rows)), _cell(_percent(anew)) if anew else "–",
    )  # fmt: skip


def _cell(percent: float) -> str:
    return f"{percent:.1f} %" if percent < 1000 else f"{percent:.0f} %"


def _applications(assessor: Assessor) -> list[ApplicationRow]:
    """Applications with a kernel, each (kernel, memory, size) once."""
    rows = {(row.file, row.memory, row.global_size): row for row in (*TABLE_IV, *TABLE_4) if row.file}
    return [application_row(row, assessor) for row in rows.values()]


def _off(ms: float | None, measured_ms: float) -> float:
    return (ms or 0.0) / measured_ms - 1


def _application_figure(rows: Sequence[ApplicationRow]) -> Figure:
    errors = [_off(row.calibrated_ms, row.printed.measured_ms) for row in rows]
    low, high = interval([[e] for e in errors], _percent)
    worst = sorted(zip(errors, rows, strict=True), key=lambda pair: -abs(pair[0]))[:WORST]
    return Figure(
        key="memory.applications", area=NAME, what="mean absolute error from text: the papers' applications",
        rows=len(rows), ours=_percent(errors), unit="%", better="lower",
        held_out="applications were never fitted on; the boards' figures rest on microbenchmarks", low=low, high=high,
        baseline=_percent(_off(row.faithful_ms, row.printed.measured_ms) for row in rows),
        baseline_name="the published equations from the same text",
        worst=tuple(
            Miss(row=f"{row.printed.name}, {row.printed.memory}", truth=f"{row.printed.measured_ms:g} ms",
                 ours=f"{row.calibrated_ms:.4g} ms" if row.calibrated_ms is not None else "no time",
                 why=row.printed.note)
            for _, row in worst
        ),
    )  # fmt: skip


def _by_application(rows: Sequence[ApplicationRow]) -> Table:
    cells = tuple(
        (
            row.printed.name, row.printed.memory, f"{row.printed.measured_ms:g} ms",
            *(_cell(100 * abs(_off(ms, row.printed.measured_ms)))
              for ms in (row.naive_ms, row.faithful_ms, row.calibrated_ms)),
        )
        for row in rows
    )  # fmt: skip
    return Table("Applications", ("kernel", "memory", "measured", "bytes / peak", "faithful", "ours"), cells)


def main() -> None:
    """Print the figures and tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one run in five")
    area = measure(Sources(quick=parser.parse_args().quick))
    for one in area.figures:
        baseline = f", {one.baseline_name} {one.baseline:.1f} %" if one.baseline is not None else ""
        print(f"{one.key}: {one.ours:.1f} % ({one.low:.1f} to {one.high:.1f}) over {one.rows} rows{baseline}")
        for miss in one.worst:
            print(f"    {miss.row}: {miss.truth}, ours {miss.ours}: {miss.why}")
    for table in area.tables:
        print(f"\n{table.title}")
        for row in (table.header, *table.rows):
            print("  " + " | ".join(row))


if __name__ == "__main__":
    main()
