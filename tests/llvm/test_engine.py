"""``check --engine``: what LLVM says next to Burstline's own figures, which stay as they are."""

from pathlib import Path

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


@needs_llvm
def test_json_is_the_same_with_every_engine(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = {printed(capsys, tmp_path, KERNEL, "--format", "json", "--engine", e) for e in ("tree", "auto", "llvm")}
    assert len(found) == 1


def test_without_llvm_auto_prints_what_tree_does(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BURSTLINE_LLVM", str(tmp_path))
    tools.cache_clear()
    try:
        alone = printed(capsys, tmp_path, KERNEL)
        assert printed(capsys, tmp_path, KERNEL, "--engine", "auto") == alone
        assert "LLVM says nothing: there is no clang" in printed(capsys, tmp_path, KERNEL, "--engine", "llvm")
    finally:
        tools.cache_clear()
