"""Vendor reports of every generation, in small texts of our own, read into the same records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from burstline_model.vendor_report.records import ReportedUnit
from burstline_model.vendor_report.report_files import MAX_FILE_BYTES, UnreadableReportError, read_report
from burstline_server.cli.main import main
from burstline_server.words.vendor_reports import unreadable_text

PLACE = [[{"filename": "/build/device/k.cl", "line": 4}]]
UNIT = ReportedUnit(kernel="k", file="k.cl", line=4, op="load", style="Burst-coalesced cached", width_bits=512, count=1)

SUMMARY = (
    "ALUTs: 53526\nRegisters: 123,432\nLogic utilization: 68,061 / 933,120 ( 7 % )\n"
    "DSP blocks: 16 / 5,760 ( < 1 % )\nRAM blocks: 228 / 11,721 ( 2 % )\nActual clock freq: 395.0\n"
    "Kernel fmax: 399.68\n2x clock fmax: Unused\n"
)
TABLE = (
    "; Resource                     + Usage    ;\n; Logic utilization            ;   66%    ;\n"
    "; Memory blocks                ;   24%    ;\n; DSP blocks                   ;   17%    ;\n"
)


def kernel_with(block: dict[str, Any]) -> dict[str, Any]:
    """A memory view of kernel k with one block."""
    return {"nodes": [{"type": "kernel", "name": "k", "children": [block]}]}


def of_16() -> str:
    """16.x: JavaScript objects, files by number, the cache given by the area view alone, octal escapes."""
    load = {"type": "inst", "id": 6, "name": "Load", "file": "1", "line": "4",
            "details": {"Width": "512 bits", "Type": "Burst-coalesced", "Stall-free": "No"}}  # fmt: skip
    mav = {
        "nodes": [{"type": "kernel", "name": "k", "children": [{"type": "bb", "name": "Block1", "children": [load]}]}]
    }
    info = {"name": "Load", "data": [1, 2, 3, 0], "details": ["Load with a private 512 kilobit cache."]}
    line = {"name": "k.cl:4", "debug": PLACE, "data": [1, 2, 3, 0], "subinfos": [{"info": info, "count": 1}]}
    area = {"columns": ["ALUTs", "FFs", "RAMs", "DSPs"], "total": [5, 6, 7, 8], "max_resources": [50, 60, 70, 80],
            "functions": [{"name": "k", "basicblocks": [{"computation": [line]}]}]}  # fmt: skip
    loops = {"columns": ["Pipelined", "II", "Bottleneck"], "functions": [
        {"name": "Block1", "data": ["Yes", "6", "II"], "debug": [[{"filename": "k.cl", "line": 3, "level": 1}]],
         "details": ["Data dependency"]}]}  # fmt: skip
    text = "".join(f"var {name}JSON={json.dumps(view, indent=1)};\n" for name, view in
                   (("loops", loops), ("mav", mav), ("area", area)))  # fmt: skip
    return text + 'var fileJSON=[{"index":0, "path":"c:/build/k.cl", "content":"a\\012b\\011c"}];'


def of_19(style_key: str = "Type") -> str:
    """17.0 and later: JSON in strings, debug places, styles in full."""
    load = {"type": "inst", "name": "Load", "debug": PLACE,
            "details": [{"type": "table", "Width": "512 bits", style_key: "Burst-coalesced cached"}]}  # fmt: skip
    views: dict[str, Any] = {
        "mav": kernel_with({"type": "bb", "name": "k.B1", "children": [load]}),
        "area": {"columns": ["", "ALUTs", "FFs", "RAMs", "DSPs", "MLABs", "Details"], "total": [5, 6, 7, 8, 9],
                 "max_resources": [50, 60, 70, 80, 90], "children": [
                     {"name": "Board interface", "type": "resource", "data": [1, 1, 1, 1, 0]},
                     {"name": "k", "type": "function", "compute_units": 2, "total_kernel_resources": [3, 4, 5, 6, 7]}]},
        "loops": {"columns": ["", "Pipelined", "II", "Bottleneck", "Details"], "children": [
            {"name": "Kernel: k (k.cl:1)", "data": ["", "", ""], "children": [
                {"name": "k.B1", "data": ["Yes", ">=7", "n/a"], "debug": [[{"filename": "k.cl", "line": 3}]],
                 "details": [{"type": "brief", "text": "Serial exe: Memory dependency"}]}]}]},
        "info": {"rows": [{"name": "Target Family, Device, Board", "data": ["Arria 10, 10AX115, dcp:pac_a10"]},
                          {"name": "AOC Version", "data": ["19.4.0 Build 64"]},
                          {"name": "Command", "data": ["aoc -D WIDTH=8 -DN=4 k.cl -board=pac_a10"]}]},
        "quartus": {
            "quartusFitClockSummary": {"children": [{"name": "Frequency (MHz)", "data": [266.5, 533.0]}]},
            "quartusFitResourceUsageSummary": {
                "columns": ["", "ALMs", "FFs", "RAMs", "DSPs", "MLABs"],
                "children": [{"name": "k", "data": [2.5, 9, 5, 6, 1]}]}},
        "fmax_ii": {"basicblocks": {"k.B0": {"achieved_fmax": "480.0"}, "k.B1": {"achieved_fmax": "240.0"}}},
    }  # fmt: skip
    quoted = {name: json.dumps(view).replace("'", "\\'") for name, view in views.items()}
    text = "".join(f"var {name}JSON='{view}';\n" for name, view in quoted.items())
    return text + 'var fileJSON=[{"path":"/build/device/k.cl", "name":"k.cl", "content":"it\'s\\074text"}];'


@pytest.mark.parametrize("text", [of_16(), of_19(), of_19("LSU Style")], ids=["16", "17 to 19", "20"])
def test_every_generation_gives_the_same_unit(text: str, tmp_path: Path) -> None:
    (tmp_path / "report_data.js").write_text(text, "utf-8")
    report = read_report(tmp_path)
    assert report.complete
    assert report.units == (UNIT,)


def of_standard(loads: list[tuple[str, int]], entries: list[tuple[list[str], int]]) -> str:
    """18.1 Standard: the memory view names no cache; the area view each style of its loads once, and their number."""
    nodes = [
        {"type": "inst", "name": "Load", "debug": PLACE,
         "details": [{"type": "table", "Width": f"{width} bits", "Type": style}]}
        for style, width in loads
    ]  # fmt: skip
    children = [
        {"name": "Load", "type": "resource", "count": count,
         "details": [{"type": "text", "text": f"Load uses a {style} LSU.  A note."} for style in styles]}
        for styles, count in entries
    ]  # fmt: skip
    line = {"name": "k.cl:4", "type": "resource", "debug": PLACE, "children": children}
    views: dict[str, Any] = {
        "mav": kernel_with({"type": "bb", "name": "k.B1", "children": nodes}),
        "area": {"children": [{"name": "k", "type": "function", "children": [{"name": "k.B1", "children": [line]}]}]},
        "info": {"rows": [{"name": "Target Family, Device, Board", "data": ["Cyclone V, 5CSX, de1soc:de1soc"]},
                          {"name": "AOC Version", "data": ["18.1.0 Build 625"]}]},
    }  # fmt: skip
    return "".join(f"var {name}JSON='{json.dumps(view)}';\n" for name, view in views.items())


BOTH, CACHED = ["Burst-coalesced cached", "Burst-coalesced non-aligned"], ["Burst-coalesced cached", "Burst-coalesced"]


@pytest.mark.parametrize(
    ("loads", "entries", "expected"),
    [
        ([("Burst-coalesced", 32)] * 2, [(CACHED, 2)], {("Burst-coalesced", 1), ("Burst-coalesced cached", 1)}),
        ([("Burst-coalesced", 32)] * 2, [(CACHED[:1], 2)], {("Burst-coalesced cached", 2)}),
        ([("Burst-coalesced", 32)] * 3 + [("Burst-non-aligned", 32)], [(BOTH[::-1], 4)],
         {("Burst-coalesced cached", 3), ("Burst-coalesced non-aligned", 1)}),
        ([("Burst-coalesced", 32)] * 4, [(CACHED[:1], 2), (CACHED[1:], 2)],
         {("Burst-coalesced", 2), ("Burst-coalesced cached", 2)}),
    ],
    ids=["one of two", "both", "three and one", "two blocks"],
)  # fmt: skip
def test_caches_of_the_standard_edition_are_read_from_the_area_view(
    loads: list[tuple[str, int]], entries: list[tuple[list[str], int]], expected: set[tuple[str, int]], tmp_path: Path
) -> None:
    (tmp_path / "report_data.js").write_text(of_standard(loads, entries), "utf-8")
    assert {(unit.style, unit.count) for unit in read_report(tmp_path).units} == expected


def test_16_gives_loops_resources_and_text(tmp_path: Path) -> None:
    path = tmp_path / "report_data.js"
    path.write_text(of_16(), "utf-8")
    report = read_report(path)
    (loop,) = report.loops
    assert (loop.kernel, loop.file, loop.line, loop.depth, loop.ii, loop.bottleneck) == ("", "k.cl", 3, 1, 6, "II")
    assert (report.total.aluts, report.available.dsps, report.kernels[0].usage.rams) == (5, 80, 3)
    assert report.source("k.cl") == "a\nb\tc"


def test_bound_of_the_search_is_no_interval(tmp_path: Path) -> None:
    """16.1 prints 32758 for loops of NDRange kernels with channels."""
    path = tmp_path / "report_data.js"
    path.write_text(of_16().replace('"6"', '"32758"'), "utf-8")
    (loop,) = read_report(path).loops
    assert (loop.line, loop.ii) == (3, None)


def test_19_gives_the_build_and_its_clock(tmp_path: Path) -> None:
    path = tmp_path / "report_data.js"
    path.write_text(of_19(), "utf-8")
    report = read_report(path)
    assert (report.family, report.device, report.board) == ("Arria 10", "10AX115", "dcp:pac_a10")
    assert (report.aoc_version, report.options) == ("19.4.0", ("-DWIDTH=8", "-DN=4"))
    assert (report.f_max_mhz, report.target_f_max_mhz) == (266.5, 240.0)
    (kernel,) = report.kernels
    assert (report.shell.aluts, kernel.usage.mlabs, kernel.compute_units) == (1, 7, 2)
    assert (kernel.fitted.alms, kernel.fitted.ffs, kernel.fitted.dsps) == (2.5, 9, 6)
    (loop,) = report.loops
    assert (loop.kernel, loop.ii, loop.exactness) == ("k", 7, "at least")
    assert loop.details == ("Serial exe: Memory dependency",)
    assert report.source("k.cl") == "it's<text"


def test_folder_of_json_views(tmp_path: Path) -> None:
    views = tmp_path / "k" / "reports" / "lib" / "json"
    views.mkdir(parents=True)
    mav = of_19().split("var mavJSON='")[1].split("';\n")[0]
    (views / "mav.json").write_text(mav, "utf-8")
    assert read_report(tmp_path / "k").units == (UNIT,)


def test_summary_of_place_and_route_completes_a_report(tmp_path: Path) -> None:
    (tmp_path / "reports" / "lib").mkdir(parents=True)
    (tmp_path / "reports" / "lib" / "report_data.js").write_text(of_16(), "utf-8")
    (tmp_path / "acl_quartus_report.txt").write_text(SUMMARY, "utf-8")
    report = read_report(tmp_path)
    assert (report.f_max_mhz, report.total.alms, report.total.rams) == (395.0, 68061, 228)
    assert report.units == (UNIT,)


def test_table_of_estimated_usage(tmp_path: Path) -> None:
    path = tmp_path / "k.log"
    path.write_text(TABLE, "utf-8")
    assert read_report(path).utilisation == {"logic": 0.66, "rams": 0.24, "dsps": 0.17}


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("report_data.js", b"var mavJSON={", "none of the views"),
        ("report_data.js", b"\x00\xff\xfe binary", "none of the views"),
        ("report_data.js", b"var mavJSON=" + b"[" * 100_000, "none of the views"),
        ("mav.json", b"not json", "none of the views"),
        ("report_data.js", b'var mavJSON={}; var infoJSON={"rows": [{"data": {"a": 1}}]};', "damaged"),
        ("report_data.js", b'var mavJSON={}; var fmax_iiJSON={"basicblocks": "none"};', "damaged"),
        (
            "report_data.js",
            b'var mavJSON={}; var areaJSON={"columns": ["FFs"], "total": [1%s]};' % (b"0" * 400),
            "damaged",
        ),
        ("acl_quartus_report.txt", b"Notes: ,\n" + b" " * 100_000, "neither a summary"),
        ("k.log", b"; DSP blocks ; " + b"9" * 400 + b"% ;", "damaged"),
        ("k.log", b";" + b" " * 100_000, "neither a summary"),
        ("notes.txt", b"nothing of use", "neither a summary"),
        ("empty", None, "no report_data.js"),
        ("absent", ..., "no such file"),
    ],
)
def test_what_is_no_report_is_reported(name: str, content: Any, expected: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if content is None:
        path.mkdir()
    elif content is not ...:
        path.write_bytes(content)
    with pytest.raises(UnreadableReportError) as caught:
        read_report(path)
    assert expected in unreadable_text(caught.value)


def test_an_enormous_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "report_data.js"
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(UnreadableReportError, match="larger than"):
        read_report(path)


@pytest.mark.parametrize("name", ["a\0b.cl", "n" * 300 + ".cl", "..", ""])
def test_an_embedded_text_with_a_name_that_no_file_has_is_not_compared(name: str, tmp_path: Path) -> None:
    path = tmp_path / "report_data.js"
    embedded = json.dumps([{"path": name, "content": "__kernel void k(__global int *x) { x[0] = 1; }"}])
    path.write_text(of_19().rpartition("var fileJSON=")[0] + f"var fileJSON={embedded};", "utf-8")
    assert main(["import-report", str(path)]) == 0
