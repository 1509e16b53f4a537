"""Measurements as JSON and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bench.servers.compare import Measured
from bench.times import Times, cell, table

WORDS = {
    "open": "open → diagnostics",
    "diagnostics": "edit → diagnostics",
    "hints": "edit → hints",
    "both": "edit → both",
    "processor": "edit: on a processor",
    "burst": "20 edits → settled",
    "hover": "hover",
}


def side_by_side(measured: Sequence[Measured]) -> str:
    """One row a server and file: times in ms as p50 / p95 / max, memory in MB."""
    header = ["file", "lines", "typed in", "server", *WORDS.values(), "memory: open, end, peak", "diagnostics"]
    rows = []
    for m in measured:
        memory = ", ".join(f"{m.memory_mb[when]:.0f}" for when in ("after open", "end", "peak"))
        said = f"{m.diagnostics}, {len(m.errors)} of them errors" if m.errors else str(m.diagnostics)
        times = [cell(m.times[what]) if what in m.times else "–" for what in WORDS]
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
            "times_ms": {what: times.spread_ms for what, times in m.times.items()},
        }
        for m in measured
    ]  # fmt: skip
    return {"files": files, "start_ms": {name: times.spread_ms for name, times in starts.items()}}
