"""What a setting names must be there: an error with the nearest name, and no figures as if it held."""

import json
from pathlib import Path

import pytest

from burstline_server.cli.main import main
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.words.findings import message_text
from tests.assessing import assess

KERNEL = """{comment}
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void scale(__global const float *restrict x, __global float *restrict y, int count, uint2 size,
                    unsigned int rows)
{{
    int i = get_global_id(0);
    for (int j = 0; j < count; j++)
        y[i + j] = x[i];
}}
"""
OPTIONS = [
    (["--arg", "cuont=4"], "no argument is called 'cuont'; did you mean 'count'?"),
    (["--arg", "x=4"], "'x' is a pointer and takes no number"),
    (["--arg", "count=2147483648"], "count = 2147483648: its type holds -2147483648 to 2147483647"),
    (["--arg", "size=4"], "'size' is a uint2 and takes no number: give size.x and size.y"),
    (["--arg", "size.z=4"], "no argument is called 'size.z'; did you mean 'size.y'?"),
    (["--arg", "rows=-1"], "rows = -1: its type holds 0 to 4294967295"),
    (["--trip", "99=4"], "no loop begins on line 99; loops begin on line 7"),
    (["--bank", "z=0"], "no pointer is called 'z'"),
    (["--bank", "x=99"], "bank 99 of x: s10gx_ddr4_1866 has bank 0 alone"),
    (["--bank", "scal.x=0"], "no kernel is called 'scal'; did you mean 'scale'?"),
    (["--bank", "scale.z=0"], "no pointer is called 'z'"),
    (["-I", "not_there"], "not_there: no such folder"),
    (["-D", "1bad"], "'1bad' is no name of a macro"),
    (["--report", "nope"], "report nope: no such file or folder"),
    (["--report", "."], "report .: there is no report that can be read"),
    (["--report", "a" * 5000], "no such file or folder"),
    (["--global-size", "100", "--local-size", "7"], "reqd_work_group_size(256,1,1)"),
    (["--global-size", "100", "--local-size", "256"], "no multiple of the work-group's 256"),
    (["--kernel", "scal"], "no kernel is called 'scal'; did you mean 'scale'?"),
    (["--board", "p52"], "no board is called 'p52'"),
    (["--config", "not_there.toml"], "no such file"),
    (["--fail-on", "BL999"], "--fail-on BL999: no finding has this code"),
]


