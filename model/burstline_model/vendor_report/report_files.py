"""A vendor report from the files of a build, whichever of its forms is there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from burstline_model.files import allowed, read_bounded
from burstline_model.vendor_report.javascript import decoded, variables
from burstline_model.vendor_report.plain_text import quartus_summary, usage_table
from burstline_model.vendor_report.records import SourceText, Usage, VendorReport
from burstline_model.vendor_report.views import base_name, kernels, loops, nodes, units, usage

MAX_FILE_BYTES = 32_000_000
"""Largest file of a report, and most bytes of its JSON views together."""
COMPLETE_SINCE = 18
"""From this version on the Pro Edition's memory view names every modifier (17.x: only the area view does)."""
DATA, SUMMARY = "report_data.js", "acl_quartus_report.txt"
_JSON = ("mav", "area", "loops", "info", "summary", "quartus", "fmax_ii")
_PLACES = ("", "reports", "reports/lib", "lib", "build/reports", "build/reports/lib")


Unreadable = Literal["absent", "no_report", "closed", "damaged", "no_table", "no_view"]


class UnreadableReportError(Exception):
    """Nothing at a path can be read as a vendor report; `why` is the system's or the reader's own text."""

    def __init__(self, path: Path, kind: Unreadable, why: str = "") -> None:
        super().__init__(str(path), kind, why)
        self.path, self.kind, self.why = path, kind, why


def read_report(path: Path, folders: Sequence[Path] | None = None) -> VendorReport:
    """The report at a path: a file of it, or the folder of a build; every file must lie in one of `folders`, if given.

    Raises:
        UnreadableReportError: there is none, it is too large or damaged, or nothing in it is known.

    """
    if path.is_file():
        return _from_file(path, folders)
    if not path.is_dir():
        raise UnreadableReportError(path, "absent")
    parts = [_from_file(found, folders) for found in files_of(path) if allowed(found, folders)]
    if not parts:
        raise UnreadableReportError(path, "no_report")
    return _together(parts)


def files_of(folder: Path) -> Iterator[Path]:
    """The files of a report in a build's folder, the richest first."""
    for name in (DATA, "json/mav.json", "mav.json"):
        files = (Path(f"{folder}/{place}/{name}") for place in _PLACES)
        found = next((file for file in files if file.is_file()), None)
        if found is not None:
            yield found
            break
    for place in ("", "build", ".."):
        if (folder / place / SUMMARY).is_file():
            yield folder / place / SUMMARY
            break


def _together(parts: list[VendorReport]) -> VendorReport:
    """One report of several files: what place and route reached is in its summary."""
    first, *others = parts
    for other in others:
        first = first.model_copy(
            update={
                "f_max_mhz": first.f_max_mhz or other.f_max_mhz,
                "total": other.total if other.total.known else first.total,
            }
        )
    return first


def _text(path: Path, folders: Sequence[Path] | None, most_bytes: int = MAX_FILE_BYTES) -> str:
    try:
        return read_bounded(path, most_bytes, folders).decode("utf-8-sig", "replace")
    except OSError as error:
        raise UnreadableReportError(path, "closed", str(error.strerror)) from error


