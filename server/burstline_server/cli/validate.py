"""``burstline validate``: the model beside the papers' tables and published measurements."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from burstline_model.validation.measurement import Measurement
from burstline_model.validation.sets import read_folder
from burstline_server.answers import validation_page
from burstline_server.cli.options import UnusableInputError
from burstline_server.cli.writing import write_file
from burstline_server.validation import validate


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add = parser.add_argument
    add("--truth", type=Path, metavar="FOLDER", help="published measurements: FPGAMemBench's CSV, the M21 authors' and "
        "HPCC_FPGA's JSON Lines")  # fmt: skip
    add("--format", choices=("text", "json", "markdown"), default="text", help="how to print the answer")
    add("--markdown", type=Path, metavar="FILE", help="write the page as well")
    add("--plot", type=Path, metavar="FILE", help="write the dot plot as an SVG (needs burstline[plots])")


def run(arguments: argparse.Namespace) -> int:
    """Print the tables; exit status 2 for unusable input."""
    measurements: list[Measurement] = []
    if arguments.truth is not None:
        if not arguments.truth.is_dir():
            sys.stderr.write(f"burstline: {arguments.truth}: no such folder\n")
            return 2
        try:
            measurements = read_folder(arguments.truth)
        except (OSError, ValueError, KeyError) as error:
            sys.stderr.write(f"burstline: {arguments.truth}: a file is not as expected ({error})\n")
            return 2
        if not measurements:
            sys.stderr.write(f"burstline: {arguments.truth}: no known measurements in this folder\n")
            return 2
    done = validate(measurements)
    if arguments.format == "json":
        sys.stdout.write(done.model_dump_json(indent=1) + "\n")
    elif arguments.format == "markdown":
        sys.stdout.write(validation_page.markdown(done))
    else:
        sys.stdout.write(validation_page.text(done))
    try:
        if arguments.markdown is not None:
            write_file(arguments.markdown, validation_page.markdown(done))
        if arguments.plot is not None:
            write_file(arguments.plot, validation_page.plot(done))
    except UnusableInputError as error:
        sys.stderr.write(f"burstline: {error}\n")
        return 2
    except ImportError:
        sys.stderr.write("burstline: the plot needs matplotlib: pip install 'burstline[plots]'\n")
        return 2
    return 0