@pytest.mark.parametrize(("options", "message"), OPTIONS, ids=[" ".join(o)[:40] for o, _ in OPTIONS])
def test_an_option_that_binds_to_nothing_ends_the_command(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cl"
    path.write_text(KERNEL.format(comment=""))
    assert main(["check", str(path), *options]) == 2
    seen = capsys.readouterr()
    assert seen.out == ""
    assert message in seen.err
    assert len(seen.err.splitlines()) == 1


def test_a_bank_may_be_one_kernels_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = (
        "__kernel void {}(__global const int *restrict x, __global int *restrict y) {{ y[get_global_id(0)] = *x; }}\n"
    )
    path = tmp_path / "k.cl"
    path.write_text(copy.format("first") + copy.format("second"))
    asked = ["check", str(path), "--format", "json", "--board", "p385a", "--interleaving", "off"]

    def banks(*options: str) -> list[list[int]]:
        assert main([*asked, *(word for one in options for word in ("--bank", one))]) == 0
        kernels = json.loads(capsys.readouterr().out)["files"][0]["kernels"]
        return [[access["bank"] for access in kernel["accesses"]] for kernel in kernels]

    assert banks("x=0", "y=0", "second.y=1") == [[0, 0], [0, 1]]
    assert banks("first.x=1", "first.y=1", "second.x=0") == [[1, 1], [0, 0]]


def test_a_code_that_no_finding_has_is_no_edit_that_gains_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cl"
    path.write_text(KERNEL.format(comment=""))
    assert main(["fix", str(path), "--code", "BL16"]) == 2
    assert "--code BL16: no finding has this code; did you mean BL106?" in capsys.readouterr().err


def test_an_option_for_one_of_several_files_holds_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "k.cl").write_text(KERNEL.format(comment=""))
    (tmp_path / "other.cl").write_text("__kernel void f(__global int *restrict z, int m) { z[m] = 1; }\n")
    assert main(["check", str(tmp_path), "--arg", "m=4"]) == 0
    assert main(["check", str(tmp_path), "--arg", "mm=4"]) == 2
    assert "no argument is called 'mm'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("[arguments]\nzzz = 4\n", "burstline.toml:2: no argument is called 'zzz'"),
        ("[arguments]\nsize = 4\n", "burstline.toml:2: 'size' is a uint2 and takes no number"),
        ("[arguments]\nsize.z = 4\n", "burstline.toml:2: no argument is called 'size.z'"),
        ("[arguments.size]\nx = 4.5\n", "burstline.toml:2: arguments.size.x: must be a whole number"),
        ("[arguments]\ndt = 0.001\n", "leave real numbers out: no size follows from them"),
        ("[kernels.nope]\nglobal_size = 512\n", "no kernel is called 'nope'"),
        ('board = "p5200"\n', "no board is called 'p5200'"),
        ('f_max_mhz = "fast"\n', "f_max_mhz: must be a number from"),
        ('aoc_flags = "-DA"\n', "aoc_flags: must be a list"),
        ('mode = "faitful"\n', "'faitful' is not one of faithful, calibrated; did you mean 'faithful'?"),
        ("glibal_size = 4\n", "unknown setting 'glibal_size'; did you mean 'global_size'?"),
        ("board = \n", "not valid TOML"),
        ('report = "' + "a" * 5000 + '"\n', "no such file or folder"),
        ('include_paths = ["incl"]\n', "no such folder; did you mean"),
    ],
)
def test_a_settings_file_that_cannot_be_used_leaves_no_figures(
    settings: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.cl").write_text(KERNEL.format(comment=""))
    (tmp_path / "include").mkdir()
    (tmp_path / "burstline.toml").write_text(settings)
    assert main(["check", str(tmp_path / "k.cl")]) == 2
    seen = capsys.readouterr()
    assert seen.out == ""
    assert message in seen.err
    assert "pydantic" not in seen.err
    assert "valid tuple" not in seen.err


def test_a_name_of_a_settings_file_may_be_another_files(tmp_path: Path) -> None:
    (tmp_path / "k.cl").write_text(KERNEL.format(comment=""))
    (tmp_path / "other.cl").write_text("__kernel void f(__global int *restrict z, int m) { z[m] = 1; }\n")
    (tmp_path / "burstline.toml").write_text("[arguments]\nm = 4\n[kernels.f]\nglobal_size = 1\n")
    assert main(["check", str(tmp_path / "k.cl")]) == 0


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("// burstline: M=1024", "no argument is called 'M'"),
        ("// burstline: global_siz=(1024)", "unknown setting 'global_siz'; did you mean 'global_size'?"),
        ("// burstline: bank[w]=0", "no pointer is called 'w'"),
        ("// burstline: count=", "count= gives no value"),
        ("// burstline: size.=4", "size.= gives no value"),
        ("// burstline: count[7]=4", "unknown setting 'count[7]'; brackets go with trip, taken, bank, arg"),
        ("// Burstline: count=4", "a comment with settings begins with '// burstline:'"),
    ],
)
def test_a_comment_that_binds_to_nothing_is_reported_at_its_place(
    comment: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = KERNEL.format(comment=comment)
    done = assess(text)
    (found,) = [f for f in findings_of(done) if f.code == "BL301"]
    assert message in message_text(found)
    assert text[found.span.start : found.span.end] == comment
    path = tmp_path / "k.cl"
    path.write_text(text)
    assert main(["check", str(path)]) == 2
    assert capsys.readouterr().out == ""


def test_a_comment_names_the_line_of_a_condition() -> None:
    text = """{comment}
    kernel void pick(global const int *restrict x, global int *restrict y, const int n) {{
        for (int i = 0; i < n; i++)
            if (x[i] > 0)
                y[i] = x[i];
    }}
    """
    plain, rare = (
        assess(text.format(comment=f"// burstline: n=65536{more}")).kernels[0].estimate.units[1].time_s
        for more in ("", " taken[4]=1/16")
    )
    assert plain is not None
    assert rare is not None
    assert rare < plain


def test_a_setting_that_cannot_be_used_is_named_where_a_kernel_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cl"
    path.write_text(KERNEL.format(comment="// burstline: bank[w]=0"))
    assert main(["check", str(path), "--kernel", "scale"]) == 2
    assert "no pointer is called 'w'" in capsys.readouterr().err


def test_one_path_that_is_missing_keeps_the_others_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.cl"
    path.write_text(KERNEL.format(comment=""))
    assert main(["check", str(path), str(tmp_path / "kk.cl"), "--format", "json"]) == 2
    seen = capsys.readouterr()
    assert [f["path"] for f in json.loads(seen.out)["files"]] == [str(path)]
    assert "kk.cl: no such file or folder; did you mean" in seen.err


@pytest.mark.parametrize(
    ("table", "others", "found"),
    [("trips", [], True), ("kernels.scale.trips", [], True), ("trips", ["other.cl"], False),
     ("kernels.scale.trips", ["other.cl"], True)],
)  # fmt: skip
def test_a_line_of_a_settings_file_that_no_loop_begins_on(
    table: str, others: list[str], found: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cl"
    for name in ("k.cl", *others):
        (tmp_path / name).write_text(KERNEL.format(comment=""))
    (tmp_path / "burstline.toml").write_text(f"[{table}]\n99 = 4\n")
    assert main(["check", str(path)]) == (2 if found else 0)
    assert ("burstline.toml:2: no loop begins on line 99; loops begin on line 7" in capsys.readouterr().err) == found
