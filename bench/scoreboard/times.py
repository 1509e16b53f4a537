"""Whole-kernel times from kernel text against measured ones: the kernels of Rodinia and SHOC in opencl-4all.

Each kernel is assessed as a user would: its text, its launch, its scalar arguments, and the clock that the build
reached. The measured times are those of a host's timer, so that the launch counts on both sides. A row's factor is
predicted over measured time; far off counts alike on both sides, as max(f, 1/f).
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

from bench.scoreboard.figure import Area, Figure, Miss, Sources, Table, interval
from bench.scoreboard.repositories import git_dir, git_files, git_show

from burstline_model.parallelism.extent import Extent
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.config.layers import Layer

NAME = "Whole-kernel times"
ROWS = "opencl4all_train.jsonl"
SUFFIXES = (".cl", ".h", ".hpp", ".inc")
BOARDS = {"s5phq": "de5net", "a10hap": "harp2"}
"""The board used in place of a measured one: the same device, and the nearest memory that is documented."""
HELD_OUT = (
    "no constant of the model is read from these rows; that work-items in different iterations of a loop take turns "
    "is, from hotspot3D and from three other sources"
)
CLOSE, NEAR, FAR = 1.25, 2.0, 3.0
WORST = 5
HARD = {
    "hotspot": "halo of work-items that load and do not compute; steps inside the kernel count",
    "hotspot3D": "a loop over layers with guarded neighbours; short launches",
    "lavamd": "neighbour boxes, and their count, are data",
    "lud": "triangular loops between barriers in one small group; local arrays with rows across lanes",
    "nw": "barriers in a loop over diagonals; a launch for each diagonal of blocks",
    "spmv": "row lengths are data; partial sums meet in local memory",
    "srad": "columns from division and remainder; neighbours by index arrays",
    "stencil2d": "groups along the second dimension; halo loaded by single work-items",
    "streamcluster": "gathers a point's coordinates from columns; part of the work under a condition on data",
    "backprop": "sums a group's products in local memory with a halving stride between barriers",
    "kmeans": "every work-item reads all centres again",
    "cfd": "square roots and divisions of five columns",
    "nn": "a launch of a fifth of a millisecond",
}
"""What makes a suite's kernels hard to foresee, from their text."""


@dataclass(frozen=True)
class Timed:
    """One measured kernel, and what is foreseen of it; times in ms of one launch, None where none is printed."""

    name: str
    suite: str
    board: str
    experiment: str
    measured_ms: float
    predicted_ms: float | None = None
    """As a host's timer shows it, which is what the measured times are."""
    alone_ms: float | None = None
    """The kernel alone, without the launch."""
    bytes_ms: float | None = None
    """Useful bytes of all accesses over the peak bandwidth of the board."""
    iterations_ms: float | None = None
    """Iterations of the innermost loop that has most of them, over the clock."""

    @property
    def floor_ms(self) -> float | None:
        """The longer of the two simple bounds, as far as they are known."""
        return max((t for t in (self.bytes_ms, self.iterations_ms) if t), default=None)


@dataclass(frozen=True)
class Spread:
    """How far predictions are off: figures over the rows that have a time, and how many have none."""

    rows: int
    median: float
    geomean: float
    signed: float
    """Geometric mean of predicted over measured: below 1 is too fast."""
    close: float
    near: float
    far: float
    no_time: int


def spread(rows: Sequence[Timed], of: Callable[[Timed], float | None] = lambda row: row.predicted_ms) -> Spread | None:
    """The figures over some rows; None where no row has a time."""
    factors = [time / row.measured_ms for row in rows if (time := of(row))]
    if not factors:
        return None
    off = [max(f, 1 / f) for f in factors]

    def share(holds: Callable[[float], bool]) -> float:
        return 100 * sum(map(holds, off)) / len(off)

    return Spread(
        rows=len(rows),
        median=median(off),
        geomean=geometric_mean(off),
        signed=geometric_mean(factors),
        close=share(lambda f: f <= CLOSE),
        near=share(lambda f: f <= NEAR),
        far=share(lambda f: f > FAR),
        no_time=len(rows) - len(factors),
    )


def suite_of(path: str) -> str:
    """The application of ``…/APPLICATION/src/kern.cl``; its kernels are numbered."""
    return path.split("/")[-3].rstrip("0123456789")


