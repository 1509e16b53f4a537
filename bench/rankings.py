"""How well variants of a kernel are ranked before any compile, against measured design spaces.

    python bench/rankings.py --spector FOLDER --boyi FILE --mirror DIR [--sample N] [--markdown docs/rankings.md]

`--spector` holds ``mm.csv``, ``fir.csv`` and ``hist.csv`` (knob settings and ``time_ms`` of each variant), `--boyi` a
JSON object a line (``app``, ``kernel_file``, ``time_ms``); `--mirror` holds git directories as ``OWNER+NAME/repo``.
Each variant is assessed as a user would: its text, the macros of its knobs, its launch; a count that is data stands
as the same number in all variants. Printed by design space: Kendall's tau-b of predicted against measured time, and the
regret: the measured time of our first choice, and of the best of our first five, over the best there is.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from loops import git_show
from marked import MarkedPart

from burstline_server.assess import Assessment, Assessor
from burstline_server.config.layers import Layer

MEASURED = MarkedPart("python bench/rankings.py")
M = 1024
"""Rows and columns of Spector's matrices."""
PIXELS = 1024 * 1024
FILTERS, TAPS, SAMPLES = 64, 32, 4096


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


def spector(folder: Path, mirror: Path) -> Iterator[Variant]:
    """Spector's designs (Gautier et al., FPT 2016), with the launches of their host programs."""

    @cache
    def text(path: str) -> str:
        return git_show(mirror, "KastnerRG/spector", f"HEAD:{path}").decode("utf-8", "replace")

    makers = {"mm": _matrix, "fir": _filter, "hist": _histogram}
    for name, maker in makers.items():
        for row in csv.DictReader((folder / f"{name}.csv").open()):
            texts, settings, work = maker({k.partition("(")[0]: int(v) for k, v in row.items() if v.isdigit()}, text)
            estimate = [float(row[k]) for k in row if k.startswith("aoc_est") and row[k]]
            others = {"more parallel": 1 / work} | ({"compiler": 1 / max(sum(estimate), 1e-9)} if estimate else {})
            yield Variant(name, row["id"], texts, {"board": "de5net", **settings}, float(row["time_ms"]), others)


