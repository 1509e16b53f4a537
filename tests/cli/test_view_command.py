"""The view command: where the page goes, and what it refuses."""

from pathlib import Path

import pytest

from burstline_server.cli.main import main

KERNEL = """__kernel void copy(__global const float *restrict x, __global float *restrict y)
{
    y[get_global_id(0)] = x[get_global_id(0)];
}
"""


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "copy.cl"
    path.write_text(KERNEL)
    return path


def test_the_page_goes_where_it_is_reported(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = kernel.with_name("page.html")
    assert main(["view", str(kernel), "-o", str(out), "--global-size", "4096"]) == 0
    assert str(out) in capsys.readouterr().out
    assert main(["view", str(kernel), "-o", "-", "--global-size", "4096"]) == 0
    assert capsys.readouterr().out == out.read_text("utf-8")
    assert "<title>copy · Burstline</title>" in out.read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["missing.cl"], "no such file"),
        (["KERNEL", "--kernel", "cpy"], "there are: copy"),
        (["KERNEL", "--board", "s10gs"], "nearest are"),
        (["KERNEL", "-o", "no/such/folder/page.html"], "cannot be written"),
    ],
)
def test_unusable_input_is_reported_and_exits_with_2(
    capsys: pytest.CaptureFixture[str], kernel: Path, words: list[str], expected: str
) -> None:
    assert main(["view", *[str(kernel) if w == "KERNEL" else w for w in words]]) == 2
    assert expected in capsys.readouterr().err


def test_folders_with_templates_binaries_and_empty_files_make_a_page(tmp_path: Path) -> None:
    (tmp_path / "a.cl").write_text(KERNEL)
    (tmp_path / "binary.cl").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "empty.cl").write_text("")
    (tmp_path / "page.cl").write_text("{% for i in range(4) %}__kernel void k{{ i }}() {}{% endfor %}\n")
    out = tmp_path / "view.html"
    assert main(["view", str(tmp_path), "-o", str(out)]) == 0
    text = out.read_text("utf-8")
    assert "<title>4 files · Burstline</title>" in text
    assert "not OpenCL until it is rendered" in text
    assert "no kernel in this file" in text


def test_data_from_the_host_need_the_links_speed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sor = str(Path(__file__).parents[2] / "examples" / "roofline" / "sor.cl")
    assert main(["view", sor, "--form", "A", "-o", str(tmp_path / "a.html")]) == 2
    assert "--host-gb-s" in capsys.readouterr().err
    assert main(["view", sor, "--form", "A", "--host-gb-s", "6", "-o", str(tmp_path / "a.html")]) == 0
    assert "link to the host" in (tmp_path / "a.html").read_text("utf-8")
