"""Builds whose resources are known: vendor reports by kernel, and public design spaces after place and route."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.scoreboard.repositories import git_show

from burstline_model.facts import KernelFacts
from burstline_model.lsu import Lsu
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_model.target import Target
from burstline_model.vendor_report.javascript import variables
from burstline_model.vendor_report.records import Usage, VendorReport
from burstline_model.vendor_report.report_files import UnreadableReportError, read_report
from burstline_model.vendor_report.views import nodes
from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.validation.crosscheck import settings_of

SPECTOR = "KastnerRG/spector"
ONE_FOR_STRATIX_10 = "angelicadavila/FPGA_MEMORY_HLS"
_SPECTOR_FILES = {
    "fir": ("fir/src/device/tdfir.cl", "parameters.h", "fir/src/parameters.h.template"),
    "hist": ("histogram/src/histogram.cl", "params.h", "histogram/src/params.h.template"),
}
_SPECTOR_UNROLL = "enable_unroll(0=unrollb,1=unrollp; see REPORT)"
EACH_OF_SPECTOR = 12
"""One row of so many is read: neighbouring rows differ by one knob."""


@dataclass(frozen=True)
class Kernel:
    """A kernel as it was read."""

    facts: KernelFacts
    lsus: tuple[Lsu, ...]
    copies: dict[int, int]
    target: Target


@dataclass(frozen=True)
class Build:
    """Kernels that were built together. `whole`: `fitted` holds the board's shell too.

    `estimated` is the vendor compiler's own estimate, in its units; `fitted` what place and route made. `group` is what
    is held out together: a repository, or a folder of one that all of a family's placed builds come from.
    """

    name: str
    group: str
    family: str
    kernels: tuple[Kernel, ...]
    estimated: Usage | None = None
    fitted: Usage | None = None
    whole: bool = False
    f_max_mhz: float | None = None


def builds(truth: Path, mirror: Path) -> Iterator[Build]:
    """Every build of the truth folder whose texts can be read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from of_reports(truth, mirror, folder)
        yield from of_boyi(truth, mirror, folder)
        yield from of_spector(truth, mirror, folder)


def read(text: str, path: Path, settings: dict[str, object]) -> tuple[Kernel, ...]:
    """The kernels of a text."""
    done = Assessor([path.parent]).assess(text, str(path), [Layer("option", settings)])
    return tuple(Kernel(k.facts, k.lsus, effective_unroll(k.facts), done.target) for k in done.kernels)


def of_reports(truth: Path, mirror: Path, folder: Path) -> Iterator[Build]:
    """A build for each distinct kernel of each report."""
    listed: dict[tuple[str, str, str], dict[str, str]] = {}
    for file in ("lsu_train.jsonl", "loops_train.jsonl"):
        for line in (truth / file).read_text("utf-8").splitlines():
            row = json.loads(line)
            given = listed.setdefault((row["repo"], row["commit"], row["report"]), {})
            given.update({key: row[key] for key in ("family", "aoc") if row.get(key)})
    seen: set[str] = set()
    for (repository, commit, path), given in listed.items():
        place = folder / "report_data.js"
        place.write_bytes(git_show(mirror, repository, f"{commit}:{path}"))
        try:
            report = read_report(place)
        except UnreadableReportError:
            continue
        own = {"family": report.family or given.get("family"), "aoc_version": report.aoc_version or given.get("aoc")}
        report = report.model_copy(update=own)
        kernels = {k.facts.name: k for k in _texts(report, folder)}
        group = f"{repository} {path.split('/')[1]}" if repository == ONE_FOR_STRATIX_10 else repository
        for one in report.kernels:
            kernel = kernels.get(re.sub(r"(_\d+){3}$", "", one.name))
            if kernel is None or not one.usage.known:
                continue
            body = f"{kernel.facts!r}{kernel.target.family}{one.usage!r}{one.fitted!r}"
            key = hashlib.sha256(body.encode()).hexdigest()
            if key not in seen:
                seen.add(key)
                fitted = one.fitted if one.fitted.known else None
                yield Build(
                    f"{path}:{one.name}", group, kernel.target.family, (kernel,), one.usage, fitted,
                    f_max_mhz=report.f_max_mhz if fitted else None,
                )  # fmt: skip


def _texts(report: VendorReport, folder: Path) -> Iterator[Kernel]:
    with tempfile.TemporaryDirectory(dir=folder) as name:
        for source in report.sources:
            if source.name:
                (Path(name) / source.name).write_text(source.text, "utf-8")
        for source in report.sources:
            if source.name.endswith((".cl", ".ocl")):
                yield from read(source.text, Path(name) / source.name, settings_of(report))


