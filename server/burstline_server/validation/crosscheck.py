"""Inference held against a report: the texts that were compiled, read again for the same target, place by place."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from burstline_model.boards.board import UnknownBoardError, known_board
from burstline_model.compiler.infer import infer
from burstline_model.facts import KernelFacts
from burstline_model.target import FAMILIES, Target
from burstline_model.vendor_report.records import GLOBAL_STYLES, VendorReport
from burstline_server.assessment.assessor import Assessor
from burstline_server.assessment.reports import OFF, places_of
from burstline_server.config.layers import Layer
from burstline_server.source.source import Source

Units = Counter[tuple[str, int | None]]
HBM_BOARD = "s10mx_hbm2"


@dataclass(frozen=True)
class PlaceCheck:
    """One operation on one line of a kernel: units by (style, width in bits) as reported and as inferred."""

    file: str
    kernel: str
    line: int
    op: str
    reported: Units
    inferred: Units

    @property
    def agrees(self) -> bool:
        """Whether both are the same."""
        return self.reported == self.inferred


@dataclass(frozen=True)
class ReadText:
    """A compiled text as read for a report's target: kernels' facts with the places of their accesses.

    `branches` are the lines (1-based) that its conditions leave out, each with the directive that does.
    """

    file: str
    target: Target
    kernels: tuple[tuple[KernelFacts, dict[int, tuple[str, int]]], ...]
    branches: tuple[tuple[range, str], ...] = ()


def settings_of(report: VendorReport) -> dict[str, Any]:
    """The settings under which a report's build is read again."""
    keys: dict[str, Any] = {"report": OFF}
    if report.board is not None:
        try:
            keys["board"] = known_board(report.board.rpartition(":")[2]).name
        except UnknownBoardError:
            if "s10mx" in report.board.lower():
                keys["board"] = HBM_BOARD
    family = next((f for f in FAMILIES if f == report.family), None)
    if family is not None:
        keys["device_family"] = family
    if report.aoc_version is not None:
        keys["aoc_version"] = report.aoc_version
    if "-fp-relaxed" in report.command.split():
        keys["aoc_flags"] = ["-fp-relaxed"]
    defines = dict(o[2:].partition("=")[::2] for o in report.options if o.startswith("-D"))
    if defines:
        keys["defines"] = {name: value or "1" for name, value in defines.items()}
    return keys


def texts_of(report: VendorReport, sources: Sequence[Path] = ()) -> Iterator[ReadText]:
    """Every kernel file that a report names, read from `sources`, else from the text that the report embeds."""
    files = list(dict.fromkeys(u.file for u in report.units))
    given = {path.name: path for path in sources}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for source in report.sources:
            with suppress(OSError, ValueError):  # a name that no file can have
                (folder / source.name).write_text(source.text, "utf-8")
        for file in files:
            path = given.get(file) or folder / file
            if path.is_file():
                text = path.read_bytes().decode("utf-8-sig", "replace")
                done = Assessor([path.parent]).assess(text, str(path), [Layer("option", settings_of(report))])
                kernels = tuple(
                    (k.facts, places_of(k.facts, done.source, str(path), done.target)) for k in done.kernels
                )
                yield ReadText(file, done.target, kernels, tuple(_branches(done.source)))


def _branches(source: Source) -> Iterator[tuple[range, str]]:
    """The lines that conditions leave out; each part begins where the directive ends that does not hold."""
    for start, end in source.inactive:
        first, last = (source.lines.line_of(place) for place in (start, end - 1))
        begin = source.lines.start_of(first)
        while source.original[:begin].endswith((b"\\\n", b"\\\r\n")):
            begin = source.lines.start_of(source.lines.line_of(begin - 1))
        directive = source.original[begin:start].decode("utf-8", "replace").replace("\\", " ")
        yield range(first + 2, last + 2), " ".join(directive.split())


def other_branches(report: VendorReport, text: ReadText) -> dict[str, int]:
    """The directives that the build took and that do not hold here, with the first line of a unit behind each."""
    lines = sorted(u.line for u in report.units if u.file == text.file)
    found = {directive: next((n for n in lines if n in left_out), 0) for left_out, directive in text.branches}
    return {directive: line for directive, line in found.items() if line}


def check_text(report: VendorReport, text: ReadText) -> list[PlaceCheck]:
    """The places of a text's kernels that the report lists, with what is inferred there."""
    compiled = {u.kernel for u in report.units}
    reported: dict[tuple[str, int, str], Units] = defaultdict(Counter)
    inferred: dict[tuple[str, int, str], Units] = defaultdict(Counter)
    for unit in report.units:
        if unit.file == text.file and unit.op != "atomic":
            reported[unit.kernel, unit.line, unit.op][unit.style, unit.width_bits] += unit.count
    for facts, places in text.kernels:
        for lsu in infer(facts, text.target):
            file, line = places.get(lsu.members[0], ("", 0))
            if file == text.file and facts.name in compiled and lsu.op != "atomic" and lsu.style in GLOBAL_STYLES:
                inferred[facts.name, line, lsu.op][lsu.style, lsu.width_bits] += lsu.count
    return [PlaceCheck(text.file, *key, reported[key], inferred[key]) for key in sorted({*reported, *inferred})]
