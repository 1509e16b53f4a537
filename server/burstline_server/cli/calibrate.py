"""``burstline calibrate``: fit what a board's memory reaches from microbenchmarks."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from burstline_model.boards.board import BoardError, find_board
from burstline_model.validation import benchmark_csv
from burstline_model.validation.fit import fit, toml_of
from burstline_model.validation.measurement import Measurement
from burstline_server.assessment.assessor import Assessor
from burstline_server.validation.inferred_units import measurement_of
from burstline_server.validation.published import assess_run
from burstline_server.validation.suites import published_runs
from burstline_server.words.boards import board_error_text
from burstline_server.words.usage import unusable_text
from burstline_server.words.validation import table_error_text


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add = parser.add_argument
    columns = ", ".join(benchmark_csv.COLUMNS)
    add("files", nargs="*", type=Path, metavar="FILE", help=f"CSV with the columns {columns}; without one, "
        "the published microbenchmarks of the board, from the text of their kernels")  # fmt: skip
    add("--board", required=True, help="the board that the runs were made on (see: burstline boards)")
    add("--source", default="", help="where the figures come from, for the board file")


def run(arguments: argparse.Namespace) -> int:
    """Print the [measured] table of a board file; exit status 2 for unusable input."""
    try:
        board = find_board(arguments.board)
        files: list[Path] = arguments.files
        rows = [m for path in files for m in benchmark_csv.read(path, board)] if files else published(board.name)
        fitted = fit(rows, board)
    except BoardError as error:
        sys.stderr.write(f"burstline: {board_error_text(error)}\n")
        return 2
    except benchmark_csv.TableError as error:
        sys.stderr.write(f"burstline: {table_error_text(error)}\n")
        return 2
    except OSError as error:
        sys.stderr.write(f"burstline: {unusable_text('unreadable', error.filename, error.strerror)}\n")
        return 2
    except ValueError as error:
        sys.stderr.write(f"burstline: {error}\n")
        return 2
    if not fitted.figures:
        sys.stderr.write(f"burstline: {unusable_text('memory_not_bound', board.name)}\n")
        return 2
    source = arguments.source or ", ".join(dict.fromkeys(m.set for m in rows if m.board == board.name))
    sys.stdout.write(toml_of(fitted, source))
    return 0


def published(board: str) -> list[Measurement]:
    """The published microbenchmarks on a board that are for fitting, with the units of their kernels' text."""
    assessor = Assessor()
    runs = [run for run in published_runs() if run.board == board and run.fitted]
    return [measurement_of(run, assess_run(run, assessor, "calibrated")) for run in runs]