def measure(sources: Sources) -> Area:
    """Whole-kernel times against those measured; a quick run takes all rows as well."""
    area = Area(NAME)
    if sources.truth is None or not (sources.truth / ROWS).is_file():
        area.skipped = f"no measured times ({ROWS})"
        return area
    facts = [json.loads(line) for line in (sources.truth / ROWS).read_text("utf-8").splitlines()]
    facts = [row for row in facts if row.get("kernel_file") and row.get("function")]
    if sources.mirror is None or not all(git_dir(sources.mirror, row["repo"]).is_dir() for row in facts):
        area.skipped = "no git directory of the kernels' repository (comododragon/opencl-4all)"
        return area
    rows = [timed(row, sources.mirror) for row in facts]
    area.figures = figures(rows)
    area.tables = tables(rows)
    return area


@cache
def _files(mirror: Path, repository: str, commit: str) -> list[str]:
    return git_files(mirror, repository, commit)


def timed(row: Mapping[str, Any], mirror: Path) -> Timed:
    """Lay out the text of a row and assess it as it was launched."""
    path = row["kernel_file"]
    folder = path.rpartition("/src/")[0]
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        for file in _files(mirror, row["repo"], row["commit"]):
            if file.startswith(f"{folder}/") and file.endswith(SUFFIXES):
                (home / file).parent.mkdir(parents=True, exist_ok=True)
                (home / file).write_bytes(git_show(mirror, row["repo"], f"{row['commit']}:{file}"))
        settings = {
            "board": BOARDS[row["board_id"]],
            "aoc_version": row.get("sdk") or "16.1",
            "f_max_mhz": row["fmax_mhz"],
            "include_paths": [str(home / folder / "include")],
            "arguments": row.get("args", {}),
            **{k: row[k] for k in ("global_size", "local_size") if row.get(k)},
        }
        text = (home / path).read_bytes()
        done = Assessor([home / folder]).assess(text, str(home / path), [Layer("option", settings)])
    kernel = next((k for k in done.kernels if k.facts.name == row["function"]), None)
    known = Timed(
        row["id"].removeprefix("o4a-"), suite_of(path), row["board_id"], row["experiment"], row["time_ms_per_iteration"]
    )
    return predicted(known, done, kernel) if kernel is not None else known


def predicted(known: Timed, done: Assessment, kernel: KernelAssessment) -> Timed:
    """A row with what is foreseen of its kernel."""
    seconds, alone = kernel.estimate.host_time_s, kernel.estimate.time_s
    return Timed(
        known.name,
        known.suite,
        known.board,
        known.experiment,
        known.measured_ms,
        predicted_ms=1e3 * seconds if seconds else None,
        alone_ms=1e3 * alone if alone else None,
        bytes_ms=_bytes_ms(done, kernel),
        iterations_ms=_iterations_ms(kernel),
    )


def _bytes_ms(done: Assessment, kernel: KernelAssessment) -> float | None:
    sizes = [u.bytes for u in kernel.estimate.units if u.lsu.space == "global"]
    known = [s for s in sizes if s is not None]
    memory = done.board.memory
    return 1e3 * sum(known) / (memory.bandwidth_bytes_s * memory.banks) if len(known) == len(sizes) and known else None


def _iterations_ms(kernel: KernelAssessment) -> float | None:
    """Work-items times the trips of the deepest nest, one iteration a cycle; unrolled loops take no cycle."""
    facts, launch = kernel.facts, kernel.launch
    copies = effective_unroll(facts)
    extent = Extent(facts, launch, copies)
    if extent.work_items is None:
        return None
    most = [1.0]
    for loop in facts.loops:
        trips, around = 1.0, loop
        while True:
            count = extent.trips[around.id]
            if count is None:
                return None
            trips *= max(math.ceil(count / copies.get(around.id, 1)), 1)
            if around.parent is None:
                break
            around = facts.loops[around.parent]
        most.append(trips)
    return 1e3 * extent.work_items * max(most) / kernel.estimate.f_max_hz


