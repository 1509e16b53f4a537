"""What one typed character costs by our own clock: ``python -m bench.edits`` prints the time from edit to answer.

No protocol takes part. The files are made of the example kernels; *first* is a file's first reading, *edit*
(p50 / p95 / max) reading, facts, units, estimates and findings after a character typed in a kernel, *whole* the same
with nothing known of the file. *Parse* is what tree-sitter alone takes for the text, *reparse* for the edited text
given the tree before: no answer can come sooner. Times are in ms on a processor, as everything runs on one; shares
compare figures of the same run, since machines differ.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import tree_sitter
import tree_sitter_c
from bench.generated import file_of
from bench.servers.keystrokes import edits, made
from bench.times import Times, cell, ms, table

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.diagnostics.catalogue import findings_of

SIZES = (100, 1_000, 5_000, 10_000)
EDITS = 40
PARSES = 5
LETTER = 6
"""The typed character before the one that is parsed again, both within a word."""


@dataclass(frozen=True)
class Edited:
    """A file's times; each of `edits` one character, without the list of findings."""

    lines: int
    first_s: float
    edits: Times
    lists: Times
    """Of an edit: the list of all findings, which an editor wants as a whole."""
    whole_s: float
    parse_s: float
    reparse_s: float


def seconds(work: Callable[[], object]) -> float:
    """The processor's time of a call: others that the machine works for do not count."""
    started_s = time.process_time()
    work()
    return time.process_time() - started_s


def edited(text: str, path: str = "typed.cl", workspace: Sequence[Path] = (), number: int = EDITS) -> Edited:
    """Type in a file."""
    assessor = Assessor(workspace)
    done: list[Assessment] = []
    written = text.encode()  # texts are kept like this while they are edited

    def assess(by: Assessor) -> None:
        done.append(by.assess(written, path, []))

    def answer(by: Assessor) -> None:
        assess(by)
        findings_of(done[-1])

    first_s = seconds(lambda: answer(assessor))
    gc.freeze()  # as the server does
    parsed, assessed, listed = [], [], []
    for edit in islice(edits(text, "kernel"), number):
        text = made(text, edit)
        written = text.encode()
        assessed.append(seconds(partial(assess, assessor)))
        listed.append(seconds(partial(findings_of, done[-1])))
        parsed.append(done[-1].source.text)
        del done[:-1]
    whole_s = seconds(lambda: answer(Assessor(workspace)))
    gc.unfreeze()
    times = (Times(tuple(assessed)), Times(tuple(listed)))
    return Edited(text.count("\n"), first_s, *times, whole_s, *parses(*parsed[LETTER : LETTER + 2]))


def parses(before: bytes, after: bytes) -> tuple[float, float]:
    """The least time that tree-sitter takes for a text as the grammar reads it, and for a letter typed in it."""
    start = next(i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
    row, column = before.count(b"\n", 0, start), start - before.rfind(b"\n", 0, start) - 1
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_c.language()))
    whole, again = [], []
    for _ in range(PARSES):
        whole.append(seconds(lambda: parser.parse(before)))
        tree = parser.parse(before)
        tree.edit(start, start, start + 1, (row, column), (row, column), (row, column + 1))
        again.append(seconds(lambda t=tree: parser.parse(after, t)))  # type: ignore[misc]
    return min(whole), min(again)


def main() -> None:
    """Print the table."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    header = [
        "lines",
        "first",
        "edit",
        "its list",
        "whole",
        "edit/whole",
        "parse",
        "reparse",
        "edit/parse",
        "edit/reparse",
    ]
    rows = []
    for lines in SIZES:
        one = edited(file_of(lines))
        edit_s = one.edits.p50_s
        shares = (edit_s / one.whole_s, edit_s / one.parse_s, edit_s / one.reparse_s)
        rows.append([
            str(one.lines), ms(one.first_s), cell(one.edits), cell(one.lists), ms(one.whole_s), f"{shares[0]:.2f}",
            ms(one.parse_s), ms(one.reparse_s), *(f"{share:.1f}" for share in shares[1:]),
        ])  # fmt: skip
    print(table(header, rows))


if __name__ == "__main__":
    main()
