"""Measured design spaces: every variant of a kernel that somebody built and ran, as a user would hand it to us.

Spector (Gautier et al., FPT 2016): DE5-Net, aoc 14.1, knobs of one source; Boyi (Jiang et al., FPGA 2020): Arria 10,
aoc 16.1, one source a variant. Each has its text, the macros of its knobs and the launch of its host program; a count
that is data is the same number in all variants.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from bench.scoreboard.repositories import git_show

ROWS = 1024
"""Rows and columns of Spector's matrices."""
PIXELS = 1024 * 1024
IMAGE = 2048
"""Rows and columns of the image that Spector transforms."""
FILTERS, TAPS, SAMPLES = 64, 32, 4096
ASSUMED_TRIPS = 1024
"""What every count that is data is taken for."""
SPECTOR, BOYI = "KastnerRG/spector", "jjiantong/Boyi"
Texts = Callable[[str], str]
"""The text of a file of the repository."""
Made = tuple[dict[str, str], dict[str, Any], int]
"""Texts by name, settings, and how much is done at once."""


@dataclass(frozen=True)
class Variant:
    """One measured design: its texts by file name, the kernel file first, and its settings."""

    space: str
    name: str
    texts: Mapping[str, str]
    settings: Mapping[str, Any]
    measured_ms: float
    others: Mapping[str, float] = field(default_factory=dict)
    """What else there is to rank by."""
    f_max_mhz: float | None = None
    """The clock that the build reached, which nobody knows before."""


def spector(folder: Path, mirror: Path) -> Iterator[Variant]:
    """Spector's designs (Gautier et al., FPT 2016), with the launches of their host programs."""

    @cache
    def text(path: str) -> str:
        return git_show(mirror, SPECTOR, f"HEAD:{path}").decode("utf-8", "replace")

    makers = {"mm": _matrix, "fir": _filter, "hist": _histogram, "dct": _transform}
    for name, maker in makers.items():
        for row in csv.DictReader((folder / f"{name}.csv").open()):
            texts, settings, work = maker({k.partition("(")[0]: int(v) for k, v in row.items() if v.isdigit()}, text)
            estimate = [float(row[k]) for k in row if k.startswith("aoc_est") and row[k]]
            others = {"more parallel": 1 / work} | ({"compiler": 1 / max(sum(estimate), 1e-9)} if estimate else {})
            settings = {"board": "de5net", "aoc_version": "14.1", **settings}
            clock = float(row["fmax_mhz"]) if row["fmax_mhz"] else None
            yield Variant(name, row["id"], texts, settings, float(row["time_ms"]), others, clock)


