"""``burstline validate``: the papers' tables and published measurements, estimated from kernel text."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from burstline_server.cli.options import UnusableInputError
from burstline_server.cli.writing import write_file
from burstline_server.presentation import validation_page
from burstline_server.validation.papers import validate
from burstline_server.validation.suites import published_runs
from burstline_server.words.usage import unusable_text


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add = parser.add_argument
    add("--format", choices=("text", "json", "markdown"), default="text", help="how to print the answer")
    add("--markdown", type=Path, metavar="FILE", help="write the page as well")
    add("--plot", type=Path, metavar="FILE", help="write the dot plot as an SVG (needs burstline[plots])")


def run(arguments: argparse.Namespace) -> int:
    """Print the tables; exit status 2 for unusable input."""
    done = validate(published_runs())
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
        sys.stderr.write(f"burstline: {unusable_text('plots_needed')}\n")
        return 2
    return 0
