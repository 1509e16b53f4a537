"""The command line that a kernel is built with, as a layer of settings: weaker than a project's burstline.toml."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from burstline_model.boards.board import is_known_board, nearest_boards
from burstline_model.files import allowed
from burstline_server.commands.build_files import Built
from burstline_server.commands.command import boards_named
from burstline_server.config.layers import Layer, Problem
from burstline_server.config.mistakes import Mistake


def build_layer(built: Built, folders: Sequence[Path]) -> Layer:
    """What a command line sets; folders of includes outside the workspace (a vendor's own, mostly) are left out.

    A board that is not known is a problem which the rest holds without.
    """
    command, flags = built.command, built.command.flags
    keys: dict[str, object] = {}
    if flags.defines:
        keys["defines"] = dict(flags.defines)
    include_paths = [str(command.folder / one) for one in flags.include_paths]
    if inside := [one for one in include_paths if allowed(Path(one), folders)]:
        keys["include_paths"] = inside
    if flags.others:
        keys["aoc_flags"] = list(flags.others)
    problems: list[Problem] = []
    names = boards_named(flags)
    board = next((name for name in names if is_known_board(name)), None)
    if board is not None:
        keys["board"] = board
    elif names:
        problems.append(_unknown(names[0], built))
    return Layer("build", keys, str(command.path), problems=tuple(problems), built=built)


def _unknown(name: str, built: Built) -> Problem:
    mistake = Mistake("no_such_board", (name,), known=tuple(nearest_boards(name)))
    return Problem(mistake, str(built.command.path), built.command.line, "build", confined=True, setting="board")
