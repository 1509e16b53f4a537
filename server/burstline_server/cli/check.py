"""``burstline check``: cost every access of the files and folders named."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from burstline_server.answers.build import file_report, tool_name
from burstline_server.answers.report import Report
from burstline_server.assess import Assessment, Assessor
from burstline_server.cli.formats import FORMATS
from burstline_server.cli.options import (
    UnusableInputError,
    add_settings,
    files_of,
    layers_of,
    options_of,
    refuse_bad_options,
    text_of,
    workspace_of,
)
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import Fix, fixes_of
from burstline_server.rules.catalogue import findings_of


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add = parser.add_argument
    add("paths", nargs="+", metavar="FILE", help="kernel files, or folders of them")
    add_settings(parser)
    add("--kernel", action="append", default=[], metavar="NAME", help="only this kernel")
    add("--format", choices=tuple(FORMATS), default="text", help="how to print the answer")
    add("--advise", action="store_true", help="add what to do about each finding")
    add("--fail-on", nargs="+", default=[], metavar="CODE", help="exit with 1 when one is found")


def run(arguments: argparse.Namespace) -> int:
    """Check the files; exit status 0, 1 with findings asked for by --fail-on, 2 for unusable input."""
    try:
        options = options_of(arguments)
        files = list(files_of(arguments.paths))
        told = list(_assessed(files, options, arguments))
    except UnusableInputError as error:
        sys.stderr.write(f"burstline: {error}\n")
        return 2
    found = [(a, findings_of(a)) for a, _ in told]
    _tell_problems([a for a, _ in told])
    if arguments.format == "json":
        reports = [file_report(a, findings, fixes) for (a, findings), (_, fixes) in zip(found, told, strict=True)]
        report = Report(tool=tool_name(), files=reports)
        sys.stdout.write(report.to_json() + "\n")
    else:
        own = {"fixes": [fixes for _, fixes in told]} if arguments.format == "text" else {}
        sys.stdout.write(FORMATS[arguments.format](found, advise=arguments.advise, **own))
    codes = {f.code for _, findings in found for f in findings}
    return 1 if codes & {c.upper() for c in arguments.fail_on} else 0


def _assessed(
    files: Sequence[Path], options: Layer, arguments: argparse.Namespace
) -> Iterator[tuple[Assessment, list[Fix]]]:
    """Each file with the fixes that pay, where they are asked for."""
    assessor = Assessor()
    assessor.workspace = sorted({workspace_of(path.resolve()) for path in files})
    known: set[str] = set()
    for path in files:
        text = text_of(path)
        layers, problems = layers_of(path, arguments.config)
        assessment = assessor.assess(text, str(path), [*layers, options])
        refuse_bad_options(assessment.problems)
        known |= {k.facts.name for k in assessment.kernels}
        if arguments.kernel:
            chosen = tuple(k for k in assessment.kernels if k.facts.name in arguments.kernel)
            assessment = assessment.with_kernels(chosen)
        wanted = arguments.format == "json" or (arguments.format == "text" and arguments.advise)
        fixes = fixes_of(assessor, assessment, [*layers, options]) if wanted else []
        yield assessment.with_problems((*problems, *assessment.problems)), fixes
    missing = [k for k in arguments.kernel if k not in known]
    if missing:
        raise UnusableInputError(f"no kernel is called {missing[0]!r}; there are: {', '.join(sorted(known)) or 'none'}")


def _tell_problems(assessments: Sequence[Assessment]) -> None:
    told: set[str] = set()
    for assessment in assessments:
        for problem in assessment.problems:
            place = f"{problem.path}:{problem.line}: " if problem.line else f"{problem.path}: " if problem.path else ""
            text = f"burstline: {place}{problem.message}\n"
            if text not in told:
                told.add(text)
                sys.stderr.write(text)