def _matrix(knobs: Mapping[str, int], text: Any) -> tuple[dict[str, str], dict[str, Any], int]:
    x, y, wide_x, wide_y = (knobs[k] for k in ("SUBDIM_X", "SUBDIM_Y", "SIMD_X", "SIMD_Y"))
    unroll = "p" if knobs["enable_unroll"] else "b"
    side = f"subdimx_simdy{wide_y}" if x > 1 or wide_y > 1 else f"subdimy_simdx{wide_x}"
    simd, units = knobs["num_simd_work_items"], knobs["num_compute_units"]
    names = ("BLOCKDIM", "SUBDIM_X", "SUBDIM_Y", "SIMD_X", "SIMD_Y", "UNROLL_F")
    head = "".join(f"#define {n} {knobs[n]}\n" for n in names)
    head += f"__attribute__((num_simd_work_items({simd})))\n__attribute__((num_compute_units({units})))\n"
    settings = {"global_size": [M // x // wide_x, M // y // wide_y], "arguments": {"M": M}}
    return (
        {"mm.cl": head + text(f"mm/src/mm_{side}_unroll{unroll}_base.cl")},
        settings,
        (simd * units * knobs["UNROLL_F"] * wide_x * wide_y),
    )


def _filter(knobs: Mapping[str, int], text: Any) -> tuple[dict[str, str], dict[str, Any], int]:
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
    settings = {"global_size": [items], "arguments": arguments, "defines": {"ALTERA_CL": 1}}
    work *= knobs["KNOB_SIMD"] * knobs["KNOB_COMPUTE_UNITS"]
    return {"tdfir.cl": text("fir/src/device/tdfir.cl"), "parameters.h": head}, settings, work


def _histogram(knobs: Mapping[str, int], text: Any) -> tuple[dict[str, str], dict[str, Any], int]:
    items = knobs["KNOB_NUM_WORK_ITEMS"] * knobs["KNOB_NUM_WORK_GROUPS"]
    head = "".join(f"#define {k} {v}\n" for k, v in knobs.items() if k.startswith("KNOB"))
    head += f"#define KNOB_SIMD 1\n#define TOTAL_WORK_ITEMS {items}\n"
    settings = {
        "arguments": {"numData": PIXELS // items}, "defines": {"ALTERA_CL": 1},
        "kernels": {"calculateHistogram": {"global_size": [items]}, "accumulateHistograms": {"global_size": [1]}},
    }  # fmt: skip
    work = knobs["KNOB_NUM_HIST"] * knobs["KNOB_UNROLL_FACTOR"] * knobs["KNOB_COMPUTE_UNITS"]
    return {"histogram.cl": text("histogram/src/histogram.cl"), "params.h": head}, settings, work


SIZE = {
    "MM": {"A_width": 1024, "B_width": 1024, "C_width": 1024, "C_height": 2048},
    "HSTI": {"size": 157286400, "bins": 256, "n_tasks": 614400},
    "PS": {"in_size": 4194304, "block_size": 512, "length": 512},
    "PAD": {"n": 199, "m": 200, "pad": 1, "n_tasks": 20},
}
GRID = {"MM": (1024, 2048), "HSTI": (153600,), "PS": (2097152,), "PAD": (1280,)}
GROUP = {"MM": None, "HSTI": (256,), "PS": (256,), "PAD": (64,)}


def boyi(rows: Path, mirror: Path) -> Iterator[Variant]:
    """Boyi's applications (Jiang et al., FPGA 2020), one source a variant."""
    for line in rows.read_text("utf-8").splitlines():
        row = json.loads(line)
        if not row.get("time_ms") or not row.get("kernel_file") or row["app"] not in SIZE:
            continue

        def show(path: str, row: Mapping[str, Any] = row) -> str:
            return git_show(mirror, row["repo"], f"{row['commit']}:{path}").decode("utf-8", "replace")

        path = row["kernel_file"]
        text = show(path)
        folder = path.rpartition("/")[0]
        headers = {f"support/{n}.h": show(f"{folder}/support/{n}.h") for n in ("common", "partitioner")}
        settings = {
            "device_family": "Arria 10", "aoc_version": "16.1", "board": "p385a",
            "arguments": SIZE[row["app"]], "global_size": list(GRID[row["app"]]),
            **({"local_size": list(group)} if (group := GROUP[row["app"]]) else {}),
        }  # fmt: skip
        if text:
            yield Variant(row["app"], row["variant"], {"kernel.cl": text, **headers}, settings, float(row["time_ms"]))


def predicted_s(variant: Variant, folder: Path) -> float | None:
    """The time of a variant: kernels that talk through channels run at once, the others one after the other."""
    for name, text in variant.texts.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    main = folder / next(iter(variant.texts))
    settings = {**variant.settings, "assumed_trips": 1024}
    done: Assessment = Assessor([folder]).assess(main.read_text("utf-8"), str(main), [Layer("file", settings)])
    times = [k.estimate.time_s for k in done.kernels]
    known = [t for t in times if t is not None]
    if len(known) < len(times) or not known:
        return None
    return max(known) if any(k.facts.channels for k in done.kernels) else sum(known)


def kendall_tau_b(first: Sequence[float], second: Sequence[float]) -> float:
    """Kendall's tau-b: agreement of two orders, ties accounted for; not a number where one has a single value."""
    a, b = (np.sign(np.subtract.outer(v, v)) for v in (np.asarray(first), np.asarray(second)))
    pairs = math.sqrt(float(np.abs(a).sum()) * float(np.abs(b).sum()))
    return float((a * b).sum()) / pairs if pairs else math.nan


def regret(predicted: Sequence[float], measured: Sequence[float], first: int) -> float:
    """The best measured time of our `first` choices over the best of all."""
    order = sorted(range(len(measured)), key=lambda i: predicted[i])
    return min(measured[i] for i in order[:first]) / min(measured)


def table(variants: Iterable[Variant], *, verbose: bool) -> list[str]:
    """Assess all and compare."""
    rows: dict[str, list[tuple[float | None, Variant]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        for variant in variants:
            rows[variant.space].append((predicted_s(variant, Path(name)), variant))
    lines = [
        "| design space | variants | costed | τ | τ, more parallel | τ, the compiler's estimate | top-1 | top-5 |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    taus = []
    for space, every in rows.items():
        known = [(p, v) for p, v in every if p is not None]
        measured = [v.measured_ms for _, v in known]
        predicted = [p for p, _ in known]

        def tau(values: Sequence[float], against: Sequence[float] = measured) -> float:
            return kendall_tau_b(values, against)

        others = [
            f"{tau([v.others[k] for _, v in known]):.2f}" if known and all(k in v.others for _, v in known) else ""
            for k in ("more parallel", "compiler")
        ]
        if verbose:
            for p, v in sorted(known, key=lambda one: one[1].measured_ms):
                print(f"{space} {v.name}: {v.measured_ms:.4g} ms, predicted {p * 1e3:.4g} ms")
            for _, v in (one for one in every if one[0] is None):
                print(f"{space} {v.name}: {v.measured_ms:.4g} ms, not costed")
        taus.append(tau(predicted))
        lines.append(
            f"| {space} | {len(every)} | {len(known)} | {taus[-1]:.2f} | {others[0]} | {others[1]} | "
            + " | ".join(f"{regret(predicted, measured, n):.2f}×" for n in (1, 5)) + " |"
        )  # fmt: skip
    lines.append(f"| mean | | | {sum(taus) / len(taus):.2f} | | | | |")
    return lines


def main() -> None:
    """Print the table, and write it between the marks of a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spector", type=Path)
    parser.add_argument("--boyi", type=Path)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--space", action="append", help="only these design spaces")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="every Nth variant of Spector's")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--markdown", type=MEASURED.page, metavar="FILE", help="write the page's measured part")
    args = parser.parse_args()
    found = list(spector(args.spector, args.mirror))[:: args.sample] if args.spector else []
    found += list(boyi(args.boyi, args.mirror)) if args.boyi else []
    lines = table([v for v in found if not args.space or v.space in args.space], verbose=args.verbose)
    print("\n".join(lines))
    if args.markdown:
        MEASURED.write(args.markdown, "\n".join(lines))


if __name__ == "__main__":
    main()