def _matrix(knobs: Mapping[str, int], text: Texts) -> Made:
    x, y, wide_x, wide_y = (knobs[k] for k in ("SUBDIM_X", "SUBDIM_Y", "SIMD_X", "SIMD_Y"))
    unroll = "p" if knobs["enable_unroll"] else "b"
    side = f"subdimx_simdy{wide_y}" if x > 1 or wide_y > 1 else f"subdimy_simdx{wide_x}"
    simd, units = knobs["num_simd_work_items"], knobs["num_compute_units"]
    names = ("BLOCKDIM", "SUBDIM_X", "SUBDIM_Y", "SIMD_X", "SIMD_Y", "UNROLL_F")
    head = "".join(f"#define {n} {knobs[n]}\n" for n in names)
    head += f"__attribute__((num_simd_work_items({simd})))\n__attribute__((num_compute_units({units})))\n"
    settings = {"global_size": [ROWS // x // wide_x, ROWS // y // wide_y], "arguments": {"M": ROWS}}
    return (
        {"mm.cl": head + text(f"mm/src/mm_{side}_unroll{unroll}_base.cl")},
        settings,
        (simd * units * knobs["UNROLL_F"] * wide_x * wide_y),
    )


def _filter(knobs: Mapping[str, int], text: Texts) -> Made:
    shift, parallel = knobs["KNOB_COEF_SHIFT"], knobs["KNOB_NUM_PARALLEL"]
    items = knobs["KNOB_NUM_WORK_ITEMS"] * knobs["KNOB_NUM_WORK_GROUPS"]
    head = "".join(f"#define {k} {v}\n" for k, v in knobs.items() if k.startswith("KNOB"))
    whole = ("FILTER_1", "FILTER_2", "COEF_SHIFT_1", "COEF_SHIFT_2", "PARALLEL_1", "PARALLEL_2", "PARALLEL_3")
    head += "".join(f"#define KNOB_UNROLL_{k}\n" for k in whole)
    head += f"#define FILTER_LENGTH {TAPS}\n#define NUM_COEF_LOADS {TAPS // shift}\n#define TOTAL_WORK_ITEMS {items}\n"
    points = SAMPLES + TAPS // shift * parallel + math.ceil((TAPS - 1 + SAMPLES) / parallel) * parallel - SAMPLES
    arguments = {
        "totalInputLength": points * FILTERS // items, "numIterations": points * FILTERS // items // parallel,
        "paddedSingleInputLength": points - parallel, "totalFiltersLength": TAPS * FILTERS // items,
    }  # fmt: skip
    work = parallel * knobs["KNOB_UNROLL_FILTER_3"] * knobs["KNOB_UNROLL_TOTAL"]
    settings = {
        "global_size": [items], "arguments": arguments, "defines": {"ALTERA_CL": 1}, "aoc_flags": ["--fp-relaxed"],
    }  # fmt: skip
    work *= knobs["KNOB_SIMD"] * knobs["KNOB_COMPUTE_UNITS"]
    return {"tdfir.cl": text("fir/src/device/tdfir.cl"), "parameters.h": head}, settings, work


def _histogram(knobs: Mapping[str, int], text: Texts) -> Made:
    items = knobs["KNOB_NUM_WORK_ITEMS"] * knobs["KNOB_NUM_WORK_GROUPS"]
    head = "".join(f"#define {k} {v}\n" for k, v in knobs.items() if k.startswith("KNOB"))
    head += f"#define KNOB_SIMD 1\n#define TOTAL_WORK_ITEMS {items}\n"
    settings = {
        "arguments": {"numData": PIXELS // items}, "defines": {"ALTERA_CL": 1},
        "kernels": {"calculateHistogram": {"global_size": [items]}, "accumulateHistograms": {"global_size": [1]}},
    }  # fmt: skip
    work = knobs["KNOB_NUM_HIST"] * knobs["KNOB_UNROLL_FACTOR"] * knobs["KNOB_COMPUTE_UNITS"]
    return {"histogram.cl": text("histogram/src/histogram.cl"), "params.h": head}, settings, work


def _transform(knobs: Mapping[str, int], text: Texts) -> Made:
    side, lanes = 8 * knobs["BLOCK_SIZE_F"], knobs["SIMD_LOC"]
    wide, high = (lanes, 1) if knobs["SIMD_TYPE"] == 0 else (1, lanes)
    head = "".join(f"#define {name} {value}\n" for name, value in knobs.items() if name.isupper())
    settings = {
        "global_size": [IMAGE // wide, IMAGE // side // high],
        "arguments": {"stride": IMAGE, "imageH": IMAGE, "imageW": IMAGE},
    }
    work = lanes * knobs["SIMD_WI"] * knobs["COMP_U"] * (knobs["BLOCK_SIZE_F"] if knobs["BLOCK_UNROLL"] else 1)
    return {"dct.cl": head + text("dct/src/dct_base.cl")}, settings, work * (8 if knobs["DCT_UNROLL"] else 1)


SIZE = {
    "MM": {"A_width": 1024, "B_width": 1024, "C_width": 1024, "C_height": 2048},
    "HSTI": {"size": 157286400, "bins": 256, "n_tasks": 614400},
    "PS": {"in_size": 4194304, "block_size": 512, "length": 512},
    "PAD": {"n": 199, "m": 200, "pad": 1},
}
GRID = {"MM": (1024, 2048), "HSTI": (153600,), "PS": (2097152,)}
GROUP: dict[str, tuple[int, ...] | None] = {"MM": None, "HSTI": (256,), "PS": (256,)}
PAD_ITEMS, PAD_GROUPS, PAD_REGISTERS = 64, 32, 32
"""Work-items of a group unless a row says otherwise, groups of the launch, values that a work-item keeps."""
_SIDE_BY_SIDE = re.compile(r"(?:^|_)t?(\d+(?:-\d+)+)|(?:ul[oi]?|simd|cu|wr)(\d+(?:[-_]\d+)*)")


def parallelism(name: str) -> int:
    """What a variant's name says is done at once: unrolling, lanes, copies, widths, kernels of each kind."""
    return math.prod(int(n) for found in _SIDE_BY_SIDE.findall(name) for n in re.findall(r"\d+", "".join(found)))


def launch_of(app: str, note: str) -> dict[str, Any]:
    """The launch of an application's host program; a row may name another group size (``ls128``)."""
    if app != "PAD":
        group = GROUP[app]
        shape = {"local_size": list(group)} if group else {}
        return {"arguments": SIZE[app], "global_size": list(GRID[app]), **shape}
    named = re.fullmatch(r"ls(\d+)", note)
    items = int(named[1]) if named else PAD_ITEMS
    tasks = math.ceil(SIZE[app]["m"] * (SIZE[app]["n"] + SIZE[app]["pad"]) / (items * PAD_REGISTERS))
    return {"arguments": {**SIZE[app], "n_tasks": tasks}, "global_size": [items * PAD_GROUPS], "local_size": [items]}


def boyi(rows: Path, mirror: Path) -> Iterator[Variant]:
    """Boyi's applications (Jiang et al., FPGA 2020), one source a variant."""
    for line in rows.read_text("utf-8").splitlines():
        row = json.loads(line)
        if not row.get("time_ms") or not row.get("kernel_file") or row["app"] not in SIZE:
            continue

        def text_of(path: str, row: Mapping[str, Any] = row) -> str:
            return git_show(mirror, row["repo"], f"{row['commit']}:{path}").decode("utf-8", "replace")

        path, note = row["kernel_file"], row.get("note") or ""
        text = text_of(path)
        folder = path.rpartition("/")[0]
        headers = {f"support/{n}.h": text_of(f"{folder}/support/{n}.h") for n in ("common", "partitioner")}
        settings = {
            "device_family": "Arria 10",
            "aoc_version": "16.1",
            "board": "p385a",
            **launch_of(row["app"], note),
        }
        name = f"{row['model']} {row['variant']} {note if note.startswith('ls') else ''}".strip()
        others = {"more parallel": 1 / parallelism(row["variant"])}
        if text:
            texts = {"kernel.cl": text, **headers}
            yield Variant(row["app"], name, texts, settings, float(row["time_ms"]), others, row.get("fmax_mhz"))
