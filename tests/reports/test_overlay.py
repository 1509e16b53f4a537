"""A report of a real build next to a kernel: it wins, says so, and is left alone once it is stale."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessment
from burstline_server.cli.main import main
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.card_text import plain
from burstline_server.presentation.cards import access_card, kernel_card
from burstline_server.presentation.report_build import file_report
from burstline_server.words.findings import message_text
from tests.assessing import assess

KERNEL = """__kernel void scale(__global const float *restrict x, __global float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = 2.0f * x[i];
}
"""


def inst(name: str, line: int, style: str, width: int) -> dict[str, Any]:
    """An instruction of the memory view."""
    return {"type": "inst", "name": name, "debug": [[{"filename": "k.cl", "line": line}]],
            "details": [{"type": "table", "Width": f"{width} bits", "Type": style}]}  # fmt: skip


def report(
    *instructions: dict[str, Any], text: str | None = KERNEL, kernel: str = "scale", loop: dict[str, Any] | None = None
) -> str:
    """A report_data.js with these instructions."""
    mav = {"nodes": [{"type": "kernel", "name": kernel, "children": [{"type": "bb", "children": list(instructions)}]}]}
    loops = {"columns": ["", "Pipelined", "II", "Bottleneck", "Details"], "children": [
        {"name": f"Kernel: {kernel}", "data": ["", "", ""], "children": [
            {"name": f"{kernel}.B1", "data": ["Yes", ">=162", "n/a"], "debug": [[{"filename": "k.cl", "line": 3}]],
             "details": [{"type": "brief", "text": "Serial exe: Memory dependency"}]}, *([loop] if loop else [])
        ]}]}  # fmt: skip
    quartus = {"children": [{"name": "Frequency (MHz)", "data": [250.0]}]}
    area = {"columns": ["", "ALUTs", "FFs", "RAMs", "DSPs"], "children": [
        {"name": kernel, "type": "function", "total_kernel_resources": [100, 200, 30, 4]}]}  # fmt: skip
    views = {"mav": mav, "loops": loops, "quartus": quartus, "area": area}
    written = "".join(f"var {name}JSON='{json.dumps(view)}';\n" for name, view in views.items())
    if text is not None:
        written += f"var fileJSON={json.dumps([{'path': 'k.cl', 'content': text}])};"
    return written


CONTRADICTING = (inst("Load", 4, "Burst-coalesced cached", 512), inst("Store", 4, "Burst-coalesced", 32))


def placed(folder: Path, written: str, where: str = "k/reports/lib") -> Path:
    """Put a report where a build of k.cl does; returns the kernel's path."""
    (folder / where).mkdir(parents=True)
    (folder / where / "report_data.js").write_text(written, "utf-8")
    path = folder / "k.cl"
    path.write_bytes(KERNEL.encode())
    return path


def styles(assessment: Assessment) -> list[tuple[str, int]]:
    """The units of the one kernel."""
    (kernel,) = assessment.kernels
    return [(u.style, u.width_bits) for u in kernel.lsus]


INFERRED = [("Burst-coalesced", 32), ("Burst-coalesced", 32)]


@pytest.mark.parametrize("where", ["k/reports/lib", "k", "bin/k/reports/lib", "k.prj/reports/lib", "reports/lib"])
def test_report_wins_and_says_so(where: str, tmp_path: Path) -> None:
    path = placed(tmp_path, report(*CONTRADICTING), where)
    done = assess(KERNEL, str(path))
    assert styles(done) == [("Burst-coalesced cached", 512), ("Burst-coalesced", 32)]
    (kernel,) = done.kernels
    load = next(a for a in kernel.facts.accesses if a.op == "load")
    hover = plain(access_card(done, kernel, load))
    assert "Burst-coalesced cached, 64 B" in hover
    assert (
        "the compiler's report lists Burst-coalesced cached 512 bit here; inferred was Burst-coalesced 32 bit" in hover
    )
    assert "units by the report report_data.js" in hover
    shown = [f for f in findings_of(done) if f.code == "BL303"]
    assert [(f.span, "inferred was Burst-coalesced 32 bit" in message_text(f)) for f in shown] == [(load.span, True)]
    answer = file_report(done, ()).kernels[0]
    assert [(u.style, u.width_bits) for a in answer.accesses for u in a.lsus if a.op == "load"] == [
        ("Burst-coalesced cached", 512)
    ]


def test_clock_interval_and_resources_come_from_the_report(tmp_path: Path) -> None:
    path = placed(tmp_path, report(*CONTRADICTING))
    done = assess(KERNEL, str(path))
    (kernel,) = done.kernels
    card = plain(kernel_card(done, kernel))
    assert "f_max = 250 MHz (report)" in card
    assert "100 ALUTs, 200 FFs, 30 RAMs, 4 DSPs" in card
    assert "1 of 2 places as inferred" in card
    (loop,) = file_report(done, ()).kernels[0].loops
    assert (loop.ii, loop.pipelined, loop.serialised_by) == (
        162,
        True,
        "Serial exe: Memory dependency",
    )
    own = assess(KERNEL, str(path), f_max_mhz=300)
    assert "f_max = 300 MHz (burstline.toml)" in plain(kernel_card(own, own.kernels[0]))


def test_endless_loop_is_named_by_a_line_of_its_body(tmp_path: Path) -> None:
    """Compilers put such a loop on its last branch; the loop that another row names is another one."""
    text = (
        "channel int c;\n__kernel void scale(__global int *restrict y) {\n    for (int i = 0; i < 9; i++)\n"
        "        y[i] = i;\n    while (1) {\n        if (read_channel_intel(c))\n            break;\n    }\n}\n"
    )
    row = {"name": "scale.B2", "data": ["Yes", "~7", "II"], "debug": [[{"filename": "k.cl", "line": 6}]]}
    path = placed(tmp_path, report(text=text, loop=row))
    path.write_bytes(text.encode())
    (kernel,) = assess(text, str(path)).kernels
    assert [loop.ii for loop in kernel.estimate.loops] == [162, 7]


