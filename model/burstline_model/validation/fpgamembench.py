"""FPGAMemBench's published results: streams of 1 GiB on an Arria 10 board with two banks of DDR4-2133.

``R2W1`` reads two arrays and writes one. By hand, arrays a and c lie in the first bank, b and d in the second: reads
are a, b, c in this order, writes d, then c. Interleaved, equal sizes make every array start in the same bank. A halo
of h elements shifts the start of every block by h elements.
"""

from __future__ import annotations

import csv
from pathlib import Path

from burstline_model.memory.units import MemoryUnit
from burstline_model.validation.measurement import Measurement, stream

_BOARD = "p385a"
_BANKS = {"a": 0, "b": 1, "c": 0, "d": 1}
_ARRAYS = {
    "R1W0": ("a", ""), "R1W1": ("a", "d"), "R2W1": ("ab", "d"), "R3W1": ("abc", "d"), "R2W2": ("ab", "cd"),
}  # fmt: skip
_ELEMENT = 4


def read(path: Path) -> list[Measurement]:
    """The rows of the results' CSV file; the STD sheet is for fitting. Raises KeyError for a missing column."""
    found = []
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            if row["kernel"] not in _ARRAYS:
                continue
            interleaved = row["interleaved"] == "Y"
            size = float(row["size"]) * 2**20
            units = _units(row["kernel"], int(row["VEC"]), size, interleaved=interleaved, halo=int(row["halo"]))
            found.append(
                Measurement(
                    id=f"{row['sheet']}-{row['row']}-{row['kernel']}",
                    set=f"FPGAMemBench {row['sheet']}",
                    board=_BOARD,
                    group="interleaved" if interleaved else "banked",
                    units=units,
                    f_max_hz=float(row["fmax_mhz"]) * 1e6,
                    time_s=size * len(units) / (float(row["bw_gbs"]) * 1e9),
                    fit=row["sheet"] == "STD",
                )
            )
    return found


def _units(kernel: str, lanes: int, size: float, *, interleaved: bool, halo: int) -> tuple[MemoryUnit, ...]:
    reads, writes = _ARRAYS[kernel]
    width = lanes * _ELEMENT
    return tuple(
        stream(
            "load" if i < len(reads) else "store",
            size,
            width,
            (0, 1) if interleaved else (_BANKS[array],),
            in_step=interleaved,
            misaligned=halo % lanes != 0,
        )
        for i, array in enumerate(reads + writes)
    )
