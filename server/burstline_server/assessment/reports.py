"""Reports of real builds that lie next to a kernel: found, read once, and used as long as they speak of this text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from os.path import isdir
from pathlib import Path
from typing import Literal

from burstline_model.compiler.reported_lines import named_at
from burstline_model.facts import KernelFacts, Span
from burstline_model.files import allowed
from burstline_model.record import fixed
from burstline_model.target import Target
from burstline_model.vendor_report.overlay import Disagreement, Place
from burstline_model.vendor_report.records import ReportedLoop, ReportedUnit, VendorReport
from burstline_model.vendor_report.report_files import UnreadableReportError, files_of, read_report
from burstline_server.caches.bounded import BoundedCache
from burstline_server.source.locate import place_of
from burstline_server.source.source import Source

OFF = "off"
MAX_REMEMBERED = 16


Stale = Literal["other_text", "older"]
"""Why a report is not used: it was compiled from another text of the file, or is older than the file."""


@fixed
class Build:
    """A report for a file. `stale` says why it is not used, None when it is."""

    report: VendorReport
    stamp: str = ""
    """Distinguishes one state of the report's files from another."""
    stale: Stale | None = None

    @property
    def used(self) -> VendorReport | None:
        """The report, as long as it speaks of the text at hand."""
        return None if self.stale else self.report


@fixed
class KernelBuild:
    """What a report says of one kernel."""

    report: VendorReport
    units: tuple[ReportedUnit, ...]
    loops: tuple[ReportedLoop, ...]
    disagreements: tuple[Disagreement, ...] = ()
    agreed: int = 0


@fixed
class ReadReport:
    """A report as it was read; None for one that cannot be."""

    report: VendorReport | None


@dataclass
class Builds:
    """Finds and remembers reports."""

    _reports: BoundedCache[str, ReadReport] = field(
        default_factory=lambda: BoundedCache("vendor reports", MAX_REMEMBERED)
    )

    def for_file(self, path: Path, text: bytes, setting: str | None, workspace: Sequence[Path] = ()) -> Build | None:
        """The report that a setting names, or the one next to the file; None without one.

        Of what lies next to the file, only what is in its folder or in the workspace is read. A report is stale when
        the text it was compiled from, which nearly all embed, is not the text at hand; one that embeds none, when it is
        older than the file.
        """
        if setting == OFF or not path.parent.is_dir():
            return None
        if setting:
            place = Path(setting)
            try:
                place.stat()
            except (OSError, ValueError):
                return None  # nothing is there, or nothing can be called so
            found = self._of(place, (place if place.is_dir() else place.parent, *workspace))
            return None if found is None else _judged(*found, path, text)
        stale: Build | None = None
        for folder in folders_for(path):
            found = self._of(folder, (path.parent, *workspace))
            if found is None or not _names(found[0], path):
                continue
            build = _judged(*found, path, text)
            if not build.stale:
                return build
            stale = stale or build
        return stale

    def _of(self, place: Path, folders: Sequence[Path]) -> tuple[VendorReport, str] | None:
        """The report at a place and its stamp, read again only when its main file changed."""
        files = (place,) if place.is_file() else files_of(place) if place.is_dir() else ()
        main = next((file for file in files if allowed(file, folders)), None)
        if main is None:
            return None
        try:
            stat = main.stat()
        except OSError:
            return None
        stamp = f"{main}:{stat.st_mtime_ns}:{stat.st_size}"
        known = self._reports.find(stamp) or self._reports.keep(stamp, _read(place, folders))
        return None if known.report is None else (known.report, stamp)


def _read(place: Path, folders: Sequence[Path]) -> ReadReport:
    try:
        return ReadReport(read_report(place, folders))
    except UnreadableReportError:
        return ReadReport(None)


