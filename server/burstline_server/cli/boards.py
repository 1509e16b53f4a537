"""``burstline boards``: list the boards, or show one."""

from __future__ import annotations

import argparse
import sys

from burstline_model.board import Board, UnknownBoardError, boards, find_board
from burstline_server.answers.units import bandwidth_text


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("action", nargs="?", choices=("list", "show"), default="list")
    parser.add_argument("name", nargs="?", help="the board to show")


def run(arguments: argparse.Namespace) -> int:
    """Print the boards."""
    if arguments.action == "show":
        if not arguments.name:
            sys.stderr.write("burstline: name the board: burstline boards show NAME\n")
            return 2
        try:
            sys.stdout.write(_shown(find_board(arguments.name)))
        except UnknownBoardError as error:
            sys.stderr.write(f"burstline: {error}\n")
            return 2
        return 0
    for board in boards().values():
        memory = board.memory
        peak = bandwidth_text(memory.peak_mb_s * 1e6)
        sys.stdout.write(f"{board.name:18} {board.title:52} {memory.banks:2} × {memory.type}, {peak}\n")
    return 0


def _shown(board: Board) -> str:
    lines = [f"{board.name}: {board.title}", f"also: {', '.join(board.aliases) or '–'}"]
    for title, block in (("compiler", board.compiler), ("memory", board.memory)):
        lines.append(f"[{title}]")
        lines += [f"  {key} = {value}" for key, value in block.model_dump().items()]
    return "\n".join(lines) + "\n"
