"""The curves of the page as one SVG: what an edit costs over the size of the file, its kernels, its headers."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import TYPE_CHECKING

from bench.performance.results import SIZES, Point, Results
from bench.servers.known import CLANGD, OURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Line = Sequence[tuple[float, float]]


def drawn(results: Results) -> str:
    """The picture."""
    from matplotlib import rcParams  # noqa: PLC0415 - slow, and needed here alone
    from matplotlib.figure import Figure  # noqa: PLC0415

    rcParams.update({"svg.hashsalt": "burstline", "svg.fonttype": "none"})
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    sizes, kernels, headers = figure.subplots(1, 3)
    _draw(sizes, _size_lines(results), "lines of the file")
    sizes.set(xscale="log", yscale="log", ylabel="edit, p50, ms")
    _draw(kernels, _lines(results.kernels), "kernels that the lines are shared out to")
    kernels.set(xscale="log")
    _draw(headers, _lines(results.headers), "depth of nested headers")
    for axis in (kernels, headers):
        axis.set_ylim(bottom=0)
    handles, labels = sizes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=8)
    out = StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def _size_lines(results: Results) -> dict[str, Line]:
    found: dict[str, Line] = {}
    for server in (OURS.name, CLANGD):
        measured = [(lines, results.at(server, lines)) for lines in SIZES]
        found[f"{server}: diagnostics and hints"] = [(n, m.times["both"].p50_s) for n, m in measured if m is not None]
        found[f"{server}: diagnostics"] = [(n, m.times["diagnostics"].p50_s) for n, m in measured if m is not None]
    found["burstline, our own clock"] = [(n, own.edits.p50_s) for n, own in results.own.items()]
    found["tree-sitter, whole file"] = [(n, own.parse_s) for n, own in results.own.items()]
    return found


def _lines(points: Sequence[Point]) -> dict[str, Line]:
    found: dict[str, Line] = {}
    for server in (OURS.name, CLANGD):
        for word, what in (("diagnostics and hints", "both"), ("diagnostics", "diagnostics")):
            at = [(p.at, m.times[what].p50_s) for p in points for m in p.measured if m.server == server]
            found[f"{server}: {word}"] = at
    found["burstline, our own clock"] = [(p.at, p.own.edits.p50_s) for p in points]
    found["tree-sitter, whole file"] = [(p.at, p.own.parse_s) for p in points]
    return found


def _draw(axis: Axes, lines: dict[str, Line], below: str) -> None:
    for label, line in lines.items():
        if line:
            axis.plot([x for x, _ in line], [1e3 * y for _, y in line], marker="o", markersize=3, label=label)
    axis.set_xlabel(below)
    axis.grid(visible=True, alpha=0.3)
