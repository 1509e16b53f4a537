"""``check --engine``: what LLVM knows over our own reading, and what it says next to it."""

import json
from pathlib import Path
from typing import Any

import pytest

from burstline_server.cli.main import main
from burstline_server.llvm.tools import tools

needs_llvm = pytest.mark.skipif(tools() is None, reason="there is no clang from version 14 on with its opt")
KERNEL = """__kernel void k(__global const float *restrict a, __global float *restrict b)
{
    int g = get_global_id(0);
    b[g] = a[g] * 2.0f;
}
"""


def printed(capsys: pytest.CaptureFixture[str], folder: Path, text: str, *options: str) -> str:
    path = folder / "k.cl"
    path.write_text(text)
    main(["check", str(path), *options])
    return capsys.readouterr().out


@needs_llvm
def test_the_lines_that_llvm_agrees_on_are_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    alone = printed(capsys, tmp_path, KERNEL)
    both = printed(capsys, tmp_path, KERNEL, "--engine", "llvm")
    assert both.startswith(alone)
    assert "on 2 of 2 lines" in both[len(alone) :]


@needs_llvm
def test_a_line_that_llvm_leaves_other_accesses_on_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    helper = "float first(float x, float unused) { return x; }\n"
    text = helper + KERNEL.replace("a[g] * 2.0f", "first(a[g], a[g + 7])")
    said = printed(capsys, tmp_path, text, "--engine", "llvm")
    assert "line 5: LLVM leaves 1 load of a, units are for 2" in said


CARRIED = """__kernel void k(__global const float *restrict a, __global float *restrict b, int n)
{
    int next = 0;
    for (int i = 0; i < n; i++) {
        int now = next;
        next = (i + 1) * 3;
        b[i] = a[now];
    }
    int m = 1;
    while (m < 8) {
        b[m] = 1.0f;
        m = m + 1;
        if (b[0] == 0.0f) m |= m;
    }
}
"""


def answer(capsys: pytest.CaptureFixture[str], folder: Path, text: str, *options: str) -> dict[str, Any]:
    kernel: dict[str, Any] = json.loads(printed(capsys, folder, text, "--format", "json", *options))["files"][0][
        "kernels"
    ][0]
    return kernel


def edits(capsys: pytest.CaptureFixture[str], folder: Path, text: str, engine: str) -> set[tuple[str, float]]:
    sizes = ("--arg", "n=1000000", "--global-size", "1048576")
    said = printed(capsys, folder, text, *sizes, "--format", "json", "--engine", engine)
    findings = json.loads(said)["files"][0]["diagnostics"]
    return {(fix["title"], fix["predicted_speedup"]) for one in findings for fix in one["fixes"]}


@needs_llvm
def test_steps_and_trips_that_are_not_known_here_are_llvms(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    alone, both = (answer(capsys, tmp_path, CARRIED, "--arg", "n=1000", "--engine", e) for e in ("tree", "llvm"))
    assert [one["trip"] for one in alone["loops"]] == [1000, None]
    assert [one["trip"] for one in both["loops"]] == [1000, 7]
    assert both["loops"][1]["trip_by"].startswith("LLVM ")
    before, after = (next(a for a in kernel["accesses"] if a["pointer"] == "a") for kernel in (alone, both))
    assert "steps_by" not in before
    assert after["steps_by"].startswith("LLVM ")
    assert before["stride"] in {"data-dependent", "not a fixed step"}
    assert after["stride"] == 3
    assert any("its steps are those that LLVM" in reason for reason in after["why"])


@needs_llvm
def test_formulas_in_what_the_host_gives_are_taken_as_they_are(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = """typedef struct { int wide; int first; } shape;
void row(__global const float *restrict a, __global float *restrict b, const shape *s, int g)
{
    for (int j = 0; j < s->wide; j++) b[g * s->wide + j + s->first] = a[g * s->wide + j];
}
__kernel void k(__global const float *restrict a, __global float *restrict b, int wide, int first)
{
    shape s;
    s.wide = wide;
    s.first = first;
    row(a, b, &s, get_global_id(0));
}
"""
    sizes = ("--arg", "wide=16", "--arg", "first=64", "--global-size", "4096")
    both = answer(capsys, tmp_path, text, *sizes, "--engine", "llvm")
    apart = text.replace("const shape *s, int g", "int wide, int first, int g").replace(
        "row(a, b, &s,", "row(a, b, wide, first,"
    )
    plain = answer(capsys, tmp_path, apart.replace("s->", ""), *sizes)
    assert plain["time_ms"] > 0
    assert both["time_ms"] == pytest.approx(plain["time_ms"])
    assert [a["bytes"] for a in both["accesses"]] == [a["bytes"] for a in plain["accesses"]]


@needs_llvm
def test_a_unit_that_llvm_sees_otherwise_is_less_sure_and_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = "float first(float x, float unused) { return x; }\n" + KERNEL.replace("a[g] * 2.0f", "first(a[g], a[g + 7])")
    alone, both = (answer(capsys, tmp_path, text, "--engine", e)["accesses"] for e in ("tree", "llvm"))
    assert [a["confidence"] for a in alone] == ["high", "high", "high"]
    assert [a["confidence"] for a in both] == ["medium", "medium", "high"]
    assert both[0]["other_reading"]["same"] is False
    assert both[0]["other_reading"]["requests"] == [{"width_bits": 32, "count": 1}]
    assert both[2]["other_reading"]["same"] is True


@needs_llvm
def test_settings_choose_the_engine_and_the_option_goes_over_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "burstline.toml").write_text('engine = "llvm"\n')
    assert "other_reading" in printed(capsys, tmp_path, KERNEL, "--format", "json")
    assert "other_reading" not in printed(capsys, tmp_path, KERNEL, "--format", "json", "--engine", "tree")


@needs_llvm
def test_edits_are_priced_by_one_reading_before_and_after(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = KERNEL + CARRIED.replace(" k(", " carried(")
    alone, both = (edits(capsys, tmp_path, text, engine) for engine in ("tree", "llvm"))
    assert alone
    assert both == alone


@pytest.mark.parametrize("kind", ["text", "json", "sarif"])
def test_without_llvm_every_engine_prints_what_ours_does_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("BURSTLINE_LLVM", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    tools.cache_clear()
    try:
        alone = printed(capsys, tmp_path, CARRIED, "--format", kind)
        assert printed(capsys, tmp_path, CARRIED, "--format", kind, "--engine", "auto") == alone
        asked = printed(capsys, tmp_path, CARRIED, "--format", kind, "--engine", "llvm")
        assert asked.startswith(alone)
        assert ("LLVM says nothing: there is no clang" in asked) == (kind == "text")
    finally:
        tools.cache_clear()
