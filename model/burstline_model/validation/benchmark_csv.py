"""A user's own microbenchmarks, one row a run, as a CSV file.

Columns: ``kind`` (aligned, non_aligned, write_ack, atomic), ``reads``, ``writes``, ``width_bytes``, ``array_bytes``,
``f_max_mhz``, ``time_ms``; and, if they are there, ``banks`` (how many banks the arrays are interleaved over, 1 when
all lie in one bank) and ``lanes``.
"""

from __future__ import annotations

import csv
from pathlib import Path

from burstline_model.boards.board import Board
from burstline_model.memory.memory_units import MemoryUnit
from burstline_model.validation.measurement import Measurement

COLUMNS = ("kind", "reads", "writes", "width_bytes", "array_bytes", "f_max_mhz", "time_ms")
_ELEMENT = 4


class TableError(ValueError):
    """A table that cannot be used: the column that it lacks, or what is wrong on a line (from one)."""

    def __init__(self, path: Path, line: int | None, why: str | ValueError) -> None:
        super().__init__(str(path), line, why)
        self.path, self.line, self.why = path, line, why


class UnplacedError(ValueError):
    """A row without accesses, or over more banks than the board has."""

    def __init__(self, accesses: int, banks: int, there: int) -> None:
        super().__init__(accesses, banks, there)
        self.accesses, self.banks, self.there = accesses, banks, there


def read(path: Path, board: Board) -> list[Measurement]:
    """The rows, as runs on `board`; raises `TableError`."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = csv.DictReader(file)
        missing = [c for c in COLUMNS if c not in (rows.fieldnames or ())]
        if missing:
            raise TableError(path, None, missing[0])
        return [_measurement(path, number, row, board) for number, row in enumerate(rows, start=2)]


def _check(accesses: int, banks: int, board: Board) -> None:
    if not accesses or banks > board.memory.banks:
        raise UnplacedError(accesses, banks, board.memory.banks)


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
        raise TableError(path, line, error) from error
