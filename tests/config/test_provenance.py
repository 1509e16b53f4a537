"""An option goes over a comment, that over burstline.toml, that over the build; the answer names who gave each."""

from pathlib import Path

import pytest

from burstline_server.cli.main import main

KERNEL = """__kernel void k(__global const float *restrict a, __global float *restrict b, int n, int m)
{
    int i = get_global_id(0);
    float s = 0;
    for (int j = 0; j < n; j++) s += a[i + j * WIDTH];
    b[i] = s * m;
}
"""
COMMENT = "// burstline: n=11\n"
SETTINGS = 'global_size = [4096]\nboard = "de5net"\n[arguments]\nn = 22\nm = 33\n[defines]\nDEPTH = 2\n'
MAKEFILE = "k.aocx: k.cl\n\taoc -DWIDTH=4 --board p520 k.cl -o k.aocx\n"


@pytest.mark.parametrize(
    ("comment", "settings", "options", "said"),
    [
        ("", "", "", ["board p520 (Makefile:2)", "Makefile:2 gives -D WIDTH=4"]),
        ("", SETTINGS, "", ["work-items = 4096 (burstline.toml)", "n = 22 (burstline.toml)",
                            "board de5net (burstline.toml)", "-D DEPTH=2 (burstline.toml)",
                            "Makefile:2 gives -D WIDTH=4"]),
        (COMMENT, SETTINGS, "", ["n = 11 (comment)", "m = 33 (burstline.toml)"]),
        (COMMENT, SETTINGS, "--arg n=7 --global-size 64 --board p385a -D WIDTH=2",
         ["work-items = 64 (option)", "n = 7 (option)", "m = 33 (burstline.toml)", "board p385a (option)",
          "-D WIDTH=2 (option)", "-D DEPTH=2 (burstline.toml)"]),
    ],
)  # fmt: skip
def test_the_answer_says_where_each_came_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], comment: str, settings: str, options: str, said: list[str]
) -> None:
    (tmp_path / "Makefile").write_text(MAKEFILE)
    (tmp_path / "k.cl").write_text(comment + KERNEL)
    if settings:
        (tmp_path / "burstline.toml").write_text(settings)
    assert main(["check", str(tmp_path / "k.cl"), *options.split()]) == 0
    (inputs,) = [line for line in capsys.readouterr().out.splitlines() if "inputs: " in line]
    assert [one for one in said if one not in inputs] == []
    assert "WIDTH=4" not in inputs or "WIDTH=2" not in options


@pytest.mark.parametrize("given", ["board=p52", "trip[99]=4", "q=4", "bank[z]=0"])
def test_what_a_comment_names_wrongly_has_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: str
) -> None:
    path = tmp_path / "k.cl"
    path.write_text(f"\n// burstline: {given}\n{KERNEL.replace('WIDTH', '4')}")
    assert main(["check", str(path)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"burstline: {path}:2: ")
