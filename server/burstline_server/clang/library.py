"""Where libclang is: named by the user, installed with the extra `burstline[clang]`, or the system's own."""

from __future__ import annotations

import os
import re
import site
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

VARIABLE = "LIBCLANG_PATH"
"""The environment's name for the library, or its folder, that other programs know as well."""
NAMES = {"win32": "libclang.dll", "darwin": "libclang.dylib"}
SYSTEM = (
    "usr/lib/llvm-*/lib/libclang.so*",
    "usr/lib/*-linux-gnu/libclang-[0-9]*.so*",
    "usr/lib64/libclang.so*",
    "usr/lib/libclang.so*",
    "usr/local/lib/libclang.so*",
    "opt/homebrew/opt/llvm/lib/libclang.dylib",
    "usr/local/opt/llvm/lib/libclang.dylib",
    "Library/Developer/CommandLineTools/usr/lib/libclang.dylib",
    "Program Files/LLVM/bin/libclang.dll",
)
"""Where systems keep it. Only these folders are looked at: a search path may lead into a workspace."""
OLDEST = 14
"""The first version of clang that declares all of OpenCL's functions by itself."""
_VERSION = re.compile(r"(?:llvm|libclang)-(\d+)")


@cache
def library() -> str | None:
    """The path of libclang; None where there is none."""
    name = NAMES.get(sys.platform, "libclang.so")
    if given := os.environ.get(VARIABLE):
        path = Path(given) / name if Path(given).is_dir() else Path(given)
        return str(path) if path.is_file() else None
    for folder in _packages():
        if (path := folder / "clang" / "native" / name).is_file():
            return str(path)
    root = Path(sys.executable).anchor or "/"
    found = sorted((version, str(path)) for path in _installed(Path(root)) if (version := _version(path)) >= OLDEST)
    return found[-1][1] if found else None


def _packages() -> Iterator[Path]:
    """Where packages of this Python are installed."""
    yield from (Path(sysconfig.get_path(kind)) for kind in ("platlib", "purelib"))
    if site.ENABLE_USER_SITE:
        yield Path(site.getusersitepackages())


def _installed(root: Path) -> Iterator[Path]:
    for pattern in SYSTEM:
        yield from root.glob(pattern)


def _version(path: Path) -> int:
    """The version that a path names; the newest that is known of where it names none."""
    match = _VERSION.search(str(path))
    return int(match[1]) if match else OLDEST
