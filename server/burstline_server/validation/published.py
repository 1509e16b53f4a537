"""A published run: a kernel's text and launch, the board, and the time it took."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from burstline_model.boards.board import find_board
from burstline_model.launch import Mode
from burstline_model.record import Record
from burstline_server.assessment.assessor import Assessor
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.config.layers import Layer

Banks = Literal["banked", "interleaved"]


class Run(Record):
    """One measured launch of one of our kernels.

    `suite` is who measured, `sheet` the part of it; `kind` groups runs of one shape. `fitted`: a figure of the board
    file rests on this run. `bank_bytes` is what the kernel must move in its busiest bank, whatever the compiler builds:
    over the bank's peak, the naive estimate. `aligned`: every block starts at a multiple of the lanes' width.
    """

    id: str
    suite: str
    sheet: str
    kind: str
    board: str
    banks: Banks
    file: str
    kernel: str
    measured_s: float
    bank_bytes: float
    defines: dict[str, str | int] = {}
    global_size: int | None = None
    arguments: dict[str, int] = {}
    bank_of: dict[str, int] = {}
    f_max_mhz: float | None = None
    aoc_version: str | None = None
    fitted: bool = False
    aligned: bool = True

    @property
    def set(self) -> str:
        """Suite, sheet and board, as the page lists them."""
        return f"{self.suite} {self.sheet}, {self.board}" if self.sheet else f"{self.suite}, {self.board}"

    @property
    def is_stream(self) -> bool:
        """Whether it is a plain stream of a benchmark of memories, and no microbenchmark of one kind of unit."""
        return self.suite != "Microbenchmarks"

    @property
    def naive_s(self) -> float:
        """The busiest bank's bytes over its peak bandwidth."""
        return self.bank_bytes / find_board(self.board).memory.bandwidth_bytes_s


def benchmark_folder() -> Path:
    """The kernels and figures of the published runs: in the package of a wheel, or in a checkout's examples."""
    return _folder("benchmarks")


def paper_folder() -> Path:
    """The kernels behind the papers' application tables: in the package of a wheel, or in a checkout's examples."""
    return _folder("paper")


def _folder(name: str) -> Path:
    package = Path(__file__).resolve().parents[1]
    inside = package / name
    return inside if inside.is_dir() else package.parents[1] / "examples" / name


def assess_run(run: Run, assessor: Assessor, mode: Mode, board: str | None = None) -> KernelAssessment:
    """The run's kernel under the settings a user would give; `board` replaces the run's (a board file, for a trial).

    In faithful mode no compiler version is named: the papers' own classification of accesses holds then.
    """
    path = benchmark_folder() / run.file
    keys: dict[str, object] = {
        "board": board or run.board, "mode": mode, "defines": run.defines, "arguments": run.arguments,
        "banks": run.bank_of, "interleaving": run.banks == "interleaved",
    }  # fmt: skip
    if run.global_size is not None:
        keys["global_size"] = [run.global_size]
    if run.f_max_mhz is not None:
        keys["f_max_mhz"] = run.f_max_mhz
    if run.aoc_version is not None and mode != "faithful":
        keys["aoc_version"] = run.aoc_version
    assessment = assessor.assess(path.read_bytes(), str(path), [Layer("option", keys)])
    if assessment.problems:
        raise ValueError(f"{run.id}: {assessment.problems[0].mistake}")
    return next(k for k in assessment.kernels if k.facts.name == run.kernel)
