"""``--engine``: whether LLVM reads the kernels as well."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import cache

from burstline_server.analysis.reuse import KernelList
from burstline_server.assessment.assessor import Assessment
from burstline_server.cli.terminal import one_line
from burstline_server.llvm.added_facts import overlaid
from burstline_server.llvm.agreement import agreement
from burstline_server.llvm.provider import Llvm
from burstline_server.source.source import Source
from burstline_server.words.llvm import agreement_lines, no_answer_text

ENGINES = ("tree", "auto", "llvm")


def add_engine(parser: argparse.ArgumentParser) -> None:
    """The option."""
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        help="what reads kernels: tree (Burstline alone), llvm (a clang and its opt add what Burstline does not know, "
        "and say how far they agree), or auto (the same where they are installed); the settings' without it",
    )


@cache
def _llvm() -> Llvm:
    return Llvm()


def with_llvm(source: Source, kernels: KernelList) -> KernelList:
    """The kernels of a file with what LLVM knows of them."""
    return overlaid(_llvm().about(source), source, kernels)


def second_reading(assessments: Sequence[Assessment]) -> str:
    """What LLVM says of the kernels of some files; empty where it is not asked."""
    asked = [a for a in assessments if a.settings.engine == "llvm" or (a.settings.engine == "auto" and _llvm().present)]
    return "".join(f"{one_line(line)}\n" for one in asked for line in _lines(one))


def _lines(assessment: Assessment) -> list[str]:
    answer = _llvm().about(assessment.source)
    if answer.why:
        return [f"{assessment.path}: {no_answer_text(answer.why, answer.said)}"]
    lines: list[str] = []
    for kernel in assessment.kernels:
        theirs = answer.rolled.get(kernel.facts.name)
        if theirs is not None:
            found = agreement(kernel.facts, kernel.lsus, assessment.target, theirs, assessment.source)
            lines += agreement_lines(found, answer.version)
    return lines