_DAMAGED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What a report runs into whose figures are of another kind, of another shape or beyond all bounds."""


def _from_file(path: Path, folders: Sequence[Path] | None) -> VendorReport:
    try:
        if path.suffix == ".js":
            texts = variables(_text(path, folders))
            return _from_views(path, {name.removesuffix("JSON"): value for name, value in texts.items()})
        if path.suffix == ".json":
            return _from_views(path, _views_next_to(path, folders))
        return _from_text(path, _text(path, folders))
    except _DAMAGED as error:
        raise UnreadableReportError(path, "damaged", str(error)) from error


def _views_next_to(path: Path, folders: Sequence[Path] | None) -> dict[str, Any]:
    views = {}
    left = MAX_FILE_BYTES
    for name in _JSON:
        file = path.parent / f"{name}.json"
        if file.is_file() and allowed(file, folders):
            text = _text(file, folders, left)
            left -= len(text)
            views[name] = _json(text)
    return views


def _from_text(path: Path, text: str) -> VendorReport:
    f_max, total, available = quartus_summary(text)
    shares = usage_table(text)
    if not total.known and not shares:
        raise UnreadableReportError(path, "no_table")
    return VendorReport(
        path=str(path), f_max_mhz=f_max, total=total, available=available,
        utilisation=shares or _shares(total, available),
    )  # fmt: skip


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return decoded(text)[0]


def _shares(total: Usage, available: Usage) -> dict[str, float]:
    pairs = {
        "logic": (total.alms, available.alms),
        "rams": (total.rams, available.rams),
        "dsps": (total.dsps, available.dsps),
    }  # fmt: skip
    return {name: used / of for name, (used, of) in pairs.items() if used is not None and of}


def _from_views(path: Path, views: Mapping[str, Any]) -> VendorReport:
    if not any(isinstance(views.get(name), dict) for name in ("mav", "area", "loops")):
        raise UnreadableReportError(path, "no_view")
    info = _info(views.get("info"))
    family, device, board = [*(info.get("Target Family, Device, Board", "").split(", ")), "", ""][:3]
    area = views.get("area") if isinstance(views.get("area"), dict) else {}
    sources = _sources(views.get("file"))
    files = {str(i): base_name(str(e.get("path", ""))) for i, e in enumerate(_entries(views.get("file")), start=1)}
    columns = area.get("columns") if area else None
    f_max, target = _clocks(views)
    version = (info.get("AOC Version") or info.get("Version") or "").split(" ")[0]
    return VendorReport(
        path=str(path),
        complete=isinstance(views.get("mav"), dict),
        family=family or None,
        device=device or None,
        board=board or None,
        aoc_version=version or None,
        command=info.get("Command", ""),
        f_max_mhz=f_max,
        target_f_max_mhz=target,
        units=units(views, files, refine=not version or int(version.partition(".")[0] or 0) < COMPLETE_SINCE),
        loops=loops(views),
        kernels=kernels(views),
        total=usage(columns, area.get("total") if area else None),
        shell=_shell(area, columns),
        available=usage(columns, area.get("max_resources") if area else None),
        sources=sources,
    )


def _info(view: Any) -> dict[str, str]:
    rows = view.get("rows") if isinstance(view, dict) else None
    found = {}
    for row in rows or []:
        if isinstance(row, dict) and row.get("data"):
            found[str(row.get("name", ""))] = str(row["data"][0])
    return found


def _entries(view: Any) -> list[dict[str, Any]]:
    return [entry for entry in view if isinstance(entry, dict)] if isinstance(view, list) else []


def _sources(view: Any) -> tuple[SourceText, ...]:
    return tuple(
        SourceText(name=base_name(str(e.get("path") or e.get("name") or "")), text=str(e["content"]))
        for e in _entries(view)
        if e.get("content")
    )


def _shell(area: Any, columns: Any) -> Usage:
    for node in nodes(area):
        if node.get("name") == "Board interface" and node.get("data"):
            return usage(columns, node["data"])
    return Usage()


def _clocks(views: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """The clock that place and route reached, and the slowest one that the blocks were scheduled for."""
    fitted: float | None = None
    for node in nodes(views.get("quartus")):
        if str(node.get("name", "")).startswith("Frequency") and node.get("data"):
            fitted = float(node["data"][0]) if isinstance(node["data"][0], int | float) else None
    blocks = views.get("fmax_ii", {}).get("basicblocks", {}) if isinstance(views.get("fmax_ii"), dict) else {}
    speeds = [float(b["achieved_fmax"]) for b in blocks.values() if _is_number(b.get("achieved_fmax"))]
    return fitted, min(speeds, default=None)


def _is_number(text: Any) -> bool:
    return str(text).replace(".", "", 1).isdigit()
