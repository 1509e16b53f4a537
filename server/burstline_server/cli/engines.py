"""``--engine``: whether LLVM reads the kernels as well. Units and times are ours in any case."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from burstline_server.assessment.assessor import Assessment
from burstline_server.cli.terminal import one_line
from burstline_server.llvm.agreement import agreement
from burstline_server.llvm.provider import Llvm
from burstline_server.words.llvm import agreement_lines, no_answer_text

ENGINES = ("tree", "auto", "llvm")


def add_engine(parser: argparse.ArgumentParser) -> None:
    """The option."""
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        default="tree",
        help="what reads kernels: tree (Burstline alone), llvm (a clang and its opt say how far they agree), or auto "
        "(the same where they are installed)",
    )


def second_reading(assessments: Sequence[Assessment], engine: str) -> str:
    """What LLVM says of the kernels of some files; empty where it is not asked."""
    llvm = Llvm()
    if engine == "tree" or (engine == "auto" and not llvm.present):
        return ""
    return "".join(f"{one_line(line)}\n" for one in assessments for line in _lines(llvm, one))


def _lines(llvm: Llvm, assessment: Assessment) -> list[str]:
    answer = llvm.about(assessment.source)
    if answer.why:
        return [f"{assessment.path}: {no_answer_text(answer.why, answer.said)}"]
    lines: list[str] = []
    for kernel in assessment.kernels:
        theirs = answer.rolled.get(kernel.facts.name)
        if theirs is not None:
            found = agreement(kernel.facts, kernel.lsus, assessment.target, theirs, assessment.source)
            lines += agreement_lines(found, answer.version)
    return lines
