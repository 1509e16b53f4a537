"""Files that anyone may have written: read only where they may lie, up to a bound, and never as devices or pipes."""

from __future__ import annotations

import errno
import os
import re
import stat
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def allowed(path: Path, folders: Sequence[Path] | None) -> bool:
    """Whether a path, after symbolic links, lies inside one of the folders; None allows every place."""
    if folders is None:
        return True
    try:
        # Asking after another machine's file (\\host\share) already talks to that machine.
        near = [f for f in folders if path.drive in {"", f.drive}]
        real = path.resolve() if near else path
        return any(real.is_relative_to(folder.resolve()) for folder in near)
    except (OSError, ValueError, RuntimeError):
        return False


def read_bounded(path: Path, most_bytes: int, folders: Sequence[Path] | None = None) -> bytes:
    """The bytes of a regular file inside one of the folders (None: anywhere).

    Raises:
        OSError: there is none, it lies elsewhere, it is a device, pipe or folder, or it is larger than `most_bytes`.

    """
    if not allowed(path, folders):
        raise OSError(errno.EACCES, "it lies outside the workspace", str(path))
    try:
        _refuse_special(path.stat())
        # Looked at again once it is open; a pipe that has taken the file's place must not be waited for.
        with open(path, "rb", opener=_at_once) as file:
            _refuse_special(os.fstat(file.fileno()))
            text = file.read(most_bytes + 1)
    except ValueError as error:  # a null character in the name
        raise OSError(errno.EINVAL, str(error)) from error
    if len(text) > most_bytes:
        raise OSError(errno.EFBIG, f"larger than {most_bytes} bytes", str(path))
    return text


def _refuse_special(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


MAX_DOTS, MAX_DEPTH = 200, 16
"""Most dots in a line of TOML (long dotted keys take its reader quadratic time), and most tables inside each other."""
_LONG_NUMBER = re.compile(r"(?<![\w\"'])\d[\d_]{999}")
"""What Python refuses to read as a number is among these."""


def parsed_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text; raises ValueError (`tomllib.TOMLDecodeError` where the place is known)."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MAX_DOTS:
            raise ValueError(f"more than {MAX_DOTS} dots (at line {number})")
        if _LONG_NUMBER.search(line):
            raise ValueError(f"a number of more than 1000 digits (at line {number})")
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    level: list[Any] = [tables]
    for _ in range(MAX_DEPTH):
        inner = (one.values() if isinstance(one, dict) else one for one in level)
        level = [value for values in inner for value in values if isinstance(value, dict | list)]
        if not level:
            return tables
    raise ValueError("nested too deeply")
