"""What all commands have in common."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from burstline_server.cli.main import main

TOUR = Path(__file__).resolve().parents[2] / "examples" / "tour.cl"


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_what_is_redirected_is_utf8_whatever_the_system_writes(encoding: str) -> None:
    command = [sys.executable, "-m", "burstline_server.cli.main", "check", str(TOUR)]
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "≈" in done.stdout.decode("utf-8")


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
@pytest.mark.parametrize("words", ["--version", "--help", "check --help", "check TOUR", "boards", "explain BL101"])
def test_an_answer_that_cannot_be_written_is_said_on_one_line(words: str) -> None:
    command = [sys.executable, "-m", "burstline_server.cli.main", *words.replace("TOUR", str(TOUR)).split()]
    with FULL.open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr.decode() == f"burstline: the answer cannot be written: {os.strerror(28)}\n"


def test_files_behind_an_option_are_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one.cl", "two.cl"):
        (tmp_path / name).write_text("__kernel void k(__global int *x) { x[get_global_id(0)] = 1; }")
    words = ["check", str(tmp_path / "one.cl"), "--fail-on", "BL401", str(tmp_path / "two.cl")]
    assert main(words) == 0
    assert "2 files, 2 kernels" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main([*words, "--oops"])
    assert "unknown option or argument: --oops" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_shell_gets_commands_options_and_boards_to_complete(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(word in script for word in ("import-report", "--fail-on", "p520mx"))
    if path := shutil.which(shell):
        subprocess.run([path, "-n"], input=script.encode(), check=True)


def test_without_shtab_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    assert capsys.readouterr().err.endswith("pip install 'burstline[completion]'\n")


LONG = "a" * 5000


@pytest.mark.parametrize(
    "words",
    [
        "check LONG.cl", "check TOUR --config LONG", "check TOUR -o LONG", "check --stdin-filename LONG -",
        "check TOUR --board LONG", "check TOUR --kernel LONG", "check TOUR --arg LONG=1", "check TOUR --report LONG",
        "explore TOUR --resume LONG", "view TOUR -o LONG", "import-report LONG", "calibrate --board p520 LONG",
        "boards import LONG", "boards show LONG.toml", "explain LONG", "LONG",
    ],
)  # fmt: skip
def test_a_name_that_is_too_long_is_not_repeated_whole(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = words.replace("TOUR", str(TOUR)).replace("LONG", LONG).split()
    try:
        status = main(given)
    except SystemExit as ended:
        status = int(str(ended.code))
    shown = capsys.readouterr()
    assert status == 2
    assert shown.out == ""
    assert shown.err.startswith("burstline: ")
    assert "answer cannot be written" not in shown.err
    assert len(shown.err) < 700


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_an_interrupt_ends_with_130() -> None:
    """Standard input is a pipe that nobody writes to, so that the command waits."""
    code = "import sys, os, signal\nfrom burstline_server.cli import main\n"
    code += "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background job ignores it
    code += "sys.stdin = os.fdopen(os.pipe()[0])\nprint('ready', file=sys.stderr, flush=True)\n"
    code += "sys.exit(main.main(['check', '-']))"
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as running:
        assert running.stderr is not None
        assert running.stderr.readline() == b"ready\n"
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130
        assert running.stderr.read() == b""
