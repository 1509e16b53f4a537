"""Kernel text: preprocessor, parser, analysis, model and findings; an edited text is as a fresh one.

An input is fields between ``=====`` lines: the number of a set of settings, a text, and edits of it one after the
other, each a line of two numbers (where, how many characters are removed) and what is put in.
"""

from __future__ import annotations

import random
import re
from typing import Any

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.config.layers import Layer
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.names.name_table import names_of
from burstline_server.names.tokens import tokens
from burstline_server.presentation.report_build import file_report
from burstline_server.rewrites.catalogue import offers_of, refusals_of
from burstline_server.source.folds import folds
from burstline_server.words.edits import title_text
from tests.fuzz.failures import MAX_BYTES, Failure, failing
from tests.fuzz.mutate import mutated
from tests.fuzz.seeds import KERNELS, MACROS, PIECES, STATEMENTS, WORDS

SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"board": "p385a", "global_size": 4096, "arguments": {"n": 16}},
    {"board": "s10mx_hbm2", "mode": "faithful", "banks": {"x": 3}, "global_size": "1024,1024", "local_size": "16,16"},
    {"aoc_version": "17.1", "device_family": "Arria 10", "interleaving": False, "defines": {"N": 4, "WIDTH": "(N*2)"}},
    {"memory_part": "wang", "arguments": {"n": 0, "m": -1}, "assumed_trips": 7, "f_max_mhz": 1e-3},
    {"aoc_flags": ["-fp-relaxed", "-DN=16"], "global_size": 1 << 40, "arguments": {"n": 1 << 62}},
)  # fmt: skip
BREAK = "\n=====\n"
MAX_EDITS = 6


def seeds() -> list[bytes]:
    """Every kernel that is short enough, with an edit."""
    found = []
    for number, text in enumerate([MACROS, *KERNELS]):
        edit = f"{len(text) // 2} {number % 5}\n{PIECES[number % len(PIECES)]}"
        found.append(BREAK.join([str(number), text, edit]).encode())
    return [seed for seed in found if len(seed) <= MAX_BYTES]


def mutate(data: bytes, most: int, chance: random.Random) -> bytes:
    """Mostly another text, often another edit, at times other settings."""
    fields = data.decode("utf-8", "replace").split(BREAK)
    fields += ["0", ""][len(fields) :]
    match chance.choice("ttteeeees"):
        case "t":
            fields[1] = mutated(fields[1], WORDS, KERNELS, chance)
        case "e":
            if len(fields) > 2 and chance.random() < 0.4:
                fields.pop(chance.randrange(2, len(fields)))
            ends = [m.end() for m in re.finditer(r"\n", fields[1])]
            at = chance.choice(ends) if ends and chance.random() < 0.5 else chance.randrange(len(fields[1]) + 1)
            removed = chance.choice((0, 0, 1, 1, 3, 20, 200))
            kinds = (("",), PIECES, STATEMENTS, STATEMENTS, WORDS, "xyin;}{ \n*/é")
            fields.append(f"{at} {removed}\n{chance.choice(chance.choice(kinds))}")
            fields[2:] = fields[2:][-MAX_EDITS:]
        case _:
            fields[0] = str(chance.randrange(len(SETTINGS)))
    return BREAK.join(fields).encode("utf-8", "replace")[:most]


def check(data: bytes) -> None:
    """Assess the text and every edited one, and hold the last against a fresh reading; raises `Failure`."""
    number, text, *edits = [*data.decode("utf-8", "replace").split(BREAK), ""][: 2 + MAX_EDITS]
    settings = SETTINGS[int(number) % len(SETTINGS) if number.isdecimal() else 0]
    layers = [Layer("file", settings)]
    assessor = Assessor()
    for edit in edits:
        with failing():
            findings_of(assessor.assess(text, "kernel.cl", layers))
        text = _edited(text, edit)
    with failing():
        after = answers(assessor.assess(text, "kernel.cl", layers))
    if edits:
        with failing():
            fresh = answers(Assessor().assess(text, "kernel.cl", layers))
        for name, answer in fresh.items():
            if after[name] != answer:
                raise Failure(f"divergence: {name}", f"edited: {after[name]}\nfresh:  {answer}")


def _edited(text: str, edit: str) -> str:
    places, _, put_in = edit.partition("\n")
    at, removed = [*(int(p) if p.isdecimal() else 0 for p in places.split()), 0, 0][:2]
    at = min(at, len(text))
    return text[:at] + put_in + text[at + removed :]


def answers(assessment: Assessment) -> dict[str, object]:
    """What a user is shown of a file, by surface."""
    for kernel in assessment.kernels:
        for remark in kernel.facts.remarks:
            if remark.kind == "program_error":
                raise Failure("remark", str(remark))
    findings = findings_of(assessment)
    return {
        "facts": [kernel.facts for kernel in assessment.kernels],
        "report": file_report(assessment, findings),
        "findings": list(findings),
        "problems": assessment.problems,
        "tokens": tokens(names_of(assessment.source)),
        "folds": folds(assessment.source),
        "offers": [title_text(offer.title) for offer in offers_of(assessment)],
        "refusals": list(refusals_of(assessment)),
    }
