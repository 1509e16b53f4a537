"""The M21 authors' published measurements: microbenchmarks, strides and applications on two Stratix 10 kits.

The microbenchmarks add `n_ga - 1` arrays into one more, 32 768 000 items, `simd` lanes. ``BCNA`` reads elements 3i,
3i+1 and 3i+2: three times the data, nothing discarded; ``ACK`` goes through a table of random indices; ``ATOMIC``
adds to one word per operand.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from burstline_model.memory.units import MemoryUnit
from burstline_model.validation.measurement import Measurement, stream

_BOARDS = {"s10gx": "s10gx_ddr4_1866", "s10gx2666": "s10gx_ddr4_2666", "s10mx": "s10mx_hbm2"}
_CLOCKS = {"s10gx": 480.0, "s10gx2666": 480.0, "s10mx": 450.0}
"""What the compiler estimated (M21, Section 7), where no clock was measured."""
_ITEMS = 32_768_000
_ELEMENT = 4


def read(path: Path) -> list[Measurement]:
    """The rows of the JSON Lines file that tell what their units move; microbenchmarks are for fitting."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line) if line.strip() else {}
        units = _MAKERS[row["corpus"]](row) if row.get("corpus") in _MAKERS else ()
        if units and row["board_id"] in _BOARDS:
            micro = row["corpus"] == "zaragoza_micro"
            kind = f" {row['lsu_kind']}" if micro else ""
            found.append(
                Measurement(
                    id=row["id"],
                    set=f"{'Microbenchmarks' if micro else 'Strides'}{kind}, {row['board_id']}",
                    board=_BOARDS[row["board_id"]],
                    group="banked",
                    units=units,
                    f_max_hz=(row.get("fmax_mhz") or _CLOCKS[row["board_id"]]) * 1e6,
                    time_s=row["time_ms"] / 1e3,
                    fit=micro,
                )
            )
    return found


def _micro(row: dict[str, Any]) -> tuple[MemoryUnit, ...]:
    pointers, lanes, kind = int(row["n_ga"]), int(row["simd"]), row["lsu_kind"]
    channels = row["board_id"] == "s10mx"
    if kind == "ATOMIC":
        # One pointer: the operand is the same in all lanes. More: each lane adds an operand of its own.
        operations = _ITEMS * max(1, pointers - 1)
        unit = MemoryUnit(
            kind="atomic", op="atomic", width_bytes=4, bytes=operations * _ELEMENT, access_bytes=4, lanes=lanes,
            constant_operand=pointers == 1,
        )  # fmt: skip
        return (unit,)
    if kind not in {"BCA", "BCNA", "ACK"}:
        return ()
    stores = 0 if channels and pointers == 1 and kind == "BCA" else 1
    ops = ["load"] * (pointers - stores) + ["store"] * stores
    return tuple(_unit(kind, op, lanes, (i,) if channels else (0,)) for i, op in enumerate(ops))


def _unit(kind: str, op: str, lanes: int, banks: tuple[int, ...]) -> MemoryUnit:
    if kind == "ACK":
        return MemoryUnit.model_validate(
            {
                "kind": "write_ack", "op": op, "width_bytes": _ELEMENT, "bytes": _ITEMS * _ELEMENT,
                "access_bytes": _ELEMENT, "count": lanes, "banks": banks,
            }
        )  # fmt: skip
    elements = 3 if kind == "BCNA" else 1
    bytes_ = _ITEMS * _ELEMENT * elements
    wide = lanes * elements * _ELEMENT
    return MemoryUnit.model_validate(
        {
            "kind": "aligned" if kind == "BCA" else "non_aligned", "op": op,
            "width_bytes": 1 << (wide - 1).bit_length(), "bytes": bytes_, "access_bytes": _ELEMENT * elements,
            "lanes": lanes, "banks": banks,
        }
    )  # fmt: skip


def _stride(row: dict[str, Any]) -> tuple[MemoryUnit, ...]:
    stride, lanes = float(row["delta"]), int(row["simd"])
    channels = row["board_id"] == "s10mx"
    ops = ["load"] * (int(row["n_ga"]) - 1) + ["store"]
    aligned = row["lsu_kind"] != "BCNA" or stride == 1
    return tuple(
        stream(
            "load" if op == "load" else "store", _ITEMS * _ELEMENT, lanes * _ELEMENT, (i,) if channels else (0,)
        ).model_copy(update={"stride": stride, "kind": "aligned" if aligned else "non_aligned"})
        for i, op in enumerate(ops)
    )


_MAKERS = {"zaragoza_micro": _micro, "zaragoza_stride": _stride}
