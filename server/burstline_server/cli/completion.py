"""``burstline completion``: what lets a shell complete commands, options, boards and files."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from burstline_model.boards.board import boards
from burstline_server.cli.main import parser_of
from burstline_server.cli.options import unusable
from burstline_server.words.commands import SUMMARIES

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
_FILES, _FOLDERS = {"FILE", "PATH", "NAME|FILE"}, {"DIR"}


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("shell", choices=SHELLS)


def run(arguments: argparse.Namespace) -> int:
    """Print the shell's script; exit status 2 where shtab is not installed."""
    try:
        import shtab  # noqa: PLC0415 - an extra
    except ImportError:
        sys.stderr.write(f"burstline: {unusable('shtab_needed')}\n")
        return 2
    parser, commands = parser_of(SUMMARIES)
    for command in commands.values():
        for action in command._actions:
            _complete(action, shtab)
    sys.stdout.write(shtab.complete(parser, shell=arguments.shell) + "\n")
    return 0


def _complete(action: argparse.Action, shtab: Any) -> None:
    """Say what an option takes; this parser reads no command line."""
    if action.metavar in _FILES | _FOLDERS:
        setattr(action, "complete", shtab.FILE if action.metavar in _FILES else shtab.DIRECTORY)  # noqa: B010
    elif action.metavar == "BOARD" or action.dest == "board":
        action.choices = sorted(boards())
