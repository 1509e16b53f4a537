"""Kernels with one fault each: how many are reported, where, and how many still get a number.

`python -m bench.mutated_kernels FOLDER [--each N] [--most N] [--seed N] [--libclang]` takes the `.cl` files of the
repositories in FOLDER that have a kernel and no fault already, each in its place and with the build that is found for
it there, breaks N places of each kind in it, and prints one line for each kind: what is reported by itself and, with
--libclang, together with it. `--markdown FILE` writes the page about it.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from bench.in_place import Compiler, Repository, repositories

from burstline_server.assessment.assessor import Assessment, SecondOpinion
from burstline_server.clang.opinion import second_opinion
from burstline_server.clang.process import Clang
from burstline_server.config.layers import Layer
from burstline_server.faults.known_names import arguments_of, is_known, is_type
from burstline_server.source.source import Source

KINDS = (
    ";", "}", ")", "name", "type", "argument", "#error", "index", "element", "pointer", "const", "break", "again",
)  # fmt: skip
"""What is done to a text: a token or an argument goes, a name or a type is misspelt, an #error comes in; an element is
read without its index, or under a name that there is not; a number is used as a pointer, a constant assigned to; a
`break` is in no loop; a variable is declared again."""
MAX_FILE_BYTES = 200_000
_TOKEN = re.compile(rb"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'|[A-Za-z_]\w*|\.?\d[\w.]*|\S", re.DOTALL)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_NUMBERS = {b"int", b"uint", b"float", b"double", b"long", b"ulong", b"short", b"char", b"uchar", b"size_t"}
_ASSIGNING = {(b"=",), (b"+", b"="), (b"-", b"="), (b"*", b"="), (b"+", b"+"), (b"-", b"-")}
_KEYWORDS = set(
    b"if else for while do return switch case default break continue goto struct union enum typedef sizeof const "
    b"volatile restrict static inline unsigned signed extern register void kernel global local constant private".split()
)


class Change(NamedTuple):
    """A range of a text that is replaced, by what, and where that makes a fault in the new text, if not right there."""

    start: int
    end: int
    new: bytes
    fault: int | None = None


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


def places_of(source: Source, kind: str) -> list[Change]:
    """Where a kind of fault can be made."""
    tokens = tokens_of(source)
    found: list[Change] = []
    if kind in _OF_TYPES:
        return list(_OF_TYPES[kind](tokens))
    seen: set[bytes] = set()
    comments = [m.span() for m in _TOKEN.finditer(source.original) if m[0].startswith(b"/*")]
    for number, (place, word) in enumerate(tokens):
        before = tokens[number - 1][1] if number else b";"
        after = tokens[number + 1][1] if number + 1 < len(tokens) else b""
        end = place + len(word)
        name = _WORD.fullmatch(word) is not None and word not in _KEYWORDS
        if kind == word.decode("utf-8", "replace") and (kind != ";" or before not in {b"}", b"{", b";", b"else"}):
            adjacent = number and source.original[tokens[number - 1][0] + len(before) : place].strip() == b""
            if kind != ";" or adjacent:
                found.append(Change(place, end, b""))
        elif kind == "name" and name and word in seen and before != b"." and after != b":" and not _declares(before):
            text = word.decode()
            if not is_known(text) and not text.isupper():
                found.append(Change(place, end, word + b"_zz"))
        elif kind == "type" and is_type(word.decode("utf-8", "replace")) and _WORD.fullmatch(after) and before != b"(":
            found.append(Change(place, end, word[:1] + word[2:] + b"q"))
        elif kind == "argument" and word == b"(" and number and _WORD.fullmatch(before):
            found += _argument(source, tokens, number)
        elif kind == "#error" and word == b"{":
            line = source.original.find(b"\n", place) + 1
            if line and source.offset_of(line) is not None and not any(a < line < b for a, b in comments):
                found.append(Change(line, line, b"#error not this way\n"))
        seen.add(word)
    return found


def _declares(before: bytes) -> bool:
    """Whether a name behind this word is declared: misspelling it makes its uses wrong, wherever they are."""
    return _WORD.fullmatch(before) is not None and before not in {b"return", b"else", b"case", b"do"}


def _argument(source: Source, tokens: list[tuple[int, bytes]], opening: int) -> Iterator[Change]:
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
                yield Change(tokens[opening][0] + 1, end, b"")
            return


Tokens = list[tuple[int, bytes]]
Places = Iterator[Change]


def _indices(tokens: Tokens) -> Places:
    """Indices of what is multiplied or divided."""
    for number, (place, word) in enumerate(tokens[:-1]):
        if word == b"[" and number and _WORD.fullmatch(tokens[number - 1][1]):
            last = _closing(tokens, number)
            if last is not None and tokens[last + 1 : last + 2] and tokens[last + 1][1] in {b"*", b"/", b"%"}:
                yield Change(place, tokens[last][0] + 1, b"")


def _closing(tokens: Tokens, opening: int) -> int | None:
    depth = 0
    for number in range(opening, len(tokens)):
        depth += (tokens[number][1] in {b"(", b"[", b"{"}) - (tokens[number][1] in {b")", b"]", b"}"})
        if depth == 0:
            return number
    return None


def _elements(tokens: Tokens) -> Places:
    """Names of members."""
    for (_, before), (_, dot), (place, word) in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if dot == b"." and _WORD.fullmatch(word) and (_WORD.fullmatch(before) or before in {b"]", b")"}):
            yield Change(place, place + len(word), word + b"_zz")


def _numbers(tokens: Tokens) -> Iterator[tuple[int, bytes]]:
    """The declarations of single numbers with a value, by the token of the type: those of names declared once."""
    declared = [
        (number, tokens[number + 1][1])
        for number, (_, word) in enumerate(tokens[:-2])
        if word in _NUMBERS and _WORD.fullmatch(tokens[number + 1][1]) and tokens[number + 2][1] in {b"=", b";", b","}
    ]
    names = [name for _, name in declared]
    for number, name in declared:
        if names.count(name) == 1 and tokens[number - 1][1] in {b";", b"{"} and tokens[number + 2][1] != b",":
            yield number, name


def _pointers(tokens: Tokens) -> Places:
    """Uses of numbers as operands."""
    for number, name in _numbers(tokens):
        for use in range(number + 3, len(tokens) - 1):
            if tokens[use][1] == name and tokens[use - 1][1] in {b"+", b"-", b"/"} and tokens[use + 1][1] != b"=":
                if tokens[use - 2][1] != tokens[use - 1][1]:
                    yield Change(tokens[use][0], tokens[use][0], b"*")
                break


def _constants(tokens: Tokens) -> Places:
    """Numbers that are assigned to once on the line below or later; the line of that is the fault's."""
    for number, name in _numbers(tokens):
        for use in range(number + 3, len(tokens) - 3):
            after = (tokens[use + 1][1], tokens[use + 2][1])
            assigns = after in _ASSIGNING or (after[0] == b"=" and after[1] != b"=")
            if tokens[use][1] == name and assigns and tokens[use - 1][1] in {b";", b"{", b"}"}:
                yield Change(tokens[number][0], tokens[number][0], b"const ", tokens[use][0] + len(b"const "))
                break


