"""Rows that the scoreboard makes of reports: what is judged, and how often."""

from __future__ import annotations

import json
import struct
from pathlib import Path

from bench.scoreboard.by_kernel import places
from bench.scoreboard.reports import Reader
from bench.scoreboard.rows import write_rows

from tests.bench.repository import committed

KERNEL = """__kernel void add(__global int *restrict o, __global const int *restrict a) {
    for (int i = 0; i < 1000; i++)
        o[i] = a[i];
    while (true) {
        if (a[0])
            break;
    }
}
"""


def loop(line: int) -> dict[str, object]:
    place = [[{"filename": "add.cl", "line": line, "level": 0}]]
    return {"name": "add.B1", "data": ["Yes", "~1", "n/a"], "debug": place, "details": [], "children": []}


def test_a_report_counts_once_and_loops_that_do_not_begin_on_their_line_not_at_all(tmp_path: Path) -> None:
    repository = tmp_path / "mirror" / "someone+kernels" / "repo"
    unit = {
        "type": "inst", "id": 2, "name": "Load", "debug": [[{"filename": "add.cl", "line": 3}]],
        "details": [{"type": "table", "Width": "32 bits", "Type": "Burst-coalesced", "Stall-free": "No",
                     "Loads from": "a"}],
    }  # fmt: skip
    views = {
        "mavJSON": {"nodes": [{"type": "kernel", "id": 1, "name": "add", "children": [unit]}], "links": []},
        "loopsJSON": {"columns": ["", "Pipelined", "II", "Bottleneck"], "children": [
            {"name": "Kernel: add (add.cl:1)", "data": [], "debug": [], "children": [loop(2), loop(5)]}
        ]},
        "fileJSON": [{"path": "add.cl", "name": "add.cl", "content": KERNEL}],
        "infoJSON": {"name": "Info", "rows": [
            {"name": "Target Family, Device, Board", "data": ["Arria 10, 10AX115, a10_ref"]},
            {"name": "AOC Version", "data": ["19.4.0 Build 64"]},
        ]},
    }  # fmt: skip
    text = "".join(f"var {name}={json.dumps(value)};\n" for name, value in views.items())
    for folder in ("one", "other"):
        (repository / folder).mkdir(parents=True)
        (repository / folder / "report_data.js").write_text(text)
    entry = {
        "repo": "someone/kernels", "commit": committed(repository), "family": "Arria 10",
        "reports": ["one/report_data.js", "other/report_data.js"],
    }  # fmt: skip

    left_out, units, _ = write_rows([entry], tmp_path / "mirror", tmp_path / "rows")

    assert (left_out, units) == ([], 1)
    loops = [json.loads(row) for row in (tmp_path / "rows" / "loops_train.jsonl").read_text().splitlines()]
    assert [(row["line"], "not_judged" in row) for row in loops] == [(2, False), (5, True)]


def compiled(parts: dict[str, bytes]) -> bytes:
    """A compiled kernel: an ELF file of these sections."""
    body, table, names = b"", [(0, 0, 0)], b"\0"
    for name, part in parts.items():
        table.append((len(names), 0x34 + len(body), len(part)))
        names, body = names + name.encode() + b"\0", body + part
    table.append((0, 0x34 + len(body), len(names)))
    body += names
    head = b"\x7fELF\x01\x01".ljust(0x20, b"\0") + struct.pack("<I", 0x34 + len(body))
    head = head.ljust(0x2E, b"\0") + struct.pack("<HHH", 40, len(table), len(table) - 1)
    return head + body + b"".join(struct.pack("<10I", name, 1, 0, 0, at, size, *[0] * 4) for name, at, size in table)


