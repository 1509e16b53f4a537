"""Runs that a board's figures were fitted on, estimated with figures that were fitted without them.

Each run is left out together with all runs of its board that are as many lanes wide. A figure that does not follow from
the others is that of an ideal memory, not the shipped one, which rests on the run as well.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path

from burstline_model.boards.board import find_board
from burstline_model.validation.fit import fit, toml_of
from burstline_model.validation.measurement import Measurement
from burstline_server.assessment.assessor import Assessor
from burstline_server.validation.errors import RunError
from burstline_server.validation.inferred_units import measurement_of
from burstline_server.validation.published import Run, assess_run

IDEAL = {
    "aligned": "[1.0]", "in_step": "[1.0]", "non_aligned": "[1.0]", "scattered": "[1.0]", "narrow": "[1.0, 1.0]",
    "atomic_ns": "0.0", "crowding": "0.0",
}  # fmt: skip


def lanes_of(run: Run) -> int:
    """How many elements the run's kernel moves at a time."""
    return int(run.defines.get("LANES", run.defines.get("VEC", 1)))


def left_out(every: Sequence[Run], errors: Iterable[RunError], assessor: Assessor) -> list[RunError]:
    """`errors` with figures fitted on those of `every` fitted run that have other lanes."""
    fitted = [run for run in every if run.fitted]
    rows = {run.id: measurement_of(run, assess_run(run, assessor, "calibrated")) for run in fitted}
    found = []
    with tempfile.TemporaryDirectory() as folder:
        boards: dict[tuple[str, int], Path] = {}
        for one in errors:
            key = (one.run.board, lanes_of(one.run))
            if key not in boards:
                others = [rows[r.id] for r in fitted if r.board == key[0] and lanes_of(r) != key[1]]
                boards[key] = _board(Path(folder) / f"{key[0]}_{key[1]}.toml", key[0], others)
            kernel = assess_run(one.run, assessor, "calibrated", str(boards[key]))
            found.append(one.model_copy(update={"calibrated_s": kernel.estimate.time_s}))
    return found


def _board(path: Path, name: str, rows: Sequence[Measurement]) -> Path:
    """A board file with the figures that follow from these rows."""
    shipped = (resources.files("burstline_model") / "boards" / f"{name}.toml").read_text("utf-8").split("[measured]")[0]
    ideal = path.with_suffix(".ideal.toml")
    ideal.write_text(shipped + _table(IDEAL), "utf-8")
    fitted = fit(rows, find_board(str(ideal)))
    missing = {key: value for key, value in IDEAL.items() if key not in fitted.figures}
    own = toml_of(fitted, "other runs").split("\n", 1)[1]
    path.write_text(shipped + _table(missing) + own.replace('source = "other runs"\n', ""), "utf-8")
    return path


def _table(figures: dict[str, str]) -> str:
    lines = [f"{key} = {value}" for key, value in figures.items()]
    return "\n".join(["[measured]", *lines, 'source = "a fit without some runs"', ""])