def report_rows(truth: Path, mirror: Path) -> list[str]:
    """The medians of the area views' rows by family, compiler and name: one piece's ALUTs, registers, RAMs and DSPs."""
    found: dict[tuple[str, str, str], list[list[float]]] = defaultdict(list)
    listed = {}
    for line in (truth / "lsu_train.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        listed[row["repo"], row["commit"], row["report"]] = (str(row["family"]), str(row["aoc"])[:4])
    for (repository, commit, path), (family, version) in listed.items():
        text = git_show(mirror, repository, f"{commit}:{path}").decode("utf-8", "replace")
        area = variables(text).get("areaJSON")
        for node in nodes(area):
            info = node.get("info") if isinstance(node.get("info"), dict) else node
            count, figures = node.get("count") or info.get("count"), info.get("data")
            if count and figures:
                uses = re.search(r"uses a(?:n)? (.+?) LSU", json.dumps(info.get("details") or ""))
                name = str(info.get("name")) + (f" ({uses[1]})" if uses else "")
                found[family, version, name].append([value / count for value in figures[:4]])
    return [
        f"{family} {version} | {name} | {len(rows)} rows | {[round(median(c), 1) for c in zip(*rows, strict=True)]}"
        for (family, version, name), rows in sorted(found.items())
    ]


def of_boyi(truth: Path, mirror: Path, folder: Path) -> Iterator[Build]:
    """Four applications on an Arria 10, one source a variant, after place and route."""
    seen: set[str] = set()
    for line in (truth / "boyi_train.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if "util" not in row or "kernel_file" not in row or row["kernel_file"] in seen:
            continue
        seen.add(row["kernel_file"])
        file = Path(row["kernel_file"])
        own = folder / "boyi"
        (own / "support").mkdir(parents=True, exist_ok=True)
        text = git_show(mirror, row["repo"], f"{row['commit']}:{file}").decode("utf-8", "replace")
        for name in re.findall(r'#include\s+"([^"]+)"', text):
            for parent in file.parents:
                content = git_show(mirror, row["repo"], f"{row['commit']}:{parent / name}")
                if content:
                    (own / name).parent.mkdir(parents=True, exist_ok=True)
                    (own / name).write_bytes(content)
                    break
        kernels = read(text, own / file.name, {"device_family": "Arria 10", "aoc_version": row["sdk"]})
        if kernels:
            used = {k: float(v.split("/")[0].replace(",", "")) for k, v in row["util"].items()}
            fitted = Usage(
                aluts=used["ALUTs"], alms=used["Logic"], ffs=used["Registers"], rams=used["RAM blocks"],
                dsps=used["DSP blocks"],
            )  # fmt: skip
            yield Build(
                str(file), row["repo"], "Arria 10", kernels, fitted=fitted, whole=True, f_max_mhz=row.get("fmax_mhz")
            )


def of_spector(truth: Path, mirror: Path, folder: Path) -> Iterator[Build]:
    """Three parametrised kernels on a Stratix V, after place and route."""
    for name in ("mm", "fir", "hist"):
        with (truth / "spector" / f"{name}.csv").open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for row in rows[::EACH_OF_SPECTOR]:
            own = folder / "spector"
            own.mkdir(exist_ok=True)
            text = _mm(mirror, row) if name == "mm" else _with_knobs(mirror, row, name, own)
            settings = {"device_family": "Stratix V", "aoc_version": "14.1", "defines": {"ALTERA_CL": "1"}}
            kernels = read(text, own / f"{name}.cl", settings)
            if kernels:
                fitted = Usage(alms=float(row["logic_alms"]), rams=float(row["ram_blocks"]), dsps=float(row["dsp"]))
                yield Build(
                    f"{name} {row['id']}", SPECTOR, "Stratix V", kernels, fitted=fitted, whole=True,
                    f_max_mhz=float(row["fmax_mhz"]),
                )  # fmt: skip


def _mm(mirror: Path, row: dict[str, str]) -> str:
    unroll = "p" if row[_SPECTOR_UNROLL] == "1" else "b"
    many = (
        f"subdimy_simdx{row['SIMD_X']}" if row["SUBDIM_X"] == row["SIMD_Y"] == "1" else f"subdimx_simdy{row['SIMD_Y']}"
    )
    body = git_show(mirror, SPECTOR, f"HEAD:mm/src/mm_{many}_unroll{unroll}_base.cl").decode()
    knobs = ("BLOCKDIM", "SUBDIM_X", "SUBDIM_Y", "SIMD_X", "SIMD_Y", "UNROLL_F")
    head = "".join(f"#define {k} {row[k]}\n" for k in knobs)
    head += f"__attribute__((num_simd_work_items({row['num_simd_work_items']})))\n"
    return f"{head}__attribute__((num_compute_units({row['num_compute_units']})))\n{body}"


def _with_knobs(mirror: Path, row: dict[str, str], name: str, folder: Path) -> str:
    """The kernel, and its header of knobs written next to it; loops whose knob the space does not vary unroll fully."""
    kernel, header, template = _SPECTOR_FILES[name]
    knobs = git_show(mirror, SPECTOR, f"HEAD:{template}").decode()
    lines = []
    for line in knobs.splitlines():
        match = re.match(r"#define (KNOB_\w+)\s+%\d+", line)
        value = row.get(match[1], "1" if match[1] == "KNOB_SIMD" else "") if match else ""
        lines.append(f"#define {match[1]} {value}" if match else line)
    (folder / header).write_text("\n".join(lines), "utf-8")
    return git_show(mirror, SPECTOR, f"HEAD:{kernel}").decode()
