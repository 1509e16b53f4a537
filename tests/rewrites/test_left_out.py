"""Findings without an edit: the command line says what is in the way of each kind that would answer them."""

from __future__ import annotations

from pathlib import Path

import pytest

from burstline_server.cli.main import main
from tests.rewrites.test_host_edit import TURN

SIZES = ["--global-size", "1024,2048", "--arg", "w=1024", "--arg", "h=2048"]


def _said(folder: Path, text: str, capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    path = folder / "k.cl"
    path.write_text(text)
    assert main(["fix", *options, str(path)]) == 0
    return [line.removeprefix(str(path)) for line in capsys.readouterr().out.splitlines()]


def test_an_edit_that_waits_for_an_option_names_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = _said(tmp_path, TURN, capsys, *SIZES)
    (tile,) = [line for line in said if "in a tile in local memory" in line]
    assert tile.startswith(":5: not offered: exchange out in a tile in local memory")
    assert tile.endswith(": it pays; give --host")
    assert not [line for line in _said(tmp_path, TURN, capsys, *SIZES, "--host") if line.endswith("give --host")]


def test_an_edit_that_does_not_pay_says_what_it_would_come_to(capsys: pytest.CaptureFixture[str]) -> None:
    wavefront = Path(__file__).parents[2] / "examples" / "feedforward" / "nw.cl"
    assert main(["fix", "--unsafe", str(wavefront)]) == 0
    unpaid = [line for line in capsys.readouterr().out.splitlines() if "does not pay: kernel" in line]
    assert [line for line in unpaid if "in a variable for the next iteration" in line]
    assert all(" → " in line for line in unpaid)


def test_kinds_that_nothing_suggests_are_named_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = _said(tmp_path, TURN, capsys, *SIZES)
    more = [line for line in _said(tmp_path, TURN, capsys, *SIZES, "--why") if line not in said]
    assert more
    assert all(line.startswith(":5: not offered: edits of other kinds (") for line in more)
    assert "row tiles" in more[0]
    assert more[0].endswith(": nothing here suggests one")


FLUSHED = """__attribute__((reqd_work_group_size(8, 1, 1)))
__kernel void rounds(__global float *restrict y)
{
    __local float tile[8];
    int i = get_local_id(0);
    tile[i] = y[get_global_id(0)];
    for (int r = 0; r < 64; r++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[i] = sqrt(tile[7 - i]);
    }
    y[get_global_id(0)] = tile[i];
}
"""
CACHED = """__kernel void scale(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            y[i * n + j] = 2.0f * x[j * 4];
}
"""


def test_findings_that_no_kind_answers_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = _said(tmp_path, FLUSHED, capsys, "--global-size", "65536", "--why")
    assert [line for line in said if line.endswith("not offered: an edit: no kind of edit answers BL404")]


def test_edits_that_answer_no_finding_say_what_is_in_the_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ":1: not offered: declare x volatile: a place may be read more than once: the cache may hit"
    assert line in _said(tmp_path, CACHED, capsys, "--arg", "n=64", "--why")
    assert line not in _said(tmp_path, CACHED, capsys, "--arg", "n=64")


COLUMNS = """__kernel void k(__global const float *restrict x, __global float *restrict y)
{
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++)
            y[i * 64 + j] = 2.0f * x[j * 64 + i];
}
"""


def test_a_cache_is_kept_that_holds_words_of_neighbouring_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    """Each element is read once, each word of 16 of them in 16 passes: without the cache it is fetched 16 times."""
    line = ":1: not offered: declare x volatile: loops come back to a memory word that was left: the cache may hit"
    assert line in _said(tmp_path, COLUMNS, capsys, "--why")


STRIDED = """__kernel void scale(__global float *restrict a, int n)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i * n + j] = 2.0f * a[i * n + j];
}
"""


def test_an_edit_says_on_request_what_limits_its_kernel_before_and_after_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = _said(tmp_path, STRIDED, capsys, "--why", "--arg", "n=4096")
    (at,) = [number for number, line in enumerate(said) if line.startswith(": Interchange the loops over j and i: ")]
    assert said[at + 1].startswith("    Limited by iterations that wait for each other: the loop on line 4 ")
    assert said[at + 1].endswith("After the edit by the kernel's own pipeline")
    assert not [line for line in _said(tmp_path, STRIDED, capsys, "--arg", "n=4096") if "After the edit" in line]


def test_an_edit_that_does_not_pay_has_no_such_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fix", "--why", "--all", "--host", str(Path(__file__).parents[2] / "examples/feedforward/nn.cl")]) == 0
    said = capsys.readouterr().out.splitlines()
    unpaid = [at for at, line in enumerate(said) if ", up to 1×" in line]
    assert unpaid
    assert not [at for at in unpaid if "After the edit" in "".join(said[at + 1 : at + 2])]
    assert [line for line in said if "After the edit" in line]