@pytest.mark.parametrize("text", [KERNEL.replace("\n", "\r\n"), KERNEL + "\n\n"], ids=["CRLF", "blank end"])
def test_line_ends_do_not_make_a_report_stale(text: str, tmp_path: Path) -> None:
    path = placed(tmp_path, report(*CONTRADICTING))
    assert styles(assess(text, str(path))) != INFERRED


def test_stale_report_is_ignored_and_said_to_be(tmp_path: Path) -> None:
    path = placed(tmp_path, report(*CONTRADICTING))
    done = assess(KERNEL.replace("2.0f", "3.0f"), str(path))
    assert styles(done) == INFERRED
    (finding,) = [f for f in findings_of(done) if f.code == "BL304"]
    assert "is not used: it was compiled from another text" in message_text(finding)
    assert styles(assess(KERNEL, str(path))) != INFERRED


def test_report_without_its_text_is_stale_when_older(tmp_path: Path) -> None:
    path = placed(tmp_path, report(*CONTRADICTING, text=None))
    data = tmp_path / "k/reports/lib/report_data.js"
    os.utime(path, (1_000_000, 1_000_000))
    assert styles(assess(KERNEL, str(path))) != INFERRED
    os.utime(data, (900_000, 900_000))
    done = assess(KERNEL, str(path))
    assert styles(done) == INFERRED
    assert any("it is older than this file" in message_text(f) for f in findings_of(done))


def test_report_of_another_kernel_changes_nothing(tmp_path: Path) -> None:
    path = placed(tmp_path, report(*CONTRADICTING, kernel="other"))
    done = assess(KERNEL, str(path))
    assert styles(done) == INFERRED
    assert not [f for f in findings_of(done) if f.code in {"BL303", "BL304"}]


def test_off_and_named_reports(tmp_path: Path) -> None:
    path = placed(tmp_path, report(*CONTRADICTING), "elsewhere/of/it")
    assert styles(assess(KERNEL, str(path))) == INFERRED
    named = str(tmp_path / "elsewhere" / "of" / "it")
    assert styles(assess(KERNEL, str(path), report=named)) != INFERRED
    near = placed(tmp_path / "near", report(*CONTRADICTING)) if (tmp_path / "near").mkdir() is None else path
    assert styles(assess(KERNEL, str(near), report="off")) == INFERRED


def test_merged_by_the_compiler_and_not_by_us(tmp_path: Path) -> None:
    """Two loads that the report serves with one unit, on the line of the second."""
    text = """__kernel void pair(__global const float *restrict x, __global float *restrict y, int n, int m)
{
    for (int i = 0; i < n; i++) {
        float a = x[i];
        float b = x[i + m];
        y[i] = a + b;
    }
}
"""
    written = report(
        inst("Load", 5, "Burst-coalesced non-aligned", 64), inst("Store", 6, "Burst-coalesced", 32), text=text,
        kernel="pair",
    )  # fmt: skip
    path = placed(tmp_path, written)
    done = assess(text, str(path))
    assert styles(done) == [("Burst-coalesced non-aligned", 64), ("Burst-coalesced", 32)]
    (kernel,) = done.kernels
    assert len(kernel.lsus[0].members) == 2
    assert kernel.lsus[0].useful_bytes == 8


BRANCHES = """__kernel void scale(__global const float *restrict x, __global float *restrict y)
{
#if defined (TWICE) && \\
    SIZE > 2
    y[0] = 2.0f * x[1];
#else
    y[0] = x[0];
#endif
}
"""


def test_import_report_names_the_branches_that_the_build_took(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    units = (inst("Load", 5, "Burst-coalesced", 32), inst("Store", 5, "Burst-coalesced", 32))
    placed(tmp_path, report(*units, text=BRANCHES))
    assert main(["import-report", str(tmp_path / "k")]) == 0
    directive = "#if defined (TWICE) && SIZE > 2"
    assert f"k.cl:5 was compiled, but {directive} does not hold here: define what it" in capsys.readouterr().out
    assert main(["import-report", str(tmp_path / "k"), "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["other_branches"] == [{"file": "k.cl", "line": 5, "directive": directive}]
    others = (inst("Load", 7, "Burst-coalesced", 32), inst("Store", 7, "Burst-coalesced", 32))
    placed(tmp_path / "same", report(*others, text=BRANCHES))
    assert main(["import-report", str(tmp_path / "same" / "k")]) == 0
    assert "does not hold" not in capsys.readouterr().out


def test_import_report_prints_differences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = placed(tmp_path, report(*CONTRADICTING))
    assert main(["import-report", str(tmp_path / "k")]) == 0
    text = capsys.readouterr().out
    assert "1 of 2 places as inferred" in text
    assert "k.cl:4 scale load: report Burst-coalesced cached 512 bit, inferred Burst-coalesced 32 bit" in text
    assert "f_max 250 MHz after place and route" in text
    assert main(["import-report", str(tmp_path / "k"), "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [p["agrees"] for p in answer["places"]] == [False, True]
    assert main(["import-report", str(path)]) == 2
    assert "neither a summary" in capsys.readouterr().err
    assert main(["import-report", str(tmp_path / "k"), "gone.cl"]) == 2
    assert "gone.cl: no such file" in capsys.readouterr().err
