"""Which clang and opt are asked: two programs of one version, in one folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from burstline_model.record import fixed

VARIABLE = "BURSTLINE_LLVM"
"""The environment's name for the folder that holds both programs."""
OLDEST = 14
"""The first version of clang that declares all of OpenCL's functions by itself."""
INSTALLED = ("usr/lib/llvm-*/bin", "opt/homebrew/opt/llvm/bin", "usr/local/opt/llvm/bin", "Program Files/LLVM/bin")
"""Where systems keep LLVM."""
NAMES = ("clang", *(f"clang-{version}" for version in range(30, OLDEST - 1, -1)))
_PATIENCE_S = 5.0
_VERSION = re.compile(r"version (\d+)\.")


@fixed
class Tools:
    """The paths of both programs, and their version."""

    clang: str
    opt: str
    version: int


@cache
def tools() -> Tools | None:
    """The programs that are asked; None where no clang of a version that can be asked has its opt next to it."""
    for folder in dict.fromkeys(_folders()):
        clang, opt = (folder / f"{name}{'.exe' if sys.platform == 'win32' else ''}" for name in ("clang", "opt"))
        if clang.is_file() and opt.is_file() and (version := _version(clang)) >= OLDEST:
            return Tools(str(clang), str(opt), version)
    return None


def _folders() -> Iterator[Path]:
    """The folders to look in, the named one alone where there is one; none that a search path names relatively."""
    if given := os.environ.get(VARIABLE):
        yield Path(given)
        return
    search = os.pathsep.join(p for p in os.environ.get("PATH", "").split(os.pathsep) if Path(p).is_absolute())
    for name in NAMES:
        found = shutil.which(name, path=search) if search else None
        if found is not None and Path(found).is_absolute():
            yield Path(found).resolve().parent
    root = Path(Path(sys.executable).anchor or "/")
    yield from sorted((folder for pattern in INSTALLED for folder in root.glob(pattern)), reverse=True)


def _version(clang: Path) -> int:
    try:
        said = subprocess.run(  # noqa: S603 - a program in a folder that systems keep LLVM in
            [str(clang), "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE_S,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = _VERSION.search(said)
    return int(found[1]) if found else 0