def _breaks(tokens: Tokens) -> Places:
    """Where the bodies of functions begin."""
    depth = 0
    for number, (place, word) in enumerate(tokens):
        if word == b"{" and depth == 0 and number and tokens[number - 1][1] == b")":
            yield Change(place + 1, place + 1, b" break;")
        depth += (word == b"{") - (word == b"}")


def _again(tokens: Tokens) -> Places:
    """Behind declarations of numbers."""
    for number, name in _numbers(tokens):
        end = next((at for at, word in tokens[number:] if word == b";"), None)
        if end is not None:
            yield Change(end + 1, end + 1, b" " + tokens[number][1] + b" " + name + b";")


_OF_TYPES = {
    "index": _indices, "element": _elements, "pointer": _pointers, "const": _constants, "break": _breaks,
    "again": _again,
}  # fmt: skip


def mutants_of(source: Source, each: int, choice: random.Random) -> Iterator[Mutant]:
    """Some mutants of a file."""
    for kind in KINDS:
        places = places_of(source, kind)
        for start, end, new, fault in choice.sample(places, min(each, len(places))):
            text = source.original[:start] + new + source.original[end:]
            yield Mutant(kind, text, start if fault is None else fault)


def judge(mutant: Mutant, before: Assessment, after: Assessment, score: Score) -> None:
    """Count what became of a mutant."""
    line = mutant.text.count(b"\n", 0, mutant.place)
    lines = [after.source.lines.line_of(f.span.start) for f in after.faults]
    own = [k.facts for k in before.kernels if k.facts.span.file is None]
    touched = {f.name for f in own if f.span.start <= mutant.place < f.span.end}
    priced = touched & {k.facts.name for k in after.kernels}
    score.made += 1
    score.reported += bool(lines)
    score.at_line += any(abs(one - line) <= 1 for one in lines)
    score.priced += bool(priced)
    if priced or not any(abs(one - line) <= 1 for one in lines):
        written = mutant.text.splitlines()[line : line + 1] or [b""]
        said = after.faults[0].message if after.faults else "nothing"
        place = f"{before.path}:{line + 1}: {written[0].decode('utf-8', 'replace').strip()}"
        score.examples.append(f"{place} [{lines[:3]}: {said}]{' with figures' * bool(priced)}")


