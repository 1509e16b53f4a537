"""``burstline check``: cost every access of the files and folders named."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from burstline_server.assessment.assessor import Assessment
from burstline_server.cli.assessing import assessed
from burstline_server.cli.engines import add_engine, second_reading
from burstline_server.cli.formats import FORMATS
from burstline_server.cli.forms import add_form, data_of, rooflines
from burstline_server.cli.options import (
    UnusableInputError,
    add_settings,
    files_of,
    options_of,
    refuse_long,
    refuse_unknown_codes,
    stdin_text,
    unusable,
)
from burstline_server.cli.summary import problem_lines, serious, summary
from burstline_server.cli.terminal import one_line
from burstline_server.cli.text import COLUMNS
from burstline_server.cli.writing import write_file
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.report import Report
from burstline_server.presentation.report_build import file_report
from burstline_server.version import tool_name

if TYPE_CHECKING:  # the rewrites are loaded where fixes are asked for
    from burstline_server.rewrites.catalogue import Fix


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add = parser.add_argument
    add("paths", nargs="+", metavar="FILE", help="kernel files, or folders of them; - reads standard input")
    add_settings(parser)
    add("--kernel", action="append", default=[], metavar="NAME", help="only this kernel")
    add("--format", choices=tuple(FORMATS), default="text", help="how to print the answer")
    add("--advise", action="store_true", help="add what to do about each finding")
    add("--columns", choices=tuple(COLUMNS), default="usual", help="which columns of the tables to print")
    add_engine(parser)
    add_form(parser, default=None)
    add("--fail-on", action="append", default=[], metavar="CODE[,CODE]", help="exit with 1 when one is found")
    add(
        "--stdin-filename",
        default="stdin.cl",
        metavar="FILE",
        help="name to report for standard input; its folder's settings and headers apply",
    )
    add("-q", "--quiet", action="store_true", help="print errors and warnings alone")
    add("-o", "--output", metavar="FILE", help="write the answer into a file")


def run(arguments: argparse.Namespace) -> int:
    """Check the files; exit status 0, 1 for faults and findings of --fail-on, 2 for unusable input."""
    left: list[str] = []
    try:
        codes = _codes(arguments)
        options = options_of(arguments)
        refuse_long(arguments.stdin_filename)
        texts = {Path(arguments.stdin_filename): stdin_text()} if "-" in arguments.paths else {}
        files = [*texts, *files_of([p for p in arguments.paths if p != "-"], left)]
        with_fixes = arguments.format == "json" or (arguments.format == "text" and arguments.advise)
        done = list(assessed(files, options, arguments, with_fixes=with_fixes, left=left, texts=texts))
        sys.stderr.writelines(f"burstline: {one_line(text)}\n" for text in left)
        if done or not left:
            _print(_answer(done, arguments), arguments.output)
    except UnusableInputError as error:
        sys.stderr.write(f"burstline: {error}\n")
        return 2
    if left:
        return 2
    found = {f.code for a, _ in done for f in findings_of(a)} if codes else set()
    return 1 if codes & found or any(a.faults for a, _ in done) else 0


def _codes(arguments: argparse.Namespace) -> set[str]:
    """The codes of --fail-on; those after it with a blank in between are no files."""
    several = [p for p in arguments.paths if arguments.fail_on and _CODE.fullmatch(p.upper()) and not Path(p).exists()]
    arguments.paths = [p for p in arguments.paths if p not in several]
    codes = {c.strip().upper() for word in (*arguments.fail_on, *several) for c in word.split(",") if c.strip()}
    refuse_unknown_codes("--fail-on", codes)
    if not arguments.paths:
        raise unusable("no_file_named")
    return codes


def _answer(done: Sequence[tuple[Assessment, Sequence[Fix]]], arguments: argparse.Namespace) -> str:
    found = [(a, findings_of(a)) for a, _ in done]
    if arguments.format == "json":
        reports = [file_report(a, findings, fixes) for (a, findings), (_, fixes) in zip(found, done, strict=True)]
        return Report(tool=tool_name(), files=reports).to_json() + "\n"
    if arguments.quiet:
        return (
            "".join(problem_lines(found)) if arguments.format == "text" else FORMATS[arguments.format](serious(found))
        )
    own = {}
    if arguments.format == "text":
        own = {"fixes": [fixes for _, fixes in done], "columns": arguments.columns}
    text = FORMATS[arguments.format](found, advise=arguments.advise, **own)
    if arguments.format == "text":
        text += second_reading([a for a, _ in done])
        text += rooflines([a for a, _ in done], data_of(arguments)) if arguments.form else ""
    return text + summary(found) if arguments.format == "text" and len(found) > 1 else text


def _print(text: str, output: str | None) -> None:
    if output is None or output == "-":
        sys.stdout.write(text)
    else:
        write_file(Path(output), text)


_CODE = re.compile(r"BL\d{3}")