def figures(rows: Sequence[Timed]) -> list[Figure]:
    """The headline figures, and those of the simple bound."""
    all_of, floor = spread(rows), spread(rows, lambda row: row.floor_ms)
    worst = tuple(_miss(row) for row in by_error(rows)[:WORST])

    def figure(key: str, what: str, get: Callable[[Spread], float], **more: Any) -> Figure:
        low, high = interval(_by_suite(rows), lambda some: _of(some, get))
        return Figure(
            key=f"times.{key}", area=NAME, what=what, rows=len(rows), better="lower", held_out=HELD_OUT,
            ours=get(all_of) if all_of else None, low=low, high=high,
            baseline=get(floor) if floor else None,
            baseline_name="the longer of useful bytes / peak bandwidth and iterations / clock", **more,
        )  # fmt: skip

    return [
        figure(
            "median", "median factor between predicted and measured time", lambda s: s.median, unit="x", worst=worst
        ),
        figure("geomean", "geometric mean of that factor", lambda s: s.geomean, unit="x"),
        figure("worse_than_3x", "share of the printed times worse than 3×", lambda s: s.far, unit="%"),
        figure("no_time", "share of the kernels without a time", lambda s: 100 * s.no_time / s.rows, unit="%"),
    ]


def _of(rows: Sequence[Timed], get: Callable[[Spread], float]) -> float:
    found = spread(rows)
    return get(found) if found else math.nan


def _by_suite(rows: Sequence[Timed]) -> list[list[Timed]]:
    return [[row for row in rows if row.suite == suite] for suite in sorted({row.suite for row in rows})]


def by_error(rows: Sequence[Timed]) -> list[Timed]:
    """Rows with a time, worst first."""
    known = [row for row in rows if row.predicted_ms]
    return sorted(known, key=lambda row: -abs(math.log((row.predicted_ms or 1.0) / row.measured_ms)))


def _miss(row: Timed) -> Miss:
    ours = f"{row.predicted_ms:.3g} ms" if row.predicted_ms else "no time"
    return Miss(f"{row.name} ({row.experiment})", f"{row.measured_ms:.3g} ms", ours, HARD.get(row.suite, ""))


HEADER = ("rows", "median", "geometric mean", "signed", "within 1.25×", "within 2×", "worse than 3×", "no time")


def cells(found: Spread | None, rows: Sequence[Timed]) -> tuple[str, ...]:
    """The figures of some rows, as `HEADER` names them."""
    if found is None:
        return (str(len(rows)), *[""] * 6, str(len(rows)))
    factors = (f"{v:.2f}×" for v in (found.median, found.geomean, found.signed))
    return (str(len(rows)), *factors, *(f"{v:.1f} %" for v in (found.close, found.near, found.far)), str(found.no_time))


def tables(rows: Sequence[Timed]) -> list[Table]:
    """By board, by kind of kernel, the simple bounds; then every row."""
    parts: list[tuple[str, ...]] = [("all", *cells(spread(rows), rows))]
    for name in (*sorted({row.board for row in rows}), *sorted({row.experiment for row in rows})):
        some = [row for row in rows if name in {row.board, row.experiment}]
        parts.append((name, *cells(spread(some), some)))
    bounds: tuple[tuple[str, Callable[[Timed], float | None]], ...] = (
        ("useful bytes / peak bandwidth", lambda row: row.bytes_ms),
        ("iterations / clock", lambda row: row.iterations_ms),
        ("the longer of both", lambda row: row.floor_ms),
        ("ours without the launch", lambda row: row.alone_ms),
    )
    simple = [(name, *cells(spread(rows, get), rows)) for name, get in bounds]
    note = (
        "Signed: geometric mean of predicted over measured, below 1 is too fast. The memory of neither board is "
        "documented: DE5-Net is used for the Stratix V board (s5phq), HARP2 for the other (a10hap), whose "
        "kernels read the host's memory."
    )
    every = tuple(
        (row.name, row.experiment, f"{row.measured_ms:.3g}", f"{row.predicted_ms:.3g}" if row.predicted_ms else "–",
         f"{row.predicted_ms / row.measured_ms:.2f}×" if row.predicted_ms else "–")
        for row in (*by_error(rows), *(row for row in rows if not row.predicted_ms))
    )  # fmt: skip
    return [
        Table("Times by board and kind of kernel", ("", *HEADER), tuple(parts), note),
        Table("What simple bounds give, and the kernel without its launch", ("bound", *HEADER), tuple(simple)),
        Table("Every kernel, worst first", ("kernel", "kind", "measured ms", "predicted ms", "factor"), every),
    ]
