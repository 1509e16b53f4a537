"""What is printed, written and shown holds names and texts of a hostile file as text, and as nothing else."""

import json
import os
import re
from pathlib import Path

import pytest

from burstline_server.cli.main import main
from burstline_server.presentation.card_text import markdown
from burstline_server.presentation.cards import access_card
from tests.assessing import assess
from tests.security.workspace import made

STEERING = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"
KERNEL = f"""#include "{STEERING}.h"
__kernel void k(__global float *x, __global float *y, int n) {{ // {STEERING}
    x[n /*{STEERING}*/ * get_global_id(0)] = y[/*</script><script>alert(1)</script>\u2028*/ 3 * get_global_id(0)];
}}
"""
COPY = """__kernel void k(__global float *x, __global float *y)
{
    int i = get_global_id(0);
    x[i] = y[i];
}
"""
SETTINGS = 'board = "\\u001b[2J\\n::error::b"\n"a\\u001b[31m\\n::error::key" = 1\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with such a kernel and such settings, the folder that commands run in."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "k.cl").write_text(KERNEL, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["check", "."],
        ["check", ".", "--advise"],
        ["check", ".", "--format", "github"],
        ["fix", ".", "--all", "--unsafe", "--diff"],
        ["explore", ".", "--assume-trips", "64", "--global-size", "64", "--arg", "n=4"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("settings", [False, True], ids=["kernel", "settings"])
def test_no_text_steers_the_terminal_or_who_reads_a_log(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], *, settings: bool
) -> None:
    if settings:
        (folder / "burstline.toml").write_text(SETTINGS)
    main(words)
    printed = capsys.readouterr()
    both = printed.out + printed.err
    assert both.strip()
    assert re.findall("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202e]", both) == []
    commands = [line for line in both.splitlines() if line.startswith("::")]
    assert all(
        re.match(r"::(error|warning|notice) file=k\.cl,line=\d+,col=\d+,title=BL\d+::", line) for line in commands
    )


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_tools_read_the_text_as_it_is(folder: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    main(["check", ".", "--format", form])
    assert f"{STEERING}.h" in json.dumps(json.loads(capsys.readouterr().out), ensure_ascii=False).replace(
        "\\u001b", "\x1b"
    ).replace("\\u0007", "\x07")


def test_names_that_cannot_be_printed_are_left_out_and_reported(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = folder / "a\n::error::b.cl"
    odd.write_text(KERNEL, "utf-8")
    assert main(["check", "."]) == 0
    assert "left out" in capsys.readouterr().err
    assert main(["check", odd.name]) == 2
    assert "cannot be printed" in capsys.readouterr().err


def test_the_page_holds_text_as_text(folder: Path) -> None:
    assert main(["view", "k.cl"]) == 0
    page = (folder / "view.html").read_text("utf-8")
    assert "alert(1)" in page
    assert page.count("<script") == page.count("</script>") == 2
    policy = re.search(r'content="(default-src [^"]*)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert not re.search(r"unsafe|https?:|\*", policy[1])


@pytest.mark.parametrize("text", ["[x](command:y)", "\\[x\\](command:y)", "<img src=z>", "https://z.example", "`a`"])
def test_a_card_holds_names_as_text(text: str) -> None:
    assessment = assess(
        f"__kernel void k(__global float *x) {{ x[0 /*{text}*/] = x[/*\n\n{text}*/ 1]; }}", board="a10_ref"
    )
    kernel = assessment.kernels[0]
    shown = "".join(markdown(access_card(assessment, kernel, access)) for access in kernel.facts.accesses)
    own = re.sub(r"\[([^\]]*)\]\(file://[^)\s]*/glossary\.md#L\d+\)", r"\1", shown)
    bare = re.sub(r"`[^`\n]*`", "", own)
    assert not re.search(r"(?<!\\)(?:\\\\)*[\[<]|://", bare)


def test_what_is_written_replaces_no_link(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("burstline_server.cli.validate.published_runs", list)
    mine = folder.parent / "mine"
    mine.write_text("mine")
    for name, words in (
        ("view.html", ["view", "k.cl"]),
        ("linked.cl", ["fix", "linked.cl", "--apply", "--all", "--unsafe"]),
        ("page.md", ["validate", "--markdown", "page.md"]),
    ):
        if name == "linked.cl":
            mine.write_text(COPY)
        before = mine.read_text()
        (folder / name).symlink_to(mine)
        assert main(words) == 2
        assert "is a link to" in capsys.readouterr().err
        assert mine.read_text() == before


def test_a_file_that_is_written_again_keeps_its_mode(folder: Path) -> None:
    page = folder / "view.html"
    page.write_text("old")
    page.chmod(0o640)
    assert main(["view", "k.cl"]) == 0
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert page.stat().st_mode & 0o777 == 0o640
    assert sorted(file.name for file in folder.iterdir()) == [".git", "k.cl", "view.html"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes in folders (POSIX)")
def test_what_is_not_read_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = made(tmp_path)
    assert main(["check", str(hostile.kernel)]) == 1  # its headers are not read
    reported = capsys.readouterr().err
    for key in ("include_paths", "board", "report", "aoc_flags"):
        assert re.search(rf"burstline.toml:\d+: {key}: \S+ lies outside the workspace", reported)
    assert "a comment names a board, not a board file" in reported
