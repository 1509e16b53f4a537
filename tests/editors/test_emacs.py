"""The server in a real Emacs, with the recipe of docs/editors: Eglot comes with Emacs 29, and apart from it before."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.editors.kernel import KERNEL

ROOT = Path(__file__).resolve().parents[2]
EMACS = shutil.which("emacs")


@pytest.mark.skipif(EMACS is None, reason="no Emacs: apt-get install emacs-nox elpa-eglot")
def test_a_users_session(tmp_path: Path) -> None:
    file = tmp_path / "scale.cl"
    file.write_text(KERNEL, "utf-8")
    environment = {
        **os.environ, "HOME": str(tmp_path), "FILE": str(file), "LC_ALL": "C.UTF-8",
        "SERVER": f"{sys.executable} -m burstline_server.cli.main serve",
        "RECIPE": str(ROOT / "docs" / "editors" / "emacs.el"),
    }  # fmt: skip
    command = [str(EMACS), "--batch", "-l", str(Path(__file__).with_name("emacs.el"))]
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=180, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 failed" in done.stdout
    assert "ok a fix is made" in done.stdout
