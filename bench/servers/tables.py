"""Measurements as JSON and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bench.servers.compare import Measured, Times

EDITED = ("diagnostics", "hints", "both", "burst")
WORDS = {
    "open": "open → diagnostics",
    "diagnostics": "edit → diagnostics",
    "hints": "edit → hints",
    "both": "edit → both",
    "burst": "20 edits → settled",
    "hover": "hover",
}


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


def side_by_side(measured: Sequence[Measured]) -> str:
    """One row a server and file: times in ms as p50 / p95 / max, memory in MB."""
    header = ["file", "lines", "typed in", "server", *WORDS.values(), "memory: open, end, peak", "diagnostics"]
    rows = []
    for m in measured:
        memory = ", ".join(f"{m.memory_mb[when]:.0f}" for when in ("after open", "end", "peak"))
        said = f"{m.diagnostics}, {len(m.errors)} of them errors" if m.errors else str(m.diagnostics)
        times = [cell(m.times[what]) for what in WORDS]
        rows.append([m.file, str(m.lines), m.where, m.server, *times, memory, said])
    return table(header, rows)


def start_table(starts: Mapping[str, Times]) -> str:
    """One row a server: spawn → initialize answered."""
    return table(["server", "start (ms, p50 / p95 / max)"], [[name, cell(times)] for name, times in starts.items()])


def json_of(measured: Iterable[Measured], starts: Mapping[str, Times]) -> dict[str, object]:
    """Everything, each time in milliseconds."""
    files = [
        {
            "server": m.server, "file": m.file, "lines": m.lines, "typed_in": m.where,
            "diagnostics": m.diagnostics, "errors": list(m.errors), "memory_mb": m.memory_mb,
            "times_ms": {what: _spread(times) for what, times in m.times.items()},
        }
        for m in measured
    ]  # fmt: skip
    return {"files": files, "start_ms": {name: _spread(times) for name, times in starts.items()}}


def _spread(times: Times) -> dict[str, object]:
    figures = {"p50": times.p50_s, "p95": times.p95_s, "max": times.max_s}
    return {name: round(1e3 * value, 3) for name, value in figures.items()} | {
        "all": [round(1e3 * value, 3) for value in times.all_s]
    }