def _judged(report: VendorReport, stamp: str, path: Path, text: bytes) -> Build:
    compiled = report.source(path.name)
    if compiled is not None:
        same = _plain(compiled) == _plain(text.decode("utf-8", "replace"))
        return Build(report, stamp, None if same else "other_text")
    older = _time(Path(report.path)) < _time(path)
    return Build(report, stamp, "older" if older else None)


def folders_for(path: Path) -> Iterator[Path]:
    """Where builds put a kernel file's report: next to it, in a ``bin`` or ``build`` folder, or that of the host."""
    here, above, name = path.parent, path.parent.parent, path.stem
    for base in (here, f"{here}/bin", f"{here}/build", f"{above}/bin", f"{above}/build", above):
        for folder in (f"{base}/{name}", f"{base}/{name}.prj"):
            if isdir(folder):  # noqa: PTH112 - asked at each edit: a path costs more than the question
                yield Path(folder)
    if isdir(f"{here}/reports"):  # noqa: PTH112 - the same
        yield here


def _names(report: VendorReport, path: Path) -> bool:
    """Whether a report speaks of a file; one without places (resources only) is taken at its folder's word."""
    files = {u.file for u in report.units} | {loop.file for loop in report.loops} | {s.name for s in report.sources}
    return not files or path.name in files


def _plain(text: str) -> list[str]:
    """Lines without what no compiler sees at their ends."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _time(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def reported_of(report: VendorReport, facts: KernelFacts) -> KernelBuild | None:
    """What a report says of a kernel; None when it does not list it."""
    units = tuple(u for u in report.units if is_copy_of(u.kernel, facts.name))
    loops = tuple(loop for loop in report.loops if not loop.kernel or is_copy_of(loop.kernel, facts.name))
    listed = any(is_copy_of(k.name, facts.name) for k in report.kernels)
    known = units or listed or any(loop.kernel for loop in loops)
    return KernelBuild(report, units, loops) if known else None


_COPY = re.compile(r"(_\d+){3}")


def is_copy_of(reported: str, kernel: str) -> bool:
    """Whether a report's name is a kernel's, or that of one of its compute units (``worker_1_0_0``)."""
    return reported.startswith(kernel) and (reported == kernel or bool(_COPY.fullmatch(reported, len(kernel))))


def places_of(facts: KernelFacts, source: Source, path: str, target: Target) -> dict[int, Place]:
    """The file's base name and the line (1-based) that a report names for each access in global memory."""
    return {a.id: _place(named_at(a, target), source, path) for a in facts.accesses if a.space == "global"}


def named_loops(
    reported: Sequence[ReportedLoop], facts: KernelFacts, source: Source, path: str
) -> list[tuple[ReportedLoop, list[int]]]:
    """Which loops of a kernel (by id) each loop of its report may be: those that begin on its line.

    Where none does, the innermost around the line that no other row names: compilers put an endless loop on the last
    branch in its body. A function's loop that is inlined several times has several.
    """
    named = {(one.file, one.line) for one in reported}
    begin = {loop.id: _place(loop.span, source, path) for loop in facts.loops}
    unnamed = [loop for loop in facts.loops if begin[loop.id] not in named and loop.kind != "copy"]
    reach = {loop.id: _lines(loop.body, source) for loop in unnamed}
    found = []
    for one in reported:
        loops = [i for i, place in begin.items() if place == (one.file, one.line)]
        around = {i: r for i, r in reach.items() if begin[i][0] == one.file and one.line in r and not loops}
        shortest = min((len(r) for r in around.values()), default=0)
        found.append((one, loops or [i for i, r in around.items() if len(r) == shortest]))
    return found


def _place(span: Span, source: Source, path: str) -> Place:
    """The base name of the file and the line (1-based) that a report gives a span."""
    return Path(span.file or path).name, place_of(source, span).line + 1


def _lines(span: Span, source: Source) -> range:
    """The lines (1-based) of a span."""
    table = source.lines_of(span.file)
    return range(table.line_of(span.start) + 1, table.line_of(span.end - 1) + 2)
