"""Kernels with one fault each: how many are reported, where, and how many still get a number.

`python bench/mutated_kernels.py FOLDER [--each N] [--seed N]` takes every `.cl` file below FOLDER that has a kernel and
no fault already, breaks N places of each kind in it, and prints one line for each kind.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.faults.known import arguments_of, is_known, is_type
from burstline_server.source.source import Source

KINDS = (";", "}", ")", "name", "type", "argument", "#error")
MAX_FILE_BYTES = 200_000
_TOKEN = re.compile(rb"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'|[A-Za-z_]\w*|\.?\d[\w.]*|\S", re.DOTALL)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_KEYWORDS = set(
    b"if else for while do return switch case default break continue goto struct union enum typedef sizeof const "
    b"volatile restrict static inline unsigned signed extern register void kernel global local constant private".split()
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A text with one fault, and the place of the fault in it."""

    kind: str
    text: bytes
    place: int


@dataclass
class Score:
    """What became of the mutants of one kind."""

    made: int = 0
    reported: int = 0
    at_line: int = 0
    priced: int = 0
    examples: list[str] = field(default_factory=list)


def tokens_of(source: Source) -> list[tuple[int, bytes]]:
    """The tokens of a file that are compiled as they are written, with their places."""
    found = []
    for match in _TOKEN.finditer(source.original):
        place = source.offset_of(match.start())
        if place is None or match[0][:2] in {b"//", b"/*"}:
            continue
        if source.text[place : place + len(match[0])] == match[0]:
            found.append((match.start(), match[0]))
    return found


def places_of(source: Source, kind: str) -> list[tuple[int, int, bytes]]:
    """Where a kind of fault can be made: the range that is replaced, and by what."""
    tokens = tokens_of(source)
    found: list[tuple[int, int, bytes]] = []
    seen: set[bytes] = set()
    for number, (place, word) in enumerate(tokens):
        before = tokens[number - 1][1] if number else b";"
        after = tokens[number + 1][1] if number + 1 < len(tokens) else b""
        end = place + len(word)
        name = _WORD.fullmatch(word) is not None and word not in _KEYWORDS
        if kind == word.decode("utf-8", "replace") and (kind != ";" or before not in {b"}", b"{", b";", b"else"}):
            adjacent = number and source.original[tokens[number - 1][0] + len(before) : place].strip() == b""
            if kind != ";" or adjacent:
                found.append((place, end, b""))
        elif kind == "name" and name and word in seen and before != b"." and after != b":":
            text = word.decode()
            if not is_known(text) and not text.isupper():
                found.append((place, end, word + b"_zz"))
        elif kind == "type" and is_type(word.decode("utf-8", "replace")) and _WORD.fullmatch(after) and before != b"(":
            found.append((place, end, word[:1] + word[2:] + b"q"))
        elif kind == "argument" and word == b"(" and number and _WORD.fullmatch(before):
            found += _argument(source, tokens, number)
        elif kind == "#error" and word == b"{":
            line = source.original.find(b"\n", place) + 1
            if line and source.offset_of(line) is not None:
                found.append((line, line, b"#error not this way\n"))
        seen.add(word)
    return found


def _argument(source: Source, tokens: list[tuple[int, bytes]], opening: int) -> Iterator[tuple[int, int, bytes]]:
    """The first argument of a call whose number of arguments is fixed."""
    name = tokens[opening - 1][1].decode()
    counts = arguments_of(name)
    if counts is None or counts[0] != counts[1] or counts[0] == 0:
        return
    depth = 0
    for place, word in tokens[opening:]:
        depth += (word in {b"(", b"[", b"{"}) - (word in {b")", b"]", b"}"})
        if (word == b"," and depth == 1) or depth == 0:
            end = place + (word == b",")
            if source.original[tokens[opening][0] + 1 : end].strip():
                yield tokens[opening][0] + 1, end, b""
            return


def mutants_of(source: Source, each: int, choice: random.Random) -> Iterator[Mutant]:
    """Some mutants of a file."""
    for kind in KINDS:
        places = places_of(source, kind)
        for start, end, new in choice.sample(places, min(each, len(places))):
            yield Mutant(kind, source.original[:start] + new + source.original[end:], start)


def judge(mutant: Mutant, before: Assessment, after: Assessment, score: Score) -> None:
    """Count what became of a mutant."""
    line = mutant.text.count(b"\n", 0, mutant.place)
    lines = [after.source.lines.line_of(f.span.start) for f in after.faults]
    touched = {k.facts.name for k in before.kernels if k.facts.span.start <= mutant.place < k.facts.span.end}
    priced = touched & {k.facts.name for k in after.kernels}
    score.made += 1
    score.reported += bool(lines)
    score.at_line += any(abs(one - line) <= 1 for one in lines)
    score.priced += bool(priced)
    if not any(abs(one - line) <= 1 for one in lines):
        written = mutant.text.splitlines()[line : line + 1] or [b""]
        said = after.faults[0].message if after.faults else "nothing"
        score.examples.append(
            f"{before.path}:{line + 1}: {written[0].decode('utf-8', 'replace').strip()} [{lines[:3]}: {said}]"
        )


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--each", type=int, default=1, help="places of each kind in a file")
    parser.add_argument("--files", type=int, default=100_000, help="most files")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", type=int, default=0, help="mutants shown that are not reported at their line")
    options = parser.parse_args()
    choice, seen = random.Random(options.seed), set[bytes]()  # noqa: S311 - chooses places, nothing secret
    scores, files, faulty = {kind: Score() for kind in KINDS}, 0, []
    paths = sorted(options.folder.rglob("*.cl"))
    choice.shuffle(paths)
    for path in paths:
        text = path.read_bytes()
        digest = blake2b(text).digest()
        if digest in seen or len(text) > MAX_FILE_BYTES or files >= options.files:
            continue
        seen.add(digest)
        assessor = Assessor(workspace=[options.folder])
        before = assessor.assess(text, str(path), [])
        if not before.kernels and not before.withheld:
            continue
        files += 1
        if before.faults:
            faulty.append((path, all(f.given for f in before.faults), before.faults[0].message))
            continue
        for mutant in mutants_of(before.source, options.each, choice):
            judge(mutant, before, assessor.assess(mutant.text, str(path), []), scores[mutant.kind])
    hard = [f for f in faulty if not f[1]]
    sys.stdout.write(
        f"{files} files with kernels; originals reported as wrong: {len(hard)} ({len(hard) / max(files, 1):.1%}); "
        f"lacking a definition of the build or a header: {len(faulty) - len(hard)}\n\n"
        f"{'fault':10}{'mutants':>9}{'reported':>10}{'line ± 1':>10}{'priced':>8}\n"
    )
    total = Score()
    for kind, score in scores.items():
        _row(kind, score)
        total.made, total.reported = total.made + score.made, total.reported + score.reported
        total.at_line, total.priced = total.at_line + score.at_line, total.priced + score.priced
    _row("all", total)
    for path, _, message in hard[: options.misses]:
        sys.stdout.write(f"{path}: {message}\n")
    for kind, score in scores.items():
        for example in score.examples[: options.misses]:
            sys.stdout.write(f"{kind}  {example}\n")
    return 0


def _row(kind: str, score: Score) -> None:
    made = max(score.made, 1)
    shares = (score.reported / made, score.at_line / made)
    sys.stdout.write(f"{kind:10}{score.made:9}" + "".join(f"{s:10.1%}" for s in shares) + f"{score.priced:8}\n")


if __name__ == "__main__":
    sys.exit(main())
