"""Compare: ``python -m bench.llvm FOLDER… [--differences FILE] [--markdown FILE] [--each N] [--only TEXT]``."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from bench.folders import chosen, found_by, parser_for
from bench.llvm.compare import compare_accesses, compare_loops
from bench.llvm.report import Read, differences, report
from bench.llvm.sides import Ours, Theirs
from bench.llvm.sides import named as named_place
from bench.marked import MarkedPart
from bench.quiet import without_log

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.cli.options import layers_of
from burstline_server.config.layers import Layer
from burstline_server.llvm.provider import Llvm, LlvmFile
from burstline_server.words.llvm import silence_text

PART = MarkedPart("python -m bench.llvm")
COMPILER = "21.4"
"""A compiler that unrolls no loop unasked, on a device of the Pro edition."""
FAMILY = "Arria 10"
MACRO_ROUNDS = 4
MACRO_VALUE = "16"
"""What an undefined name in capitals is given, on both sides."""
PATIENCE_S = 10.0
_UNDECLARED = re.compile(r"use of undeclared identifier '([A-Z_][A-Z0-9_]*)'")


@without_log()
def read_file(job: tuple[Path, Path, str]) -> list[Read]:
    """All kernels of a file."""
    folder, path, only = job
    name = f"{folder.name}/{path.relative_to(folder)}"
    text = path.read_bytes().decode("utf-8-sig", "replace")
    try:
        layers, _ = layers_of(path, text, None)
        layers = [*layers, Layer("option", {"aoc_version": COMPILER, "device_family": FAMILY, "report": "off"})]
        assessment, answer = _both(Assessor(workspace=[folder]), text, path, layers)
    except Exception as error:  # noqa: BLE001 - a failure is a result here
        return [Read(name, "", f"raises {type(error).__name__}: {error}")]
    if assessment.source.template:
        return []
    if answer.why:
        return [
            Read(name, k.facts.name, silence_text(answer.why, answer.said))
            for k in assessment.kernels
            if only in k.facts.name
        ]
    return [Read(name, w.name, "withheld") for w in assessment.withheld] + [
        _compared(name, assessment, answer, number)
        for number, kernel in enumerate(assessment.kernels) if only in kernel.facts.name
    ]  # fmt: skip


def _both(assessor: Assessor, text: str, path: Path, layers: list[Layer]) -> tuple[Assessment, LlvmFile]:
    """Both readings, with values for names in capitals that nobody defines."""
    given: dict[str, str] = {}
    llvm = Llvm()
    for _ in range(MACRO_ROUNDS):
        now = [*layers, Layer("option", {"defines": given})] if given else layers
        assessment = assessor.assess(text, str(path), now)
        answer = llvm.about(assessment.source, PATIENCE_S)
        missing = set(_UNDECLARED.findall(answer.said)) - set(given)
        if not missing:
            break
        given.update(dict.fromkeys(sorted(missing), MACRO_VALUE))
    return assessment, answer


def _compared(name: str, assessment: Assessment, answer: LlvmFile, number: int) -> Read:
    kernel = assessment.kernels[number]
    found = Read(name, kernel.facts.name, unrolled=answer.built is not None)
    theirs = answer.rolled.get(kernel.facts.name)
    if theirs is None:
        found.why = "no such kernel in LLVM's code"
        return found
    own, other = Ours(kernel, assessment.source, assessment.target), Theirs(theirs, assessment.source)
    try:
        loops = other.loops()
        placed = {named_place(one.place) for one in loops if one.place[1] > 0}
        found.verdicts += compare_accesses(own.accesses(), other.accesses(), placed, own.served())
        found.verdicts += compare_loops(own.loops(), loops)
    except Exception as error:  # noqa: BLE001 - a failure is a result here
        found.why = f"raises {type(error).__name__}: {error}"
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Print the summary."""
    parser = parser_for("Kernels as LLVM leaves them, against how they are read here.", PART)
    parser.add_argument("--differences", type=Path, metavar="FILE", help="every disagreement with its place")
    arguments = parser.parse_args(argv)
    if not Llvm().present:
        sys.stderr.write("there is no clang from version 14 on with its opt\n")
        return 2
    jobs = [(a, b, arguments.only) for a, b in chosen(arguments)]
    found = []
    with arguments.differences.open("w") if arguments.differences else nullcontext() as out:
        for one in found_by(read_file, jobs, arguments.workers, 4):
            found.append(one)
            if out is not None:
                out.writelines(f"{line}\n" for line in differences(one))
                out.flush()
    print(report(found))
    if arguments.markdown:
        PART.write(arguments.markdown, report(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