@dataclass
class Outcome:
    """What one way of checking says of the mutants, by kind, and of the originals.

    Originals that are reported: `wrong` ones are compiled by clang with the same build, the others are not; `lacking`
    ones of these miss a header or a definition that a build would give. Each with its first fault.
    """

    scores: dict[str, Score] = field(default_factory=lambda: {kind: Score() for kind in KINDS})
    lacking: list[tuple[Path, str]] = field(default_factory=list)
    refused: list[tuple[Path, str]] = field(default_factory=list)
    wrong: list[tuple[Path, str]] = field(default_factory=list)


@dataclass
class Originals:
    """How many files were taken, of how many repositories; those with a build, and with macros or folders in it."""

    files: int = 0
    repositories: int = 0
    built: int = 0
    given: int = 0

    def add(self, layers: Sequence[Layer]) -> None:
        """Count a file that is read with these layers of settings."""
        self.files += 1
        self.built += bool(layers)
        self.given += any(layer.keys.keys() & {"defines", "include_paths"} for layer in layers)


def run(
    options: argparse.Namespace, compiler: Compiler, outcomes: dict[str, tuple[Outcome, SecondOpinion | None]]
) -> Originals:
    """Check originals and mutants in every way."""
    choice, seen = random.Random(options.seed), set[bytes]()  # noqa: S311 - chooses places, nothing secret
    done = Originals()
    for repository in repositories(options.folder):
        paths, before = sorted(repository.folder.rglob("*.cl")), done.files
        choice.shuffle(paths)
        for path in paths:
            if done.files >= options.files or done.files - before >= options.most:
                break
            if path.is_file() and (digest := blake2b(text := path.read_bytes()).digest()) not in seen:
                seen.add(digest)
                if len(text) <= MAX_FILE_BYTES:
                    _check(options, repository, path, text, choice, compiler, outcomes, done)
        done.repositories += done.files > before
    return done


def _check(
    options: argparse.Namespace,
    repository: Repository,
    path: Path,
    text: bytes,
    choice: random.Random,
    compiler: Compiler,
    outcomes: dict[str, tuple[Outcome, SecondOpinion | None]],
    done: Originals,
) -> None:
    """Check a file, and mutants of it where nothing is reported of it."""
    layers, assessor = repository.build_of(path, text), repository.assessor
    before = assessor.assess(text, str(path), layers)
    if not before.kernels and not before.withheld:
        return
    done.add(layers)
    whole = [
        _is_whole(compiler, assessor.assess(text, str(path), layers, way), outcome)
        for outcome, way in outcomes.values()
    ]
    for mutant in mutants_of(before.source, options.each, choice) if all(whole) else ():
        for outcome, way in outcomes.values():
            judge(mutant, before, assessor.assess(mutant.text, str(path), layers, way), outcome.scores[mutant.kind])


def _is_whole(compiler: Compiler, original: Assessment, outcome: Outcome) -> bool:
    """Whether nothing is reported of an original."""
    if not original.faults:
        return True
    path = Path(original.path)
    sort = outcome.refused
    if compiler.compiles(path, original.settings):
        sort = outcome.wrong
    elif all(fault.given for fault in original.faults):
        sort = outcome.lacking
    sort.append((path, next((f.message for f in original.faults if not f.given), original.faults[0].message)))
    return False


