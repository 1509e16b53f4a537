"""What all commands have in common."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOUR = Path(__file__).resolve().parents[2] / "examples" / "tour.cl"


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_what_is_redirected_is_utf8_whatever_the_system_writes(encoding: str) -> None:
    command = [sys.executable, "-m", "burstline_server.cli.main", "check", str(TOUR)]
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "≈" in done.stdout.decode("utf-8")
