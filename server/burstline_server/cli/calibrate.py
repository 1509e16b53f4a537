"""``burstline calibrate``: fit what a board's memory reaches from microbenchmarks."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from burstline_model.board import UnknownBoardError, find_board
from burstline_model.validation import table
from burstline_model.validation.fit import fit, toml_of
from burstline_model.validation.measurement import Measurement
from burstline_model.validation.sets import read_file


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help=f"CSV with the columns {', '.join(table.COLUMNS)}, or a "
        "published set (FPGAMemBench's CSV)")  # fmt: skip
    add("--board", required=True, help="the board that the runs were made on (see: burstline boards)")
    add("--source", default="", help="where the figures come from, for the board file")


def run(arguments: argparse.Namespace) -> int:
    """Print the [measured] table of a board file; exit status 2 for unusable input."""
    try:
        board = find_board(arguments.board)
        rows: list[Measurement] = []
        for path in arguments.files:
            known = read_file(path)
            rows += table.read(path, board) if known is None else [m for m in known if m.fit]
        fitted = fit(rows, board)
    except (OSError, ValueError, UnknownBoardError) as error:
        sys.stderr.write(f"burstline: {error}\n")
        return 2
    if not fitted.figures:
        sys.stderr.write(f"burstline: no run on {board.name} in these files is bounded by its memory\n")
        return 2
    source = arguments.source or ", ".join(dict.fromkeys(m.set for m in rows if m.board == board.name))
    sys.stdout.write(toml_of(fitted, source))
    return 0
