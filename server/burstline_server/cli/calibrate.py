"""``burstline calibrate``: fit what a board's memory reaches from microbenchmarks."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from burstline_model.boards.board import UnknownBoardError, find_board
from burstline_model.validation import table
from burstline_model.validation.fit import fit, toml_of
from burstline_model.validation.measurement import Measurement
from burstline_server.assessment.assessor import Assessor
from burstline_server.validation.run import assess_run
from burstline_server.validation.suites import published_runs
from burstline_server.validation.units import measurement_of


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add = parser.add_argument
    add("files", nargs="*", type=Path, metavar="FILE", help=f"CSV with the columns {', '.join(table.COLUMNS)}; without "
        "one, the published microbenchmarks of the board, from the text of their kernels")  # fmt: skip
    add("--board", required=True, help="the board that the runs were made on (see: burstline boards)")
    add("--source", default="", help="where the figures come from, for the board file")


def run(arguments: argparse.Namespace) -> int:
    """Print the [measured] table of a board file; exit status 2 for unusable input."""
    try:
        board = find_board(arguments.board)
        files: list[Path] = arguments.files
        rows = [m for path in files for m in table.read(path, board)] if files else published(board.name)
        fitted = fit(rows, board)
    except (OSError, ValueError, UnknownBoardError) as error:
        sys.stderr.write(f"burstline: {error}\n")
        return 2
    if not fitted.figures:
        sys.stderr.write(f"burstline: no run on {board.name} is bounded by its memory\n")
        return 2
    source = arguments.source or ", ".join(dict.fromkeys(m.set for m in rows if m.board == board.name))
    sys.stdout.write(toml_of(fitted, source))
    return 0


def published(board: str) -> list[Measurement]:
    """The published microbenchmarks on a board that are for fitting, with the units of their kernels' text."""
    assessor = Assessor()
    runs = [run for run in published_runs() if run.board == board and run.fitted]
    return [measurement_of(run, assess_run(run, assessor, "calibrated")) for run in runs]