def main() -> int:
    """Print a table, or write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--each", type=int, default=1, help="places of each kind in a file")
    parser.add_argument("--files", type=int, default=100_000, help="most files")
    parser.add_argument("--most", type=int, default=100_000, help="most files of a repository")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--libclang", action="store_true", help="ask libclang as well")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the page about it")
    parser.add_argument(
        "--misses", type=int, default=0, help="mutants shown that are not reported at their line, or keep figures"
    )
    options = parser.parse_args()
    clang = Clang()
    outcomes: dict[str, tuple[Outcome, SecondOpinion | None]] = {"alone": (Outcome(), None)}
    if options.libclang:
        outcomes["with libclang"] = (Outcome(), partial(second_opinion, clang))
    originals = run(options, Compiler(), outcomes)
    clang.close()
    found = {name: outcome for name, (outcome, _) in outcomes.items()}
    table = "\n".join(_table(originals, found)) + "\n"
    if options.markdown is not None:
        given = f" --each {options.each} --most {options.most} --seed {options.seed}"
        command = f"python -m bench.mutated_kernels FOLDER{given}{' --libclang' * options.libclang}"
        options.markdown.write_text(PAGE.format(command=command, table=table), "utf-8")
    sys.stdout.write(table)
    for name, outcome in found.items():
        for sort, reported in (
            ("clang compiles it", outcome.wrong),
            ("clang refuses it", outcome.refused),
            ("lacking", outcome.lacking),
        ):
            sys.stdout.writelines(f"{name}: {sort}: {p}: {message}\n" for p, message in reported[: options.misses])
        for kind, score in outcome.scores.items():
            sys.stdout.writelines(f"{name}: {kind}  {example}\n" for example in score.examples[: options.misses])
    return 0


PAGE = """# Faults of the program

Public kernels with one fault each: what is reported, and where. Made by

    {command} --markdown docs/faults.md

over public repositories with kernels for FPGAs. Each file is read in its place, with the build that Burstline finds
there (an `aoc` line of a Makefile, a script or `compile_commands.json`); no text of theirs is kept here. Faults are
made in files of which nothing is reported. *Reported*: anything at all; *in place*: at the line of the fault or one
next to it; *figures*: kernels that still have some. *Originals* are the files as they were published: reported though
clang compiles them with the same macros and folders and the vendor's extensions declared; reported and refused by
clang as well (text that does not compile is published, too), those apart that lack what only a build gives.

{table}"""
NAMES = {
    ";": "a semicolon goes", "}": "a brace goes", ")": "a parenthesis goes", "name": "a name is misspelt",
    "type": "a type is misspelt", "argument": "an argument of a built-in function goes", "#error": "an #error comes in",
    "index": "an operand loses its index", "element": "a member is misspelt", "pointer": "a number is dereferenced",
    "const": "a constant is assigned to", "break": "a break is in no loop", "again": "a variable is declared again",
}  # fmt: skip


def _table(originals: Originals, outcomes: dict[str, Outcome]) -> Iterator[str]:
    """The rows, those of each way of checking next to each other."""
    heads = [f"{what}, {name}" for name in outcomes for what in ("reported", "in place", "figures")]
    yield f"| fault | mutants | {' | '.join(heads)} |"
    yield "|---|---:|" + "---:|" * len(heads)
    for kind in KINDS:
        yield _row(NAMES[kind], [outcome.scores[kind] for outcome in outcomes.values()])
    yield _row("all", [_total(outcome.scores.values()) for outcome in outcomes.values()])
    yield ""
    yield (
        f"Originals: {originals.files} files of {originals.repositories} repositories. A build was found for "
        f"{originals.built} of them, which gives macros or folders to {originals.given}."
    )
    yield ""
    for name, outcome in outcomes.items():
        lacking = len(outcome.lacking)
        yield (
            f"- {name}: originals reported that clang compiles {len(outcome.wrong)} of {originals.files} "
            f"({len(outcome.wrong) / max(originals.files, 1):.1%}); that clang refuses as well "
            f"{len(outcome.refused) + lacking}, of which {lacking} lack a header or a definition"
        )
        yield from sorted(f"  - {message}" for _, message in outcome.wrong)


def _total(scores: Iterable[Score]) -> Score:
    total = Score()
    for score in scores:
        total.made, total.reported = total.made + score.made, total.reported + score.reported
        total.at_line, total.priced = total.at_line + score.at_line, total.priced + score.priced
    return total


def _row(name: str, scores: Sequence[Score]) -> str:
    made = max(scores[0].made, 1)
    cells = [f"{s.reported / made:.1%} | {s.at_line / made:.1%} | {s.priced}" for s in scores]
    return f"| {name} | {scores[0].made} | {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