def test_a_compiled_kernel_of_16_1_holds_its_report(tmp_path: Path) -> None:
    repository = tmp_path / "mirror" / "someone+kernels" / "repo"
    repository.mkdir(parents=True)
    unit = {"type": "inst", "name": "Load", "file": "1", "line": "3", "details": {
        "Width": "32 bits", "Type": "Burst-coalesced", "Stall-free": "No",
    }}  # fmt: skip
    views = {
        "mav": {
            "nodes": [{"type": "kernel", "name": "add", "children": [unit]}], "fileIndexMap": {"/home/me/add.cl": "1"},
        },
        "loops": {"columns": ["Pipelined", "II", "Bottleneck"], "functions": [loop(2)]},
    }  # fmt: skip
    parts = {f".acl.{name}.json": json.dumps(view).encode() for name, view in views.items()} | {
        ".acl.version": b"16.1.0.196", ".acl.file.0": b"/home/me/add.cl", ".acl.source.0": KERNEL.encode(),
        ".acl.compilation_env": b"INPUT_ARGS=add.cl -D WIDE=2 --board de1soc\nBUILD_NUMBER=196\n",
    }  # fmt: skip
    (repository / "add.aocx").write_bytes(compiled(parts))
    (repository / "later.aocx").write_bytes(compiled({".acl.version": b"18.1.0.625"}))
    entry = {
        "repo": "someone/kernels", "commit": committed(repository), "family": "Cyclone V",
        "reports": ["add.aocx", "later.aocx"],
    }  # fmt: skip

    left_out, files, loops = write_rows([entry], tmp_path / "mirror", tmp_path / "rows")

    assert (left_out, files, loops) == (["someone/kernels later.aocx"], 1, 1)
    row = json.loads((tmp_path / "rows" / "lsu_train.jsonl").read_text())
    assert (row["file"], row["aoc"], row["options"]) == ("add.cl", "16.1.0", ["-DWIDE=2"])
    assert [(p["kernel"], p["line"], p["op"], p["style"]) for p in row["places"]] == [
        ("add", 3, "load", "Burst-coalesced")
    ]


def test_a_compiled_kernel_of_16_0_lists_units_by_kernel_without_lines_and_caches(tmp_path: Path) -> None:
    repository = tmp_path / "mirror" / "someone+kernels" / "repo"
    (repository / "device").mkdir(parents=True)

    def unit(name: str, style: str, bits: int) -> dict[str, object]:
        details = {"Type": style, "Width": f"{bits} bits", "Stall-free": "No"}
        return {"type": "inst", "name": name, "file": "0", "line": "0", "details": details}

    block = {"type": "bb", "name": "Block1", "children": [
        unit("Load", "Burst-non-aligned", 128), unit("Load", "Burst-coalesced", 32), unit("Store", "Streaming", 32),
        unit("Load", "Local", 32), {"type": "inst", "name": "Load", "details": {"Width": "32 bits"}},
    ]}  # fmt: skip
    view = {"functions": [{"type": "container", "name": "add", "children": [block]}], "fileIndexMap": {}}
    binary = compiled({".acl.mav.json": json.dumps(view).encode(), ".acl.version": b"16.0.2.222"})
    (repository / "add.aocx").write_bytes(binary)
    (repository / "copy.aocx").write_bytes(binary)
    (repository / "device" / "add.cl").write_text('#include "sizes.h"\n' + KERNEL.replace("1000", "SIZE"), "utf-8")
    (repository / "device" / "sizes.h").write_text("#define SIZE 1000\n", "utf-8")
    entry = {
        "repo": "someone/kernels", "commit": committed(repository), "family": "Cyclone V",
        "reports": ["add.aocx", "copy.aocx"], "texts": ["device/add.cl", "device/add.cl"],
    }  # fmt: skip

    found = list(places([entry], tmp_path / "mirror", Reader(tmp_path)))

    assert [(p.key[1:], dict(p.reported)) for p in found] == [
        (("add", 0, "load"), {("Burst-coalesced non-aligned", 128): 1, ("Burst-coalesced", 32): 1}),
        (("add", 0, "store"), {("Streaming", 32): 1}),
    ]
    assert found[1].inferred == {("Burst-coalesced", 32): 1}
    assert {(p.report.version, p.report.family) for p in found} == {("16.0.2", "Cyclone V")}
