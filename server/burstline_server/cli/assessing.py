"""From the files and settings on the command line to assessments, the same for every command that shows them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from burstline_server.assess import Assessment, Assessor
from burstline_server.cli.options import UnusableInputError, layers_of, refuse_bad_options, text_of, workspace_of
from burstline_server.config.layers import Layer

if TYPE_CHECKING:  # the rewrites are loaded where fixes are wanted
    from burstline_server.rewrites.catalogue import Fix


def assessed(
    files: Sequence[Path], options: Layer, arguments: argparse.Namespace, *, with_fixes: bool
) -> Iterator[tuple[Assessment, list[Fix]]]:
    """Each file with the kernels of --kernel (all without it), and with the fixes that pay where they are wanted."""
    assessor = Assessor()
    assessor.workspace = sorted({workspace_of(path.resolve()) for path in files})
    known: set[str] = set()
    for path in files:
        text = text_of(path)
        layers, problems = layers_of(path, arguments.config)
        assessment = assessor.assess(text, str(path), [*layers, options])
        refuse_bad_options(assessment.problems)
        known |= {k.facts.name for k in assessment.kernels} | {w.name for w in assessment.withheld}
        if arguments.kernel:
            assessment = assessment.with_only(arguments.kernel)
        fixes: list[Fix] = []
        if with_fixes:
            from burstline_server.rewrites.catalogue import fixes_of  # noqa: PLC0415

            fixes = fixes_of(assessor, assessment, [*layers, options])
        yield assessment.with_problems((*problems, *assessment.problems)), fixes
    missing = [k for k in arguments.kernel if k not in known]
    if missing:
        raise UnusableInputError(f"no kernel is called {missing[0]!r}; there are: {', '.join(sorted(known)) or 'none'}")


def tell_problems(assessments: Sequence[Assessment]) -> None:
    """Print each setting that could not be used, once."""
    told: set[str] = set()
    for assessment in assessments:
        for problem in assessment.problems:
            place = f"{problem.path}:{problem.line}: " if problem.line else f"{problem.path}: " if problem.path else ""
            text = f"burstline: {place}{problem.message}\n"
            if text not in told:
                told.add(text)
                sys.stderr.write(text)
