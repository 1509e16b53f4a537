"""``burstline check``: cost every access of the files and folders named."""

from __future__ import annotations

import argparse
import sys

from burstline_server.answers.build import file_report
from burstline_server.answers.report import Report
from burstline_server.cli.assessing import assessed, tell_problems
from burstline_server.cli.formats import FORMATS
from burstline_server.cli.options import UnusableInputError, add_settings, files_of, options_of
from burstline_server.cli.text import COLUMNS
from burstline_server.rules.catalogue import findings_of
from burstline_server.tool import tool_name


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add = parser.add_argument
    add("paths", nargs="+", metavar="FILE", help="kernel files, or folders of them")
    add_settings(parser)
    add("--kernel", action="append", default=[], metavar="NAME", help="only this kernel")
    add("--format", choices=tuple(FORMATS), default="text", help="how to print the answer")
    add("--advise", action="store_true", help="add what to do about each finding")
    add("--columns", choices=tuple(COLUMNS), default="usual", help="which columns of the tables to print")
    add("--fail-on", nargs="+", default=[], metavar="CODE", help="exit with 1 when one is found")


def run(arguments: argparse.Namespace) -> int:
    """Check the files; exit status 0, 1 for faults and findings of --fail-on, 2 for unusable input."""
    try:
        options = options_of(arguments)
        files = list(files_of(arguments.paths))
        fixes_wanted = arguments.format == "json" or (arguments.format == "text" and arguments.advise)
        told = list(assessed(files, options, arguments, with_fixes=fixes_wanted))
    except UnusableInputError as error:
        sys.stderr.write(f"burstline: {error}\n")
        return 2
    found = [(a, findings_of(a)) for a, _ in told]
    tell_problems([a for a, _ in told])
    if arguments.format == "json":
        reports = [file_report(a, findings, fixes) for (a, findings), (_, fixes) in zip(found, told, strict=True)]
        report = Report(tool=tool_name(), files=reports)
        sys.stdout.write(report.to_json() + "\n")
    else:
        own = {}
        if arguments.format == "text":
            own = {"fixes": [fixes for _, fixes in told], "columns": arguments.columns}
        sys.stdout.write(FORMATS[arguments.format](found, advise=arguments.advise, **own))
    codes = {f.code for _, findings in found for f in findings}
    faulty = any(a.faults for a, _ in told)
    return 1 if faulty or codes & {c.upper() for c in arguments.fail_on} else 0
