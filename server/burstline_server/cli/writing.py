"""Files that commands write: replaced in one step, and never through a link that somebody else has laid."""

from __future__ import annotations

import shutil
from pathlib import Path
from secrets import token_hex

from burstline_server.cli.options import unusable

_MARK = b"\xef\xbb\xbf"


def write_file(path: Path, content: str) -> None:
    """Write a file, the whole of it or nothing; raises `UnusableInputError` for a link and where it cannot be done."""
    try:
        if path.is_symlink():
            raise unusable("is_link", path, path.readlink())
        if path.exists() and not path.is_file():
            path.write_bytes(content.encode())  # a device: there is nothing to replace
            return
        made = path.with_name(f".{path.name}.{token_hex(4)}")
        try:
            with made.open("xb") as file:
                file.write(content.encode())
            if path.exists():
                shutil.copymode(path, made)
            made.replace(path)
        finally:
            made.unlink(missing_ok=True)
    except OSError as error:
        raise unusable("not_written", path, error.strerror) from error


def rewrite(path: Path, text: str) -> None:
    """Write a kernel file's new text; its line ends are the text's own, and a byte order mark stays where it was."""
    with path.open("rb") as file:
        marked = file.read(len(_MARK)) == _MARK
    write_file(path, f"{_MARK.decode()}{text}" if marked else text)
