"""The papers' tables and published measurements against the model, every row from kernel text."""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.boards.board import find_board
from burstline_model.launch import Mode
from burstline_model.record import Record
from burstline_model.validation.baselines import hlscope_s, wang_memory_s
from burstline_model.validation.paper import (
    BOARD_OF,
    TABLE_4,
    TABLE_5,
    TABLE_IV,
    VECTOR_ADD_2666,
    Application,
    Comparison,
)
from burstline_server.assessment.assessor import Assessor
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.config.layers import Layer, read_file
from burstline_server.validation.errors import SetError, errors_of, estimate_run
from burstline_server.validation.inferred_units import units_of
from burstline_server.validation.published import Run, assess_run, paper_folder


class ApplicationRow(Record):
    """A row of Table IV or 4 with our estimates in milliseconds; None where there is no kernel of ours.

    `naive_ms` is what the kernel moves over the peak of its banks.
    """

    printed: Application
    faithful_ms: float | None
    calibrated_ms: float | None
    naive_ms: float | None = None


class ComparisonRow(Record):
    """A row of Table 5 with the errors, in percent, of the baselines as we read them and of our two modes."""

    printed: Comparison
    wang: float | None
    hlscope: float | None
    faithful: float | None
    calibrated: float | None


class Validation(Record):
    """Everything that was held against the model."""

    table_iv: tuple[ApplicationRow, ...]
    table_4: tuple[ApplicationRow, ...]
    table_5: tuple[ComparisonRow, ...]
    sets: tuple[SetError, ...]


_MODES: tuple[Mode, ...] = ("faithful", "calibrated")


def validate(runs: Sequence[Run]) -> Validation:
    """Estimate the papers' tables and these runs."""
    assessor = Assessor()
    estimated = [estimate_run(run, assessor) for run in runs]
    return Validation(
        table_iv=tuple(application_row(row, assessor) for row in TABLE_IV),
        table_4=tuple(application_row(row, assessor) for row in TABLE_4),
        table_5=tuple(comparison_row(row, {run.id: run for run in runs}, assessor) for row in TABLE_5),
        sets=tuple(errors_of(estimated)),
    )


def application_row(row: Application, assessor: Assessor) -> ApplicationRow:
    """A row of the application tables, estimated in both modes."""
    if row.file is None:
        return ApplicationRow(printed=row, faithful_ms=None, calibrated_ms=None)
    faithful, calibrated = (application_kernel(row, assessor, mode) for mode in _MODES)
    bandwidth = calibrated.cost.board.memory.bandwidth_bytes_s
    moved: dict[int, float] = {}
    for unit in units_of(calibrated):
        for bank in unit.banks:
            moved[bank] = moved.get(bank, 0.0) + unit.bytes / len(unit.banks)
    return ApplicationRow(
        printed=row, faithful_ms=_ms(faithful), calibrated_ms=_ms(calibrated),
        naive_ms=max(moved.values()) / bandwidth * 1e3,
    )  # fmt: skip


def application_kernel(row: Application, assessor: Assessor, mode: Mode) -> KernelAssessment:
    """One of the papers' kernels, its launch from the settings file next to it, on HBM2 one channel a pointer."""
    path = paper_folder() / (row.file or "")
    text = path.read_text("utf-8")
    launches, _ = read_file(path.with_name("burstline.toml"))
    keys: dict[str, object] = {"board": BOARD_OF[row.memory], "mode": mode}
    if row.global_size is not None and row.kernel is not None:
        keys["kernels"] = {row.kernel: {"global_size": row.global_size}}
    layers = [launches, Layer("option", keys)]
    first = next(k for k in assessor.assess(text, str(path), layers).kernels if k.facts.name == row.kernel)
    if not find_board(BOARD_OF[row.memory]).memory.separate_channels:
        return first
    pointers = [a.name for a in first.facts.arguments if a.is_pointer]
    layers.append(Layer("option", {"banks": {name: i for i, name in enumerate(pointers)}}))
    return next(k for k in assessor.assess(text, str(path), layers).kernels if k.facts.name == row.kernel)


def _ms(kernel: KernelAssessment) -> float | None:
    seconds = kernel.estimate.time_s
    return seconds * 1e3 if seconds is not None else None


def comparison_row(row: Comparison, runs: dict[str, Run], assessor: Assessor) -> ComparisonRow:
    """A row of Table 5, its run or its application estimated in both modes."""
    if row.application is not None:
        every = [*TABLE_4, VECTOR_ADD_2666]
        known = next(a for a in every if (a.name, a.memory) == (row.application, row.memory))
        faithful, calibrated = (application_kernel(known, assessor, mode) for mode in _MODES)
        measured_s = known.measured_ms / 1e3
    elif row.run in runs:
        run = runs[row.run]
        faithful, calibrated = (assess_run(run, assessor, mode) for mode in _MODES)
        measured_s = run.measured_s
    else:
        return ComparisonRow(printed=row, wang=None, hlscope=None, faithful=None, calibrated=None)
    board, units = calibrated.cost.board, units_of(calibrated)
    return ComparisonRow(
        printed=row,
        wang=_error(wang_memory_s(units, board.memory, calibrated.estimate.f_max_hz), measured_s),
        hlscope=_error(hlscope_s(units, board.memory), measured_s),
        faithful=_error(faithful.estimate.time_s, measured_s),
        calibrated=_error(calibrated.estimate.time_s, measured_s),
    )


def _error(seconds: float | None, measured_s: float) -> float | None:
    return abs(seconds / measured_s - 1) * 100 if seconds is not None else None
