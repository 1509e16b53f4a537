"""The papers' tables and published measurements beside the model, from kernel text where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from burstline_model.board import find_board
from burstline_model.launch import Mode
from burstline_model.memory.estimate import estimate_memory
from burstline_model.memory.units import options_for
from burstline_model.record import Record
from burstline_model.validation.baselines import hlscope_s, wang_memory_s
from burstline_model.validation.errors import SetError, errors_of
from burstline_model.validation.measurement import Measurement
from burstline_model.validation.paper import BOARD_OF, TABLE_4, TABLE_5, TABLE_IV, Application, Comparison
from burstline_server.assess import Assessor
from burstline_server.config.layers import Layer, read_file


class ApplicationRow(Record):
    """A row of Table IV or 4 with our estimates in milliseconds; None where there is no kernel of ours."""

    printed: Application
    faithful_ms: float | None
    calibrated_ms: float | None


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


def validate(measurements: Sequence[Measurement]) -> Validation:
    """Estimate every row."""
    return Validation(
        table_iv=tuple(_application(row) for row in TABLE_IV),
        table_4=tuple(_application(row) for row in TABLE_4),
        table_5=tuple(_comparison(row) for row in TABLE_5),
        sets=tuple(errors_of(measurements)),
    )


def paper_folder() -> Path:
    """The kernels behind the papers' rows: in the package of a wheel, or in a checkout's examples."""
    package = Path(__file__).resolve().parent
    inside = package / "paper"
    return inside if inside.is_dir() else package.parents[1] / "examples" / "paper"


def _application(row: Application) -> ApplicationRow:
    if row.file is None or row.kernel is None:
        return ApplicationRow(printed=row, faithful_ms=None, calibrated_ms=None)
    faithful, calibrated = (_from_text(row, row.file, mode) for mode in _MODES)
    return ApplicationRow(printed=row, faithful_ms=faithful, calibrated_ms=calibrated)


_MODES: tuple[Mode, ...] = ("faithful", "calibrated")


def _from_text(row: Application, file: str, mode: Mode) -> float | None:
    """The time of one of our kernels, its launch as beside it, every pointer in a channel of its own on HBM2."""
    path = paper_folder() / file
    text = path.read_text("utf-8")
    launches, _ = read_file(path.with_name("burstline.toml"))
    keys: dict[str, object] = {"board": BOARD_OF[row.memory], "mode": mode}
    if row.global_size is not None:
        keys["kernels"] = {row.kernel: {"global_size": row.global_size}}
    layers = [launches, Layer("option", keys)]
    assessor = Assessor()
    first = next(k for k in assessor.assess(text, str(path), layers).kernels if k.facts.name == row.kernel)
    pointers = [a.name for a in first.facts.arguments if a.is_pointer]
    if find_board(BOARD_OF[row.memory]).memory.separate_channels:
        banks = {"banks": {name: i for i, name in enumerate(pointers)}}
        again = assessor.assess(text, str(path), [*layers, Layer("option", banks)])
        first = next(k for k in again.kernels if k.facts.name == row.kernel)
    return first.estimate.time_s * 1e3 if first.estimate.time_s is not None else None


def _comparison(row: Comparison) -> ComparisonRow:
    board = find_board(BOARD_OF[row.memory])
    f_max_hz = board.compiler.f_max_mhz * 1e6
    faithful, calibrated = (estimate_memory(row.units, board.memory, f_max_hz, options_for(m, board)) for m in _MODES)
    return ComparisonRow(
        printed=row,
        wang=_error(wang_memory_s(row.units, board.memory, f_max_hz), row.measured_ms),
        hlscope=_error(hlscope_s(row.units, board.memory), row.measured_ms),
        faithful=_error(faithful.t_est_s, row.measured_ms),
        calibrated=_error(calibrated.t_est_s, row.measured_ms),
    )


def _error(seconds: float, measured_ms: float | None) -> float | None:
    return abs(seconds * 1e3 / measured_ms - 1) * 100 if measured_ms is not None else None
