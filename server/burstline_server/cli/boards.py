"""``burstline boards``: list the boards, show or check one, or make one from the vendor's ``board_spec.xml``.

``burstline boards bandwidth`` says what a board's memory sustains, by size and order.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from burstline_model.boards.board import Board, BoardError, boards, find_board
from burstline_model.boards.board_spec import BoardSpecError, board_toml, read_board_spec
from burstline_model.devices.cost_tables import cost_table
from burstline_server.cli.options import UnusableInputError
from burstline_server.cli.terminal import one_line
from burstline_server.cli.writing import write_file
from burstline_server.presentation.status import memory_text
from burstline_server.quantities import bandwidth_text, bytes_text
from burstline_server.validation.sustained import sustained
from burstline_server.words.boards import BANDWIDTH_COLUMNS, board_error_text, guess_text, spec_error_text
from burstline_server.words.commands import GUESSED, measured_title, name_board_text
from burstline_server.words.usage import unusable_text


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add = parser.add_argument
    add("action", nargs="?", choices=("list", "show", "check", "bandwidth", "import"), default="list")
    add("name", nargs="?", metavar="NAME|FILE", help="a board's name, a board file (.toml), or a board_spec.xml")
    add("-o", "--output", type=Path, metavar="FILE", help="write the imported board here")


def run(arguments: argparse.Namespace) -> int:
    """Print the boards; exit status 2 for what cannot be read."""
    if arguments.action == "list":
        for board in boards().values():
            sys.stdout.write(_line(board))
        return 0
    if not arguments.name:
        sys.stderr.write(f"burstline: {unusable_text('name_needed', arguments.action)}\n")
        return 2
    try:
        if arguments.action == "import":
            return _import(Path(arguments.name), arguments.output)
        board = find_board(arguments.name)
    except BoardError as error:
        sys.stderr.write(f"burstline: {board_error_text(error)}\n")
        return 2
    except BoardSpecError as error:
        sys.stderr.write(f"burstline: {spec_error_text(error)}\n")
        return 2
    except UnusableInputError as error:
        sys.stderr.write(f"burstline: {error}\n")
        return 2
    if arguments.action == "bandwidth":
        sys.stdout.write(_bandwidth(arguments.name))
    else:
        sys.stdout.write(_line(board) if arguments.action == "check" else _shown(board))
    return 0


def _bandwidth(name: str) -> str:
    """What the memory sustains by size and order, in GB/s."""
    rows: list[tuple[str, ...]] = [BANDWIDTH_COLUMNS]
    for one in sustained(name):
        figures = (one.in_order, one.strided, one.wide)
        rows.append((bytes_text(one.array_bytes), *(bandwidth_text(1e9 * gb_s) for gb_s in figures)))
    return "".join("  ".join(cell.rjust(14) for cell in row).rstrip() + "\n" for row in rows)


def _import(path: Path, output: Path | None) -> int:
    imported = read_board_spec(path)
    text = board_toml(imported.board)
    sys.stderr.writelines(f"burstline: {GUESSED}: {one_line(guess_text(guess))}\n" for guess in imported.guesses)
    if output is None:
        sys.stdout.write(text)
    else:
        write_file(output, text)
        sys.stdout.write(f"{output}: {name_board_text(output.name)}\n")
    return 0


def _line(board: Board) -> str:
    return f"{board.name:18} {board.title:52} {memory_text(board)}\n"


def _shown(board: Board) -> str:
    lines = [f"{board.name}: {board.title}", f"also: {', '.join(board.aliases) or '–'}"]
    own = measured_title(on_board=bool(board.own_measured))
    device = board.resources or cost_table(board.compiler.family).device
    others = [("memories", memory) for memory in board.others]
    blocks = (
        ("compiler", board.compiler), ("memory", board.memory), *others, ("resources", device), (own, board.measured),
    )  # fmt: skip
    for title, block in blocks:
        lines.append(f"[{title}]")
        lines += [f"  {key} = {value}" for key, value in block.model_dump().items()]
    return "\n".join(lines) + "\n"
