"""The end of an answer about many files, and what is left of one that is to be short."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from burstline_server.assessment.assessor import Assessment
from burstline_server.cli.terminal import one_line
from burstline_server.diagnostics.finding import Finding
from burstline_server.quantities import time_text
from burstline_server.source.locate import place_of
from burstline_server.words.commands import files_text
from burstline_server.words.findings import message_text

Found = Sequence[tuple[Assessment, Collection[Finding]]]
MAX_WORST = 5
"""How many kernels the summary names."""


def summary(found: Found) -> str:
    """How much was looked at, how often each code was found, and the kernels that take longest."""
    kernels = [(a, k) for a, _ in found for k in a.kernels]
    withheld = sum(len(a.withheld) for a, _ in found)
    codes = Counter(f.code for _, findings in found for f in findings)
    lines = [files_text(len(found), len(kernels), withheld)]
    if codes:
        lines.append("found: " + ", ".join(f"{count} × {code}" for code, count in sorted(codes.items())))
    timed = sorted(
        ((k.estimate.time_s, a.path, k) for a, k in kernels if k.estimate.time_s is not None), key=lambda t: -t[0]
    )
    lines += [f"{time_text(s)}  {k.facts.name}  {one_line(path)}" for s, path, k in timed[:MAX_WORST]]
    return "".join(f"{line}\n" for line in lines)


def serious(found: Found) -> list[tuple[Assessment, list[Finding]]]:
    """The errors and warnings alone."""
    return [(a, [f for f in findings if f.severity in {"error", "warning"}]) for a, findings in found]


def problem_lines(found: Found) -> Iterator[str]:
    """Errors and warnings as compilers print them."""
    for assessment, findings in serious(found):
        for finding in findings:
            place = place_of(assessment.source, finding.span)
            where = f"{one_line(assessment.path)}:{place.line + 1}:{place.column + 1}"
            yield f"{where}: {finding.severity}: {one_line(message_text(finding))} [{finding.code}]\n"
