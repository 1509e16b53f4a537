"""A user's own microbenchmarks, one row a run, as a CSV file.

Columns: ``kind`` (aligned, non_aligned, write_ack, atomic), ``reads``, ``writes``, ``width_bytes``, ``array_bytes``,
``f_max_mhz``, ``time_ms``; and, if they are there, ``banks`` (how many banks the arrays are interleaved over, 1 when
all lie in one bank) and ``lanes``.
"""

from __future__ import annotations

import csv
from pathlib import Path

from burstline_model.boards.board import Board
from burstline_model.memory.units import MemoryUnit
from burstline_model.validation.measurement import Measurement

COLUMNS = ("kind", "reads", "writes", "width_bytes", "array_bytes", "f_max_mhz", "time_ms")
_ELEMENT = 4


def read(path: Path, board: Board) -> list[Measurement]:
    """The rows, as runs on `board`; raises ValueError naming the line and what is wrong with it."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = csv.DictReader(file)
        missing = [c for c in COLUMNS if c not in (rows.fieldnames or ())]
        if missing:
            raise ValueError(f"{path}: no column {missing[0]} (a row needs {', '.join(COLUMNS)})")
        return [_measurement(path, number, row, board) for number, row in enumerate(rows, start=2)]


def _check(accesses: int, banks: int, board: Board) -> None:
    if not accesses or banks > board.memory.banks:
        raise ValueError(f"{accesses} accesses over {banks} banks on a board of {board.memory.banks}")


def _measurement(path: Path, line: int, row: dict[str, str], board: Board) -> Measurement:
    try:
        banks = int(row.get("banks") or 1)
        ops = ["load"] * int(row["reads"]) + ["store"] * int(row["writes"])
        kind = row["kind"].strip()
        _check(len(ops), banks, board)
        width = float(row["width_bytes"])
        units = tuple(
            MemoryUnit.model_validate(
                {
                    "kind": kind, "op": "atomic" if kind == "atomic" else op, "width_bytes": width,
                    "bytes": float(row["array_bytes"]), "access_bytes": _ELEMENT,
                    "lanes": int(row.get("lanes") or max(1, width // _ELEMENT)), "banks": tuple(range(banks)),
                    "in_step": banks > 1,
                }
            )
            for op in ops
        )  # fmt: skip
        return Measurement(
            id=f"line {line}", set=path.name, board=board.name, group="interleaved" if banks > 1 else "banked",
            units=units, f_max_hz=float(row["f_max_mhz"]) * 1e6, time_s=float(row["time_ms"]) / 1e3, fit=True,
        )  # fmt: skip
    except ValueError as error:
        raise ValueError(f"{path}:{line}: {error}") from error
