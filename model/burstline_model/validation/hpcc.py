"""STREAM as HPCC_FPGA published it on a 385A and a 520N: arrays of 400 MB, 64 B requests.

400 MB is no multiple of what the banks are interleaved over, so where the arrays meet in the banks is not known.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from burstline_model.board import find_board
from burstline_model.validation.measurement import Measurement, stream

_BOARDS = {"p385a": "p385a", "p520": "p520"}
_ARRAYS = {"copy": ("A", "C"), "scale": ("C", "B"), "add": ("AB", "C"), "triad": ("BC", "A")}
"""Which arrays each operation reads, and the one it writes."""
_SIZES = {"float": 4, "double": 8}


def read(path: Path) -> list[Measurement]:
    """The STREAM rows of the JSON Lines file."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line) if line.strip() else {}
        if row.get("corpus") != "hpcc_stream" or row["board_id"] not in _BOARDS:
            continue
        board = find_board(_BOARDS[row["board_id"]])
        element = _SIZES[row["defines"]["DATA_TYPE"]]
        size = row["args"]["array_size"] * element
        interleaved = bool(row["interleaved"])
        placed = _placed(row, board.memory.banks)
        reads, write = _ARRAYS[row["kernel"]]
        ops: list[tuple[str, Literal["load", "store"]]] = [*((a, "load") for a in reads), (write, "store")]
        units = tuple(
            stream(
                op, size, row["lsu_width_bytes"],
                tuple(range(board.memory.banks)) if interleaved else (placed[array],),
                element_bytes=element,
            )
            for array, op in ops
        )  # fmt: skip
        found.append(
            Measurement(
                id=row["id"], set=f"STREAM, {row['board_id']}", board=board.name,
                group="interleaved" if interleaved else "banked", units=units, f_max_hz=row["fmax_mhz"] * 1e6,
                time_s=row["time_ms"] / 1e3,
            )
        )  # fmt: skip
    return found


def _placed(row: dict[str, Any], banks: int) -> dict[str, int]:
    """The bank of each array, as far as the row tells: by number, or by flags that two banks share."""
    told = row.get("buffers_to_banks")
    if isinstance(told, dict):
        return {array: int(bank) % banks for array, bank in told.items()}
    # On the 385A, channel flags 1 and 3 name the same of its two banks in one order, 1 and 2 in the other.
    other = "B" if "buffer order changed" not in str(row.get("note")) else "C"
    return {array: int(array == other) for array in "ABC"}
